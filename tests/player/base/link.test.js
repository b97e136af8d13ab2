import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wrongTurns } from '../../../assets/player/src/base/address.js';
import { assign, forgetRace, formFromQuery, formToFields } from '../../../assets/player/src/base/link.js';
import { wordsOf } from '../../../assets/player/src/base/parts.js';
import { stateFromText, stateToText } from '../../../assets/player/src/forest/link.js';

const FORM = {
  prompt: 'Ein König & <i>;=',
  lanes: [
    { method: 'speculative', options: { gamma: 6 } },
    { method: 'mtad', options: { temperature: 0.8, top_k: null } },
  ],
  shared: { temperature: 0.5, top_k: null },
  max_new_tokens: 64,
  seed: 7,
  pair: 'fable',
};

test('the form of a race comes back from its address', () => {
  const query = new URLSearchParams(formToFields(FORM));
  assert.deepEqual(formFromQuery(new URLSearchParams(query.toString())), FORM);
  assert.equal(formFromQuery(new URLSearchParams('lane=mtad')), null);
});

test('a conversation is part of the address', () => {
  const form = { ...FORM, turns: [['Who & what?', 'A “king”;=']], system: 'Be a & b;=' };
  assert.deepEqual(formFromQuery(new URLSearchParams(new URLSearchParams(formToFields(form)).toString())), form);
  for (const wrong of ['[[', '[1]', '{}', '[["a"]]', '[["a",""]]', 'null']) {
    const bad = new URLSearchParams({ prompt: 'a', turns: wrong });
    assert.equal(formFromQuery(bad)?.turns, undefined);
    assert.match(wrongTurns(bad)[0], /asks for turns=/);
  }
  assert.deepEqual(wrongTurns(new URLSearchParams(formToFields(form))), []);
  const query = new URLSearchParams(formToFields(form));
  forgetRace(query);
  assert.equal(query.toString(), '');
});

test('only what belongs to a race is forgotten', () => {
  const query = new URLSearchParams([...formToFields(FORM), ['at', '0.1'], ['view', 'race'], ['find', 'tau']]);
  forgetRace(query);
  assert.equal(query.toString(), 'view=race&find=tau');
  assign(query, { find: null, step: 3, rule: undefined });
  assert.equal(query.toString(), 'view=race&step=3');
});

test('hidden parts are words and nothing else', () => {
  assert.deepEqual(wordsOf('form,legend,*,a] b,Save'), ['form', 'legend']);
  assert.deepEqual(wordsOf(null), []);
});

const RECORDED = { run: 'gallery:mtad', lane: 0, step: 3, warp: { temperature: 0.7, top_k: null } };
const FORM_OF_DRAFT = {
  prompt: 'Once',
  drafter: 'tree',
  options: { k_config: '3,2', temperature: 1 },
  seed: 4,
  pair: 'fable',
};

test('a forest comes back from its address', () => {
  for (const source of [RECORDED, { form: FORM_OF_DRAFT }]) {
    const state = {
      source,
      seed: 2,
      options: { typical: { epsilon: 0.2 } },
      a: 'token',
      b: 'joint',
      guesses: 'frozen',
    };
    assert.deepEqual(stateFromText(stateToText(state)), state);
  }
});

test('a damaged address of a forest asks for nothing odd', () => {
  const { source, seed, a, guesses } = stateFromText('lane=-4&step=x&seed=1.9');
  assert.deepEqual(source, { run: '', lane: 0, step: 0, warp: {} });
  assert.deepEqual([seed, a, guesses], [1, null, null]);
});
