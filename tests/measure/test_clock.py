"""The lane's own clock: it runs in phases only, waits for the device, and costs next to nothing."""

import pytest

from specviz.measure.clock import PhaseClock, stopwatch
from specviz.trace.record import Segment


class Hands:
    """A clock whose hands the test moves."""

    time = 100.0

    def __call__(self) -> float:
        return self.time


def test_only_phases_count_and_segments_abut():
    hands = Hands()
    clock = PhaseClock(now=hands)
    with clock.phase("draft"):
        hands.time += 2.0
    hands.time += 50.0  # another lane's turn
    with clock.phase("target"):
        hands.time += 3.0
    assert clock.seconds == 5.0
    assert clock.take() == (Segment("draft", 0.0, 2.0), Segment("target", 2.0, 5.0))
    with clock.phase("verify"):
        hands.time += 1.0
    assert clock.take() == (Segment("verify", 5.0, 6.0),)
    assert clock.take() == ()


def test_the_device_is_waited_for_inside_the_phase():
    hands = Hands()

    def synchronise():
        hands.time += 4.0

    clock = PhaseClock(synchronise, hands)
    with clock.phase("target"):
        hands.time += 1.0
    assert clock.seconds == 5.0
    with stopwatch(synchronise, hands) as watch:
        hands.time += 1.0
    assert watch.seconds == 5.0


def test_the_thread_is_asked_for_its_own_time_in_phases_only():
    wall, thread = Hands(), Hands()
    clock = PhaseClock(now=wall, thread_now=thread)
    for waited in (0.0, 3.0):
        with clock.phase("draft"):
            wall.time += 1.0 + waited
            thread.time += 1.0
        wall.time, thread.time = wall.time + 9.0, thread.time + 7.0  # recording
    assert (clock.thread_seconds, clock.seconds) == (2.0, 5.0)
    assert PhaseClock(synchronise=lambda: None).thread_seconds is None  # it waits for a device


def test_a_phase_that_fails_is_still_closed():
    hands = Hands()
    clock = PhaseClock(now=hands)
    with pytest.raises(KeyError), clock.phase("draft"):
        hands.time += 1.0
        raise KeyError("no such model")
    with clock.phase("draft"):
        hands.time += 1.0
    assert clock.seconds == 2.0


def test_phases_do_not_nest():
    clock = PhaseClock()
    with pytest.raises(RuntimeError, match="'verify' was begun inside phase 'draft'"), clock.phase("draft"):
        clock.phase("verify")
