"""What the server reports to its operator: a log line for every run, and counters for Prometheus."""

import logging
from functools import partial
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, disable_created_metrics

from specviz.errors import as_given

log = logging.getLogger("specviz.runs")
disable_created_metrics()


class Journal:
    """Counts runs and writes a line for each: what, how many tokens, seconds on the device, seconds of waiting, how it
    ended. The prompt is in it only if ``prompts`` is true; the visitor never is. ``registry`` has the counters, and the
    gauges ``running``, ``running_most`` and ``waiting``. Thread-safe."""

    def __init__(self, *, prompts: bool = False):
        self._prompts = prompts
        self.registry = CollectorRegistry()
        counter, gauge = partial(Counter, registry=self.registry), partial(Gauge, registry=self.registry)
        self._runs = counter("specviz_runs", "Runs and calls that were over, by how they ended.", ["ended"])
        self._sweep_runs = counter("specviz_sweep_runs", "Runs of sweeps among them.")
        self._tokens = counter("specviz_tokens", "Tokens written, of all lanes.")
        self._used = counter("specviz_device_seconds", "Seconds of the device that runs used.")
        self._waited = counter("specviz_wait_seconds", "Seconds that runs waited for their turn.")
        self.running = gauge("specviz_running", "Runs that take turns on the device now.")
        self.running_most = gauge("specviz_running_most", "Runs that took turns on the device at once, at most.")
        self.waiting = gauge("specviz_waiting", "Runs that wait for their turn now.")

    def note(self, about: dict[str, Any], seconds: float, wait: float) -> None:
        """Record a run that is over; ``about`` has its ``what``, ``methods``, ``tokens``, ``ended`` and ``prompt``, as
        far as they are known."""
        ended, tokens, what = about.get("ended", "gone"), about.get("tokens", 0), about.get("what", "run")
        self._runs.labels(ended).inc()
        self._sweep_runs.inc(what == "sweep")
        self._tokens.inc(tokens)
        self._used.inc(seconds)
        self._waited.inc(wait)
        prompt = f" prompt={as_given(about.get('prompt', ''), 500)}" if self._prompts else ""
        methods = ",".join(about.get("methods", ()))
        how = f"tokens={tokens} seconds={seconds:.3f} wait={wait:.3f} ended={ended}"
        log.info("%s methods=%s %s%s", what, methods, how, prompt)
