"""A crowd on a running page: many browsers' worth of clients at once, speaking as the page's own script does.

Each client joins the queue with a race, reads every message of its stream and writes down what it was told. The server
is any specviz page, known by its address alone; its memory is read from outside, where the system shows it (/proc).
"""

import json
import threading
import time
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from secrets import token_hex
from statistics import median
from typing import Any, Literal

import httpx

from specviz.errors import SpecvizError
from specviz.lab.machine import resident
from specviz.lab.prompts import PROMPTS

LANES = ("autoregressive", "speculative", "mtad")
SECONDS = 600.0  # that a client waits for its run at most


@dataclass(frozen=True)
class Visit:
    """What came of one client's run. ``said`` is the refusal, or what went wrong; ``queue_positions`` the positions in
    the queue it was told; ``updates`` the numbers of the pictures it got; it ran from ``begin`` to ``end`` (seconds,
    its first and last picture; equal where it never ran), and was ``asked`` for before."""

    outcome: Literal["finished", "refused", "failed"]
    said: str
    queue_positions: tuple[int, ...]
    updates: tuple[int, ...]
    begin: float
    end: float
    asked: float = 0.0

    @property
    def wait(self) -> float:
        """Seconds from the click to the first picture."""
        return self.begin - self.asked

    @property
    def dropped(self) -> int:
        """How many pictures of its race never came."""
        return (max(self.updates) if self.updates else 0) - len(set(self.updates))


@dataclass(frozen=True)
class Load:
    """A load test. Bytes are the server's resident memory: ``level`` after the warm-up, ``after`` each round (empty
    where the system does not tell). ``together`` is the most races that ran at the same time since the server began, as
    it counted them itself."""

    clients: int
    visits: tuple[Visit, ...]
    level: int | None
    after: tuple[int, ...]
    together: int = 0

    def count(self, outcome: str) -> int:
        """How many visits ended so."""
        return sum(visit.outcome == outcome for visit in self.visits)

    @property
    def told(self) -> int:
        """How many visits were told a position in the queue."""
        return sum(bool(visit.queue_positions) for visit in self.visits)

    @property
    def dropped(self) -> int:
        """How many pictures never came, of all visits."""
        return sum(visit.dropped for visit in self.visits)

    @property
    def growth(self) -> int | None:
        """Bytes by which the memory after the last round lies above the level after the warm-up."""
        return None if self.level is None else self.after[-1] - self.level


@dataclass(frozen=True)
class Waits:
    """How a class fared that started ``pages`` races at the same moment: how many finished, the seconds until the first
    picture and until the end, and the farthest position in the queue that anybody was told."""

    pages: int
    finished: int
    median: float
    largest: float
    median_end: float
    largest_end: float
    farthest: int


def waits(visits: Sequence[Visit]) -> Waits:
    """The waits of visits that began together, one at least."""
    first, whole = [visit.wait for visit in visits], [visit.end - visit.asked for visit in visits]
    return Waits(
        len(visits),
        sum(visit.outcome == "finished" for visit in visits),
        median(first),
        max(first),
        median(whole),
        max(whole),
        max((position for visit in visits for position in visit.queue_positions), default=0),
    )


def load_test(url: str, process: int, *, clients: int = 20, rounds: int = 2, warm: int = 2, tokens: int = 32) -> Load:
    """``warm`` rounds that are not counted, which fill the page's list of kept runs, then ``rounds`` of ``clients`` at
    once. ``process`` is the server's id. Raises SpecvizError where the page does not answer like specviz."""
    for _ in range(warm):
        crowd(url, clients, tokens=tokens)
    level, visits, after = resident(process), [], []
    for _ in range(rounds):
        visits += crowd(url, clients, tokens=tokens)
        after.append(resident(process))
    known = tuple(size for size in after if size is not None)
    return Load(clients, tuple(visits), level if known else None, known, counter(url, "specviz_running_most"))


