import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turnoutWords } from '../../assets/player/src/class/poll.js';
import { asksAt, asksOf, closedBy, evidenceOf } from '../../assets/player/src/class/questions.js';
import { LESSON, differ, only, partsOf, screenOf, sharesOf } from '../../assets/player/src/class/screen.js';
import { eventsIn } from '../../assets/player/src/class/stream.js';

test('a class sees where the teacher is, and nothing of how', () => {
  const race = 'prompt=Once&lane=mtad&seed=3&o.top_k=5';
  const search = `?view=race&${race}&present=1&hide=form&room=BCDF&at=0.1.draft-1&pins=3%2C7`;
  const address = screenOf(search, '0a1b');
  assert.equal(address, 'view=race&at=0.1.draft-1&pins=3%2C7&shown=0a1b');
  assert.match(address, /^[\w.~*+%&=-]*$/);
  assert.match(screenOf('?lesson=<b>é"&view=//x', null), /^[\w.~*+%&=-]*$/);
  const parts = partsOf(address);
  assert.deepEqual([parts.view, parts.shown, parts.at, parts.lesson], ['race', '0a1b', '0.1.draft-1', null]);
  assert.ok(!('prompt' in parts) && !('room' in parts) && !('hide' in parts));
});

test('what differs is taken over, and no more', () => {
  const [a, b] = [partsOf('view=lessons&lesson=coin&step=2'), partsOf('view=race&lesson=coin&step=3')];
  assert.ok(differ(a, b, LESSON) && !differ(a, { ...b, step: '2' }, LESSON));
  assert.deepEqual(only(b, LESSON), { lesson: 'coin', step: '3', answer: null, rule: null });
});

test('shares are of all votes, and none where there are none', () => {
  assert.deepEqual(sharesOf([1, 2]), [
    { count: 1, percent: 33 },
    { count: 2, percent: 67 },
  ]);
  assert.deepEqual(
    sharesOf([0, 0]).map(({ percent }) => percent),
    [0, 0],
  );
});

test('events arrive in pieces of any size', () => {
  const text = 'data: {"a":1}\n\n: still here\n\ndata: {"b":"x\\n"}\n\nda';
  for (let size = 1; size <= text.length; size++) {
    const found = [];
    let rest = '';
    for (let at = 0; at < text.length; at += size) {
      const step = eventsIn(rest + text.slice(at, at + size));
      found.push(...step.data);
      ({ rest } = step);
    }
    assert.deepEqual([found, rest], [['{"a":1}', '{"b":"x\\n"}'], 'da'], `pieces of ${size}`);
  }
});

const judging = (focus, key) => ({
  key,
  focus,
  phase: 'verify',
  title: 'told',
  panels: { tree: key, probabilities: 'p' },
});
const FATE = { a: 0, b: 1 }; // accepted, rejected
const PAYLOAD = {
  scenes: [
    { key: 'target', focus: null, phase: 'target', panels: { tree: 'target' } },
    judging(0, 'decision-1'),
    judging(1, 'decision-2'),
    { key: 'commit', focus: null, phase: 'commit', panels: { tree: 'commit' } },
  ],
  stages: Object.fromEntries(
    ['target', 'decision-1', 'decision-2', 'commit'].map((key) => [key, { states: [FATE.a, FATE.b] }]),
  ),
  forest: {
    depth: 2,
    guesses: [{ name: 'drawn-0', node: null, words: 'resampled' }],
    key: { marks: [['accepted']], notes: ['n'] },
  },
  text: { context: ['x'], emitted: [{ piece: 'a', origin: 'accepted', node: 0 }] },
  nodes: [
    { node: 0, label: 'a', text: 'a, told', formula: 'accept', target: '0.5', scene: 'decision-1' },
    { node: 1, label: 'b', text: 'b, told', formula: 'reject', target: '0.1', scene: 'decision-2' },
  ],
};
const PLACE = { run: 'gallery:mtad,block', lane: 1, iteration: 4 };

test('the token asked about is the one judged next, with its fate and the step where its evidence is', () => {
  const asked = (key) => asksAt(PAYLOAD, key, PLACE);
  assert.deepEqual(asked('target'), {
    page: 'microscope',
    question: '“a”: stays or goes?',
    choices: ['It stays.', 'It goes.'],
    right: 0,
    about: 'view=microscope&shown=gallery%3Amtad%2Cblock&at=1.4.decision-1',
  });
  assert.match(asked('target').about, /^[\w.~*+%&=-]*$/);
  for (const key of ['decision-1', 'commit']) {
    assert.deepEqual([asked(key).question, asked(key).right], ['“b”: stays or goes?', 1]);
  }
  assert.equal(asksAt({ ...PAYLOAD, scenes: PAYLOAD.scenes.slice(0, 1) }, 'target', PLACE), null);
});

const LESSON_WORDS = {
  name: 'coin',
  question: { text: 'Why?', choices: [{ text: 'One' }, { text: 'Two', answer: 'secret', right: true }] },
  steps: [{ predict: null }, { predict: { label: 'a', verdict: 'rejected' } }],
};

test('a lesson asks its own question, or whether the guess of a step stays', () => {
  const { about, question, choices, right } = asksOf(LESSON_WORDS);
  assert.deepEqual([about, question, choices, right], ['view=lessons&lesson=coin&step=1', 'Why?', ['One', 'Two'], 1]);
  assert.equal(asksOf(LESSON_WORDS, 2), null);
  const guess = asksOf(LESSON_WORDS, 3);
  assert.deepEqual([guess.about, guess.right], ['view=lessons&lesson=coin&step=3', 1]);
});

test('an answer is kept back until it is told', () => {
  const poll = { number: 1, right: null, about: 'view=lessons&lesson=coin&step=3' };
  assert.equal(closedBy(poll).lesson, 'coin');
  for (const open of [null, undefined, { ...poll, right: 0 }]) assert.equal(closedBy(open), null);
});

test('the evidence of a guess tells p and q, and nothing of the verdict', () => {
  const shown = evidenceOf(PAYLOAD, 'decision-2');
  assert.deepEqual(
    shown.scenes.map(({ key, panels }) => [key, panels]),
    [['decision-2', { probabilities: 'p' }]],
  );
  assert.doesNotMatch(JSON.stringify(shown), /told|accept|reject|resampled/);
  assert.deepEqual(shown.text.context, ['x']);
});

test('how many have answered is said in a sentence', () => {
  const said = [
    [0, 3],
    [1, 3],
    [2, 3],
    [3, 3],
    [1, 1],
    [2, 0],
  ].map(([votes, students]) => turnoutWords(votes, students));
  assert.deepEqual(said, [
    'Nobody has answered yet.',
    '1 of 3 students has answered.',
    '2 of 3 students have answered.',
    'All 3 students have answered.',
    'One student has answered.',
    '2 students have answered.',
  ]);
});
