"""What the server reports to its operator: a log line for every run, and counters for Prometheus."""

import logging
import threading
from collections import defaultdict
from typing import Any

from specviz.errors import as_given

log = logging.getLogger("specviz.runs")

_HELP = {
    "specviz_runs_total": "Runs and calls that were over, by how they ended.",
    "specviz_sweep_runs_total": "Runs of sweeps among them.",
    "specviz_tokens_total": "Tokens written, of all lanes.",
    "specviz_device_seconds_total": "Seconds of the device that runs used.",
    "specviz_wait_seconds_total": "Seconds that runs waited for their turn.",
    "specviz_running": "Runs that take turns on the device now.",
    "specviz_running_most": "Runs that took turns on the device at the same time, at most.",
    "specviz_waiting": "Runs that wait for their turn now.",
}


class Journal:
    """Counts runs and writes a line for each: what, how many tokens, seconds on the device, seconds of waiting, how it
    ended. The prompt is in it only if ``prompts`` is true; the visitor never is. Thread-safe."""

    def __init__(self, *, prompts: bool = False):
        self._prompts = prompts
        self._counters: defaultdict[str, float] = defaultdict(float)
        self._lock = threading.Lock()

    def note(self, about: dict[str, Any], seconds: float, wait: float) -> None:
        """Record a run that is over; ``about`` has its ``what``, ``methods``, ``tokens``, ``ended`` and ``prompt``, as
        far as they are known."""
        ended, tokens = about.get("ended", "gone"), about.get("tokens", 0)
        with self._lock:
            self._counters[f'specviz_runs_total{{ended="{ended}"}}'] += 1
            self._counters["specviz_sweep_runs_total"] += about.get("what") == "sweep"
            self._counters["specviz_tokens_total"] += tokens
            self._counters["specviz_device_seconds_total"] += seconds
            self._counters["specviz_wait_seconds_total"] += wait
        prompt = f" prompt={as_given(about.get('prompt', ''), 500)}" if self._prompts else ""
        what, methods = about.get("what", "run"), ",".join(about.get("methods", ()))
        log.info(
            "%s methods=%s tokens=%d seconds=%.3f wait=%.3f ended=%s%s",
            what,
            methods,
            tokens,
            seconds,
            wait,
            ended,
            prompt,
        )

    def counters(self, **gauges: int) -> str:
        """All counters in Prometheus' text format, with ``gauges`` such as ``running``."""
        with self._lock:
            counters = dict(self._counters) | {f"specviz_{name}": value for name, value in gauges.items()}
        lines = []
        for name, about in _HELP.items():
            kind = "counter" if name.endswith("_total") else "gauge"
            lines += [f"# HELP {name} {about}", f"# TYPE {name} {kind}"]
            own = {key: value for key, value in counters.items() if key.partition("{")[0] == name}
            lines += [f"{key} {value:.6g}" for key, value in sorted(own.items())] or [f"{name} 0"]
        return "\n".join(lines) + "\n"
