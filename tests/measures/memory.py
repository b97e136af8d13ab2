"""MB that a running page has after 30 and after 300 runs of every kind, of four visitors at a time.

The kinds: races finished and looked into in the Microscope and the Library; stopped; saved and opened; judged.
"""

from argparse import Namespace
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import httpx

from specviz.errors import SpecvizError
from specviz.lab.machine import resident
from tests.measures.server import serving
from tests.measures.table import app_flags, report
from tests.measures.visitors import LANES, crowd, messages, race_event, race_form

LANE = range(len(LANES))


class Visitors:
    """Runs on the page at ``url``, each with a prompt of its own. Raises SpecvizError where one is refused."""

    def __init__(self, url: str, tokens: int):
        self._url, self._tokens, self._event = url, tokens, race_event(url)

    def run(self, number: int) -> None:
        """A run, of the kind that its number says."""
        kind = number % 4
        run = self._race(number, stops=kind == 1)
        if kind == 0:
            for lane in LANE:
                for iteration in range(3):
                    self._ask("microscope", "iteration", {"run": run, "lane": lane, "iteration": iteration})
            self._ask("library", "shelf", {"runs": [run]})
        elif kind == 2:
            self._ask(
                "library", "open", self._ask("library", "save", {"lanes": [[run, lane] for lane in LANE]})["text"]
            )
        elif kind == 3:
            for verifier in ("token", "block", "typical"):
                source = {"run": run, "lane": LANES.index("speculative"), "step": 0}
                form = {"source": source, "verifier": verifier, "options": {}, "seed": number}
                self._ask("forest", "judge_forest", form)

    def _race(self, number: int, *, stops: bool) -> str:
        form, told = race_form(number, self._tokens), dict[str, Any]()
        with closing(messages(self._url, self._event, form)) as pictures:
            for told in pictures:
                if stops and told["kind"] == "race" and told["state"] == "running" and told["update"] == 1:
                    self._ask("race", "stop", form["run"])
        if told.get("state") not in ("finished", "stopped"):
            raise SpecvizError(f"a race did not finish: {told.get('message', told.get('state'))}")
        return form["run"]

    def _ask(self, island: str, call: str, data: Any) -> Any:
        """What the server answers to a call of the page's script."""
        said = httpx.post(f"{self._url}specviz/{island}/{call}", json=data, timeout=600).raise_for_status().json()
        if isinstance(said, dict) and "error" in said:
            raise SpecvizError(f"{call} was refused: {said['error']}")
        return said


def memory(args: Namespace, few: int = 30, many: int = 300) -> list[dict[str, Any]]:
    """After ``few`` runs and after ``many``; ``ratio`` is over the first."""
    with serving([*app_flags(args), "--run-seconds=0"]) as (url, process), ThreadPoolExecutor(4) as pool:
        crowd(url, 1, tokens=args.tokens)  # the models are there
        visitors, sizes = Visitors(url, args.tokens), []
        for runs in (range(few), range(few, many)):
            list(pool.map(visitors.run, runs))
            sizes.append(resident(process) or 0)  # 0: the system does not tell
    return [
        {"runs": n, "MB": size // 10**6, "ratio": size / (sizes[0] or 1)}
        for n, size in zip((few, many), sizes, strict=True)
    ]


if __name__ == "__main__":
    report(memory, __doc__)
