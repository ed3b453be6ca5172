"""Odd names, bare surroundings, and arguments that no system takes."""

import json
import os
from pathlib import Path

import pytest

from tests.support.example import NEW, OLD
from tests.support.faults import failed, obey_permissions
from tests.support.helpers import (
    Report,
    page_around,
    pages_of,
    refused,
    run_json,
    spec,
    usual_page,
    without_revisions,
    write_files,
)
from tests.support.nightly import nightly_but
from tests.support.processes import is_one_line_error, run_process
from tests.support.repositories import GitRepository

pytestmark = pytest.mark.slow

ODD_NAMES = [
    b"two words",
    b"tab\tin",
    b"a\nline",
    b"caf\xc3\xa9",
    b"\xff\xfe",
    b"'quoted\"",
    b"-C",
    b"$HOME",
    b"~root",
    b"%s{0}",
    b"*?[x]",
    b"a:b",
    b"back\\slash",
    b"\x1b[31m",
]


SOME_NAMES = (b"a\nline", b"\xff\xfe", b"-C", b"*?[x]")


@pytest.mark.parametrize("name", nightly_but(ODD_NAMES, SOME_NAMES), ids=repr)
def test_a_repository_in_a_folder_of_any_name_is_read(
    name: bytes, tmp_path: Path, expected: Report
) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
    repository = GitRepository(folder)
    repository.commit(pages_of(OLD))
    repository.commit(pages_of(NEW))
    for arguments in (["HEAD~1", "HEAD"], ["HEAD~1"], ["HEAD~1", str(folder)]):
        assert without_revisions(run_json("-C", folder, *arguments)) == expected
    # Named from where it stands, the name is all there is.
    done = run_process("-C", name, "-f", "json", "HEAD~1", "HEAD", cwd=tmp_path)
    assert (done.status, done.err) == (0, b"")
    assert without_revisions(json.loads(done.out)) == expected


@pytest.mark.parametrize("name", nightly_but(ODD_NAMES, SOME_NAMES), ids=repr)
def test_a_page_in_a_folder_of_any_name_is_read_and_named(name: bytes, tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "catalog")
    repository.commit({"_cache/README": ""})
    text = os.fsdecode(name)
    write_files(repository.folder, {f"_cache/develop/{text}/specs.md": usual_page([spec("b")])})
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--message=Page")
    for arguments in (["HEAD~1", "HEAD"], ["HEAD~1"]):
        report = run_json("-C", repository.folder, "--allow-empty", *arguments)
        assert report["summary"]["added"] == 1
    write_files(repository.folder, {f"_cache/develop/{text}/specs.md": "gone\n"})
    for locale in ("C", "C.UTF-8"):
        done = run_process("-C", repository.folder, env={"LC_ALL": locale})
        told = failed(done)
        assert told.isprintable() or told.rstrip("\n").isprintable()
        assert "specs.md (new): line 1: no front matter" in told


BARE_ENVIRONMENTS: dict[str, dict[str, str | None]] = {
    "locale C": {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": None, "PYTHONIOENCODING": None},
    "locale C without UTF-8": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "locale POSIX": {"LC_ALL": "POSIX", "LANG": None},
    "ASCII": {"PYTHONIOENCODING": "ascii"},
    "no such locale": {"LC_ALL": "xx_YY.NO-SUCH"},
    "no home": {"HOME": None, "XDG_CONFIG_HOME": None},
    "a home that is not there": {"HOME": "/no/such/home", "XDG_CONFIG_HOME": "/no/such"},
    "a home that is a file": {"HOME": "/dev/null"},
    "no terminal": {"TERM": None, "COLUMNS": None},
    "a strange terminal": {"TERM": "\x1b", "COLUMNS": "-1", "LINES": "x"},
    "traced by git": {"GIT_TRACE": "1", "GIT_TRACE_SETUP": "1", "GIT_TRACE2": "1"},
}


@pytest.mark.parametrize(
    "changes",
    nightly_but(
        BARE_ENVIRONMENTS,
        ["locale C without UTF-8", "traced by git"],
    ),
)
def test_surroundings_make_no_difference(
    changes: dict[str, str | None], repository: GitRepository
) -> None:
    page = page_around("[]", title="caf\u00e9")
    write_files(repository.folder, {"_cache/develop/caf\u00e9/specs.md": page})
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--message=Umlaut")
    arguments = ["-C", str(repository.folder), "-f", "text", "-k", "*", "HEAD~2"]
    usual = run_process(*arguments)
    assert usual.status == 0
    assert run_process(*arguments, env=changes) == usual


def test_a_read_only_home_makes_no_difference(repository: GitRepository, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o555)
    usual = run_process("-C", repository.folder, "-f", "json", "HEAD~1", "HEAD")
    done = run_process(
        *("-C", repository.folder, "-f", "json", "HEAD~1", "HEAD"),
        env={"HOME": str(home), "GIT_CONFIG_GLOBAL": None},
        before=obey_permissions,
    )
    assert usual.status == 0
    assert done == usual
    assert list(home.iterdir()) == []


def test_a_working_folder_that_is_gone_is_an_error_or_makes_no_difference(
    example: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    done = run_process(
        *("-C", example, "-f", "json", "old", "new"), cwd=folder, before=lambda: os.rmdir(folder)
    )
    assert done.status == 0
    folder.mkdir()
    done = run_process("old", "new", cwd=folder, before=lambda: os.rmdir(folder))
    assert done.status == 2
    assert is_one_line_error(done.err)


LONG = "x" * 5000


@pytest.mark.parametrize(
    "arguments",
    [
        [LONG, "new"],
        [f"./{LONG}", "new"],
        [f"{LONG}..new"],
        ["-C", LONG, "old", "new"],
        ["-o", f"{LONG}.json", "old", "new"],
        ["-o", f"{LONG}/report.json", "old", "new"],
        ["--template", LONG, "old", "new"],
        ["--template-folder", LONG, "old", "new"],
    ],
    ids=lambda arguments: " ".join(arguments).replace(LONG, "LONG"),
)
def test_a_name_that_is_too_long_is_an_error(arguments: list[str], example: Path) -> None:
    refused("-C", example, *arguments)
