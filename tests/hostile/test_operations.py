"""What a server tells whoever runs it, and nobody else."""

import logging
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
import pytest

from specviz.ui.serving.access import access_for
from specviz.ui.serving.device import Device, Visitor
from specviz.ui.serving.journal import Journal
from tests.measures.visitors import crowd

SECRET = "a prompt that nobody else may read"


def use(device, **about):
    with device.ticket(Visitor("192.0.2.1", "abc")) as ticket, ticket.slice():
        ticket.about = about


def test_a_line_a_run_and_no_prompt_unless_asked(caplog):
    caplog.set_level(logging.INFO, "specviz.runs")
    for prompts in (False, True):
        device = Device(journal=Journal(prompts=prompts))
        use(device, what="race", methods=["mtad", "block"], tokens=7, ended="finished", prompt=SECRET)
    plain, asked = caplog.messages
    assert re.fullmatch(r"race methods=mtad,block tokens=7 seconds=\d\.\d+ wait=\d\.\d+ ended=finished", plain)
    assert SECRET in asked and "192.0.2.1" not in caplog.text and "abc" not in caplog.text
    use(device, what="race", methods=["mtad"], prompt="a\nforged line")
    assert "ended=gone" in caplog.messages[-1] and "\n" not in caplog.messages[-1]


@pytest.mark.full
def test_health_and_counters(site):
    with site() as url:
        assert httpx.get(f"{url}healthz").json() == {"models": "ready"}
        (visit,) = crowd(url, 1, tokens=3)
        told = httpx.get(f"{url}metrics").text
    assert visit.outcome == "finished"
    assert 'specviz_runs_total{ended="finished"} 1.0\n' in told and "specviz_tokens_total 9.0\n" in told
    assert all(re.fullmatch(r"# (HELP|TYPE) \w+ .+|\w+({\w+=\"\w+\"})? [\d.e+-]+", line) for line in told.splitlines())


@pytest.mark.full
def test_counters_are_for_this_machine_for_watchers_and_for_those_who_logged_in(site):
    access = access_for("127.0.0.1", proxies=["127.0.0.1"], watchers=["192.0.2.0/24"])
    with site(access=access) as url:
        for address, status in (("203.0.113.9", 404), ("192.0.2.7", 200), ("127.0.0.1", 200)):
            assert httpx.get(f"{url}metrics", headers={"x-forwarded-for": address}).status_code == status
    with (
        site(access=access, auth=("a", "b")) as url,
        httpx.Client(headers={"x-forwarded-for": "203.0.113.9"}) as client,
    ):
        assert client.get(f"{url}metrics").status_code == 401 and client.get(f"{url}healthz").status_code == 200
        client.post(f"{url}login", data={"username": "a", "password": "b"})
        assert client.get(f"{url}metrics").status_code == 200


@pytest.mark.skipif(os.getuid() != 0, reason="only root becomes nobody")
@pytest.mark.full
def test_it_runs_as_nobody_where_nothing_can_be_written(paths, tmp_path, free_port, request):
    """As the container has it: another user, no home, a folder of its own for what is temporary."""
    root = Path(__file__).parents[2]
    for folder in (root, *root.parents, Path(sys.executable).parent, *Path(sys.executable).resolve().parents):
        if not os.stat(folder).st_mode & 0o001:
            pytest.skip(f"nobody may not enter {folder}")
    open_to_all = Path(tempfile.mkdtemp())  # pytest's own folders are closed to nobody
    request.addfinalizer(lambda: shutil.rmtree(open_to_all))
    open_to_all.chmod(0o755)
    temporary = open_to_all / "tmp"
    temporary.mkdir()
    temporary.chmod(0o777)
    target, draft = (shutil.copytree(path, open_to_all / path.name) for path in map(Path, paths))
    for path in (target, draft, *target.iterdir(), *draft.iterdir()):
        path.chmod(0o755)
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "TMPDIR": str(temporary)}
    command = [shutil.which("python") or sys.executable, "-B", str(root / "app.py"), f"--port={free_port}"]
    command += [f"--target={target}", f"--draft={draft}", "--device=cpu"]
    log = tmp_path / "log"
    with log.open("wb") as said:
        process = subprocess.Popen(command, stdout=said, stderr=said, env=environment, cwd="/", user=65534, group=65534)
    try:
        for _ in range(600):
            try:
                assert httpx.get(f"http://127.0.0.1:{free_port}/healthz").status_code == 200
                break
            except httpx.HTTPError:
                assert process.poll() is None, log.read_text()
                time.sleep(0.2)
        (visit,) = crowd(f"http://127.0.0.1:{free_port}/", 1, tokens=3)
        assert visit.outcome == "finished", log.read_text()
    finally:
        process.kill()
        process.wait()
