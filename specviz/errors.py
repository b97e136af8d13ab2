"""The errors that a user can cause. Each message names the argument, the value and what is allowed."""


class SpecvizError(ValueError):
    """Base of every error that specviz raises on purpose. ``lane`` is the lane of a race that it is about, from 0."""

    lane: int | None = None


class OptionError(SpecvizError):
    """An option is unknown or outside its range."""


class PromptError(SpecvizError):
    """A prompt is empty, too long, or cannot be read."""


class ModelError(SpecvizError):
    """A model cannot be used: missing file, unsuitable architecture, different vocabulary, out of memory."""


class TraceError(SpecvizError):
    """A trace file is damaged, too new or too old."""


class ReplayError(SpecvizError):
    """A recorded step cannot be judged anew: the record lacks something, or the change makes no sense there."""
