"""`find_missing` as programs use it: which catalogs may be asked, and what comes back."""

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from snapdiff import MissingSpecs, SnapdiffError, find_missing, load_catalog
from tests.support.documents import Item, database, lock, needs, site_data, to_bytes
from tests.support.helpers import Files, run_cli, spec, usual_page, write_files
from tests.support.mirrors import below, layout_2, layout_3
from tests.support.servers import WebServer

ROOT = Path(__file__).resolve().parents[1]

ZLIB = Item("zlib", "1.3", hash="z" * 32)
HDF5 = Item("hdf5", "1.14.3", hash="h" * 32, needs=(needs(ZLIB),), explicit=True)
CMAKE = Item("cmake", "3.27", hash="c" * 32, explicit=True)
WANTED = [ZLIB, HDF5, CMAKE]
OTHER_HDF5 = replace(HDF5, version="1.14.2", hash="o" * 32, needs=(), explicit=False)
THERE = [ZLIB, OTHER_HDF5]


def page(item: Item) -> str:
    record = spec("a", item.version, package=item.name)
    return usual_page([record | {"hash": item.key}])


def pages() -> Files:
    return {f"_cache/develop/{item.name}/specs.md": page(item) for item in THERE}


def data_of_the_site() -> dict[str, bytes]:
    places = {item.name: (["e4s"], ["develop"]) for item in THERE}
    specs, packages = site_data(THERE, places)
    return {"specs_data.json": to_bytes(specs), "package_data.json": to_bytes(packages)}


KINDS: dict[str, Callable[[], Files]] = {
    "pages": pages,
    "site data": data_of_the_site,
    "lock": lambda: {"spack.lock": to_bytes(lock([replace(i, explicit=True) for i in THERE]))},
    "build cache, layout 2": lambda: layout_2(to_bytes(database(THERE))),
    "build cache, layout 3": lambda: layout_3(to_bytes(database(THERE)), zipped=True),
    "install tree": lambda: {".spack-db/index.json": to_bytes(database(THERE, installed=True))},
}


def answer(folder: Path, catalog: str) -> MissingSpecs:
    """What is missing, from Python; the command says the same to the letter."""
    found = find_missing(
        [load_catalog("env", repository=folder)], load_catalog(catalog, repository=folder)
    )
    done = run_cli("missing", "-C", folder, "env", catalog, "-f", "json")
    assert (done.status, done.err) == (0, "")
    assert json.loads(done.out) == json.loads(msgspec.json.encode(found))
    return found


def assert_is_the_answer(found: MissingSpecs) -> None:
    assert [(item.package, item.spec.hash) for item in found.missing] == [
        ("cmake", CMAKE.key),
        ("hdf5", HDF5.key),
    ]
    cmake, hdf5 = found.missing
    assert cmake.nearest is None
    assert hdf5.nearest
    assert hdf5.nearest.spec.hash == OTHER_HDF5.key
    assert ("version", "1.14.3", "1.14.2") in {
        (field.name, field.old, field.new) for field in hdf5.nearest.fields
    }
    counts = found.specs
    assert (counts.wanted, counts.there, counts.external, counts.missing) == (3, 1, 0, 2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an environment, `env`."""
    write_files(tmp_path, {"env/spack.lock": to_bytes(lock(WANTED))})
    return tmp_path


@pytest.mark.parametrize("kind", KINDS)
def test_a_catalog_of_any_kind_may_be_asked(folder: Path, kind: str) -> None:
    write_files(folder / "catalog", KINDS[kind]())
    assert_is_the_answer(answer(folder, "catalog"))


@pytest.mark.parametrize(
    "files",
    [
        layout_2(to_bytes(database(THERE))),
        layout_3(to_bytes(database(THERE)), zipped=True),
        data_of_the_site(),
    ],
    ids=["layout 2", "layout 3", "site data"],
)
def test_a_mirror_by_url_may_be_asked(
    folder: Path, server: WebServer, files: dict[str, bytes]
) -> None:
    server.files.update(below("mirror", files))
    found = answer(folder, f"{server.url}/mirror")
    assert_is_the_answer(found)
    assert found.catalog.source == f"{server.url}/mirror"


def test_what_is_not_installed_any_more_is_missing(folder: Path) -> None:
    tree = [replace(item, counted=item is not CMAKE) for item in WANTED]
    write_files(folder, {"tree/.spack-db/index.json": to_bytes(database(tree, installed=True))})
    assert [item.package for item in answer(folder, "tree").missing] == ["cmake"]


def test_bad_documents_and_empty_catalogs_are_errors(folder: Path) -> None:
    environment = load_catalog("env", repository=folder)
    write_files(folder, {"bad/build_cache/index.json": b"{", "empty/x": b""})
    bad, empty = (load_catalog(name, repository=folder) for name in ("bad", "empty"))
    with pytest.raises(SnapdiffError) as caught:
        find_missing([environment], bad)
    assert any("build_cache/index.json" in line for line in caught.value.lines())
    with pytest.raises(SnapdiffError, match="empty: has no page"):
        find_missing([environment], empty)
    found = find_missing([environment], bad, skip_bad_pages=True, allow_empty=True)
    assert len(found.missing) == 3
    assert [(page.source, page.path) for page in found.skipped] == [
        ("bad", "build_cache/index.json")
    ]
    assert len(find_missing([environment], empty, allow_empty=True).missing) == 3


def test_the_example_of_the_documentation_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / "docs/reference/python.md").read_text("utf-8")
    example = re.search(r"## What is missing\n\n```python\n(.*?)```", text, re.DOTALL)
    assert example
    monkeypatch.chdir(ROOT)
    exec(example.group(1), {})  # noqa: S102 - the page's own text
    printed = [line.split() for line in capsys.readouterr().out.splitlines()]
    expected = json.loads((ROOT / "tests/golden/missing.json").read_text("utf-8"))["missing"]
    assert printed == [
        [item["package"], item["spec"]["hash"], str(item["asked_for"])] for item in expected
    ]


def test_environments_of_one_name_are_told_apart(folder: Path) -> None:
    some = to_bytes(lock(WANTED))
    write_files(folder, {"23.08/env/spack.lock": some, "all/a/env/spack.lock": some})
    write_files(folder, {"all/b/env/spack.lock": some, "catalog/spack.lock": to_bytes(lock(THERE))})
    wanted = ("env", "./env", "23.08/env/", "all")
    done = run_cli("-C", folder, "missing", *wanted, "catalog", "-f", "json")
    found = Counter(item["environment"] for item in json.loads(done.out)["missing"])
    assert found == {"env": 2, "./env": 2, "23.08/env": 2, "all/a/env": 2, "all/b/env": 2}


def test_an_environment_that_is_named_twice_counts_once(folder: Path) -> None:
    write_files(folder, {"catalog/spack.lock": to_bytes(lock(THERE))})
    once, twice = (
        json.loads(run_cli("-C", folder, "missing", *wanted, "catalog", "-f", "json").out)
        for wanted in (("env",), ("env", "env"))
    )
    assert [twice[key] for key in ("specs", "missing")] == [
        once[key] for key in ("specs", "missing")
    ]
