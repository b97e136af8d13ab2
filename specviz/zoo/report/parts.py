"""The report's numbers about the parts beside target and draft, as Markdown."""

from collections import Counter

from specviz.zoo.report.evaluation import Fit
from specviz.zoo.report.markdown import table


def render_parts(numbers: dict) -> str:
    """The sections on the second draft, the heads, the bigram table and the decision models."""
    parts = [_small(numbers), _heads(numbers["heads"], numbers["correlation"]), _deciders(numbers["deciders"])]
    return "\n\n".join(parts)


def _small(numbers: dict) -> str:
    rows = [
        [domain, f"{fit.draft_loss:.3f}", f"{fit.agreement:.3f}", f"{fit.agreement_warped:.3f}"]
        for domain, fit in ((domain, Fit(**fit)) for domain, fit in numbers["small"].items() if fit)
    ]
    return "\n".join(
        [
            "## The second draft",
            "",
            "`fable-draft-small`, for methods that draw from several drafts. Measured as above, on the same windows. "
            f"It and everything in the next two sections was made and measured on {numbers['date']}.",
            "",
            table(["domain", "loss", "agreement", "agreement, warped"], rows),
        ]
    )


def _heads(heads: dict, correlation: dict) -> str:
    return "\n".join(
        [
            "## Prediction heads and bigram table",
            "",
            f"`fable-heads`: {heads['count']} heads on the target's last hidden state, for the tokens 2 to "
            f"{heads['count'] + 1} ahead; each a linear layer of width {heads['width']}, SiLU, a skip connection and a "
            f"vocabulary projection of its own; {heads['parameters']:,} parameters. `fable-correlation`: "
            f"{correlation['pairs']:,} different pairs of adjacent tokens among {correlation['total']:,} of the "
            "training text, as r(x, y) = p(x, y) / (p(x) p(y)); r of a pair never seen is "
            f"{correlation['floor']:g}.",
            "",
            "How often the token that comes is the first of a head's guesses (top 1), or among its first 2 to 5; with "
            "r: a head's ten best guesses ranked by guess times r, the token before taken as known. First on held-out "
            "text, then on the target's own greedy continuations of held-out text, which is what the heads meet when "
            "they decode.",
            "",
            _accuracies(heads["text"]),
            "",
            "Greedy continuations:",
            "",
            _accuracies(heads["greedy"]),
            "",
            _tree(heads),
        ]
    )


def _accuracies(by_domain: dict) -> str:
    rows = [
        [domain, f"{number + 2}", *(f"{plain:.3f} / {corrected:.3f}" for plain, corrected in zip(*pair, strict=True))]
        for domain, shares in by_domain.items()
        for number, pair in enumerate(zip(shares["plain"], shares["corrected"], strict=True))
    ]
    return table(["domain", "token ahead", *(f"top {k}, without / with r" for k in range(1, 6))], rows)


def _tree(heads: dict) -> str:
    depths = Counter(map(len, heads["tree"]))
    layers = ", ".join(f"{depths[depth]} at depth {depth}" for depth in sorted(depths))
    text = (
        f"Medusa's tree has {len(heads['tree'])} nodes ({layers}), the most likely ones by accuracies calibrated on "
        "one half of the continuations. Right guesses a step: "
        f"{heads['expected']['tree']:.2f} expected if the heads were independent, {heads['expected']['chain']:.2f} for "
        "the chain of every head's best guess."
    )
    if heads["measured"]["tree"] is None:
        return text
    return (
        f"{text} Counted on the other half: {heads['measured']['tree']:.2f}, and {heads['measured']['chain']:.2f} for "
        "the chain."
    )


def _deciders(deciders: dict) -> str:
    lines = [
        "## Decision models",
        "",
        "Small networks that estimate, from the draft alone, whether the target will accept a drafted token: `hidden` "
        "reads the draft's last hidden state, `entropy` its ten highest probabilities and its entropy. Measured on "
        "drafts after held-out text: the mean squared error of the estimates (Brier score) beside that of a constant, "
        "then estimates against the share accepted.",
    ]
    if not deciders:
        return "\n".join([*lines, "", "No held-out text was long enough to measure them."])
    scores = [
        [kind, f"{c['positions']:,}", f"{c['accepted']:.3f}", f"{c['brier']:.4f}", f"{c['brier_constant']:.4f}"]
        for kind, c in deciders.items()
    ]
    lines += ["", table(["decision model", "positions", "accepted", "Brier score", "of a constant"], scores)]
    for kind, calibration in deciders.items():
        rows = [
            [
                f"{b['from']:.1f} to {b['to']:.1f}",
                f"{b['positions']:,}",
                f"{b['predicted']:.3f}",
                f"{b['observed']:.3f}",
            ]
            for b in calibration["bins"]
        ]
        lines += ["", f"`{kind}`:", "", table(["estimate", "positions", "mean estimate", "accepted"], rows)]
    return "\n".join(lines)
