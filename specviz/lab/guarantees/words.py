"""The guarantee meter in words: what was compared, how many runs, and what they show."""

from datetime import date
from typing import Any

from specviz.decoding.registry.method import Method
from specviz.facts.words import GUARANTEES

DISTANCE = (
    "The distance is the total variation: the most by which two distributions can differ on any set of texts. 0 is the "
    "same distribution, 1 has nothing in common."
)
NOTHING = 1e-9
"""A distance below this is rounding."""


def word(method: Method) -> str:
    """The word beside the meter: ``lossless``, ``lossy``, ``greedy, exact``."""
    return GUARANTEES[method.guarantee].meter


def exact_sentence(method: Method, exact: dict[str, Any]) -> str:
    """The exact number, and what it is about."""
    start = (
        "Exact: on a pair of tiny models that know three tokens, every coin and draw was followed to its end. "
        "Without any sampling error, "
    )
    if exact["distance"] < NOTHING:
        only = " With a temperature, top-k or top-p it is not." if method.guarantee == "lossy" else ""
        return start + GUARANTEES[method.guarantee].exact + only
    first = f"the distribution of its first {exact['n_tokens']} tokens"
    return f"{start}{first} is {share(exact['distance'])} from the target's."


def measured_sentence(method: Method, measured: dict[str, Any], about: dict[str, Any]) -> str:
    """What the runs on the real pair show."""
    start, against = f"Measured: on {_pair(about)}, ", GUARANTEES[method.guarantee].against
    if "equal" in measured:
        return (
            f"{start}{measured['equal']:,} of {measured['positions']:,} tokens, over {measured['prompts']} prompts, "
            f"are the same as in {against}."
        )
    longest = measured["by_length"][-1]
    of_beams = method.guarantee == "beam"
    runs = f"{longest['samples']:,} runs from “{about['prompt']['text']}”"
    tokens = f"first {longest['n_tokens']} tokens" + (" of the first beam" if of_beams else "")
    fixed = f", always with {measured['beams']} beams," if measured.get("options") else ","
    plain = f"beam sampling with {measured['beams']} beams" if of_beams else "the target itself"
    nothing = longest["excess"] <= longest["error"]
    return (
        f"{start}{runs}{fixed} the {tokens} are {share(longest['tv'])} from {against}. Sampling noise alone would show "
        f"{share(longest['low'])} to {share(longest['high'])} in as many runs of {plain}. With the noise removed, "
        f"{give_or_take(longest)} is left" + (": no difference was found." if nothing else ".")
    )


def short(exact: dict[str, Any], measured: dict[str, Any]) -> str:
    """Both numbers, for a label."""
    if "equal" in measured:
        result = f"{measured['equal']} of {measured['positions']} tokens the same"
    else:
        result = give_or_take(measured["by_length"][-1])
    return f"Exact distance {share(exact['distance'])}; measured {result}"


def made(about: dict[str, Any]) -> str:
    """When, on what and how it was measured."""
    day = date.fromisoformat(about["date"])
    machine, options, versions = about["machine"], about["options"], about["versions"]
    return (
        f"Measured on {day.day} {day:%B %Y} on {machine['processor']}, {machine['cores']} cores, with specviz "
        f"{versions['specviz']} and torch {versions['torch']}, at temperature {options['temperature']:g}, top-k "
        f"{options['top_k']} and top-p {options['top_p']}."
    )


def share(value: float) -> str:
    """A number from 0 to 1 with two significant digits: ``.39``, ``.023``, ``0``."""
    if abs(value) < 0.0005:
        return "0"
    return _bare(f"{value:.3f}" if abs(value) < 0.0995 else f"{value:.2f}")


def give_or_take(distance: dict[str, float]) -> str:
    """What is left of a measured distance and its error: ``.564 ± .039``. No distance is below 0."""
    left = max(0.0, distance["excess"])
    return f"{_bare(f'{left:.3f}') if left >= 0.0005 else '0'} ± {_bare(format(distance['error'], '.3f'))}"


def _bare(text: str) -> str:
    return text.replace("0.", ".", 1).replace("-", "−")


def _pair(about: dict[str, Any]) -> str:
    target, draft = about["pair"]["target"], about["pair"]["draft"]
    return target["name"] + (f" with {draft['name']} as its draft" if draft else "")
