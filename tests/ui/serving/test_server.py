"""The server around gradio: no value of a component is ever taken for a file."""

import asyncio

import gradio as gr
import pytest
from gradio import processing_utils

from specviz.ui.serving.server import build_server


@pytest.mark.parametrize("url", [None, "http://192.0.2.1/a"])
def test_gradio_moves_no_files(tmp_path, monkeypatch, url):
    monkeypatch.setattr(processing_utils, "async_move_files_to_cache", processing_utils.async_move_files_to_cache)
    file = tmp_path / "secret.txt"
    file.write_text("secret")
    value = {"path": str(file), "meta": {"_type": "gradio.FileData"}} | ({"url": url} if url else {})

    def same(value: dict) -> dict:
        return value

    with gr.Blocks() as page:
        gr.api(same)
    build_server(page)
    (event,) = page.fns.values()
    assert asyncio.run(page.preprocess_data(event, [value], None)) == [value]
    assert asyncio.run(page.postprocess_data(event, value, None)) == [value]
    assert not any(block.temp_files for block in (*event.inputs, *event.outputs))
