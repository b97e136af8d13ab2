"""Schedules: budgets add up, rates warm, hold and decay, windows grow up to the context."""

import pytest

from specviz.zoo.training.schedule import Budget, Stage
from specviz.zoo.vocabulary import CONTEXT

STAGES = ("shallow", "deep", "polish", "distil", "small", "heads")  # on a CPU; on a GPU "full" stands for the first two


def test_the_budget_is_shared_out_wholly():
    budget = Budget(95.0)
    stages = [getattr(budget, name) for name in STAGES]
    assert [stage.name for stage in stages] == list(STAGES)
    assert sum(stage.minutes for stage in stages) + budget.rollouts == pytest.approx(95.0)
    assert budget.full.minutes == pytest.approx(budget.shallow.minutes + budget.deep.minutes)


def test_what_learns_on_has_shares_of_its_own():
    budget = Budget(95.0, learned=True)
    stages = [getattr(budget, name) for name in ("further", *STAGES[2:])]
    assert sum(stage.minutes for stage in stages) + budget.rollouts == pytest.approx(95.0)
    assert stages[0].minutes > Budget(95.0).full.minutes and stages[0].peak < 1


@pytest.mark.parametrize("name", STAGES)
def test_windows_grow_and_divide_the_batch(name):
    stage = getattr(Budget(60.0), name)
    lengths = [stage.length(share / 100) for share in range(100)]
    assert lengths == sorted(lengths) and lengths[-1] <= CONTEXT
    assert all(stage.batch_tokens % length == 0 for length in lengths)


@pytest.mark.parametrize("name", ["polish", "distil", "small"])
def test_final_stages_end_at_the_full_context_and_a_rate_of_zero(name):
    stage = getattr(Budget(60.0), name)
    assert stage.length(0.99) == CONTEXT
    assert stage.rate(1.0, 10_000) == 0.0


@pytest.mark.parametrize(("name", "learned"), [("deep", False), ("full", False), ("further", True)])
def test_the_targets_rate_decays_to_where_its_last_stretch_begins(name, learned):
    budget = Budget(60.0, learned)
    stage, last = getattr(budget, name), budget.polish
    assert stage.length(0.99) == CONTEXT
    assert 0 < stage.rate(1.0, 10_000) == last.rate(0.0, 10_000) < stage.rate(0.5, 10_000)


def test_rate_warms_up_holds_and_decays():
    stage = Stage("s", 1.0, 1024, ((0.0, 256),), warm_steps=10, decay_from=0.5)
    assert [stage.rate(0.0, step) for step in (0, 4, 9, 500)] == pytest.approx([0.1, 0.5, 1.0, 1.0])
    assert [stage.rate(share, 500) for share in (0.49, 0.5, 0.75, 1.0, 1.2)] == pytest.approx([1.0, 1.0, 0.5, 0.0, 0.0])


def test_no_decay_means_none():
    stage = Budget(60.0).shallow
    assert stage.rate(0.999, 10_000) == 1.0
