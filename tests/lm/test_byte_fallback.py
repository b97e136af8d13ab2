"""Tokenizers that write unknown characters byte by byte and spaces as part of words, as Llama 2's does."""

import pytest
from tokenizers import Tokenizer, decoders, models, normalizers
from transformers import PreTrainedTokenizerFast

from specviz.decoding.run.detokenizer import Detokenizer
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM

WORDS = ["▁", "a", "b", "▁a", "▁the", "the", "語"]


@pytest.fixture
def pair():
    vocabulary = {"<unk>": 0, "<s>": 1, "</s>": 2} | {f"<0x{byte:02X}>": 3 + byte for byte in range(256)}
    vocabulary |= {word: 259 + i for i, word in enumerate(WORDS)}
    merges = [("▁", "a")]
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges, unk_token="<unk>", byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>")
    return ModelPair(TableLM.random(len(vocabulary), 0), tokenizer=fast, end_tokens=frozenset({2}))


@pytest.mark.parametrize("text", ["日本語です", "తెలుగు భాష", "a b a", "🙂 a 🙂🙂"])
def test_pieces_join_to_the_text(pair, text):
    prompt = pair.encode("a")
    tokens = pair.tokenizer(text)["input_ids"]
    detokenizer = Detokenizer(pair, prompt)
    joined = "".join(detokenizer.piece(token) for token in tokens)
    assert joined.lstrip(" ") == text and "\N{REPLACEMENT CHARACTER}" not in joined


def test_single_tokens_keep_their_space(pair):
    ids = pair.tokenizer.get_vocab()
    assert (pair.piece(ids["▁the"]), pair.piece(ids["the"])) == (" the", "the")
    assert pair.piece(ids["<0xE8>"]) == "\\xe8"
