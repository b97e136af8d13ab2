"""Models load in the background: the page is served at once and says how far loading is."""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from specviz.errors import OptionError, SpecvizError, as_given, without_folders
from specviz.lm.network.transformer import TransformerLM

log = logging.getLogger(__name__)
EMBEDDED_NAME = "fable"
"""The name of the embedded pair, where there are several."""


class LoadingStatus(NamedTuple):
    """Where loading stands, and the sentence that says so."""

    state: Literal["loading", "ready", "failed"]
    text: str


class PairLoader:
    """Calls ``load`` once, on a thread of its own, and keeps the result. ``name`` is the pair's name on the page; a
    visitor may choose one of ``others`` instead."""

    def __init__(self, load: Callable[[], Any], name: str = "", others: Sequence["PairLoader"] = ()):
        self._load, self.name, self.others = load, name, tuple(others)
        self._pair: Any = None
        self._status = LoadingStatus("loading", "Loading the models …")
        self._begun, self._done = threading.Lock(), threading.Event()

    def start(self) -> "PairLoader":
        """Begin loading, unless it has begun; returns itself."""
        if self._begun.acquire(blocking=False):
            threading.Thread(target=self._run, name="model-loader", daemon=True).start()
        return self

    @property
    def names(self) -> list[str]:
        """Of all pairs, this one's first."""
        return [self.name, *(other.name for other in self.others)]

    def add(self, other: "PairLoader") -> None:
        """Add another pair."""
        self.others = (*self.others, other)

    def of(self, name: str | None) -> "PairLoader":
        """The loader of the pair of this name (None: this one); a pair begins to load when it is first asked for.
        Raises OptionError for an unknown name."""
        if name in (None, "", self.name):
            return self
        for other in self.others:
            if other.name == name:
                return other.start()
        raise OptionError(
            f"there are no models {as_given(name, 40)} here; there are {', '.join(self.names)}", argument="pair"
        )

    def usual(self, form: Any) -> Any:
        """The form without the name of this pair, the page's first, so that naming it makes no difference."""
        named = isinstance(form, Mapping) and form.get("pair") in ("", self.name)
        return {**form, "pair": None} if named else form

    def _run(self) -> None:
        try:
            self._pair = self._load()
            self._status = LoadingStatus("ready", describe_pair(self._pair))
        except SpecvizError as error:
            self._status = LoadingStatus("failed", f"The models could not be loaded: {without_folders(error)}")
        except Exception as error:  # whatever it is, the page must report it
            log.exception("loading the models failed")
            self._status = LoadingStatus(
                "failed", f"The models could not be loaded: {type(error).__name__}: {without_folders(error)}"
            )
        finally:
            self._done.set()

    @property
    def status(self) -> LoadingStatus:
        """Where loading stands now."""
        return self._status

    def wait(self, seconds: float) -> bool:
        """Wait up to ``seconds``; true when loading is over, well or badly."""
        return self._done.wait(seconds)

    @property
    def chats(self) -> bool:
        """Whether the models take turns; false while there are none."""
        return self._pair is not None and self._pair.chat

    @property
    def pair(self) -> Any:
        """The pair. Raises SpecvizError with the status line while there is none."""
        if self._pair is None:
            raise SpecvizError(self._status.text)
        return self._pair


def describe_pair(pair: Any) -> str:
    """One line, short enough for the page's head: which target and draft are ready, in which dtypes, and by whose
    forward pass they are computed (lean: our own, stock: transformers')."""
    draft = f" with {pair.draft.name} as its draft" if pair.draft is not None else ", without a draft"
    unshared = len(getattr(pair.draft, "unshared", ()))
    apart = f", {unshared} added token{'s'[: unshared > 1]} not shared" if unshared else ""
    return f"{pair.target.name}{draft}{apart}: ready{_how(pair)}"


def _how(pair: Any) -> str:
    models = {"target": pair.target, "draft": pair.draft}
    models = {role: model for role, model in models.items() if isinstance(model, TransformerLM)}
    types = {role: str(model.dtype).removeprefix("torch.") for role, model in models.items()}
    if len(set(types.values())) > 1:
        types["draft"] = f"draft {types['draft']}"
    passes = " and ".join(dict.fromkeys(model.forward for model in models.values()))
    graphs = ", CUDA graphs" if any(model.graphs and model.device.type == "cuda" for model in models.values()) else ""
    return f" ({', '.join(dict.fromkeys(types.values()))}, {passes} pass{graphs})" if models else ""
