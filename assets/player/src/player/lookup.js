/* What is to be found in a payload: scenes, nodes, what has come of them by a step. Data only, nothing of the page. */

/**
 * @import { IterationPayload, NodeRecord, Picture, PrefixRecord, Scene } from '../payload.js'
 * @typedef {PrefixRecord & Partial<NodeRecord>} AnyRecord of a prefix: a drafted node, or what they grow from
 * @typedef {{phase: string, from: number, to: number}} Span scenes of one phase in a row
 */

/** Scenes of the same phase in a row. @param {Scene[]} scenes */
export function phaseSpans(scenes) {
  /** @type {Span[]} */
  const spans = [];
  scenes.forEach(({ phase }, at) => {
    const last = spans[spans.length - 1];
    if (last && last.phase === phase) last.to = at;
    else spans.push({ phase, from: at, to: at });
  });
  return spans;
}

/** Where to begin: a scene's key, an index, or -1 for the last. @param {Scene[]} scenes @param {string | number} at */
export function startIndex(scenes, at) {
  if (typeof at === 'number') return at < 0 ? scenes.length - 1 : at;
  return Math.max(
    0,
    scenes.findIndex((scene) => scene.key === at),
  );
}

/**
 * Those of the scenes that are wanted; all of them where none is there.
 * @param {Scene[]} scenes
 * @param {string[] | null} only
 */
export function wantedScenes(scenes, only) {
  const found = scenes.filter((scene) => !only || only.includes(scene.key));
  return found.length ? found : scenes;
}

/**
 * The key of the scene that stands where `key` stood: the same, or the nearest of its phase, or the last before.
 * @param {Scene[]} scenes
 * @param {string} key
 * @param {Scene[]} old those that `key` is one of
 */
export function nearestScene(scenes, key, old) {
  if (scenes.some((scene) => scene.key === key)) return key;
  const before = old.find((scene) => scene.key === key);
  const phase = before ? before.phase : key.startsWith('draw') ? 'draw' : 'verify';
  const kin = scenes.filter((scene) => scene.phase === phase);
  return (kin.at(-1) || scenes[scenes.length - 1]).key;
}

/**
 * The scene that decides about a token of the text that an iteration wrote; 0 where none does.
 * @param {IterationPayload} payload
 * @param {number} token
 */
export function sceneOfToken(payload, token) {
  const one = payload.text.emitted[token];
  const judged = one && payload.nodes.find((record) => record.node === one.node);
  return (judged && judged.scene) || payload.scenes.find((scene) => scene.phase === 'draw')?.key || 0;
}

/**
 * What specviz/pictures/data.py packed: a list begins with the number of the fields that it holds, or with 0.
 * @param {any} value @param {string[][]} fields @returns {any}
 */
export function unpacked(value, fields) {
  if (!Array.isArray(value)) return value;
  const [number, ...items] = value.map((item) => unpacked(item, fields));
  return number ? Object.fromEntries(fields[number - 1].map((name, at) => [name, items[at]])) : items;
}

/** @type {WeakMap<any[], Picture>} */
const unpackedPictures = new WeakMap();

/** @param {IterationPayload} payload @param {Scene} scene @param {string} panel @returns {Picture | null} */
export function pictureOf({ pictures, fields }, scene, panel) {
  const packed = pictures[scene.panels[panel]];
  if (packed && !unpackedPictures.has(packed)) unpackedPictures.set(packed, unpacked(packed, fields));
  return unpackedPictures.get(packed) ?? null;
}

/**
 * What a panel shows in a scene, in words.
 * @param {IterationPayload} payload @param {Scene} scene @param {string} panel
 */
export const wordsOf = ({ texts, phrases }, scene, panel) =>
  (texts[scene.panels[panel]] ?? []).map((at) => phrases[at]).join('');

/** How the forest stands in a scene. @param {IterationPayload} payload @param {Scene} scene */
export const stageOf = (payload, scene) => payload.stages[scene.panels.tree] ?? null;

/**
 * What has come of a node by a scene, by number; null where it is not there.
 * @param {IterationPayload} payload
 * @param {Scene} scene
 * @param {number} node
 */
const stateOf = (payload, scene, node) =>
  stageOf(payload, scene)?.states[payload.nodes.findIndex((record) => record.node === node)] ?? null;

/**
 * Whether a panel has something to show in a scene.
 * @param {IterationPayload} payload @param {Scene} scene @param {string} panel
 */
