"""The generation settings that a model comes with (transformers' GenerationConfig): applied, refused, or neutral."""

from transformers import GenerationConfig, PreTrainedModel

from specviz.errors import ModelError, as_given

APPLIED = frozenset(
    {"do_sample", "eos_token_id", "max_length", "max_new_tokens", "num_beams", "temperature", "top_k", "top_p"}
)
"""The end tokens are the pair's; all others are options of a run or of a method here, whatever a model comes with."""

REFUSED: dict[str, tuple[object, ...]] = {
    "assistant_ensemble_weight": (None,),
    "bad_words_ids": (None, []),
    "begin_suppress_tokens": (None, []),
    "cache_implementation": (None, "dynamic", "hybrid", "offloaded", "offloaded_static", "sliding_window", "static"),
    "constraints": (None, []),
    "diversity_penalty": (None, 0.0),
    "dola_layers": (None,),
    "early_stopping": (None, False),
    "encoder_no_repeat_ngram_size": (None, 0),
    "encoder_repetition_penalty": (None, 1.0),
    "epsilon_cutoff": (None, 0.0, 1.0),
    "eta_cutoff": (None, 0.0, 1.0),
    "exponential_decay_length_penalty": (None,),
    "force_words_ids": (None, []),
    "forced_bos_token_id": (None,),
    "forced_eos_token_id": (None,),
    "guidance_scale": (None, 1.0),
    "length_penalty": (None, 1.0),
    "max_time": (None,),
    "min_length": (None, 0),
    "min_new_tokens": (None, 0),
    "min_p": (None, 0.0),
    "no_repeat_ngram_size": (None, 0),
    "num_beam_groups": (None, 1),
    "penalty_alpha": (None, 0.0),
    "repetition_penalty": (None, 1.0),
    "sequence_bias": (None, {}, []),
    "stop_strings": (None, [], ""),
    "suppress_tokens": (None, []),
    "token_healing": (None, False),
    "top_h": (None, 1.0),
    "typical_p": (None, 1.0),
    "watermarking_config": (None,),
}
"""What changes the distribution of a text, or its end, unless it has one of these values."""

NEUTRAL = frozenset(
    {
        # how drafts are made, which changes no distribution
        *("assistant_confidence_threshold", "assistant_early_exit", "assistant_lookbehind", "is_assistant"),
        *("max_matching_ngram_size", "num_assistant_tokens", "num_assistant_tokens_schedule"),
        *("prompt_lookup_num_tokens", "speculation_type", "target_lookbehind", "use_mtp"),
        # how it is computed, and how many texts are
        *("cache_config", "compile_config", "continuous_batching_config", "disable_compile", "low_memory"),
        *("max_cache_len", "num_return_sequences", "prefill_chunk_size", "use_cache"),
        # softmax takes no notice, and scores that are no numbers are an error here
        *("remove_invalid_values", "renormalize_logits"),
        # what a text without a prompt, or a shorter one of a batch, is filled with
        *("bos_token_id", "decoder_start_token_id", "pad_token_id"),
        # what is handed back besides the text, where the settings come from, and transformers' notes
        *("output_attentions", "output_hidden_states", "output_logits", "output_scores", "return_dict_in_generate"),
        *("_from_model_config", "_original_object_hash", "transformers_version"),
    }
)
"""What changes neither."""


def check_generation(model: PreTrainedModel, name: str) -> None:
    """Raises ModelError where the model's generation settings would change what transformers generates, or may, being
    unknown: decoding here does not apply them, so its text would be of another distribution."""
    settings = vars(model.generation_config or GenerationConfig())
    settings_in_use = {key: value for key, value in sorted(settings.items()) if key not in APPLIED | NEUTRAL}
    active = [
        f"{key}={as_given(value)}" for key, value in settings_in_use.items() if value not in REFUSED.get(key, (None,))
    ]
    if active:
        raise ModelError(
            f"the generation_config of {name!r} asks for {', '.join(active)}, which decoding here does not apply; "
            "ignore_generation_config=True (on the command line --ignore-generation-config) decodes without",
            argument="ignore_generation_config",
        )
