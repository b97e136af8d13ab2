"""What calls of the page and of its functions in Gradio's queue may say. Gradio does not check whether what it looks up
exists, so calls of what does not exist are refused here, in a sentence."""

import json
import re
from typing import Any
from urllib.parse import parse_qs

import gradio as gr

_NAME = re.compile(r"[\w-]{1,64}", re.ASCII)
_CALL = re.compile(r"/gradio_api/call/(?:v2/)?([^/]*)/?")
_TOLD = re.compile(r"/gradio_api/(?:queue/data|call/(?:v2/)?[^/]+/([^/]+))/?")
RELOAD = "reload the page, which is of another version or broken"


class Calls:
    """The functions of ``page``."""

    def __init__(self, page: gr.Blocks):
        self._functions = set(page.fns)
        self._names = {function.api_name for function in page.fns.values() if function.api_name}
        self._queue = page._queue

    def knows_stream(self, path: str, query: bytes) -> bool:
        """Whether the event stream that a request opens belongs to a call; true for other requests."""
        stream = _TOLD.fullmatch(path)
        if not stream:
            return True
        sessions = parse_qs(query.decode("latin-1")).get("session_hash", [""])
        return (stream[1] or sessions[0]) in self._queue.pending_messages_per_session

    def refusal(self, path: str, body: Any) -> str:
        """Why the call in this body, parsed from JSON, is refused; empty if it is not."""
        if path.startswith("/specviz/"):
            return _half(body)
        called = _CALL.fullmatch(path)
        if not called and path.rstrip("/") not in _CHECKED:
            return ""
        if not isinstance(body, dict):
            return "what is asked must be a JSON object"
        if called and called[1] not in self._names:
            return f"there is no function of this name here; there are {', '.join(sorted(self._names))}"
        for name in ("session_hash", "event_id"):
            value = body.get(name)
            if value is not None and not (isinstance(value, str) and _NAME.fullmatch(value)):
                return f"{name} must be letters and digits: {RELOAD}"
        if "fn_index" in body and not (type(number := body["fn_index"]) is int and number in self._functions):
            return f"there is no function of this number: {RELOAD}"
        return _half(body.get("data"))


_CHECKED = frozenset("/gradio_api/queue/join /gradio_api/cancel /gradio_api/reset".split())


def _half(data: Any) -> str:
    """Why a text in the data is none, in a sentence; empty where all are."""
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return "a text holds half a character, which no answer could hold"
    return ""
