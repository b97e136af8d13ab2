import assert from 'node:assert/strict';
import { test } from 'node:test';
import { about, distance, invitation } from '../../../assets/player/src/parts/offers.js';

const OFFER = {
  name: 'small',
  title: 'Small, a chat model',
  licence: 'MIT',
  bytes: 92_871_040,
  folder: '/home/reader/models',
  state: 'away',
  doing: '',
  done: 0,
  total: 0,
  kept: 0,
  reason: '',
};

test('an offer says what comes, how much, under which licence and where to', () => {
  for (const said of ['Small, a chat model', '92.9 MB', 'licence MIT', '/home/reader/models']) {
    assert.ok(about(OFFER).includes(said), said);
  }
  assert.equal(invitation(OFFER), 'Get a real assistant (93 MB, MIT)');
  assert.equal(invitation({ ...OFFER, kept: 41_200_000 }), 'Go on: 41.2 of 92.9 MB are here');
});

test('how far it is is counted where there are bytes to count', () => {
  assert.equal(distance(OFFER), 'beginning …');
  assert.equal(distance({ ...OFFER, doing: 'asking the package index' }), 'asking the package index …');
  assert.equal(distance({ ...OFFER, doing: 'from here', done: 5e6, total: 92_871_040 }), 'from here: 5.0 of 92.9 MB');
});
