"""Files that cannot be read, or change while they are: one or the other, never half a page."""

import json
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.faults import failed, obey_permissions
from tests.support.helpers import (
    Report,
    refused,
    run_cli,
    run_json,
    spec,
    usual_page,
)
from tests.support.processes import run_process

pytestmark = pytest.mark.slow

PAGE = "_cache/develop/zlib/specs.md"


def test_a_page_without_permission_is_a_bad_page(example: Path, expected: Report) -> None:
    page = example / "new" / "_cache" / "develop" / "cmake" / "specs.md"
    page.chmod(0)
    done = run_process("-C", example, "old", "new", before=obey_permissions)
    assert "_cache/develop/cmake/specs.md (new): cannot be read: Permission denied" in failed(done)
    arguments = ["-C", str(example), "--skip-bad-pages", "-q", "-f", "json", "old", "new"]
    done = run_process(*arguments, before=obey_permissions)
    assert (done.status, done.err) == (0, b"")
    report = json.loads(done.out)
    assert [item["path"] for item in report["skipped"]] == ["_cache/develop/cmake/specs.md"]
    assert report["summary"] == expected["summary"] | {"rebuilt": 0}


def test_a_folder_without_permission_is_an_error(example: Path) -> None:
    folder = example / "new" / "_cache" / "develop"
    folder.chmod(0)
    done = run_process("-C", example, "old", "new", before=obey_permissions)
    folder.chmod(0o755)
    assert "cannot list the directory: Permission denied" in failed(done)


def test_a_page_that_is_replaced_again_and_again_is_one_or_the_other(example: Path) -> None:
    page = example / "new" / PAGE
    contents = [page.read_bytes(), (example / "old" / PAGE).read_bytes()]
    wanted = []
    for content in contents:
        page.write_bytes(content)
        wanted.append(run_json("-C", example, "old", "new"))
    assert wanted[0] != wanted[1]
    with replaced_all_the_time(page, contents):
        for _ in range(60):
            result = run_cli("-C", example, "-f", "json", "old", "new")
            if result.status == 0:
                assert json.loads(result.out) in wanted
            else:
                assert (result.status, result.out) == (2, "")
                assert "(new): changed while it was read" in result.err


class replaced_all_the_time:  # noqa: N801 - reads as what it does
    """For as long as the block runs, a file has one content and then the other."""

    def __init__(self, file: Path, contents: Sequence[bytes]) -> None:
        """Take the file and what it is to hold in turn."""
        self._file = file
        self._contents = contents
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        spare = self._file.with_suffix(".spare")
        while not self._over.is_set():
            for content in self._contents:
                spare.write_bytes(content)
                spare.replace(self._file)

    def __enter__(self) -> None:
        """Begin."""
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        """End."""
        self._over.set()
        self._thread.join()


def test_a_page_that_is_written_while_it_is_read_is_never_half_a_page(example: Path) -> None:
    page = example / "new" / PAGE
    records = [spec(f"a{letter}", f"1.{number}") for number, letter in enumerate("bcdefghijk")]
    whole = usual_page(records).encode()
    page.write_bytes(whole)
    wanted = run_json("-C", example, "old", "new")
    for length in range(0, len(whole), 97):
        page.write_bytes(whole[:length])
        assert f"{PAGE} (new): " in refused("-C", example, "-f", "json", "old", "new")
    page.write_bytes(whole)
    assert run_json("-C", example, "old", "new") == wanted
