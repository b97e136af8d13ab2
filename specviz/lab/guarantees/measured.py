"""Lossless or not: two numbers for every method of the catalog, kept in ``assets/guarantees``, a
file a pair.

The exact distance on the small reference pair (``decoding/exact/guarantee_distance.py``), and what many runs on a real
pair show of it, told apart from sampling noise (``sample_distance.py``). Greedy methods and beam search draw nothing at
random: there tokens are counted."""

import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

from specviz.decoding.exact.distance import PROMPTS as SMALL_PROMPTS
from specviz.decoding.exact.distance import VOCAB_SIZE
from specviz.decoding.exact.guarantee_distance import exact_distance
from specviz.decoding.exact.references import TargetReference, Text
from specviz.decoding.registry.method import Method
from specviz.decoding.registry.registry import find_method
from specviz.decoding.registry.registry import methods as all_methods
from specviz.decoding.run.loop import Run, decode, versions
from specviz.dice import SeededDice
from specviz.errors import SpecvizError
from specviz.lab.guarantees.sample_distance import FEWEST, compare
from specviz.lab.guarantees.words import exact_sentence, measured_sentence, word
from specviz.lab.machine import machine
from specviz.lab.prompts import PROMPTS
from specviz.lm.pair import ModelPair
from specviz.lm.warp import Warp
from specviz.options import SHARED, Options, Value

VERSION = 2
PROMPT = "The old king"
"""Short, and open: the target and the draft disagree about a third of what may follow."""
SAMPLES = 2000
N_TOKENS = (1, 2)
ROOM = 32
"""Tokens that a run may write, so that none of its drafts is cut short."""
COUNTED_TOKENS = 48
"""Of each text that is compared token by token."""
CHUNK = 100
PLAIN = {"greedy": ("autoregressive", {"temperature": 0.0}), "beam search": ("beam", {"deterministic": True})}
"""The decoder on the target alone whose text a method that draws nothing must repeat, and its options."""

PartialReport = dict[str, Any]


