"""The web server: our files, the guard, and gradio behind it."""

import os
from typing import Any

import gradio as gr
import uvicorn
from fastapi import FastAPI, HTTPException
from fastapi.responses import FileResponse
from gradio import processing_utils
from gradio.data_classes import GradioModel, GradioRootModel
from starlette.types import ASGIApp

from specviz.ui.island import PLAYER, PLOTLY, SCRIPT, STYLES
from specviz.ui.serving.guard import Guard
from specviz.ui.serving.limits import MAX_REQUEST_BYTES, MAX_SESSIONS
from specviz.ui.theme import theme

_SERVED = {file.name: file for file in (PLOTLY, SCRIPT)} | {name: PLAYER / name for name in STYLES}


def build_server(page: gr.Blocks, *, auth: tuple[str, str] | None = None) -> ASGIApp:
    """An ASGI application that serves ``page`` at / behind the guard; ``auth`` is a user name and a password."""
    server = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)

    @server.get("/specviz/{name}")
    def static(name: str) -> FileResponse:
        if name not in _SERVED:
            raise HTTPException(404)
        return FileResponse(_SERVED[name], headers={"cache-control": "public, max-age=31536000, immutable"})

    processing_utils.async_move_files_to_cache = _as_it_is
    page.state_session_capacity = MAX_SESSIONS  # gradio keeps the last value of every component for each of them
    page._queue.ANALYTICS_MAX_EVENTS = MAX_SESSIONS  # of gradio's own statistics, which nobody reads
    gr.mount_gradio_app(
        server,
        page,
        path="/",
        auth=auth,
        theme=theme(),
        run_history=False,
        footer_links=[],
        max_file_size=MAX_REQUEST_BYTES,
        allowed_paths=[],
        ssr_mode=False,
        pwa=False,
        mcp_server=False,
        enable_monitoring=False,
    )
    return Guard(server, on_space=bool(os.environ.get("SPACE_ID")))


async def _as_it_is(data: Any, *_: Any, **__: Any) -> Any:
    """In place of gradio's mover of files, for the values of all components, on their way in and out.

    That one copies whatever file of this server a value names, and asks whether it may only of pages started with
    ``launch``, which a mounted page is not. No value of this page is a file, so there is nothing to move.
    """
    return data.model_dump() if isinstance(data, GradioModel | GradioRootModel) else data


def serve(page: gr.Blocks, *, host: str, port: int, auth: tuple[str, str] | None = None) -> None:
    """Serve until interrupted."""
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host
    print(f"specviz is at http://{shown}:{port}", flush=True)
    uvicorn.run(build_server(page, auth=auth), host=host, port=port, log_level="warning", timeout_graceful_shutdown=1)
