"""Generation settings that would change the target's distribution are refused, each by name, until switched off."""

import json

import pytest
from transformers import GenerationConfig

import specviz
from specviz.__main__ import main
from specviz.errors import ModelError
from specviz.lm.loading.generation import APPLIED, NEUTRAL, REFUSED
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
    "encoder_repetition_penalty": 1.2,
    "encoder_no_repeat_ngram_size": 2,
    "stop_strings": ["\n\n"],
    "max_time": 2.5,
    "token_healing": True,
    "length_penalty": 0.6,
    "diversity_penalty": 0.5,
    "cache_implementation": "quantized",
    "assistant_ensemble_weight": 0.5,
    "an_unheard_of_penalty": 0.1,
}


def _written(folder, **settings):
    paths = write_pair(folder)
    (paths[0] / "generation_config.json").write_text(json.dumps({"eos_token_id": 0, **settings}))
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
    neutral = {"repetition_penalty": 1.0, "no_repeat_ngram_size": 0, "min_length": 0, "cache_implementation": "hybrid"}
    neutral |= {"pad_token_id": 3, "use_cache": False, "num_assistant_tokens": 7, "an_unheard_of_penalty": None}
    assert load_pair(*_written(tmp_path, **sampling, **neutral), device="cpu").draft


def test_a_drafts_own_settings_change_nothing(tmp_path):
    paths = write_pair(tmp_path)
    GenerationConfig(eos_token_id=0, repetition_penalty=1.3).save_pretrained(paths[1])
    assert load_pair(*paths, device="cpu").draft


def test_every_setting_of_transformers_is_in_exactly_one_set(tmp_path):
    GenerationConfig().save_pretrained(tmp_path)
    read = vars(GenerationConfig.from_pretrained(tmp_path))
    sets = (APPLIED, REFUSED, NEUTRAL)
    for name in {**vars(GenerationConfig()), **read}:
        assert sum(name in one for one in sets) == 1, name
    assert not [name for name in read if name in REFUSED and read[name] not in REFUSED[name]]


def test_the_command_line_has_the_switch(tmp_path, capsys):
    paths = _written(tmp_path, repetition_penalty=1.1)
    command = ["decode", "--target", str(paths[0]), "--draft", str(paths[1]), "--device", "cpu", "--prompt", "a"]
    command += ["--max-new-tokens", "3"]
    assert main(command) == 2
    assert "repetition_penalty=1.1" in capsys.readouterr().err
    assert main([*command, "--ignore-generation-config"]) == 0
