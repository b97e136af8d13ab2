"""A crowd at the door, for real: the app as its own process, the tiny pair, 12 visitors who speak like the page."""

from pathlib import Path

import httpx
import pytest

from specviz.errors import SpecvizError
from specviz.ui.serving.limits import MAX_TOGETHER
from tests.measures.crowd import in_numbers, running_most
from tests.measures.memory import memory
from tests.measures.server import serving
from tests.measures.table import app_flags, parsed
from tests.measures.visitors import Visit, crowd, race_event
from tests.tiny_pair import write_pair

PAGES = 12


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    target, draft = write_pair(tmp_path_factory.mktemp("pair"))
    return [f"--target={target}", f"--draft={draft}", "--device=cpu"]


@pytest.fixture(scope="module")
def url(models):
    with serving(models) as (url, _):
        crowd(url, 1, tokens=1)  # the models are there
        yield url


@pytest.mark.full
def test_everybody_is_served_a_few_in_turns_and_the_others_after_them(url):
    visits = crowd(url, PAGES, tokens=12)
    assert {visit.outcome for visit in visits} == {"finished"}, {visit.said for visit in visits}
    for visit in visits:
        assert visit.updates and visit.updates == tuple(range(1, len(visit.updates) + 1))
        assert list(visit.queue_positions) == sorted(set(visit.queue_positions), reverse=True)
    numbers = in_numbers(visits)
    assert numbers["told a position"] >= PAGES // 2 and numbers["updates dropped"] == 0
    assert numbers["to the first picture"] <= numbers["longest"] == max(visit.wait for visit in visits)
    assert running_most(url) == MAX_TOGETHER


@pytest.mark.full
def test_what_is_over_leaves_little_in_memory(models):
    few, many = memory(parsed([*models, "--tokens=4"]), few=4, many=16)
    assert (few["runs"], many["runs"], few["ratio"]) == (4, 16, 1.0)
    assert many["ratio"] < 1.15 or not many["MB"]


@pytest.mark.full
def test_after_the_crowd_the_next_one_need_not_wait(url):
    (visit,) = crowd(url, 1, tokens=4)
    assert visit.outcome == "finished" and visit.queue_positions == ()
    assert httpx.get(f"{url}gradio_api/queue/status").json()["queue_size"] == 0


@pytest.mark.full
def test_something_else_at_the_address_is_said(url):
    with pytest.raises(SpecvizError, match="does not answer like a specviz page"):
        race_event(f"{url}specviz/")


def test_visits_in_numbers():
    whole = Visit("finished", "", (), (1, 2, 3), 1.0, 2.0)
    parts = Visit("finished", "", (2, 1), (1, 3), 3.0, 4.0)
    numbers = in_numbers([whole, parts, Visit("refused", "full", (), (), 0.5, 0.5)])
    wanted = {"pages": 3, "finished": 2, "refused": 1, "failed": 0, "told a position": 1, "farthest": 2}
    assert numbers.items() >= (wanted | {"updates dropped": 1, "to the first picture": 1.0, "longest end": 4.0}).items()


def test_a_page_that_is_measured_has_all_the_models_options():
    flags = "--target=a --draft=b --device=cpu --dtype=float32 --chat --no-control-tokens --threads=2 --bits=4"
    words = [*flags.split(), "--no-graphs", "--ignore-generation-config"]
    assert app_flags(parsed(words)) == words


@pytest.mark.full
def test_an_app_that_does_not_start_is_said_with_its_reason_and_none_is_left_running(models):
    with pytest.raises(SpecvizError, match=r"(?s)did not start: .*--dtype"), serving(["--dtype=int8"]):
        pass
    with serving(models) as (_, process):
        status = Path(f"/proc/{process}/status")
        assert status.exists() or not Path("/proc/self").exists()
    assert not status.exists()
