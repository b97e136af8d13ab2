import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { noTheory } from '../../../assets/player/src/base/address.js';
import { topOf } from '../../../assets/player/src/lab/curve.js';
import {
  DEFAULT,
  FIELDS,
  arithmetic,
  bestGamma,
  changed,
  expectedTokens,
  isPossible,
  number,
  sentence,
  settingFromText,
  settingOf,
  settingToText,
  speedUp,
  verifyAt,
  workings,
} from '../../../assets/player/src/lab/formulas.js';

const GRID = JSON.parse(readFileSync(new URL('theory-grid.json', import.meta.url), 'utf8'));
const near = (found, expected, more) =>
  assert.ok(Math.abs(found - expected) < 2e-9, `${found}, ${expected}; ${more}`);
const at = (more) => ({ alpha: 0.7, c: 0.07, v: 1.2, gamma: 5, operations: 0.07, ...more });

test('the formulas are those of Python', () => {
  assert.ok(GRID.length > 100);
  for (const [alpha, c, v, gamma, tokens, speed, more, wider, best] of GRID) {
    const setting = { alpha, c, v, gamma, operations: c };
    const where = settingToText(setting);
    near(expectedTokens(alpha, gamma), tokens, where);
    near(speedUp(setting, gamma), speed, where);
    near(arithmetic(setting, gamma), more, where);
    near(verifyAt(setting, 16), wider, where);
    assert.equal(bestGamma(setting), best, where);
  }
});

test('without guesses it is plain decoding', () => {
  for (const v of [0.8, 1.2]) {
    const setting = at({ v });
    assert.deepEqual([expectedTokens(0.7, 0), speedUp(setting, 0), arithmetic(setting, 0)], [1, 1, 1]);
  }
});

test('v goes along with gamma, so that the curves stay', () => {
  const moved = changed(at({}), 'gamma', 10);
  near(moved.v, 1.4);
  for (const gamma of [1, 5, 16]) near(speedUp(moved, gamma), speedUp(at({}), gamma));
  assert.equal(changed(at({ v: 0.9 }), 'gamma', 10).v, 0.9);
  assert.equal(changed(at({ v: 17, gamma: 1 }), 'gamma', 16).v, 17); // the most that a field takes
  assert.equal(changed(at({}), 'c', 0.5).v, 1.2);
});

test('a setting goes to the address and back', () => {
  assert.equal(settingToText(DEFAULT), '.7,.07,1.2,5,.07');
  for (const setting of [DEFAULT, at({ alpha: 1, c: 0, v: 0.979, gamma: 16, operations: 0 })]) {
    assert.deepEqual(settingFromText(settingToText(setting)), setting);
  }
  assert.deepEqual(settingFromText('0.7,0.07,1.20,5,.07'), DEFAULT);
});

test('an address that is no setting is refused with what it has to be', () => {
  const [alphas, gammas] = [
    ['1.1', '-.1', 'nan', '', '.', '1e0', ' .7'],
    ['0', '17', '2.5'],
  ];
  const wrong = [
    ...alphas.map((alpha) => `${alpha},.07,1.2,5,.07`),
    ...gammas.map((gamma) => `.7,.07,1.2,${gamma},.07`),
    '.7,.07,0,5,.07',
    '.7,.07,1.2,5',
    '.7,.07,1.2,5,.07,1',
    '',
    null,
  ];
  for (const text of wrong) assert.equal(settingFromText(text), null, String(text));
  assert.match(noTheory('x'.repeat(99)), /theory=“x{40}”; it has to be five numbers: alpha, c, v, gamma/);
});

test('a measured run sets the sliders as far as it has numbers', () => {
  const run = { alpha: 0.725, c: 0.12, v: 1.4, gamma: 3.8, operations: null };
  const set = settingOf(at({}), run);
  assert.deepEqual([set.alpha, set.c, set.gamma, set.operations], [0.725, 0.12, 4, 0.07]);
  near(set.v, 1 + (0.4 * 4) / 3.8);
  const untimed = settingOf(at({}), { alpha: 0.5, c: null, v: null, gamma: 40 });
  assert.deepEqual([untimed.alpha, untimed.c, untimed.gamma], [0.5, 0.07, 16]);
  near(untimed.v, 1.64); // what the sliders had, on 16 guesses
  assert.ok(FIELDS.every((field) => isPossible(field, settingOf(at({}), { ...run, c: 99, v: 99 })[field.name])));
});

