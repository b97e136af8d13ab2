"""What a running page keeps in memory after many runs of every kind: races finished and stopped, files opened, steps
looked at in the Microscope, forests judged."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from secrets import token_hex
from typing import Any

import httpx

from specviz.errors import SpecvizError
from specviz.lab.machine import resident
from specviz.lab.page.load import LANES, messages, race_event
from specviz.lab.prompts import PROMPTS

FEW, MANY = 30, 300  # runs after which the memory is read
AT_ONCE = 4  # visitors
STEPS = 3  # of a race that are looked at


@dataclass(frozen=True)
class Kept:
    """Bytes of the server's resident memory after ``few`` and after ``many`` mixed runs."""

    few: int
    many: int
    after_few: int
    after_many: int

    @property
    def ratio(self) -> float:
        """How many times as much memory after many runs as after few."""
        return self.after_many / self.after_few


class Visitors:
    """Runs of every kind on the page at ``url``, one after the other and each with a prompt of its own; ``tokens`` a
    lane. Safe to use from several threads. Raises SpecvizError where the page does not answer like specviz."""

    def __init__(self, url: str, tokens: int):
        self._url, self._tokens = url, tokens
        self._event = race_event(url)
        parts = httpx.get(f"{url}config", timeout=60).json()["components"]
        self._parts = {one["props"].get("elem_id"): one["id"] for one in parts}
        self._numbers = count()

    def one(self, _: Any = None) -> None:
        """The next run. Raises SpecvizError where it is refused."""
        number = next(self._numbers)
        kinds: tuple[Callable[[int], None], ...] = (self._look, self._stop, self._open, self._judge)
        kinds[number % len(kinds)](number)

    def _look(self, number: int) -> None:
        run = self._race(number)
        for lane in range(len(LANES)):
            for iteration in range(STEPS):
                self._ask("microscope", "iteration", {"run": run, "lane": lane, "iteration": iteration})
        self._ask("library", "shelf", {"runs": [run]})

    def _stop(self, number: int) -> None:
        self._race(number, stops=True)

    def _open(self, number: int) -> None:
        lanes = [[self._race(number), lane] for lane in range(len(LANES))]
        saved = self._ask("library", "save", {"lanes": lanes})["text"]
        self._ask("library", "open", saved)

    def _judge(self, number: int) -> None:
        source = {"run": self._race(number), "lane": LANES.index("speculative"), "step": 0}
        for verifier in ("token", "block", "typical"):
            self._ask("forest", "judge_forest", {"source": source, "verifier": verifier, "options": {}, "seed": number})

    def _race(self, number: int, *, stops: bool = False) -> str:
        """The id of a new race, at its end: stopped where it ``stops`` after its first picture."""
        form = {
            "run": token_hex(16),
            "prompt": PROMPTS[number % len(PROMPTS)].text,
            "lanes": [{"method": name, "options": {}} for name in LANES],
            "shared": {},
            "max_new_tokens": self._tokens,
            "seed": number,
        }
        told: dict[str, Any] = {}
        with closing(messages(self._url, self._event, form)) as pictures:
            for told in pictures:
                if stops and told["kind"] == "race" and told["state"] == "running" and told["update"] == 1:
                    self._ask("race", "stop", form["run"])
        if told.get("state") not in ("finished", "stopped"):
            raise SpecvizError(f"a race did not finish: {told.get('message', told.get('state'))}")
        return form["run"]

    def _ask(self, island: str, call: str, data: Any) -> Any:
        """What the server answers to a call of the page's script."""
        body = {"data": data, "component_id": self._parts[f"sv-{island}"], "fn_name": call, "session_hash": "memory"}
        answer = httpx.post(f"{self._url}gradio_api/component_server", json=body, timeout=600).raise_for_status().json()
        said = json.loads(answer) if isinstance(answer, str) else answer
        if isinstance(said, dict) and "error" in said:
            raise SpecvizError(f"{call} was refused: {said['error']}")
        return said


def memory_after(url: str, process: int, *, few: int = FEW, many: int = MANY, tokens: int = 64) -> Kept | None:
    """The memory of the server whose id is ``process``, by AT_ONCE visitors; None where the system does not tell.
    Raises SpecvizError where a run fails."""
    visitors = Visitors(url, tokens)
    sizes = []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for runs in (few, many - few):
            list(pool.map(visitors.one, range(runs)))
            sizes.append(resident(process))
    first, last = sizes
    return None if first is None or last is None else Kept(few, many, first, last)
