"""The same input gives the same bytes, wherever, whenever and however it is read."""

import os
import random
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.golden import ENVIRONMENTS, MIRRORS
from tests.support.generated import make_catalogs
from tests.support.helpers import PROJECT, Files, hash_of, pages_of, run_cli, spec, write_files
from tests.support.nightly import nightly_but
from tests.support.oracle import Record
from tests.support.processes import command, environment, run_process
from tests.support.repositories import GitRepository, run_git

pytestmark = pytest.mark.slow

FORMATS = ("json", "markdown", "comment", "text", "csv", "html")


def some_catalogs() -> tuple[list[Record], list[Record]]:
    """Catalogs with many ties, several tags, and a tag on one side only."""
    sizes = {
        (tag, package): 14
        for tag in ("develop", "v0.22", "v0.23")
        for package in ("zlib", "hdf5", "cmake", "Mpich", "\u00e9t\u00e9")
    }
    old, new = make_catalogs(random.Random(7), sizes)  # noqa: S311 - the same every time
    old.append(spec("b", tag="gone"))
    new.append(spec("c", tag="come"))
    return old, new


@pytest.fixture
def catalogs(tmp_path: Path) -> Path:
    """A folder with the catalogs `old` and `new`."""
    for name, side in zip(("old", "new"), some_catalogs(), strict=True):
        write_files(tmp_path / name, pages_of(side))
    return tmp_path


def report(folder: Path, name: str, **env: str | None) -> bytes:
    done = run_process("-C", folder, "-f", name, "old", "new", env=env)
    assert (done.status, done.err) == (0, b"")
    assert len(done.out) > 1000
    return done.out


@pytest.mark.parametrize("name", nightly_but(FORMATS, ["html"]))
def test_hash_seeds_and_runs_make_no_difference(name: str, catalogs: Path) -> None:
    seeds = ("0", "1", "random")
    assert len({report(catalogs, name, PYTHONHASHSEED=seed) for seed in seeds}) == 1


SURROUNDINGS: list[dict[str, str | None]] = [
    {"LC_ALL": "C", "TZ": "UTC"},
    {"LC_ALL": "C.UTF-8", "TZ": "Asia/Kathmandu", "PYTHONOPTIMIZE": "2"},
    {
        "LC_ALL": "de_DE.UTF-8",
        "LANG": "tr_TR.UTF-8",
        "TZ": "America/St_Johns",
        "COLUMNS": "40",
        "TERM": "dumb",
        "NO_COLOR": "1",
        "PYTHONMALLOC": "malloc",
        "HOME": "/no/such/folder",
        "USER": None,
        "LOGNAME": None,
    },
    {
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONIOENCODING": "latin-1",
        "COLUMNS": "400",
        "TERM": "xterm-256color",
    },
]


@pytest.mark.parametrize("name", nightly_but(["json", "text", "html"], ["text"]))
def test_locale_time_zone_and_terminal_make_no_difference(name: str, catalogs: Path) -> None:
    assert len({report(catalogs, name, **env) for env in SURROUNDINGS}) == 1


def write_in_order(folder: Path, files: Files, order: Sequence[str]) -> None:
    for path in order:
        write_files(folder, {path: files[path]})


def test_the_order_in_which_files_were_made_makes_no_difference(tmp_path: Path) -> None:
    sides = {
        name: pages_of(side) for name, side in zip(("old", "new"), some_catalogs(), strict=True)
    }
    reports = set()
    for seed in range(6):
        folder = tmp_path / str(seed)
        chance = random.Random(seed)  # noqa: S311 - the same orders every time
        for name, files in sides.items():
            order = sorted(files) if seed == 0 else chance.sample(sorted(files), len(files))
            write_in_order(folder / name, files, order)
            for number in range(seed):  # files that come and go leave holes in a folder
                write_files(folder / name, {f"_cache/develop/{number}.md": "x"})
        result = run_cli("-C", folder, "-f", "json", "old", "new")
        assert (result.status, result.err) == (0, "")
        reports.add(result.out)
    assert len(reports) == 1


