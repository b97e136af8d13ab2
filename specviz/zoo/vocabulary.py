"""The shared tokenizer: a byte-level BPE learned from the corpus, written in Hugging Face format."""

from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from specviz.zoo.corpus import Corpus

END_OF_TEXT = "<|endoftext|>"
END_ID = 0
CONTEXT = 1024
_DIGITS_APART = r" ?\p{L}+| ?\p{N}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def train_tokenizer(corpus: Corpus, directory: str | Path, vocab_size: int = 4096) -> PreTrainedTokenizerFast:
    """Learn a byte-level BPE of ``vocab_size`` entries (end of text is id 0) and save it in ``directory``.

    Digits are single tokens, so that sums and SQL constants are copied digit by digit.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(_regex(_DIGITS_APART), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=[END_OF_TEXT],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    sample = [*corpus.training["tales"], *corpus.training["sums"], *corpus.training["queries"][:20_000]]
    tokenizer.train_from_iterator(sample, trainer)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=END_OF_TEXT,
        eos_token=END_OF_TEXT,
        pad_token=END_OF_TEXT,
        model_max_length=CONTEXT,
        clean_up_tokenization_spaces=False,
    )
    fast.save_pretrained(directory)
    return fast


def _regex(pattern: str):
    from tokenizers import Regex

    return Regex(pattern)
