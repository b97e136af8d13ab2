"""Known models that are not on this machine yet and can be downloaded from the page, if it is served to the machine's
own user only."""

import logging
from collections.abc import Callable
from threading import Event, Lock, Thread
from typing import Any

from specviz.errors import OptionError, SpecvizError, as_given
from specviz.lm.getting.catalog import MODELS, KnownModel, Wheel
from specviz.lm.getting.getting import arrived_bytes, get_model, models_folder
from specviz.lm.getting.sources import Progress
from specviz.ui.messages.header import ModelOffer, ModelOffers
from specviz.ui.serving.models import PairLoader

log = logging.getLogger(__name__)


class Offers:
    """The models on offer. ``pair_of`` makes the loader of a model's pair, which joins the page's pairs once the model
    is here."""

    def __init__(self, loader: PairLoader, pair_of: Callable[[str], PairLoader]):
        self._loader = loader
        self._fetches = {
            name: _Fetch(model, lambda name=name: loader.add(pair_of(name)))
            for name, model in MODELS.items()
            if name not in loader.names
        }

    def models(self, request: Any) -> ModelOffers:
        """How far all of them are, after what is asked for: ``{"do": "get" or "stop", "name": a model's}``, or
        anything else for a look. Raises OptionError for a model that is not offered."""
        doing = request.get("do") if isinstance(request, dict) else None
        if doing in ("get", "stop"):
            name = request.get("name")
            if not isinstance(name, str) or name not in self._fetches:
                offered = ", ".join(self._fetches) or "none"
                raise OptionError(f"no model {as_given(name, 40)} is offered here; offered: {offered}", argument="name")
            fetch = self._fetches[name]
            fetch.get() if doing == "get" else fetch.stop()
        offers = [fetch.offer() for fetch in self._fetches.values()]
        return {"offers": offers, "pairs": self._loader.names}


class _Stopped(Exception):
    pass


class _Fetch:
    """The download of one model, on a thread of its own, which calls ``arrived`` when it is complete."""

    def __init__(self, model: KnownModel, arrived: Callable[[], object]):
        self._model, self._arrived = model, arrived
        self._state, self._reason, self._progress = "away", "", Progress("", 0, 0)
        self._lock, self._stopped = Lock(), Event()

    def get(self) -> None:
        with self._lock:
            if self._state in ("getting", "here"):
                return
            self._state, self._reason, self._progress = "getting", "", Progress("", 0, 0)
            self._stopped.clear()
        Thread(target=self._run, name="model-getter", daemon=True).start()

    def stop(self) -> None:
        self._stopped.set()

    def _run(self) -> None:
        try:
            get_model(self._model.name, self._tell)
            self._arrived()
            self._state = "here"
        except _Stopped:
            self._state = "away"
        except SpecvizError as error:
            self._state, self._reason = "failed", str(error)  # with the folders in it, which are the reader's own
        except Exception as error:  # a defect: the card must not wait forever
            log.exception("getting %s failed", self._model.name)
            self._state, self._reason = "failed", f"{type(error).__name__}: {error}"

    def _tell(self, progress: Progress) -> None:
        self._progress = progress
        if self._stopped.is_set():
            raise _Stopped

    def offer(self) -> ModelOffer:
        model, progress = self._model, self._progress
        if self._state == "getting" and self._stopped.is_set():
            progress = Progress("stopping", 0, 0)
        return {
            "name": model.name,
            "title": model.title,
            "licence": model.licence,
            "bytes": next((source.bytes for source in model.sources if isinstance(source, Wheel)), model.bytes),
            "folder": str(models_folder()),
            "state": self._state,
            "doing": progress.doing,
            "done": progress.done,
            "total": progress.total,
            "kept": arrived_bytes(model),
            "reason": self._reason,
        }
