"""Generation settings that would change the target's distribution are refused, each by name, until switched off."""

import pytest
from transformers import GenerationConfig

import specviz
from specviz.__main__ import main
from specviz.errors import ModelError
from specviz.lm.loading.models import _NEUTRAL
from specviz.lm.loading.pairs import load_pair
from tests.tiny_pair import write_pair

CHANGING = {
    "repetition_penalty": 1.1,
    "no_repeat_ngram_size": 3,
    "bad_words_ids": [[5]],
    "suppress_tokens": [1, 2],
    "begin_suppress_tokens": [3],
    "forced_bos_token_id": 4,
    "forced_eos_token_id": 0,
    "sequence_bias": [[[5], -1.0]],
    "min_length": 5,
    "min_new_tokens": 5,
    "guidance_scale": 1.5,
    "exponential_decay_length_penalty": [5, 1.1],
}


def _written(folder, **settings):
    paths = write_pair(folder)
    GenerationConfig(eos_token_id=0, **settings).save_pretrained(paths[0])
    return paths


@pytest.mark.parametrize("setting", CHANGING)
def test_what_changes_the_distribution_is_refused_by_name(tmp_path, setting):
    paths = _written(tmp_path, **{setting: CHANGING[setting]})
    with pytest.raises(
        ModelError, match=f"generation_config of 'target' asks for {setting}=.*ignore_generation_config=True"
    ) as caught:
        load_pair(*paths, device="cpu")
    assert caught.value.argument == "ignore_generation_config"
    pair = load_pair(*paths, device="cpu", ignore_generation_config=True)
    assert len(specviz.decode(pair, "speculative", "Once", max_new_tokens=4).tokens) >= 1


def test_all_of_them_are_named_at_once(tmp_path):
    paths = _written(tmp_path, repetition_penalty=1.05, min_length=2)
    with pytest.raises(ModelError, match="min_length=2, repetition_penalty=1.05"):
        load_pair(*paths, device="cpu")


def test_the_methods_own_options_are_no_reason(tmp_path):
    sampling = {"do_sample": True, "temperature": 0.6, "top_k": 20, "top_p": 0.95, "max_new_tokens": 9}
    neutral = {"repetition_penalty": 1.0, "no_repeat_ngram_size": 0, "min_length": 0}
    assert load_pair(*_written(tmp_path, **sampling, **neutral), device="cpu").draft


def test_a_drafts_own_settings_change_nothing(tmp_path):
    paths = write_pair(tmp_path)
    GenerationConfig(eos_token_id=0, repetition_penalty=1.3).save_pretrained(paths[1])
    assert load_pair(*paths, device="cpu").draft


def test_every_setting_is_one_of_transformers():
    known = vars(GenerationConfig())
    assert not set(_NEUTRAL) - set(known)
    assert all(known[key] in values for key, values in _NEUTRAL.items())


def test_the_command_line_has_the_switch(tmp_path, capsys):
    paths = _written(tmp_path, repetition_penalty=1.1)
    command = ["decode", "--target", str(paths[0]), "--draft", str(paths[1]), "--device", "cpu", "--prompt", "a"]
    command += ["--max-new-tokens", "3"]
    assert main(command) == 2
    assert "repetition_penalty=1.1" in capsys.readouterr().err
    assert main([*command, "--ignore-generation-config"]) == 0