test('the sentence says what follows', () => {
  assert.equal(
    sentence(at({})),
    'With α 0.70, a draft call at 0.07 of a target call and v 1.20, 5 guesses give 2.94 tokens an iteration, ' +
      '1.90 times plain decoding’s speed; 4 guesses would be best (1.93).',
  );
  const slow = sentence(at({ c: 0.6 }));
  assert.match(slow, /0\.70 times .* slower, because an iteration costs 4\.20 target calls \(γ c \+ v\), more than/);
  assert.match(slow, /; 1 guess would be best \(1\.04\)\.$/);
  const hopeless = sentence(at({ c: 0.9 }));
  assert.match(
    hopeless,
    /no number of guesses up to 16 beats plain decoding, 1 guess would come closest \(0\.88\)\.$/,
  );
  assert.match(sentence(at({ c: 0.3, gamma: 12 })), /slower, because .*; 2 guesses would be best \(1\.34\)\.$/);
});

test('the sentence at the ends of the sliders', () => {
  const never = sentence(at({ alpha: 0, c: 0, v: 1, gamma: 1 }));
  assert.match(never, /1 guess gives 1 token an iteration, exactly plain decoding’s speed; no number of guesses/);
  assert.match(sentence(at({ alpha: 1, c: 0, v: 1 })), /give 6 tokens .*, 6 times .*; 16 guesses, the most shown/);
  assert.match(sentence(at({ alpha: 1, c: 0, v: 1, gamma: 16 })), /17 times .*; no other number of guesses up to 16/);
  assert.match(
    sentence(at({ v: 0.8, gamma: 2, c: 0.3 })),
    /v 0\.80, 2 guesses give .* 1\.56 times .* no other number/,
  );
  assert.match(sentence(at({ alpha: 0.7, c: 0.5, v: 2 })), /1 guess would be just as fast\.$/);
  for (const alpha of [0, 0.001, 0.999, 1]) {
    for (const c of [0, 0.001, 10]) assert.doesNotMatch(sentence(at({ alpha, c })), /NaN|undefined|Infinity/);
  }
});

test('two speeds that are not the same are not written alike', () => {
  const setting = at({ c: 0.055, gamma: 6, v: 1 });
  const [, speed, best] = sentence(setting).match(/([\d.]+) times .* best \(([\d.]+)\)/);
  assert.notEqual(Number(speed), Number(best));
});

test('the formulas with the numbers put in give what is beside them', () => {
  for (const [alpha, c, v, gamma] of GRID) {
    const [, speed, more] = workings({ alpha, c, v, gamma, operations: c });
    for (const { work, result } of [speed, more]) {
      const sum = work.replaceAll('×', '*');
      assert.match(sum, /^[\d.e()+*/ -]+$/);
      const decimals = result.split('.')[1]?.length ?? 0;
      const found = new Function(`return ${sum}`)();
      assert.ok(Math.abs(found - Number(result)) <= 0.502 * 10 ** -decimals, `${work} = ${result}, not ${found}`);
    }
  }
  assert.equal(workings(at({}))[0].work, '(1 − 0.70⁶) / (1 − 0.70)');
  assert.equal(workings(at({ alpha: 1, gamma: 16 }))[0].work, '16 + 1');
});

test('numbers are written as Python writes them', () => {
  const texts = [0, 1, 0.5, 0.604, 0.0034, 0.9996, 12.3].map((value) => number(value));
  assert.deepEqual(texts, ['0', '1', '0.50', '0.60', '0.0034', '0.9996', '12.30']);
});

test('axes end above what they hold', () => {
  assert.deepEqual(
    [1, 2, 2.1, 17, 180].map((most) => topOf(most)[0]),
    [1.5, 2, 3, 20, 200],
  );
});
