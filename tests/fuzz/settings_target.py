"""The door of configuration files: settings, or one line of an error that names the file."""

import functools
import re
import tempfile
from pathlib import Path

from snapdiff.errors import FormatError
from snapdiff.settings import CatalogSettings, line_of_option, read_settings
from snapdiff.sources.source import SETTINGS_FILE
from tests.support.helpers import pages_of, run_cli, spec, write_files
from tests.support.processes import is_one_line_error

SETTINGS_WORDS = [
    *(b"[", b"]", b"[[", b"]]", b"{", b"}", b"=", b".", b",", b"#", b"\n", b"\r\n", b"\r", b" "),
    *(b'"', b"'", b'"""', b"'''", b"\\", b"\\u0000", b"\\ud800", b"\0", b"\xff", b"\xef\xbb\xbf"),
    *(b"[diff]\n", b"[gate]\n", b"[[gate.ignore]]\n", b"[comment]\n", b"[changelog]\n", b"[x.y]\n"),
    *(b"format = ", b"group-by = ", b"tags = ", b"stacks = ", b"packages = ", b"kinds = "),
    *(b"map-stack = ", b"fail-on = ", b"ignore = ", b"kind = ", b"until = ", b"reason = "),
    *(b"marker = ", b"by = ", b'"text"', b'"json"', b'"package"', b'"removed"', b'"week"'),
    *(b'"e4s"', b'"!*"', b'"["', b'"*' + b"*a" * 30 + b'"', b'"a=b"', b"2026-12-01", b"0001-01-01"),
    *(b"2026-12-01T10:00:00Z", b"12:00", b"1e999", b"nan", b"0x1", b"9" * 30, b"true", b"a.b"),
    *(b"\x1b", "\u202e".encode(), "\u2028".encode(), b"<<<<<<< ours\n"),
]
_LINE = re.compile(r"line (\d+): ")


def settings_file(data: bytes) -> None:
    """A configuration file: its settings or a FormatError of one line, for the command, too."""
    try:
        settings = read_settings(data)
    except FormatError as error:
        _check_error(str(error), data)
        _check_command(data, str(error))
        return
    assert isinstance(settings, CatalogSettings)
    for option, _, _ in settings.said():
        assert line_of_option(data, option) > 0
    _check_command(data, None)


def _check_error(text: str, data: bytes) -> None:
    assert text.isprintable(), text
    found = _LINE.match(text)
    if found:  # a file without a line break at its end has one line more than it has breaks
        assert 1 <= int(found[1]) <= data.count(b"\n") + 1, text


@functools.cache
def _catalog() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="snapdiff-fuzz-"))
    write_files(folder / "old", pages_of([spec("b")]))
    write_files(folder / "new", pages_of([spec("p", "0.9")]))
    return folder


def _check_command(data: bytes, error: str | None) -> None:
    """Compare two folders, the old one with the file: a report, or an error that names the file."""
    folder = _catalog()
    (folder / "old" / SETTINGS_FILE).write_bytes(data)
    result = run_cli("-C", folder, "-q", "old", "new")
    if error is not None:
        assert result.status == 2
        assert SETTINGS_FILE in result.err
        assert error in result.err
    assert result.status in (0, 1, 2), result.status
    if result.status == 2:
        assert is_one_line_error(result.err), result.err
        assert result.out == ""
