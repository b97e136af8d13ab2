import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeOf, valueAt } from '../../../assets/player/src/player/setting-handle.js';

const track = (setting) => ({ low: -3, high: 1, from: 400, to: 0, side: [0, 9], upright: true, at: -2.3, setting });

test('a line at a logarithm stands for its exponential, with three digits', () => {
  const tau = track({ name: 'tau', log: true });
  assert.equal(valueAt(tau, Math.log(0.1)), 0.1);
  assert.equal(valueAt(tau, -0.64), 0.527);
  assert.ok(Math.abs(placeOf(tau, 0.5) - Math.log(0.5)) < 1e-12);
  assert.equal(placeOf(tau, 0), -3); // as far as the track goes
  assert.equal(placeOf(tau, 100), 1);
});

test('any other line stands at its value', () => {
  const limit = track({ name: 'rollback' });
  assert.equal(valueAt(limit, 12.34), 12.3);
  assert.equal(placeOf(limit, 0.12), 0.12);
});