def measure_guarantees(
    pair: ModelPair,
    *,
    samples: int = SAMPLES,
    methods: Sequence[str] | None = None,
    work: Path | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Both numbers of each method, as a file of ``assets/guarantees`` keeps them.

    ``samples`` runs from ``PROMPT`` for each method that draws, with ``options_of`` it; ``work`` is a file that keeps
    unfinished work, to go on from; ``tell`` hears what is under way. Raises SpecvizError for too few samples.
    """
    if samples < FEWEST:
        raise SpecvizError(f"samples must be at least {FEWEST}, got {samples}", argument="samples")
    methods = tuple(all_methods()) if methods is None else methods
    done = _resumed(pair, work)
    for name in methods:
        method = find_method(name)
        tell(f"{method.title}: the exact distribution")
        if name not in done["exact"]:
            done["exact"][name] = asdict(exact_distance(method))
            _keep(done, work)
        tell(f"{method.title}: {'runs' if method.guarantee in PLAIN else f'{samples} runs'}")
        if method.guarantee in PLAIN:
            if name not in done["counted"]:
                done["counted"][name] = _counted(pair, method)
        else:
            _sample(pair, method, samples, done, work)
        _keep(done, work)
    return _report(pair, methods, samples, done)


def beside_earlier(report: dict[str, Any], file: Path) -> dict[str, Any]:
    """The report with what ``file`` has of other methods, where that was measured in the same way: all but its date and
    machine is the same. They come in the registry's order."""
    earlier = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    alike = all(earlier.get(name) == report[name] for name in report if name not in ("date", "machine", "methods"))
    entries = (earlier["methods"] if alike else {}) | report["methods"]
    return report | {"methods": {name: entries[name] for name in all_methods() if name in entries}}


def fingerprints(pair: ModelPair) -> dict[str, dict[str, str] | None]:
    """Which models a measurement is about, as a trace's header names them."""
    models = {"target": pair.target, "draft": pair.draft}
    return {role: m and {"name": m.name, "fingerprint": m.fingerprint} for role, m in models.items()}


def outcomes_of(
    pair: ModelPair, method: Method, prompt: Sequence[int], seed: int, n_tokens: int, **options: Value
) -> list[list[Text]]:
    """One run's layers, each the list of its beams (one for most methods): the first ``n_tokens``, whole iterations at
    a time. A text that has ended stays as it is."""
    run = Run(pair, method, prompt, options=options, max_new_tokens=ROOM, dice=SeededDice(seed), recorded=False)
    run.start()
    layers: list[list[Text]] = []
    several = method.guarantee == "beam"
    while run.stop is None and (len(layers) if several else len(run.emitted)) < n_tokens:
        run.step()
        layers += [list(map(tuple, layer)) for layer in run.texts.history] if several else []
    if not several:
        layers = [[tuple(run.emitted[:length])] for length in range(1, n_tokens + 1)]
    return layers[:n_tokens] + layers[-1:] * (n_tokens - len(layers))


def options_of(method: Method) -> dict[str, Value]:
    """The defaults; but where the number of beams changes from layer to layer, it is fixed at that of beam sampling."""
    if "threshold" not in method.options or "min_beams" not in method.options:
        return {}
    return {"threshold": None, "min_beams": find_method("beam").options["beams"].default}


def held_against(method: Method, reference: TargetReference, width: int, n_tokens: int) -> dict[Text, float]:
    """The distribution that the first beam's first 1 or 2 tokens should have; a lossy method is compared with the
    target's."""
    if method.guarantee != "beam":
        return reference.sampling(n_tokens)
    return reference.layer([()]) if n_tokens == 1 else reference.beam_sampling(width)


def _sample(pair: ModelPair, method: Method, samples: int, done: PartialReport, work: Path | None) -> None:
    """The first beam's first tokens, run after run; and how many beams the first layer had."""
    prompt, most = pair.encode(PROMPT), max(N_TOKENS)
    sampled = done["sampled"].setdefault(method.name, {"texts": [], "widths": []})
    while len(sampled["texts"]) < samples:
        seed = seed_of(method.name, len(sampled["texts"]))
        layers = outcomes_of(pair, method, prompt, seed, most, **options_of(method))
        sampled["texts"].append([list(layer[0]) for layer in layers])
        sampled["widths"] = sorted({*sampled["widths"], len(layers[0])})
        if len(sampled["texts"]) % CHUNK == 0:
            _keep(done, work)


def seed_of(name: str, number: int) -> int:
    """The seed of a method's run: methods do not share their coins."""
    return zlib.crc32(f"{name} {number}".encode())


def _counted(pair: ModelPair, method: Method) -> dict[str, int]:
    """How many tokens equal those of plain decoding on the target, position by position, over all prompts."""
    plain, options = PLAIN[method.guarantee]
    if method.guarantee == "beam search":
        options = options | {"beams": method.options["beams"].default}
    equal = positions = 0
    for prompt in PROMPTS:
        texts = [
            decode(pair, name, prompt.text, max_new_tokens=COUNTED_TOKENS, record=False, **own_options).tokens
            for name, own_options in ((method.name, {}), (plain, options))
        ]
        equal += sum(token == other for token, other in zip(*texts, strict=False))
        positions += max(map(len, texts))
    return {"equal": equal, "positions": positions, "prompts": len(PROMPTS)}


def _report(pair: ModelPair, methods: Sequence[str], samples: int, done: PartialReport) -> dict[str, Any]:
    options: Options = {option.name: option.default for option in SHARED}
    prompt = pair.encode(PROMPT)
    reference = TargetReference(pair.target, prompt, Warp(**options), pair.end_tokens)
    about = {
        "version": VERSION,
        "date": date.today().isoformat(),
        "machine": machine(str(pair.target.device)),
        "versions": versions(),
        "pair": fingerprints(pair),
        "prompt": {"text": PROMPT, "tokens": list(prompt)},
        "options": options,
        "reference": {"vocabulary": VOCAB_SIZE, "prompts": [list(prompt) for prompt in SMALL_PROMPTS]},
    }
    entries = {}
    for name in methods:
        method, exact = find_method(name), done["exact"][name]
        measured = done["counted"].get(name) or _measured(method, reference, done["sampled"][name], samples)
        entries[name] = {
            "guarantee": method.guarantee,
            "word": word(method),
            "exact": exact | {"sentence": exact_sentence(method, exact)},
            "measured": measured | {"sentence": measured_sentence(method, measured, about)},
        }
    return about | {"methods": entries}


def _measured(method: Method, reference: TargetReference, sampled_texts: PartialReport, samples: int) -> dict[str, Any]:
    (width,) = sampled_texts["widths"]  # the same width in all runs, so the distribution of a second layer is known
    shown = []
    for n_tokens in N_TOKENS:
        outcomes = [tuple(layers[n_tokens - 1]) for layers in sampled_texts["texts"][:samples]]
        sampled = compare(outcomes, held_against(method, reference, width, n_tokens))
        shown.append({"n_tokens": n_tokens} | asdict(sampled))
    beams = {"beams": width, "options": options_of(method)} if method.guarantee == "beam" else {}
    return beams | {"by_length": shown}


def _resumed(pair: ModelPair, work: Path | None) -> PartialReport:
    """The unfinished work of an earlier call with the same models and prompt, if any."""
    about = {"version": VERSION, "pair": fingerprints(pair), "prompt": PROMPT, "tokens": COUNTED_TOKENS}
    if work is not None and work.exists():
        report = json.loads(work.read_text(encoding="utf-8"))
        if report.get("about") == about:
            return report
    return {"about": about, "exact": {}, "sampled": {}, "counted": {}}


def _keep(done: PartialReport, work: Path | None) -> None:
    if work is not None:
        work.parent.mkdir(parents=True, exist_ok=True)
        beside = work.with_suffix(".new")
        beside.write_text(json.dumps(done), encoding="utf-8")
        beside.replace(work)
