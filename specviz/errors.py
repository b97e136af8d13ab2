"""The errors that a user can cause. Each message says what was given and what is allowed; which argument it is about
and what kind of trouble it is stand beside it, so that nobody has to read a sentence to act on it.

``code`` is the class's own (``error``, ``option``, ``prompt``, ``model``, ``trace``, ``replay``) or, where somebody can
do something about it, one of these:

==================  ==================================================================================================
``unknown_name``    no method, drafter, verifier, figure or lesson is called so
``unknown_option``  there is no option of this name here
``incompatible``    this verifier cannot judge drafts of this kind
``too_long``        a prompt, with what is to follow it, exceeds the context or the page's limit
``missing_part``    the pair lacks a model, heads, a tokenizer or another part that the method needs
``out_of_memory``   the device has too little memory
``too_many``        more outcomes, rows or nodes than are worked out; more classes, pages or requests than are served
``too_large``       a file is larger than what is read or handed out
``queue_full``      too many are waiting for the device, the files or the figures: try again
``gone``            a run, lane, forest or file is no longer kept on the server
``not_allowed``     only who opened a class, is in it, or began a sweep may do this
``stopped``         a run was ended, or its caller has gone, before it was its turn
==================  ==================================================================================================
"""

import re
from collections.abc import Mapping
from reprlib import Repr
from typing import Any, ClassVar, Self


class SpecvizError(ValueError):
    """Base of every error that specviz raises on purpose.

    ``argument`` is the argument of the entry point that it is about, such as ``prompt``, ``seed`` or an option's name;
    None where it is about none, or about several. ``code`` is the kind of trouble (see above). ``lane`` is the lane of
    a race that it is about, from 0.
    """

    usual_code: ClassVar[str] = "error"
    lane: int | None = None

    def __init__(self, message: str = "", *, argument: str | None = None, code: str | None = None):
        super().__init__(message)
        self.argument, self.code = argument, code or self.usual_code

    def within(self, where: str) -> Self:
        """The same error with ``where`` before its sentence, such as the file that it was found in."""
        error = type(self)(f"{where}{self}", argument=self.argument, code=self.code)
        error.lane = self.lane
        return error


class OptionError(SpecvizError):
    """An option is unknown or outside its range."""

    usual_code = "option"


class TooManyOutcomes(SpecvizError):
    """Coins and draws can fall in more ways than are worked out."""

    usual_code = "too_many"


class PromptError(SpecvizError):
    """A prompt is empty, too long, or cannot be read."""

    usual_code = "prompt"

    def __init__(self, message: str = "", *, argument: str | None = "prompt", code: str | None = None):
        super().__init__(message, argument=argument, code=code)


class ModelError(SpecvizError):
    """A model cannot be used: missing file, unsuitable architecture, different vocabulary, out of memory."""

    usual_code = "model"


class TraceError(SpecvizError):
    """A trace file is damaged, or of a version that is not read."""

    usual_code = "trace"


class ReplayError(SpecvizError):
    """A recorded step cannot be judged anew: the record lacks something, or the change makes no sense there."""

    usual_code = "replay"


def as_given(value: Any, most: int = 80) -> str:
    """What was given, as Python writes it, in at most ``most`` characters: also a number of thousands of digits, which
    Python does not write, or lists nested without end."""
    plain = Repr()
    plain.maxlong = plain.maxstring = plain.maxother = most + 1
    try:
        return plain.repr(value)[:most]
    except ValueError:
        return "a number of thousands of digits"


LARGEST = 1e30
"""What a number from outside may be at most, far beyond any count, time or size: sums and ratios stay finite."""


def unfit(parsed: Any, path: str = "") -> str:
    """What is in JSON from outside and could go into no answer, the first of it as ``path: sentence``: a text with half
    a character, or a number that is none or beyond LARGEST. Empty where there is nothing of the kind.

    >>> unfit({"calls": [{"seconds": 1e308}]})
    'calls[0].seconds: is 1e+308, numbers lie from -1e+30 to 1e+30'
    """
    if isinstance(parsed, str):
        if parsed.isascii():
            return ""
        try:
            parsed.encode()
        except UnicodeEncodeError as error:
            half = as_given(parsed[error.start])
            return f"{path or 'the text'}: holds half a character, {half} at {error.start}, which is no text"
    elif isinstance(parsed, Mapping):
        for name, value in parsed.items():
            problem = unfit(name, f"a name in {path or 'the file'}")
            problem = problem or unfit(value, f"{path}.{name}" if path else str(name))
            if problem:
                return problem
    elif isinstance(parsed, list | tuple):
        for index, value in enumerate(parsed):
            if problem := unfit(value, f"{path}[{index}]"):
                return problem
    elif isinstance(parsed, int | float) and not -LARGEST <= parsed <= LARGEST:
        return f"{path}: is {as_given(parsed, 20)}, numbers lie from {-LARGEST:g} to {LARGEST:g}"
    return ""


_FOLDERS = re.compile(r"(?<![\w:/.~])(?:~|[A-Za-z]:)?[/\\](?:[^\s/\\'\":]+[/\\])+(?=[^\s/\\'\":]+)")


def without_folders(said: object) -> str:
    """A text, or what an error says, with the last part of each absolute path in it: for readers who are not to know
    where things lie on the machine.

    >>> without_folders("cannot read '/home/anna/models/x.json': see https://a.example/b/c")
    "cannot read 'x.json': see https://a.example/b/c"
    """
    return _FOLDERS.sub("", str(said))
