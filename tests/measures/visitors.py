"""Visitors of a running page, known by its address alone, who speak as the page's own script does."""

import json
import threading
import time
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from secrets import token_hex
from typing import Any

import httpx

from specviz.errors import SpecvizError
from specviz.lab.prompts import PROMPTS

LANES = ("autoregressive", "speculative", "mtad")
SECONDS = 600.0  # that a visitor waits for a run at most


@dataclass(frozen=True)
class Visit:
    """What came of one run. ``said`` is the refusal, or what went wrong; ``queue_positions`` the positions that were
    told, ``updates`` the numbers of the pictures that came; ``wait`` and ``whole`` the seconds until the first picture
    and until the end."""

    outcome: str  # finished, refused or failed
    said: str
    queue_positions: tuple[int, ...]
    updates: tuple[int, ...]
    wait: float
    whole: float

    @property
    def dropped(self) -> int:
        """How many pictures of its race never came."""
        return (max(self.updates) if self.updates else 0) - len(set(self.updates))


def crowd(url: str, pages: int, *, tokens: int = 32, lanes: Sequence[str] = LANES) -> list[Visit]:
    """So many visits at the same moment, each with a prompt and a seed of its own."""
    event, together = race_event(url), threading.Barrier(pages)

    def one(number: int) -> Visit:
        form = race_form(number, tokens, lanes)
        together.wait()
        return visit(url, event, form)

    with ThreadPoolExecutor(pages) as pool:
        return list(pool.map(one, range(pages)))


def race_form(number: int, tokens: int, lanes: Sequence[str] = LANES) -> dict[str, Any]:
    """What the page's script sends for a race."""
    listed = [{"method": name, "options": {}} for name in lanes]
    about = {"prompt": PROMPTS[number % len(PROMPTS)].text, "max_new_tokens": tokens, "seed": number}
    return {"run": token_hex(16), "lanes": listed, "shared": {}, **about}


def race_event(url: str) -> dict[str, int]:
    """The numbers by which the page's script starts a race: ``fn_index`` and ``trigger_id``."""
    try:
        config = httpx.get(f"{url}config", timeout=60).json()
        trigger = next(one["id"] for one in config["components"] if one["props"].get("elem_id") == "sv-race")
        calls = (one["id"] for one in config["dependencies"] if [trigger, "run"] in one["targets"])
        return {"fn_index": next(calls), "trigger_id": trigger}
    except (httpx.HTTPError, ValueError, KeyError, StopIteration) as error:
        raise SpecvizError(f"{url} does not answer like a specviz page ({type(error).__name__}: {error})") from None


def visit(url: str, event: dict[str, int], form: dict[str, Any]) -> Visit:
    """One run from the first to the last message."""
    positions, updates, asked, first = list[int](), list[int](), time.monotonic(), 0.0
    outcome, said = "failed", "the stream ended early"
    try:
        for message in messages(url, event, form):
            position = message.get("queue_position")
            if message["kind"] == "waiting" and position and position not in positions[-1:]:
                positions.append(position)
            elif message["kind"] == "refused":
                outcome, said = "refused", message["message"]
            elif message["kind"] == "race":
                first = first or time.monotonic()
                updates.append(message["update"])
                if message["state"] == "finished":
                    outcome, said = "finished", ""
    except (httpx.HTTPError, ValueError, KeyError) as error:
        outcome, said = "failed", f"{type(error).__name__}: {error}"
    end = time.monotonic()
    return Visit(outcome, said, tuple(positions), tuple(updates), (first or end) - asked, end - asked)


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
                        sent = told["output"]["data"][0]  # the first whole, later [["replace", [], text]], or [] again
                        value = sent if isinstance(sent, str) else sent[0][2] if sent else value
                        yield json.loads(value)
                    elif told["msg"] == "process_completed" and not told["success"]:
                        raise ValueError(str(told["output"])[:200])
