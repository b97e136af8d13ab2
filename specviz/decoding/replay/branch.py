"""A recorded run left at any step: with another coin, another option, other chance or a token put by hand, and gone on
from there with the models. The past stays as it was recorded."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from specviz.decoding.registry.method import Method
from specviz.decoding.registry.registry import find_method
from specviz.decoding.replay.judge_again import judged_anew
from specviz.decoding.replay.recorded import method_of, recorded_options
from specviz.decoding.run.growing import GrowingTexts
from specviz.decoding.run.loop import MAX_NEW_TOKENS, Past, Run, check_seed, iterations
from specviz.dice import SeededDice
from specviz.drafting.drafter import Beam
from specviz.errors import OptionError, ReplayError, as_given
from specviz.lm.pair import ModelPair
from specviz.options import is_whole
from specviz.trace.forest import Outcome
from specviz.trace.record import Branch, Header, Iteration, Trace

MOST_BY_HAND = 64


def branch(
    pair: ModelPair,
    trace: Trace,
    iteration: int,
    *,
    coins: Mapping[int, float] | None = None,
    token: int | str | None = None,
    at: int | None = None,
    seed: int | None = None,
    max_new_tokens: int | None = None,
    method: str | Method | None = None,
    **options: Any,
) -> Trace:
    """A run that shares the past of ``trace`` up to ``iteration`` (from 0), changes something there, and goes on with
    the models that made the trace. It is a trace like any other; ``header.branches`` says where it left, and why.

    The iteration is judged anew with ``coins`` and ``options``, as ``replay`` does it, or cut: of its tokens the first
    ``at`` stay (default: all, or none where a ``token`` is given), and ``token`` comes behind them, an id, or text that
    is one token or up to 64. What follows is drawn with ``seed`` (default: one that follows from the run's and the
    iteration) until there are ``max_new_tokens`` in all (default: the trace's). So the text behind a cut, or behind a
    token put by hand, is distributed as the method's text behind any prompt of these tokens; behind an iteration judged
    anew it is what the method goes on with from that verdict. What a drafter learnt on the way, such as a running
    acceptance, it learns anew. Tokens put by hand have the origin ``hand`` and an iteration each; they count among
    ``metrics.tokens``, and in no rate.

    Raises ReplayError, naming what is missing, where the iteration cannot be judged anew (``replay``), the text ends
    before the change, a method keeps several texts and is to be cut, or the models are not the trace's (by
    fingerprints); OptionError for a value out of range.

    >>> import specviz
    >>> pair = specviz.ModelPair(specviz.TableLM.random(5, seed=1), specviz.TableLM.random(5, seed=2))
    >>> trace = specviz.decode(pair, "speculative", [0], max_new_tokens=12, gamma=2)
    >>> other = specviz.branch(pair, trace, 2, token=4)
    >>> other.iterations[:2] == trace.iterations[:2], other.iterations[2].emitted[0].origin, len(other.tokens)
    (True, 'hand', 12)
    """
    run = branch_run(
        pair,
        trace,
        iteration,
        coins=coins,
        token=token,
        at=at,
        seed=seed,
        max_new_tokens=max_new_tokens,
        method=method,
        **options,
    )
    if run.stop is None:
        for _ in iterations(run):
            pass
    return run.trace()


def branch_run(
    pair: ModelPair,
    trace: Trace,
    iteration: int,
    *,
    coins: Mapping[int, float] | None = None,
    token: int | str | None = None,
    at: int | None = None,
    seed: int | None = None,
    max_new_tokens: int | None = None,
    method: str | Method | None = None,
    **options: Any,
) -> Run:
    """The run of ``branch``, not started yet; one that the change ends has stopped already. Raises what that raises."""
    if not is_whole(iteration) or not 0 <= iteration < len(trace.iterations):
        last = len(trace.iterations) - 1
        raise ReplayError(f"iteration must be 0 to {last}, got {as_given(iteration)}", argument="iteration")
    most = trace.header.options.get("max_new_tokens") if max_new_tokens is None else max_new_tokens
    most = MAX_NEW_TOKENS.whole(most)
    trace = replace(trace, header=replace(trace.header, options={**trace.header.options, "max_new_tokens": most}))
    given = _seed(trace, iteration) if seed is None else check_seed(seed)
    if token is None and at is None:
        past = _judged(trace, iteration, coins or {}, method, options, given)
    elif coins or options:
        what = "coins" if coins else next(iter(options))
        raise OptionError(
            f"{what} cannot be changed where the iteration is cut: give at and token, or {what}", argument=what
        )
    else:
        past = _cut(pair, trace, iteration, token, at, most, given)
    head = past.trace.header
    run = Run(
        *(pair, find_method(method_of(trace, method)), head.prompt_tokens),
        options=recorded_options(past.trace),
        max_new_tokens=most,
        dice=SeededDice(given),
        seed=head.seed,
        recorded=head.recorded,
        past=past,
    )
    _check_models(head, run.header())
    return run


def _seed(trace: Trace, iteration: int) -> int:
    """A seed that follows from the run's, of its own for every iteration."""
    return int(np.random.SeedSequence([trace.header.seed, iteration]).generate_state(1)[0])


