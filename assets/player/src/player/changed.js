/* What a step changed, as seen from another one: nodes, rows of the mask, tokens of the text, panels. Data only. */
import { isTold, pictureOf, stageOf } from './lookup.js';

/**
 * @import { IterationPayload, Scene } from '../payload.js'
 * @import { AnyRecord } from './lookup.js'
 * @typedef {object} Changed
 * @property {Set<number>} nodes drafted tokens that appeared, or of which something else has come
 * @property {Set<number>} rows of the mask, from 0
 * @property {Set<number>} tokens that this iteration writes and that are known now, from 0
 * @property {Set<string>} panels that show another picture
 */

const NEWS = ['mask', 'probabilities', 'decision']; // the tree is another one at every step
/** @returns {Changed} */
export const unchanged = () => ({ nodes: new Set(), rows: new Set(), tokens: new Set(), panels: new Set() });

/** @param {IterationPayload} payload @param {Scene} before @param {Scene} after */
function changedNodes(payload, before, after) {
  const [old, now] = [before, after].map((scene) => stageOf(payload, scene)?.states);
  if (!old || !now) return [];
  return payload.nodes.filter((_, at) => now[at] !== null && now[at] !== old[at]);
}

/** What each row of a mask sees, and whether it stays. @param {IterationPayload} payload @param {Scene} scene */
function maskRows(payload, scene) {
  const mask = pictureOf(payload, scene, 'mask')?.shapes.find(({ kind }) => kind === 'mask');
  return mask?.kind === 'mask' ? mask.rows.map(({ cells, stays = null }) => `${cells} ${stays}`) : [];
}

/**
 * Rows that belong to a changed node, or see or stay in another way; none where the mask is a new one.
 * @param {IterationPayload} payload @param {Scene} before @param {Scene} after @param {AnyRecord[]} nodes
 */
function changedRows(payload, before, after, nodes) {
  const [old, now] = [before, after].map((scene) => maskRows(payload, scene));
  if (!old.length || old.length !== now.length) return [];
  const own = nodes.flatMap(({ row }) => (row === null ? [] : [row]));
  return [...own, ...now.flatMap((row, at) => (row === old[at] ? [] : [at]))];
}

/**
 * What the scene at `to` changed for somebody who comes from the one at `from`.
 * @param {IterationPayload} payload
 * @param {Scene[]} scenes
 * @param {number} from
 * @param {number} to
 * @param {Map<number, AnyRecord>} records
 * @returns {Changed}
 */
export function changedBetween(payload, scenes, from, to, records) {
  const [before, after] = [scenes[from], scenes[to]];
  if (!before || !after || from === to) return unchanged();
  const nodes = changedNodes(payload, before, after);
  const told = (/** @type {number} */ index, /** @type {number | null} */ node) =>
    isTold(scenes, index, node === null ? undefined : records.get(node));
  const tokens = (payload.text?.emitted ?? []).flatMap(({ node }, at) =>
    told(to, node) && !told(from, node) ? [at] : [],
  );
  return {
    nodes: new Set(nodes.map(({ node }) => node)),
    rows: new Set(changedRows(payload, before, after, nodes)),
    tokens: new Set(tokens),
    panels: new Set(NEWS.filter((name) => after.panels[name] && after.panels[name] !== before.panels[name])),
  };
}
