"""What a notebook's cell shows: a trace as its last line is the Microscope; ``show`` opens it anywhere, or a race.

The frame in a cell holds all that it needs: no extension, no server, no network; a saved notebook shows it still. It is
as high as its content, in the notebook's colours. Where a notebook is not trusted, or has no scripts, the cell shows
the text, its tokens marked by where they come from, and every step in words.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from html import escape

from specviz.decoding.exact.own_parts import claim_holds
from specviz.decoding.run.race import Lane
from specviz.errors import OptionError, SpecvizError, as_given
from specviz.trace.record import Trace
from specviz.views.race.race_view import race_document, race_still
from specviz.views.race.verdict import verdict_text
from specviz.views.story.scenes import iteration_payload
from specviz.views.story.steps_document import steps_document, steps_still

HEIGHT = 620
"""Pixels of a frame until its content says how high it is; a step fits itself into them."""
MOST_STEPS = 200
"""Iterations in one frame, of a longer run those around the first that is shown."""
_FRAME = (
    '<iframe srcdoc="{html}" sandbox="allow-scripts allow-downloads allow-popups" title="{words}" onload="{meet}" '
    'style="width:100%;height:{height}px;border:0"></iframe><noscript><p><em>{why}</em></p>{still}</noscript>'
)
_WHY = "In words, since nothing may run here: in a trusted notebook, with scripts, this cell steps and plays."
_MEET = (  # assets/player/src/base/frame.js answers; a notebook changes its theme with attributes of its body
    "const meet = () => this.contentWindow?.postMessage({specviz: getComputedStyle(this.parentElement).color}, '*'); "
    "window.addEventListener('message', ({source, data}) => { "
    "if (source === this.contentWindow) this.style.height = `${Number(data.specviz)}px`; }); "
    "new MutationObserver(meet).observe(document.body, {attributes: true}); meet()"
)


@dataclass(frozen=True)
class Cell:
    """What a notebook shows: ``html`` is a whole document, in a frame that begins with a ``height`` in pixels,
    ``still`` is HTML for a notebook without scripts, ``words`` what a terminal prints."""

    html: str
    still: str
    words: str
    height: int = HEIGHT

    def mimebundle(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, str]:
        """By MIME type what a notebook chooses from: of all, those to ``include``, without those to ``exclude``."""
        html, words, meet = map(escape, (self.html, self.words, _MEET))
        frame = _FRAME.format(html=html, words=words, meet=meet, height=self.height, why=_WHY, still=self.still)
        return _chosen({"text/plain": self.words, "text/html": frame}, include, exclude)

    _repr_mimebundle_ = mimebundle  # the name that notebooks ask for

    def __repr__(self) -> str:
        return self.words


def show(
    run: Trace | Iterable[Trace | Lane | tuple[Lane, object]],
    iteration: int | None = None,
    scene: str | None = None,
    *,
    height: int = HEIGHT,
) -> Cell:
    """A run in a notebook, or a race.

    A trace is the Microscope, as ``trace`` alone on the last line of a cell is, too: all recorded iterations, at most
    MOST_STEPS, opened at ``iteration`` (from 0; None: the first that kept a guess) and ``scene`` (a key of
    ``specviz.views.steps``; None: its first decision), in a frame ``height`` pixels high, 200 to 4000.

    Traces are the film of a race, side by side, and so is what ``race`` yields, which is run to its end.

    Raises OptionError for what is neither and for an iteration or a height that there is not, SpecvizError for a run
    whose steps were not recorded.

    >>> import specviz
    >>> pair = specviz.ModelPair(specviz.TableLM.random(5, seed=1), specviz.TableLM.random(5, seed=2))
    >>> specviz.show(specviz.decode(pair, "speculative", [0], max_new_tokens=6, gamma=2))
    Speculative decoding: Trace('speculative', 5 iterations, 6 tokens)
    """
    if not 200 <= height <= 4000:
        raise OptionError(f"height must be 200 to 4000 pixels, got {as_given(height)}", argument="height")
    if isinstance(run, Trace):
        return _steps(run, iteration, scene, height)
    traces = _traces(run)
    for name, value in (("iteration", iteration), ("scene", scene)):
        if value is not None:
            raise OptionError(f"a race is shown whole: {name} is for one trace", argument=name)
    return Cell(race_document("", traces, claim_holds), race_still(traces), verdict_text(traces), height)


def mimebundle(
    trace: Trace, include: Collection[str] | None = None, exclude: Collection[str] | None = None
) -> dict[str, str]:
    """What a cell shows of a trace; of one whose steps were not recorded, or that has none, its words."""
    try:
        return show(trace).mimebundle(include, exclude)
    except SpecvizError as error:
        return _chosen({"text/plain": f"{trace!r}: {error}"}, include, exclude)


def _chosen(bundle: dict[str, str], include: Collection[str] | None, exclude: Collection[str] | None) -> dict[str, str]:
    kinds = set(include or bundle) - set(exclude or ())
    return {kind: shown for kind, shown in bundle.items() if kind in kinds}


def _steps(trace: Trace, iteration: int | None, scene: str | None, height: int) -> Cell:
    most, method = len(trace.iterations), trace.header.method
    if not most:
        raise SpecvizError("this run has no iterations to show")
    count = min(most, MOST_STEPS)
    if iteration is None:
        iteration = next((i for i in range(count) if trace.iterations[i].accepted), 0)
    if not 0 <= iteration < most:
        raise OptionError(f"iteration must be 0 to {most - 1}, got {as_given(iteration)}", argument="iteration")
    begin = min(max(0, iteration - count // 2), most - count)
    payloads = [iteration_payload(trace, index) for index in range(begin, begin + count)]
    html = steps_document(trace, method.title, payloads, first=iteration - begin, scene=scene or "decision-1")
    return Cell(html, steps_still(trace, payloads), f"{method.title}: {trace!r}", height)


def _traces(run: object) -> list[Trace]:
    """The lanes of a race in their order. Raises OptionError where there is none, or something else."""
    lanes, traces = dict[int, Lane](), list[Trace]()
    for one in run if isinstance(run, Iterable) and not isinstance(run, str) else [run]:
        lane = one[0] if isinstance(one, tuple) and one else one
        if isinstance(lane, Lane):
            lanes[lane.index] = lane
        elif isinstance(one, Trace):
            traces.append(one)
        else:
            raise OptionError(f"show takes a trace, traces, or what race yields; got {as_given(one)}", argument="run")
    traces += [lanes[index].trace() for index in sorted(lanes)]
    if not traces:
        raise OptionError("show takes a trace, traces, or what race yields; got none of them", argument="run")
    return traces
