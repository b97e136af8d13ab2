"""What each verifier is called and does, in a sentence that needs no formula before it."""

from typing import NamedTuple


class Rule(NamedTuple):
    """A verifier's name for readers, and its rule in a sentence."""

    title: str
    sentence: str


RULES: dict[str, Rule] = {
    "token": Rule(
        "Token by token",
        "One coin for each guess: it stays with the chance min(1, target / draft). At the first rejection a "
        "replacement is drawn from the residual, and all guesses after it go.",
    ),
    "block": Rule(
        "As a block",
        "Weighs the whole chain: a strong guess later on can make up for a weak one before it, and the longest prefix "
        "that passes its coin stays.",
    ),
    "recursive": Rule(
        "Candidate after candidate",
        "At every place the candidates are tried in turn, each with a coin; after a rejection the next one is judged "
        "against what the residual has left.",
    ),
    "kseq": Rule(
        "K-SEQ",
        "Judges all candidates of a place with one common discount on the chance of acceptance, so that having "
        "several does not favour what the draft likes.",
    ),
    "joint": Rule(
        "MTAD's joint rule",
        "No coin: keeps the longest prefix whose whole likelihood ratio, target / draft multiplied up, is above τ. "
        "Weak guesses inside a strong sentence stay.",
    ),
    "typical": Rule(
        "Typical acceptance",
        "No coin: keeps a guess that the target finds likely enough, and asks for less where the target itself is "
        "undecided.",
    ),
    "rollback": Rule(
        "Rollback",
        "No coin: keeps the draft's text up to the first token that surprises the target by more than a threshold.",
    ),
    "greedy": Rule(
        "Greedy match",
        "No chance at all: a guess stays only when it is the target's single most likely token.",
    ),
}
