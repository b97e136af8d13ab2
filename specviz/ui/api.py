"""The same functions for programs: ``methods``, ``decode`` and ``judge`` for gradio_client, with the page's limits.

A call waits in the page's own queue for the device (``device.py``) and is checked like the page's form; a client that
cancels or goes away frees its position. Refusals arrive as gradio_client's AppError with the sentence the page would
show."""

import json
import math
import time
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import aclosing, contextmanager
from functools import partial
from typing import Annotated, Any

import gradio as gr
from gradio.events import api
from pydantic import Field

from specviz.decoding.exact.judge import Judgement, judging, score_forest
from specviz.decoding.registry.methods.custom import CUSTOM
from specviz.decoding.registry.parts import free_drafters, free_options, free_verifiers
from specviz.decoding.registry.registry import find_method
from specviz.decoding.registry.registry import methods as all_methods
from specviz.decoding.registry.specs import DrafterSpec
from specviz.decoding.run.race import race
from specviz.drafting.drafter import ScoredForest
from specviz.errors import OptionError, SpecvizError, TooManyOutcomes, without_folders
from specviz.rules.spec import WARPS, VerifierSpec
from specviz.trace.store import trace_to_json
from specviz.ui.catalog import describe_options
from specviz.ui.serving.audience import Audience
from specviz.ui.serving.device import Device, Ticket, paced, people_before, until_ready
from specviz.ui.serving.limits import MAX_OUTCOMES, MAX_VERDICTS
from specviz.ui.serving.models import PairLoader
from specviz.ui.serving.turns import Slices
from specviz.ui.settings import (
    CheckedRequest,
    PairName,
    PromptText,
    Seed,
    TokenCount,
    Values,
    one_of,
    read,
    read_options,
    says,
)

PairWork = Callable[[Any], Generator[None, None, dict[str, Any]]]
"""Makes a result of a pair. It yields wherever it may be stopped."""
AnswerFromPair = Callable[[str | None, dict[str, Any], PairWork], Awaitable[dict[str, Any]]]
"""The result of some work on the pair of this name; the dict is what the journal records."""
_SHOWN = 50  # outcomes of a verdict that are sent


class DecodeRequest(CheckedRequest):
    """One decoding run."""

    method: Annotated[str, one_of("method must be one of", all_methods)]
    options: Values
    prompt: PromptText
    max_new_tokens: TokenCount
    seed: Seed
    pair: PairName


class JudgeRequest(CheckedRequest):
    """One forest, and the verifiers that judge it."""

    drafter: Annotated[str, one_of("drafter must be one of", free_drafters)]
    verifiers: Annotated[
        list[Annotated[str, one_of("verifier must be one of", free_verifiers)]],
        Field(min_length=1, max_length=MAX_VERDICTS),
        says(f"verifiers must be 1 to {MAX_VERDICTS} names, got {{value}}"),
    ]
    options: Values
    prompt: PromptText
    seed: Seed
    pair: PairName


def build_api(page: gr.Blocks, loader: PairLoader, device: Device) -> None:
    """The endpoints ``/methods``, ``/decode`` and ``/judge``; call it inside a Blocks context."""
    answer = partial(_answer, page, loader, device)
    for call in (_methods_call(), _decode_call(answer), _judge_call(answer)):
        api(call, concurrency_limit=None)


# The docstrings of these calls are what /gradio_api/info and gradio_client's ``view_api`` show: they speak to a caller.


def _methods_call() -> Callable[[], dict]:
    def methods() -> dict:
        """Every decoding method by name: its title, summary, paper, guarantee and options with their ranges."""
        return {
            method.name: {
                "title": method.title,
                "summary": method.summary,
                "paper": method.paper,
                "guarantee": method.guarantee,
                "options": {option["name"]: option for option in describe_options(method.options.values())},
            }
            for method in all_methods().values()
        }

    return methods


def _decode_call(answer: AnswerFromPair) -> Callable[..., Awaitable[dict]]:
    async def decode(
        prompt: str,
        method: str = "mtad",
        options: dict | None = None,
        max_new_tokens: int = 64,
        seed: int = 0,
        pair: str | None = None,
    ) -> dict:
        """Decode once and return the trace: every draft, probability, coin and verdict, as the page saves it.

        ``prompt`` is the text to go on from, ``method`` a name from /methods, ``options`` those of its options that
        differ from the default, such as {"gamma": 6, "temperature": 0.5}. At most ``max_new_tokens`` are written.
        The same ``seed`` gives the same trace. ``pair`` is the name of the models, where the page has several.
        specviz.trace.store.trace_from_json(json.dumps(result)) opens it.
        """
        with refusals():
            run = dict(max_new_tokens=max_new_tokens, seed=seed, pair=pair)
            request = read(DecodeRequest, dict(prompt=prompt, method=method, options=options, **run))
            known = read_options("options", request.options, find_method(request.method).options)
            about = {"what": "decode", "methods": [request.method], "prompt": request.prompt}
            return await answer(request.pair, about, lambda pair: _decode(pair, request, known))

    return decode


