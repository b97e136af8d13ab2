"""The benchmark: a sweep whose settings are our methods and their rivals, all on the same prompts, in turns.

End tokens are ignored on both sides (the models go on with a new text), so every run has exactly the asked number of
tokens; perplexity counts those up to the first end token. Our methods are timed by their own clock, which leaves out
reading the prompt; against rivals the wall time of whole calls counts, on both sides. A run's key has the machine and
the versions in it: only what was made here is kept for the next time.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from specviz.decoding.registry.registry import find_method
from specviz.decoding.run.loop import decode
from specviz.errors import OptionError
from specviz.lab.machine import machine, versions
from specviz.lab.rivals import llamacpp, transformers
from specviz.lab.rivals.suite import Entry
from specviz.lab.sweep.grid import Grid, Setting
from specviz.lab.sweep.plan import Plan
from specviz.lab.sweep.prompts import ASKED, SweepPrompt, built_in
from specviz.lab.sweep.row import Row
from specviz.lab.sweep.running import rows_of, run_plan
from specviz.lab.sweep.written import RivalText
from specviz.lm.pair import ModelPair
from specviz.options import label
from specviz.trace.record import WARP, Trace

RECORDED, EAGER = " (recorded)", " (eager)"  # the record kept; every kernel launched by itself, no CUDA graphs
GENERATE, ASSISTED = "transformers generate", "transformers assisted"
ALSO_RECORDED = ("speculative", "mtad")  # run a second time with the record kept, to see what that costs
DEFAULT_GAMMA = 4


def suited_prompts(pair: ModelPair) -> list[SweepPrompt]:
    """A dozen that suit the pair: models that take turns are asked, others go on."""
    return built_in(*ASKED) if pair.chat else built_in()


def endless(pair: ModelPair) -> ModelPair:
    """The pair, which goes on past the end of a text."""
    return replace(pair, end_tokens=frozenset())


def ours(pair: ModelPair, methods: Sequence[Entry], *, recorded: bool = True) -> list[Setting]:
    """Each method bare, and those of ``ALSO_RECORDED`` recorded too where it is asked for. Raises OptionError for an
    unknown method or option, and for a method listed twice with the same options."""
    settings = []
    for name, own in methods:
        setting = Setting(label(name, own), name, find_method(name).resolve(**own))
        settings.append(setting)
        if recorded and name in ALSO_RECORDED:
            settings.append(variant(setting, RECORDED, pair, record=True))
    names = [setting.name for setting in settings]
    if len(set(names)) < len(names):
        raise OptionError(f"methods must differ, got {', '.join(names)}", argument="methods")
    return settings


def variant(setting: Setting, mark: str, pair: ModelPair, *, record: bool = False) -> Setting:
    """The same method run another way, which its ``mark`` says."""

    def run(prompt: tuple[int, ...], tokens: int, seed: int) -> Trace:
        more = {"max_new_tokens": tokens, "seed": seed, "record": record}
        return decode(endless(pair), setting.method, prompt, **more, **setting.options)

    return Setting(setting.name + mark, setting.method + mark, setting.options, decoder=run)


def rivals(pair: ModelPair, beside: Sequence[Setting], *, best: bool = False) -> list[Setting]:
    """Transformers with the same pair, warp and gamma as those ``beside`` it; the ``best`` of it is also in the other
    dtype, and compiled; and llama.cpp with the target's file, where it can be."""
    options = next((setting.options for setting in beside if setting.method == "speculative"), beside[0].options)
    warp = {name: options[name] for name in WARP}
    gamma = options.get("gamma", DEFAULT_GAMMA)
    gamma = gamma if isinstance(gamma, int) else DEFAULT_GAMMA

    def rival(name: str, run: Callable[..., RivalText], **own: Any) -> Setting:
        return Setting(name, name, warp | own, decoder=run)

    def theirs(name: str, pair: ModelPair, gamma: int | None = None, **own: Any) -> Setting:
        run = partial(transformers.generate, pair, gamma=gamma, **own, **warp)
        return rival(name, run, **({} if gamma is None else {"gamma": gamma}), **own)

    def both(pair: ModelPair, dtype: str = "") -> list[Setting]:
        assisted = [theirs(f"{ASSISTED}{dtype}", pair, gamma)] if pair.draft else []
        return [theirs(f"{GENERATE}{dtype}", pair), *assisted]

    settings: list[Setting] = []
    if (known := transformers.rival_pair(endless(pair))) is not None:
        settings += both(known)
        if best:
            other = transformers.in_other_dtype(known)
            dtype = f", {str(other.target.dtype).removeprefix('torch.')}"
            settings += both(other, dtype)
            settings.append(theirs(f"{GENERATE}, compiled", known, compiled=True))
            settings.append(theirs(f"{GENERATE}, compiled{dtype}", other, compiled=True))
    if llamacpp.can_rival(pair):
        settings.append(rival(llamacpp.GENERATE, llamacpp.rival(pair, **warp)))
    return settings


def bench_plan(
    pair: ModelPair, settings: Sequence[Setting], prompts: Sequence[SweepPrompt], *, tokens: int, rounds: int, seed: int
) -> Plan:
    """The benchmark as a checked plan; each of the ``rounds`` has a seed of its own, from ``seed`` on. Raises
    OptionError for fewer than one round, and what ``Plan.check`` raises."""
    check_rounds(rounds)
    grid = Grid(tuple(settings), tuple(range(seed, seed + rounds)), tokens)
    where = {"machine": machine(str(pair.target.device)), "versions": versions()}
    plan = Plan(endless(pair), grid, tuple(prompts), pair.end_tokens, where)
    plan.check()
    return plan


def check_rounds(rounds: int) -> None:
    """Raises OptionError for fewer than one round."""
    if rounds < 1:
        raise OptionError(f"rounds is {rounds}: it must be 1 or more", argument="rounds")


def bench_rows(plan: Plan, work: Path | None = None, advance: Callable[[Row], object] = lambda row: None) -> list[Row]:
    """The rows of a plan in its order, of which those missing in the folder ``work`` (None: one that goes) are made
    first; ``advance`` is called with each. Where Ctrl-C breaks it off, those of the rounds that were whole, or else
    KeyboardInterrupt."""
    if work is None:
        with TemporaryDirectory() as folder:
            return bench_rows(plan, Path(folder), advance)
    stopped = None
    try:
        for row in run_plan(plan, work):
            advance(row)
    except KeyboardInterrupt as error:
        stopped = error
    rows = rows_of(plan, work)
    rounds = [row.round for row in rows]
    size = len(plan.grid.settings) * len(plan.prompts)
    whole = [row for row in rows if rounds.count(row.round) == size]
    if stopped and not whole:
        raise stopped
    return whole