def _judged(
    trace: Trace,
    index: int,
    coins: Mapping[int, float],
    method: str | Method | None,
    options: Mapping[str, Any],
    seed: int,
) -> Past:
    """What stands after the iteration, judged anew."""
    before = recorded_options(trace, index)
    again, verdict, texts = judged_anew(trace, index, coins, method, options)
    after = recorded_options(again)
    changed = {name: value for name, value in before.items() if after[name] != value}
    if not coins and not changed and texts.stop is not None:
        raise ReplayError(_over(texts.stop, len(again.tokens)), argument="iteration")
    same = not coins and not changed and again.iterations[index].emitted == trace.iterations[index].emitted
    position = sum(len(one.emitted) for one in trace.iterations[: index + same])
    left = Branch(index + same, position, seed, {int(at): float(number) for at, number in coins.items()}, changed)
    return Past(_left(again, again.iterations, left), texts, (), verdict.next_distribution, verdict.next_origin)


def _cut(
    pair: ModelPair, trace: Trace, index: int, token: int | str | None, at: int | None, most: int, seed: int
) -> Past:
    """What stands after the first tokens of the iteration, and the tokens that are put behind them."""
    step, header = trace.iterations[index], trace.header
    if step.steps is not None:
        raise ReplayError(
            f"{header.method.name} keeps several texts at a time, so no token can be put into one: change a coin or an "
            "option",
            argument="token",
        )
    size = len(step.emitted)
    stay = (size if token is None else 0) if at is None else at
    if not is_whole(stay) or not 0 <= stay <= size:
        raise OptionError(
            f"at must be a whole number from 0 to {size}, the iteration's tokens, got {as_given(at)}", argument="at"
        )
    by_hand = () if token is None else _tokens(pair, token)
    kept = _shortened(step, stay)
    iterations = (*trace.iterations[:index], *([kept] if stay else []))
    tokens = [emitted.token for one in iterations for emitted in one.emitted]
    texts = GrowingTexts(
        [Beam([*header.prompt_tokens, *tokens])],
        frozenset(header.end_tokens),
        most,
        len(header.prompt_tokens),
    )
    texts.length = len(tokens)
    if tokens and tokens[-1] in header.end_tokens:
        raise ReplayError(_over("end", len(tokens)), argument="at")
    if len(tokens) + max(len(by_hand), 1) > most:
        raise OptionError(_over("length", len(tokens)), argument="max_new_tokens")
    left = Branch(index + (stay == size), len(tokens), seed, by_hand=by_hand)
    return Past(_left(trace, iterations, left), texts, by_hand)


def _over(stop: str, length: int) -> str:
    if stop == "end":
        return f"the text has ended with its token {length}: nothing can follow it"
    return f"the text has {length} tokens already: max_new_tokens must be more than that"


def _left(trace: Trace, kept: tuple[Iteration, ...], left: Branch) -> Trace:
    """The trace as far as it is kept, with the branch in its header."""
    branches = (*(one for one in trace.header.branches if one.iteration <= left.iteration), left)
    return replace(trace, header=replace(trace.header, branches=branches), iterations=kept)


def _shortened(step: Iteration, stay: int) -> Iteration:
    """The iteration with its first tokens alone; accepted guesses that are no text any more are dropped."""
    if stay == len(step.emitted):
        return step
    emitted, forest = step.emitted[:stay], step.forest
    if forest is not None:
        text = {token.node for token in emitted}
        outcomes: dict[int, Outcome] = {
            number: "dropped" if node.outcome == "accepted" and number not in text else node.outcome
            for number, node in enumerate(forest.nodes)
        }
        forest = forest.with_outcomes(outcomes)
    return replace(step, emitted=emitted, forest=forest, rows=step.context_length + stay - 1)


def _tokens(pair: ModelPair, token: int | str) -> tuple[int, ...]:
    """The ids of what is put by hand."""
    size, what = pair.target.vocab_size, f"token must be an id from 0 to {pair.target.vocab_size - 1}"
    if is_whole(token) and 0 <= int(token) < size:
        return (int(token),)
    if not isinstance(token, str):
        raise OptionError(f"{what}, or text, got {as_given(token)}", argument="token")
    if pair.tokenizer is None:
        raise OptionError(f"{what}: this pair has no tokenizer for {as_given(token)}", argument="token")
    ids = tuple(pair.tokenizer.encode(token, add_special_tokens=False))
    if not 1 <= len(ids) <= MOST_BY_HAND:
        raise OptionError(f"text put by hand must be 1 to {MOST_BY_HAND} tokens, this is {len(ids)}", argument="token")
    return ids


def _check_models(made: Header, here: Header) -> None:
    """Raises ReplayError unless the models are those of the trace."""
    models = [[header.target, header.draft, header.heads, *header.drafts] for header in (made, here)]
    roles = ("target", "draft", "heads", *("further draft" for _ in made.drafts))
    for role, *models_of_role in zip(roles, *models, strict=True):
        prints = [f"{model.name!r} ({model.fingerprint})" if model else "none" for model in models_of_role]
        if len({model and model.fingerprint for model in models_of_role}) > 1:
            raise ReplayError(
                f"the trace was made with other models: its {role} is {prints[0]}, this pair's is {prints[1]}",
                argument="pair",
            )