def test_the_order_in_which_the_system_lists_folders_makes_no_difference(
    catalogs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = run_cli("-C", catalogs, "-f", "json", "old", "new")
    real = os.scandir
    for seed in range(4):
        chance = random.Random(seed)  # noqa: S311 - the same orders every time

        def shuffled(path: Path, chance: random.Random = chance) -> list[os.DirEntry[str]]:
            found = sorted(real(path), key=lambda item: item.name)
            chance.shuffle(found)
            return found

        monkeypatch.setattr(os, "scandir", shuffled)
        assert run_cli("-C", catalogs, "-f", "json", "old", "new") == usual


def test_names_sort_the_same_in_git_and_in_folders(tmp_path: Path) -> None:
    # Git sorts a folder as if its name ended in a slash; a, a.b and a-b are where it shows.
    names = ("a", "a.b", "a-b", "a0", "A", "ab", "\u00e9", "z\u0301", "a b")
    old = pages_of(spec("b", package=name, tag="x") for name in names)
    new = pages_of(spec("p", "1.1", package=name, tag="x") for name in names)
    write_files(tmp_path / "old", old)
    write_files(tmp_path / "new", new)
    repository = GitRepository(tmp_path / "catalog")
    repository.commit(old)
    repository.commit(new)
    for name in ("csv", "markdown"):
        from_folders = run_cli("-C", tmp_path, "-f", name, "old", "new").out
        from_git = run_cli("-C", repository.folder, "-f", name, "HEAD~1", "HEAD").out
        assert (
            re.sub("\n\nCompared: .*\n", "\n", from_git.replace("HEAD~1", "old"))
            .replace("HEAD", "new")
            .splitlines()[3:]
            == (from_folders.splitlines()[3:])
        )


def test_bad_pages_are_named_in_the_same_order_from_git_and_from_folders(tmp_path: Path) -> None:
    pages = {f"_cache/{name}/specs.md": "gone\n" for name in ("a", "a.b", "a-b", "a0", "B", "ab")}
    write_files(tmp_path / "old", {"specs.md": "x"})
    write_files(tmp_path / "new", pages)
    repository = GitRepository(tmp_path / "catalog")
    repository.commit({"specs.md": "x"})
    repository.commit(pages)
    from_folders = run_cli("-C", tmp_path, "old", "new")
    from_git = run_cli("-C", repository.folder, "HEAD~1", "HEAD")
    assert from_folders.status == 2
    assert from_git == from_folders


def test_packed_or_loose_shallow_or_shared_git_gives_the_same_bytes(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "catalog")
    old, new = some_catalogs()
    repository.commit(pages_of(old))
    repository.commit(pages_of(new))
    folders = [repository.folder]
    arguments = ("HEAD~1", "HEAD")
    loose = run_cli("-C", repository.folder, "-f", "json", *arguments)
    assert (loose.status, loose.err) == (0, "")
    origin = repository.folder.as_uri()
    for name, options in {
        "deep": ["--no-local"],
        "shallow": ["--depth=2"],
        "shared": ["--shared"],
        "bare": ["--bare"],
        "unpacked": ["--no-checkout"],
    }.items():
        run_git(tmp_path, "clone", "--quiet", *options, origin, name)
        folders.append(tmp_path / name)
    for folder in folders:
        assert run_cli("-C", folder, "-f", "json", *arguments) == loose, folder
    for gc in (["gc", "--quiet"], ["repack", "-adfq", "--depth=50"], ["pack-refs", "--all"]):
        repository.git(*gc)
        assert run_cli("-C", repository.folder, "-f", "json", *arguments) == loose
    repository.git("commit-graph", "write", "--reachable")
    repository.git("multi-pack-index", "write")
    assert run_cli("-C", repository.folder, "-f", "json", *arguments) == loose


def test_processes_at_the_same_time_do_not_disturb_each_other(catalogs: Path) -> None:
    usual = report(catalogs, "json")
    file = catalogs / "report.json"
    processes = [
        subprocess.Popen(
            command("-C", catalogs, "-f", "json", "-o", file, "old", "new"),
            cwd=PROJECT,
            env=environment(None),
            stderr=subprocess.PIPE,
        )
        for _ in range(4)
    ]
    for process in processes:
        assert process.communicate()[1] == b""
        assert process.returncode == 0
    assert file.read_bytes() == usual
    assert [item.name for item in catalogs.glob(".report*")] == []


def test_the_order_of_ties_is_not_the_order_of_memory(tmp_path: Path) -> None:
    letters = "bcdefghijklmnopqrstuvwxyz"
    old = [spec(letter, "1.0", variants=f"+{letter}") for letter in letters]
    new = [spec(f"2{letter}", "1.0", variants=f"~{letter}") for letter in letters]
    write_files(tmp_path / "old", pages_of(old))
    script = (
        "import sys; from tests.support.helpers import run_cli;"
        "padding = [object() for _ in range(int(sys.argv[2]))];"
        "print(run_cli('-C', sys.argv[1], '-f', 'json', 'old', 'new').out)"
    )
    told = set()
    for seed in range(4):
        chance = random.Random(seed)  # noqa: S311 - the same orders every time
        write_files(tmp_path / "new", pages_of(chance.sample(new, len(new))))
        done = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path), str(seed * 1013)],
            cwd=PROJECT,
            env=environment({"PYTHONHASHSEED": str(seed)}),
            capture_output=True,
            check=True,
        )
        told.add(done.stdout)
    assert len(told) == 1
    assert hash_of("b").encode() in told.pop()


@pytest.mark.parametrize(
    "folders", nightly_but({"locks": (ENVIRONMENTS,), "mirrors": (MIRRORS,)}, ["locks"])
)
@pytest.mark.parametrize("name", nightly_but(FORMATS, ["json"]))
def test_hash_seeds_make_no_difference_where_there_are_dependencies(
    name: str, folders: tuple[str, str]
) -> None:
    arguments = ("-C", PROJECT, "-f", name, *folders)
    reports = [run_process(*arguments, env={"PYTHONHASHSEED": seed}) for seed in ("0", "1", "2")]
    assert {(done.status, done.err) for done in reports} == {(0, b"")}
    assert len({done.out for done in reports}) == 1


def test_git_and_folders_give_the_same_bytes_where_there_are_dependencies(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "catalog")
    for folder in MIRRORS:
        files = [file for file in (PROJECT / folder).rglob("*") if file.is_file()]
        repository.commit(
            {str(file.relative_to(PROJECT / folder)): file.read_bytes() for file in files}
        )
    from_git = run_cli("-C", repository.folder, "-f", "json", "HEAD~1", "HEAD")
    from_folders = run_cli("-C", PROJECT, "-f", "json", *MIRRORS)
    assert from_git.status == from_folders.status == 0
    tails = {done.out.partition('"filters"')[2] for done in (from_git, from_folders)}
    assert len(tails) == 1
    assert tails != {""}
