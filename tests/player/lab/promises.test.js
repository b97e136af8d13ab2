import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counted, verdictWords } from '../../../assets/player/src/lab/promises.js';

const KINDS = ['holds', 'holds', 'fails', 'untested'].map((verdict) => ({ verdict, clear: false }));
KINDS[0].clear = true;

test('a verdict says where it is not sure', () => {
  assert.deepEqual(KINDS.map(verdictWords), [
    '✓ holds',
    '✓ holds, not sure',
    '✗ does not hold here, not sure',
    '– cannot be tested here',
  ]);
});

test('unsure verdicts are counted apart', () => {
  assert.equal(
    counted([...KINDS, { verdict: 'fails', clear: true }, { verdict: 'fails', clear: true }]),
    'Of 6 promises 1 hold here, 1 more do, not sure; ' +
      '2 do not hold here, 1 more do not, not sure; 1 cannot be tested.',
  );
});
