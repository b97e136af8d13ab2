"""Text while it is being written: characters that a prompt begins and the output completes, and the replacement
character where it is meant."""

import numpy as np
import pytest
from tokenizers import Tokenizer, decoders, models
from transformers import PreTrainedTokenizerFast

import specviz
from specviz.decoding.run.detokenizer import Detokenizer
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from tests.tiny_pair import byte_tokenizer

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


@pytest.fixture(scope="module")
def pair():
    tokenizer = byte_tokenizer()
    return ModelPair(TableLM.random(len(tokenizer), 0), TableLM.random(len(tokenizer), 1), tokenizer)


def fallback_pair():
    """Of a tokenizer that has the replacement character as a token, and bytes for what it does not know."""
    words = [*(f"<0x{byte:02X}>" for byte in range(256)), REPLACEMENT, f"a{REPLACEMENT}", "a", "b"]
    tokenizer = Tokenizer(models.BPE({word: at for at, word in enumerate(words)}, [], byte_fallback=True))
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer)
    return ModelPair(TableLM.random(len(words), 0), tokenizer=fast)


def written(pair, prompt, output):
    detokenizer = Detokenizer(pair, prompt)
    return [detokenizer.piece(token) for token in output]


@pytest.mark.parametrize("text", ["🙂", "é", "語", "a🙂b", "🙂🙂"])
def test_wherever_a_prompt_ends_the_output_has_the_character_that_it_completes(pair, text):
    tokens = [*pair.encode("né "), *pair.encode(text), *pair.encode("!")]
    for end in range(len(pair.encode("né ")), len(tokens)):
        whole = b"".join(map(pair.token_bytes, tokens[:end])).decode(errors="ignore")
        assert whole + "".join(written(pair, tokens[:end], tokens[end:])) == f"né {text}!"


def test_a_character_that_stays_broken_belongs_to_no_output(pair):
    broken, following = pair.encode("🙂")[:2], pair.encode("ab")
    assert written(pair, broken, following) == ["a", "b"]
    assert written(pair, following, broken) == ["", ""]
    assert written(pair, broken[:1], pair.encode("🙂")[1:3]) == ["", ""]


@pytest.mark.parametrize("method", ["speculative", "mcsd", "beam"])
def test_a_run_from_token_ids_has_the_character(pair, method):
    """The prompt ends behind the first of four bytes; the target writes the others, then an a."""
    tokens = [*pair.encode("🙂"), *pair.encode("a")]
    target = TableLM(
        lambda context: np.eye(pair.target.vocab_size)[tokens[min(len(context), 4)]], pair.target.vocab_size
    )
    steered = ModelPair(target, pair.draft, pair.tokenizer)
    trace = specviz.decode(steered, method, tokens[:1], max_new_tokens=4)
    assert trace.text == "🙂a" and [e.piece for i in trace.iterations for e in i.emitted] == ["", "", "🙂", "a"]


def test_the_replacement_character_is_itself(pair):
    fallback = fallback_pair()
    assert [fallback.piece(token) for token in (256, 257, 0xEF)] == [REPLACEMENT, f"a{REPLACEMENT}", "\\xef"]
    assert written(fallback, [258], [256]) == [REPLACEMENT]
    assert written(fallback, [258], [257, 0xC3, 0xA9, 256]) == [f"a{REPLACEMENT}", "", "é", REPLACEMENT]
    assert written(pair, pair.encode("a"), pair.encode(REPLACEMENT)) == ["", "", REPLACEMENT]
    added = byte_tokenizer()
    added.add_tokens([f"<{REPLACEMENT}>"])
    plain = ModelPair(TableLM.random(len(added), 0), tokenizer=added)
    assert plain.piece(len(added) - 1) == f"<{REPLACEMENT}>" and plain.piece(0) == "<|endoftext|>"
