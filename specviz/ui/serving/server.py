"""The web server: our files, the guard, and gradio behind it."""

import asyncio
import logging
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Annotated, Any

import gradio as gr
import uvicorn
from fastapi import Body, FastAPI, HTTPException, Request
from fastapi.responses import FileResponse, JSONResponse, Response
from gradio import processing_utils
from gradio.data_classes import GradioModel, GradioRootModel
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.types import ASGIApp

from specviz.errors import SpecvizError
from specviz.ui.classroom.rooms import Rooms
from specviz.ui.classroom.routes import add_room_routes
from specviz.ui.island import PLAYER, PLOTLY, SCRIPT, STYLES, calls_of
from specviz.ui.serving.access import EVERYWHERE, Access, network_of
from specviz.ui.serving.audience import CALLER, Unfetched
from specviz.ui.serving.calls import RELOAD, Calls
from specviz.ui.serving.connections import Calm, Connections, listening, protocol, room_for_connections
from specviz.ui.serving.device import Device
from specviz.ui.serving.guard import Guard
from specviz.ui.serving.limits import MAX_REQUEST_BYTES, MAX_SESSIONS, MAX_WAITING_RUNS
from specviz.ui.serving.login import Login
from specviz.ui.serving.models import PairLoader
from specviz.ui.serving.reach import Reach
from specviz.ui.theme import theme

_SERVED = {file.name: file for file in (PLOTLY, SCRIPT)} | {name: PLAYER / name for name in STYLES}


def build_server(
    page: gr.Blocks,
    *,
    auth: tuple[str, str] | None = None,
    access: Access | None = None,
    loader: PairLoader | None = None,
    device: Device | None = None,
    reach: Reach | None = None,
) -> ASGIApp:
    """An ASGI application that serves ``page`` at / behind the guard; ``auth`` is a user name and a password,
    ``access`` what the server answers to (default: this machine's own names), ``reach`` how a class joins. How the
    ``loader`` fares is told at /healthz, what ran on the ``device`` at /metrics."""
    access = access or Access()
    unfetched = Unfetched(page._queue)
    page._queue.get_events = unfetched.next_events

    @asynccontextmanager
    async def watched(_: FastAPI) -> AsyncIterator[None]:
        watch = asyncio.create_task(unfetched.watch())
        yield
        watch.cancel()

    server = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=watched)

    @server.get("/specviz/{name}")
    def static(name: str) -> FileResponse:
        if name not in _SERVED:
            raise HTTPException(404)
        return FileResponse(_SERVED[name], headers={"cache-control": "public, max-age=31536000, immutable"})

    @server.post("/specviz/{island}/{name}")
    async def call(island: str, name: str, request: Request, asked: Annotated[Any, Body()] = None) -> Response:
        answer = calls_of(page).get(f"{island}/{name}")
        if answer is None:
            raise HTTPException(404, f"there is no call of this name here: {RELOAD}")
        CALLER.set(network_of(request.client.host) if request.client else "")
        return Response(await answer(asked), media_type="application/json")

    @server.get("/healthz")
    def health() -> JSONResponse:
        models = "ready" if loader is None else loader.status.state
        return JSONResponse({"models": models}, 503 if models == "failed" else 200)

    @server.get("/metrics")
    def metrics() -> Response:
        told = b"" if device is None else generate_latest(device.journal.registry)
        return Response(told, media_type=CONTENT_TYPE_LATEST)

    add_room_routes(server, Rooms(), reach)
    processing_utils.async_move_files_to_cache = _as_it_is
    page.state_session_capacity = MAX_SESSIONS  # gradio keeps the last value of every component for each of them
    page._queue.max_thread_count = 10 * MAX_WAITING_RUNS  # calls under way: the device has a queue of its own for them
    page._queue.ANALYTICS_MAX_EVENTS = MAX_SESSIONS  # of gradio's own statistics, which nobody reads
    gr.mount_gradio_app(
        server,
        page,
        path="/",
        root_path=access.root or None,
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
    login = Login(*auth, prefix=access.prefix) if auth else None
    return Guard(server, access=access, login=login, calls=Calls(page), on_space=bool(os.environ.get("SPACE_ID")))


async def _as_it_is(data: Any, *_: Any, **__: Any) -> Any:
    """Replaces Gradio's function that moves files named in component values.

    Gradio's copies any file of this server that a value names, and checks permission only for pages started with
    ``launch``, not for mounted ones. No value of this page is a file, so there is nothing to move.
    """
    return data.model_dump() if isinstance(data, GradioModel | GradioRootModel) else data


def serve(build: Callable[[], ASGIApp], *, reach: Reach, port: int, access: Access | None = None) -> None:
    """Bind the address and serve until interrupted. Raises SpecvizError if the address is not available."""
    access, host = access or Access(), reach.host
    shown = "127.0.0.1" if host in EVERYWHERE else f"[{host}]" if ":" in host else host
    try:
        door = listening(host, port)
    except OSError as error:
        reason = error.strerror if isinstance(error, socket.gaierror) else os.strerror(error.errno or 0)
        raise SpecvizError(f"http://{shown}:{port} cannot be served: {reason}") from None
    with door:
        server = web_server(build(), exempt=access.trusts)
        with suppress(OSError):  # nobody reads it, but visitors can come all the same
            others = reach.others(port)
            print(f"specviz is at http://{shown}:{port}{others and f', for others at {others}'}", flush=True)
        server.run(sockets=[door])


def web_server(app: ASGIApp, *, exempt: Callable[[str], bool] = lambda address: False) -> uvicorn.Server:
    """The server around ``app``, to be run with sockets of ``listening``; an address that is ``exempt`` may have any
    number of connections."""
    connections = Connections(room_for_connections(), exempt=exempt)
    config = uvicorn.Config(
        app,
        http=protocol(connections),
        loop="asyncio",  # whose sockets a Door can be
        ws="none",
        proxy_headers=False,  # the guard reads them, from those who are trusted
        server_header=False,
        access_log=False,
        log_level="warning",
        timeout_keep_alive=10,
        timeout_graceful_shutdown=1,
    )
    for handler in (logging.lastResort, *logging.getLogger("uvicorn").handlers):
        if handler is not None and not any(isinstance(present, Calm) for present in handler.filters):
            handler.addFilter(Calm())
    return uvicorn.Server(config)
