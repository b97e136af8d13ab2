"""A cache of answers: a class that follows its teacher asks for the same step sixty times."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from weakref import ref

from specviz.trace.record import Trace

_CacheKey = tuple[int, Hashable]


class AnswerCache:
    """JSON texts by trace and question: the last used ones, within ``room`` bytes. An answer that many ask for at once
    is made once while the others wait; an error is raised for all of them and not cached. Thread-safe."""

    def __init__(self, room: int):
        self._room = room
        self._kept: OrderedDict[_CacheKey, tuple[ref[Trace], str]] = OrderedDict()
        self._coming: dict[_CacheKey, Future[str]] = {}
        self._size = 0
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """Bytes in the cache."""
        return self._size

    def get(self, trace: Trace, question: Hashable, make: Callable[[], str]) -> str:
        """The answer to ``question`` about the trace, made by ``make`` if it is not cached. Raises what ``make``
        raises."""
        key = (id(trace), question)
        with self._lock:
            about, answer = self._kept.get(key, (None, ""))
            if about is not None and about() is trace:  # not a later trace at the same address
                self._kept.move_to_end(key)
                return answer
            coming = self._coming.get(key)
            if coming is None:
                mine = self._coming[key] = Future[str]()
        if coming is not None:
            return coming.result()
        return self._made(key, trace, make, mine)

    def _made(self, key: _CacheKey, trace: Trace, make: Callable[[], str], mine: "Future[str]") -> str:
        try:
            answer = make()
        except BaseException as error:
            with self._lock:
                del self._coming[key]
            mine.set_exception(error)
            raise
        with self._lock:
            del self._coming[key]
            self._put(key, trace, answer)
        mine.set_result(answer)
        return answer

    def _put(self, key: _CacheKey, trace: Trace, answer: str) -> None:
        if len(answer) > self._room:
            return
        _, old = self._kept.pop(key, (None, ""))
        self._kept[key] = ref(trace), answer
        self._size += len(answer) - len(old)  # our JSON is ASCII
        while self._size > self._room:
            _, (_, oldest) = self._kept.popitem(last=False)
            self._size -= len(oldest)
