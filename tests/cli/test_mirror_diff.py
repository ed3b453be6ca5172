"""`snapdiff URL URL`: two mirrors, from a real web server."""

import re

import pytest

from snapdiff.output import streams
from tests.support.helpers import hash_of, refused, run_cli, run_json
from tests.support.mirrors import MANIFEST, below, index, layout_2, layout_3
from tests.support.servers import WebServer


def test_two_mirrors_are_compared_whatever_their_layouts(server: WebServer) -> None:
    server.files.update(below("old", layout_2(index("zlib", "cmake"))))
    server.files.update(below("new", layout_3(index("zlib", "cmake", "gcc"), zipped=True)))
    report = run_json(f"http://user:secret@{server.host}/old?token=secret", f"{server.url}/new")
    assert report["old"] == {"source": f"{server.url}/old", "commit": None, "date": None}
    assert report["new"] == {"source": f"{server.url}/new", "commit": None, "date": None}
    assert (report["summary"]["added"], report["summary"]["unchanged"]) == (1, 2)
    (change,) = report["tags"][0]["stacks"][0]["changes"]
    assert (change["kind"], change["new"]["hash"]) == ("added", hash_of("gcc"))


def test_a_mirror_is_the_same_as_itself(server: WebServer) -> None:
    server.files.update(below("m", layout_3(index("zlib"))))
    done = run_cli("--exit-code", f"{server.url}/m", f"{server.url}/m")
    assert (done.status, done.err) == (0, "")


def test_a_mirror_that_is_not_there_is_one_line(server: WebServer) -> None:
    said = refused(f"{server.url}/old", f"{server.url}/new")
    assert said.startswith(f"{server.url}/old: holds no {MANIFEST}, ")


def test_max_download_is_a_limit_on_each_mirror(server: WebServer) -> None:
    server.files.update(below("m", layout_3(index("zlib"))))
    done = run_cli("--max-size", "100", f"{server.url}/m", f"{server.url}/m")
    assert done.status == 2
    assert f"{MANIFEST}: with it, more than 100 bytes of the mirror" in done.err


def test_a_mirror_has_no_changelog_and_is_told_how_to_get_one(server: WebServer) -> None:
    for address in (f"{server.url}/m", f"oci+http://{server.host}/m"):
        for argument in (address, f"HEAD..{address}"):
            done = run_cli("changelog", argument)
            assert (done.status, done.out) == (2, "")
            reason = "`snapdiff snapshot` keeps a mirror in a folder from time to time"
            assert f"{address}: a changelog takes two git revisions" in done.err
            assert reason in done.err
    assert server.seen == []


@pytest.mark.parametrize("command", ["diff", "missing"])
def test_a_terminal_is_told_how_much_is_downloaded(
    command: str, server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SHOWN_AFTER", "SHOWN_EVERY"):
        monkeypatch.setattr(streams, name, 0.0)
    monkeypatch.setattr(streams, "is_on_terminal", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    server.files.update(
        below("old", layout_3(index("zlib"))) | below("new", layout_3(index("gcc")))
    )
    urls = [f"{server.url}/old", f"{server.url}/new"]
    assert re.search(r"bytes downloaded: 100% \((\d+)/\1\)", run_cli(command, *urls).err)
    assert run_cli(command, "-q", *urls).err == ""
