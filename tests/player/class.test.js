import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asksAt, asksOf } from '../../assets/player/src/class/questions.js';
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

const PAYLOAD = {
  scenes: ['context', 'draft-1', 'target', 'decision-1', 'decision-2', 'commit'].map((key) => ({ key })),
  nodes: [
    { label: 'b', scene: 'decision-2' },
    { label: 'a', scene: 'decision-1' },
    { label: 'c', scene: null },
    { label: 'd', scene: 'not told here' },
  ],
};

test('the token asked about is the one judged next', () => {
  const asked = (key) => asksAt(PAYLOAD, key)?.question;
  assert.equal(asked('context'), '“a”: stays or goes?');
  assert.equal(asked('target'), '“a”: stays or goes?');
  assert.equal(asked('decision-1'), '“b”: stays or goes?');
  assert.equal(asked('commit'), '“b”: stays or goes?');
  assert.equal(asksAt({ ...PAYLOAD, nodes: PAYLOAD.nodes.slice(2) }, 'target'), null);
  assert.deepEqual(asksAt(PAYLOAD, 'target').choices, ['It stays.', 'It goes.']);
});

test('a lesson asks its own question, without the answers', () => {
  const question = { text: 'Why?', choices: [{ text: 'One', answer: 'secret', right: true }], look: {} };
  assert.deepEqual(asksOf(question), { page: 'lessons', question: 'Why?', choices: ['One'] });
});
