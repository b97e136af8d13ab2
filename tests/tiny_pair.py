"""A tiny random pair on disk, with a byte-level tokenizer of its own: everything ``load_pair`` needs, in a second."""

import json
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

END = "<|endoftext|>"


def byte_tokenizer() -> PreTrainedTokenizerFast:
    """One token per byte; id 0 ends a text."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={END: 0} | {symbol: i for i, symbol in enumerate(alphabet, 1)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=END, clean_up_tokenization_spaces=False)


def swapped_tokenizer() -> PreTrainedTokenizerFast:
    """The same with another vocabulary: the tokens 5 and 6 have each other's byte."""
    tokenizer = byte_tokenizer()
    content = json.loads(tokenizer.backend_tokenizer.to_str())
    vocabulary = content["model"]["vocab"]
    fifth, sixth = (token for token, number in vocabulary.items() if number in (5, 6))
    vocabulary |= {fifth: vocabulary[sixth], sixth: vocabulary[fifth]}
    swapped = Tokenizer.from_str(json.dumps(content))
    return PreTrainedTokenizerFast(tokenizer_object=swapped, eos_token=END, clean_up_tokenization_spaces=False)


def write_pair(
    directory: Path, tokenizer: PreTrainedTokenizerFast | None = None, drafts: PreTrainedTokenizerFast | None = None
) -> tuple[Path, Path]:
    """Write ``target`` and ``draft`` into ``directory`` and return their paths; ``drafts`` is the draft's tokenizer
    where it is another one."""
    own = tokenizer or byte_tokenizer()
    for name, layers, seed, tokenizer in (("target", 2, 0, own), ("draft", 1, 1, drafts or own)):
        torch.manual_seed(seed)
        config = LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=32,
            intermediate_size=48,
            num_hidden_layers=layers,
            num_attention_heads=4,
            max_position_embeddings=512,
            bos_token_id=0,
            eos_token_id=0,
            pad_token_id=0,
        )
        LlamaForCausalLM(config).save_pretrained(directory / name)
        tokenizer.save_pretrained(directory / name)
    return directory / "target", directory / "draft"
