"""The progress bar: on a terminal, for long work, and nowhere else."""

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from snapdiff.output import streams
from snapdiff.output.streams import Destination, ProgressBar, say

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class Terminal(io.StringIO):
    """A standard error that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def shown(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, *, wanted: bool = True) -> str:
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with ProgressBar("pages", wanted=wanted) as bar:
        bar(1, 4)
        bar(3, 4)
    return stream.getvalue()


def test_long_work_on_a_terminal_shows_a_bar_and_clears_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "SHOWN_AFTER", 0.0)
    monkeypatch.setattr(streams, "SHOWN_EVERY", 0.0)
    text = shown(Terminal(), monkeypatch)
    assert text == "\r\x1b[2K".join(["", "pages: 25% (1/4)", "pages: 75% (3/4)", ""])


def test_it_is_told_again_after_a_pause_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "SHOWN_AFTER", 0.0)
    monkeypatch.setattr(streams, "SHOWN_EVERY", 60.0)
    text = shown(Terminal(), monkeypatch)
    assert "1/4" in text
    assert "3/4" not in text


def test_what_is_said_meanwhile_has_a_line_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "SHOWN_AFTER", 0.0)
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with ProgressBar("pages") as bar:
        bar(1, 4)
        say("warning: such a page")
    say("done")
    assert stream.getvalue() == (
        "\r\x1b[2Kpages: 25% (1/4)\r\x1b[2Ksnapdiff: warning: such a page\n"
        "\r\x1b[2Ksnapdiff: done\n"
    )


class Screen(io.RawIOBase):
    """What a terminal has got, of standard output and of standard error."""

    text = ""

    def isatty(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def write(self, content: "ReadableBuffer") -> int:
        self.text += bytes(content).decode()
        return len(bytes(content))


@pytest.mark.parametrize("has_pager", [False, True])
def test_what_is_printed_meanwhile_takes_its_place(
    has_pager: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "SHOWN_AFTER", 0.0)
    monkeypatch.setattr(streams, "SHOWN_EVERY", 0.0)
    screen = Screen()
    for name in ("stdout", "stderr"):
        stream = io.TextIOWrapper(io.BufferedWriter(screen), encoding="utf-8")
        monkeypatch.setattr(f"sys.{name}", stream)
    monkeypatch.setenv("TERM", "xterm")
    with ProgressBar("pages") as bar:

        def pieces() -> Iterator[str]:
            for number in (1, 2):
                bar(number, 2)
                yield f"page {number}\n"

        Destination(None, has_pager).write(pieces())
    shown = screen.text.replace("\r\x1b[2K", "<").replace("<<", "<").strip("<")
    first, second = "pages: 50% (1/2)", "pages: 100% (2/2)"
    if has_pager:
        assert shown == f"{first}<{second}<page 1\npage 2\n"
    else:
        assert shown == f"{first}<page 1\n<{second}<page 2\n"


def test_a_terminal_that_erases_nothing_gets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "SHOWN_AFTER", 0.0)
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("TERM", "dumb")
    with ProgressBar("pages") as bar:
        bar(1, 4)
    assert stream.getvalue() == ""


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(Terminal(), monkeypatch) == ""


def test_a_log_file_gets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "SHOWN_AFTER", 0.0)
    monkeypatch.setattr(streams, "SHOWN_EVERY", 0.0)
    assert shown(io.StringIO(), monkeypatch) == ""


def test_quiet_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "SHOWN_AFTER", 0.0)
    monkeypatch.setattr(streams, "SHOWN_EVERY", 0.0)
    assert shown(Terminal(), monkeypatch, wanted=False) == ""


def test_downloads_have_a_bar_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "SHOWN_AFTER", 0.0)
    monkeypatch.setattr(streams, "SHOWN_EVERY", 0.0)
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with ProgressBar("pages") as bar:
        bar.downloaded(300, 1200)
        bar(1, 4)
    for words in ("bytes downloaded: 25% (300/1,200)", "pages: 25% (1/4)"):
        assert words in stream.getvalue()