def _judge_call(answer: AnswerFromPair) -> Callable[..., Awaitable[dict]]:
    async def judge(
        prompt: str,
        drafter: str = "tree",
        verifiers: list[str] | None = None,
        options: dict | None = None,
        seed: int = 0,
        pair: str | None = None,
    ) -> dict:
        """Draft one forest after the prompt, and let several verifiers judge the very same forest.

        ``drafter`` is chain, tree, distinct-tree, sequences, beam, beam-forest, dynamic-tree or another of the method
        "custom"; ``verifiers`` (default: recursive) are any of token, block, recursive, kseq, joint, typical, rollback,
        greedy; ``options`` are those of "custom", for drafter and verifiers alike; ``pair`` is the name of the
        models, where the page has several. Each verdict tells what it emits with the dice of ``seed`` and, over all
        coins, how many tokens it accepts and emits on average, and the nodes that it keeps with their probability.
        """
        with refusals():
            names = ["recursive"] if verifiers is None else verifiers
            arguments = dict(prompt=prompt, drafter=drafter, verifiers=names, options=options, seed=seed, pair=pair)
            request = read(JudgeRequest, arguments)
            known = read_options("options", request.options, CUSTOM.options)
            about = {"what": "judge", "methods": request.verifiers, "prompt": request.prompt}
            return await answer(request.pair, about, lambda pair: _judge(pair, request, known))

    return judge


@contextmanager
def refusals() -> Iterator[None]:
    """A caller's mistake becomes gr.Error, which carries its sentence and is not logged."""
    try:
        yield
    except SpecvizError as error:
        raise gr.Error(without_folders(error), print_exception=False) from error


async def _answer(
    page: gr.Blocks, loader: PairLoader, device: Device, pair: str | None, about: dict[str, Any], work: PairWork
) -> dict[str, Any]:
    """The result of ``work`` on the pair, once it is the caller's turn; a job's status tells the position in the
    queue."""
    position, audience, loader = 0, Audience(page), loader.of(pair)
    with device.ticket(audience.visitor) as ticket:
        ticket.about = about
        async with aclosing(paced(_messages(loader, ticket, work))) as messages:
            async for message in messages:
                if message["kind"] == "done":
                    return message["result"]
                if message["kind"] == "waiting" and message["queue_position"] not in (0, position):
                    position = message["queue_position"]
                    gr.Info(f"{people_before(position)}.", title="Waiting")
                if not audience.listens():
                    break
    raise SpecvizError("the caller has gone", code="stopped")


def _messages(loader: PairLoader, ticket: Ticket, work: PairWork) -> Generator[dict[str, Any]]:
    for queue_position in until_ready(ticket, loader):
        yield {"kind": "waiting", "queue_position": queue_position}
    running = Slices(work(loader.pair), math.inf, time.monotonic)
    while not ticket.is_over:
        with ticket.slice():
            done = running.next()
        if done:
            ticket.about |= {"ended": "finished", "tokens": done[0].get("metrics", {}).get("tokens", 0)}
            yield {"kind": "done", "result": done[0]}
            return
        yield {"kind": "running"}
    ticket.about["ended"] = "stopped"
    text = f"Stopped after {ticket.used:.0f} s of computing, all a call gets here: ask for fewer tokens, or drafts."
    raise SpecvizError(text, code="stopped")


def _decode(pair: Any, request: DecodeRequest, options: dict) -> Generator[None, None, dict[str, Any]]:
    """A race of one lane: a decoding run that can be stopped between two iterations."""
    lanes = [(request.method, options)]
    for lane, _ in race(pair, lanes, request.prompt, max_new_tokens=request.max_new_tokens, seed=request.seed):
        yield
        if lane.finished:
            break
    return json.loads(trace_to_json(lane.trace()))


def _judge(pair: Any, request: JudgeRequest, options: dict) -> Generator[None, None, dict[str, Any]]:
    own = _own(free_drafters()[request.drafter], options)
    scored = score_forest(pair, request.prompt, request.drafter, seed=request.seed, **own)
    yield
    verdicts = []
    for name in request.verifiers:
        own = _own(free_verifiers()[name], options)
        try:
            judgement = yield from judging(scored, name, None, request.seed, pair.end_tokens, MAX_OUTCOMES, own)
        except TooManyOutcomes:
            raise OptionError(
                f"verifier {name!r} could end in more than {MAX_OUTCOMES:,} ways on this forest: "
                "choose a smaller top_k or fewer drafts",
                argument="top_k",
                code="too_many",
            ) from None
        verdicts.append(_verdict_view(pair, judgement))
        yield
    return {
        "drafter": request.drafter,
        "prompt": request.prompt,
        "seed": request.seed,
        "forest": _forest_view(pair, scored),
        "verdicts": verdicts,
    }


def _own(spec: DrafterSpec | VerifierSpec, options: dict) -> dict[str, Any]:
    """The options that this drafter or verifier has."""
    names = {option.name for option in free_options(spec)} | {*WARPS}
    return {name: value for name, value in options.items() if name in names}


def _forest_view(pair: Any, scored: ScoredForest) -> list[dict[str, Any]]:
    """The drafted tokens; a node's number is its index in the list, its parent -1 at the end of the prompt."""
    return [
        {
            "token": node.token,
            "piece": pair.piece(node.token),
            "parent": node.parent,
            "submitted": node.submitted,
        }
        for node in scored.forest.nodes
    ]


def _verdict_view(pair: Any, judgement: Judgement) -> dict[str, Any]:
    likely = sorted(judgement.kept.items(), key=lambda entry: -entry[1])[:_SHOWN]
    return {
        "verifier": judgement.verifier,
        "tokens": list(judgement.tokens),
        "text": pair.decode(list(judgement.tokens)),
        "expected_tokens": judgement.expected_tokens,
        "expected_accepted": judgement.expected_accepted,
        "kept": [{"nodes": list(nodes), "probability": probability} for nodes, probability in likely],
    }