export const hasPanel = (payload, scene, panel) =>
  Boolean(panel === 'tree' ? stageOf(payload, scene) : payload.pictures[scene.panels[panel]]);

/**
 * What has come of a node by a scene, in words; '' where no tree is drawn.
 * @param {IterationPayload} payload
 * @param {Scene} scene
 * @param {number} node
 */
export function outcomeOf(payload, scene, node) {
  const state = stateOf(payload, scene, node);
  return state === null ? '' : payload.outcomes[state][2];
}

/** @typedef {'accepted' | 'rejected'} Verdict */

/** @type {Verdict[]} */
const VERDICTS = ['accepted', 'rejected']; // the first of what can come of a guess (specviz/views/plot/palette.py)

/**
 * Whether a step accepts or rejects the guess that it is about; null where it decides nothing of the kind.
 * @param {IterationPayload} payload
 * @param {Scene} scene
 */
export function verdictOf(payload, scene) {
  const { phase, focus } = scene;
  if (phase !== 'verify' || focus === null || focus < 0) return null;
  return VERDICTS[stateOf(payload, scene, focus) ?? -1] ?? null;
}

/**
 * The next step after `index` that accepts, or rejects, the guess it is about; -1 where there is none.
 * @param {IterationPayload} payload
 * @param {Scene[]} scenes
 * @param {number} index
 * @param {Verdict} verdict
 */
export const nextVerdict = (payload, scenes, index, verdict) =>
  scenes.findIndex((scene, at) => at > index && verdictOf(payload, scene) === verdict);

/**
 * Whether a token that the iteration writes is known by a step: its guess was judged, or it was drawn.
 * @param {Scene[]} scenes
 * @param {number} index
 * @param {AnyRecord | undefined} record of the guess it was, if any
 */
export function isTold(scenes, index, record) {
  if (scenes[index].phase === 'commit') return true;
  if (!record) return scenes[index].phase === 'draw';
  const at = scenes.findIndex((scene) => scene.key === record.scene);
  return at >= 0 && at <= index;
}

/**
 * The formula that decides about a node, once it has been told.
 * @param {Scene[]} scenes
 * @param {number} index
 * @param {AnyRecord} record
 */
export function decidedFormula(scenes, index, record) {
  const told = scenes.slice(0, index + 1).find((scene) => scene.key === record.scene);
  return told ? record.formula || told.formula : '';
}

/**
 * A node in a sentence, as far as a scene knows.
 * @param {IterationPayload} payload
 * @param {Scene} scene
 * @param {AnyRecord} record
 */
export const nodeWords = (payload, scene, record) =>
  [record.text, record.node >= 0 && outcomeOf(payload, scene, record.node)].filter(Boolean).join(', ');

/** The tokens from the root to a node. @param {Map<number, AnyRecord>} records @param {AnyRecord} record */
export function pathWords(records, record) {
  const name = (/** @type {number} */ node) => records.get(node)?.label ?? (node < 0 ? 'context' : `node ${node}`);
  return [...record.ancestors].reverse().concat(record.node).map(name).join(' → ');
}

/**
 * Why a panel is empty: a decision without a coin is its formula; anything else comes later, or not at all.
 * @param {IterationPayload} payload
 * @param {Scene[]} scenes
 * @param {number} index
 * @param {string} panel
 */
export function emptyWords(payload, scenes, index, panel) {
  const { phase, formula } = scenes[index];
  if (panel === 'decision' && ['verify', 'draw'].includes(phase) && formula)
    return 'Nothing to draw here: the formula says it all.';
  const at = scenes.findIndex((scene, number) => number > index && hasPanel(payload, scene, panel));
  return at < 0 ? 'Nothing to show at this step.' : `Comes at step ${at + 1}.`;
}

/**
 * The pins after one is put in or out; a third replaces the older one.
 * @param {AnyRecord[]} pins
 * @param {AnyRecord} record
 * @param {number} most
 */
export const togglePin = (pins, record, most) =>
  pins.includes(record) ? pins.filter((one) => one !== record) : [...pins, record].slice(-most);

/**
 * Those pins that are the same node in another payload: the same step judged again.
 * @param {AnyRecord[]} pins
 * @param {Map<number, AnyRecord>} records
 */
export const samePins = (pins, records) =>
  pins.flatMap((pin) => {
    const record = records.get(pin.node);
    return record && record.text === pin.text ? [record] : [];
  });