def counter(url: str, name: str) -> int:
    """What the server tells at /metrics under this name. Raises SpecvizError where it does not."""
    told = httpx.get(f"{url}metrics", timeout=60)
    found = [line.split()[1] for line in told.text.splitlines() if line.startswith(f"{name} ")]
    if not found:
        raise SpecvizError(f"{url}metrics does not tell {name} (status {told.status_code})")
    return int(float(found[0]))


def crowd(url: str, clients: int, *, tokens: int = 32, lanes: Sequence[str] = LANES) -> list[Visit]:
    """So many visits at the same moment, each with a prompt and a seed of its own."""
    event = race_event(url)
    together = threading.Barrier(clients)

    def one(number: int) -> Visit:
        form = {
            "run": token_hex(16),
            "prompt": PROMPTS[number % len(PROMPTS)].text,
            "lanes": [{"method": name, "options": {}} for name in lanes],
            "shared": {},
            "max_new_tokens": tokens,
            "seed": number,
        }
        together.wait()
        return visit(url, event, form)

    with ThreadPoolExecutor(clients) as pool:
        return list(pool.map(one, range(clients)))


def race_event(url: str) -> dict[str, int]:
    """The numbers by which the page's script starts a race: ``fn_index`` and ``trigger_id``."""
    try:
        config = httpx.get(f"{url}config", timeout=60).json()
        trigger = next(one["id"] for one in config["components"] if one["props"].get("elem_id") == "sv-race")
        found = (one["id"] for one in config["dependencies"] if [trigger, "run"] in one["targets"])
        return {"fn_index": next(found), "trigger_id": trigger}
    except (httpx.HTTPError, ValueError, KeyError, StopIteration) as error:
        raise SpecvizError(f"{url} does not answer like a specviz page ({type(error).__name__}: {error})") from None


def visit(url: str, event: dict[str, int], form: dict[str, Any]) -> Visit:
    """One run from the first to the last message."""
    queue_positions: list[int] = []
    updates: list[int] = []
    asked = time.monotonic()
    times = [asked]
    outcome, said = "failed", "the stream ended early"
    try:
        for message in messages(url, event, form):
            if (
                message["kind"] == "waiting"
                and message["queue_position"]
                and message["queue_position"] not in queue_positions[-1:]
            ):
                queue_positions.append(message["queue_position"])
            elif message["kind"] == "refused":
                outcome, said = "refused", message["message"]
            elif message["kind"] == "race":
                if not updates:
                    times = [time.monotonic()]
                times.append(time.monotonic())
                updates.append(message["update"])
                if message["state"] == "finished":
                    outcome, said = "finished", ""
    except (httpx.HTTPError, ValueError, KeyError) as error:
        outcome, said = "failed", f"{type(error).__name__}: {error}"
    return Visit(outcome, said, tuple(queue_positions), tuple(updates), times[0], times[-1], asked)


def messages(url: str, event: dict[str, int], form: dict[str, Any]) -> Generator[dict[str, Any]]:
    """What the server tells the page about one run, message by message. Closing it is closing the tab."""
    session = token_hex(6)
    body = {"data": [], "event_data": form, "session_hash": session, **event}
    value = ""
    with httpx.Client(base_url=url, timeout=SECONDS) as client:
        client.post("gradio_api/queue/join", json=body).raise_for_status()
        with client.stream("GET", "gradio_api/queue/data", params={"session_hash": session}) as stream:
            for line in stream.iter_lines():
                if line.startswith("data:"):
                    told = json.loads(line.removeprefix("data:"))
                    if told["msg"] == "process_generating" and told["success"]:
                        value = _value(told["output"]["data"][0], value)
                        yield json.loads(value)
                    elif told["msg"] == "process_completed" and not told["success"]:
                        raise ValueError(str(told["output"])[:200])


def _value(sent: str | list, before: str) -> str:
    """The text itself: gradio sends the first whole, those after as [["replace", [], text]], the same again as []."""
    if isinstance(sent, str):
        return sent
    return sent[0][2] if sent else before
