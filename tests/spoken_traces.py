"""The hand-made traces in other languages: text that is read from right to left, letters that are written together, and
characters that are split over tokens. The pieces that ``speculative_trace`` writes are, in order, those of tokens
2, 3 | 8, 6, 7, 13 | 9, after the prompt 0, 12, 11, 1."""

from dataclasses import replace

from specviz.trace.record import Trace

HEBREW = {
    0: "",
    12: "מה",
    11: " שלומך?",
    1: "\n",
    2: "של",
    3: "ום",
    8: " עולם",
    6: " GPT",
    7: " כותב",
    13: "\nabc",
    9: " עוד",
}
SPLIT = {
    0: "",
    12: "الس",
    11: "لام",
    1: " ",
    2: "السل",
    3: "ام",
    8: " e",
    6: "\u0301t",
    7: " 👩\u200d",
    13: "👩\u200d",
    9: "👧",
}


def spoken(trace: Trace, words: dict[int, str]) -> Trace:
    """A trace whose tokens are these words; others stay."""
    iterations = tuple(
        replace(one, emitted=tuple(replace(e, piece=words.get(e.token, e.piece)) for e in one.emitted))
        for one in trace.iterations
    )
    prompt = "".join(words[token] for token in trace.header.prompt_tokens)
    header = replace(trace.header, prompt_text=prompt)
    return replace(trace, header=header, iterations=iterations, vocabulary={**trace.vocabulary, **words})
