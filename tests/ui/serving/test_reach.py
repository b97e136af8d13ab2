"""Where a class joins: an address that phones reach, or the words that lead there."""

import socket
from pathlib import Path

import pytest

from specviz.__main__ import main
from specviz.errors import OptionError
from specviz.ui.serving import reach as reaching
from specviz.ui.serving.access import access_for
from specviz.ui.serving.reach import HERE_ONLY, NO_NETWORK, Reach, own_address, public_url, restart_command


def everywhere(own):
    return Reach(host="0.0.0.0", network=lambda: own)


@pytest.mark.parametrize("seen", ["http://127.0.0.1:7860/", "http://localhost:7860/", "http://[::1]:7860/"])
def test_a_page_seen_on_its_own_machine_is_joined_at_the_address_in_the_network(seen):
    assert everywhere("192.168.1.5").join(seen) == ("http://192.168.1.5:7860/", "")
    assert everywhere("fd00::5").join(seen) == ("http://[fd00::5]:7860/", "")
    assert everywhere(None).join(seen) == (seen, NO_NETWORK)
    assert Reach().join(seen) == (seen, HERE_ONLY)


def test_an_address_that_others_see_is_kept_and_one_that_was_told_goes_first():
    seen = "https://class.example/specviz/"
    assert Reach().join(seen) == everywhere("192.168.1.5").join(seen) == (seen, "")
    told = Reach("http://laptop.school:80/")
    assert told.join("http://127.0.0.1:7860/") == told.join(seen) == ("http://laptop.school:80/", "")


def test_the_printed_address_is_one_for_others():
    assert everywhere("192.168.1.5").others(7860) == "http://192.168.1.5:7860/"
    assert Reach("http://laptop.school/").others(7860) == "http://laptop.school/"
    assert everywhere(None).others(7860) == Reach().others(7860) == Reach(host="192.168.1.5").others(7860) == ""


def test_the_own_address_is_found_without_sending_anything(monkeypatch):
    monkeypatch.setattr(reaching, "_CONTAINERS", ())
    asked = []

    class Probe:
        def __init__(self, family, kind):
            assert kind == socket.SOCK_DGRAM  # whose connect sends nothing

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def connect(self, address):
            asked.append(address)
            if address[0] == "192.0.2.1":
                raise OSError("no route")

        def getsockname(self):
            return "fd00::7", 4711, 0, 0

    monkeypatch.setattr(reaching.socket, "socket", Probe)
    assert own_address() == "fd00::7" and [host for host, _ in asked] == ["192.0.2.1", "2001:db8::1"]
    monkeypatch.setattr(Probe, "getsockname", lambda self: ("127.0.0.1", 4711))
    assert own_address() is None


def test_the_address_of_a_container_is_not_that_of_its_machine(monkeypatch, tmp_path):
    monkeypatch.setattr(reaching, "_CONTAINERS", (tmp_path,))
    monkeypatch.setattr(reaching.socket, "socket", lambda *_: pytest.fail("it is not asked for"))
    assert own_address() is None


@pytest.mark.parametrize("given", ["http://192.168.1.5:7860", "https://class.example/specviz", "http://[fd00::5]:80/"])
def test_a_public_address_gets_a_slash_and_its_name_is_let_in(given):
    told = public_url(given)
    assert told == given.rstrip("/") + "/"
    access = access_for("127.0.0.1", public=told)
    assert not access.is_own and any(access.knows(name) for name in ("192.168.1.5", "class.example", "fd00::5"))


@pytest.mark.parametrize(
    "given",
    ["ftp://class.example", "class.example", "//class.example", "http://", "https://a@class.example", "http://a b"]
    + ["http://class.example/?a=1", "http://class.example/#a", "javascript:alert(1)", "http://[x]/", "http://["]
    + ["http://class.example:99999", "http://class.example:0", "http://" + "a" * 300],
)
def test_what_is_no_address_of_a_page_is_refused(given):
    with pytest.raises(OptionError, match="public-url must be the address at which the class reaches the page"):
        public_url(given)


@pytest.mark.parametrize(
    "given", ["http://localhost:7860", "http://127.0.0.1/", "http://[::1]:80", "http://0.0.0.0:80"]
)
def test_a_public_address_of_this_machine_alone_is_refused(given):
    with pytest.raises(OptionError, match="that other machines can open"):
        public_url(given)


def test_the_command_line_says_what_is_wrong(capsys):
    assert main(["app", "--public-url", "ftp://class.example"]) == 2
    assert "public-url must be the address" in capsys.readouterr().err


@pytest.mark.parametrize(
    "started, command",
    [
        (["/usr/bin/python3", "app.py", "--port", "80"], "python3 app.py --port 80 --host 0.0.0.0"),
        (["python", "/venv/bin/specviz", "app"], "specviz app --host 0.0.0.0"),
        (["python", "-m", "specviz", "app", "--keep", "a b"], "python -m specviz app --keep 'a b' --host 0.0.0.0"),
        (["python", "app.py", "--auth", "us:secret"], "python app.py --auth USER:PASSWORD --host 0.0.0.0"),
        (["python", "app.py", "--auth=us:secret"], "python app.py --auth=USER:PASSWORD --host 0.0.0.0"),
    ],
)
def test_the_command_for_the_network_is_the_one_that_was_given_without_its_password(started, command):
    assert restart_command(started) == command
    assert Path(started[0]).name in command or command.startswith("specviz")
