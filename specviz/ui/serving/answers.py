"""A cache of answers: a class that follows its teacher asks for the same step sixty times."""

from collections.abc import Callable, Hashable
from threading import Condition
from typing import Any
from weakref import ref

from cachetools import LRUCache, cached

from specviz.trace.record import Trace


def answer_cache(room: int) -> Callable[[Trace, Hashable, Callable[[], str]], str]:
    """Answers about traces: ``answer(trace, question, make)`` is the text that ``make`` says, or said before. The last
    used ones are kept, within ``room`` bytes. What many ask for at once is made once while the others wait; an error is
    raised and not kept. Safe to call from several threads."""
    cache = LRUCache(room, getsizeof=len)

    @cached(cache, key=lambda trace, question, make: (_ThisTrace(trace), question), condition=Condition())
    def answer(trace: Trace, question: Hashable, make: Callable[[], str]) -> str:
        return make()

    return answer


class _ThisTrace(ref[Trace]):
    """A trace as a key: it equals itself alone, and not a later one at its address."""

    _address: int

    def __new__(cls, trace: Trace) -> "_ThisTrace":
        same = super().__new__(cls, trace)
        same._address = id(trace)
        return same

    def __hash__(self) -> int:
        return self._address

    def __eq__(self, other: Any) -> bool:
        return self is other or (self() is not None and self() is other())
