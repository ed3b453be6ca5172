"""`snapdiff missing`: what of environments is not in a catalog, by hash alone."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.documents import Item, Needs, database, digest, lock, needs, to_bytes
from tests.support.helpers import pages_of, refused, run_cli, spec, words, write_files
from tests.support.real_catalogs import DATA, needs_real_catalogs
from tests.support.repositories import GitRepository

ZLIB = Item("zlib", "1.3")
GMAKE = Item("gmake", "4.4")
GLIBC = Item("glibc", "2.36", external=True)
HDF5 = Item("hdf5", "1.14.3", explicit=True, needs=(needs(ZLIB), needs(GLIBC)))
PYTHON = Item("python", "3.11", explicit=True, needs=(needs(GMAKE, types=("build",)),))
WANTED = [ZLIB, GMAKE, GLIBC, HDF5, PYTHON]

OTHER_HDF5 = replace(HDF5, explicit=False, needs=(), parameters={"mpi": True})
OLDER_HDF5 = Item("hdf5", "1.12.0", parameters={"mpi": True})

PAGES = {"python": replace(PYTHON, explicit=False).key, "numactl": digest("numactl")}

TEXT = """\
Missing from mirror

3 of 4 specs of env are missing: 2 not there at all, 1 there in another configuration. \
1 external spec was not looked
for. --detail lists each, with its hash.

Products (root specs): 1

  ≠ hdf5 1.14.3: there is +mpi

Dependencies of what is missing: 1

  − not there at all: zlib 1.3

Dependencies of what is there: 1

  − not there at all: gmake 4.4
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An environment, and a mirror that has one of its roots and two other builds of another."""
    there = [replace(PYTHON, explicit=False), OTHER_HDF5, OLDER_HDF5]
    files = {
        "env/spack.lock": to_bytes(lock(WANTED)),
        "mirror/build_cache/index.json": to_bytes(database(there)),
    }
    write_files(tmp_path, files)
    return tmp_path


def answer(folder: Path, *arguments: str, err: str = "") -> dict[str, Any]:
    done = run_cli("missing", "-C", folder, *arguments, "-f", "json")
    assert (done.status, done.err) == (0, err)
    found: dict[str, Any] = json.loads(done.out)
    return found


def test_the_answer_for_a_terminal(folder: Path) -> None:
    done = run_cli("missing", "-C", folder, "env", "mirror")
    assert (done.status, done.err) == (0, "")
    assert done.out == TEXT


def test_with_details_each_spec_has_its_hash(folder: Path) -> None:
    done = run_cli("missing", "-C", folder, "env", "mirror", "--detail")
    assert (done.status, done.err) == (0, "")
    assert [line for line in done.out.splitlines() if line.startswith("  ")] == [
        f"  ≠ hdf5 1.14.3 {HDF5.key[:7]}: there is {OTHER_HDF5.key[:7]} +mpi",
        f"  − not there at all: zlib 1.3 {ZLIB.key[:7]}",
        f"  − not there at all: gmake 4.4 {GMAKE.key[:7]}",
    ]
    assert "--detail" not in done.out


def test_the_answer_in_markdown(folder: Path) -> None:
    done = run_cli("missing", "-C", folder, "env", "mirror", "-f", "markdown", "--package-url", "")
    assert done.out.splitlines()[:7] == [
        "# Missing from `mirror`",
        "",
        (
            "3 of 4 specs of `env` are missing: 2 not there at all, 1 there in another "
            "configuration. 1 external spec was not looked for. `--detail` lists each, with its "
            "hash."
        ),
        "",
        "## Products (root specs): 1",
        "",
        "- ≠ `hdf5` `1.14.3`: there is `+mpi`",
    ]


def test_nothing_is_missing_where_all_is_there(folder: Path) -> None:
    done = run_cli("missing", "-C", folder, "env", "env")
    assert (done.status, done.err) == (0, "")
    assert done.out == (
        "Missing from env\n\nNothing is missing: all 4 specs of env are there. "
        "1 external spec was not looked for.\n"
    )
    write_files(folder, {"one/spack.lock": to_bytes(lock([ZLIB])), "bad/spack.lock": b"{"})
    done = run_cli("missing", "-C", folder, "one", "bad", "one", "--skip-bad-pages", "-q")
    words = "Nothing is missing in what can be read: the only spec of one, bad is there."
    assert done.out.splitlines()[2] == words


def test_an_only_environment_is_named_where_its_folder_is_not(folder: Path) -> None:
    write_files(folder, {"some/hep/spack.lock": to_bytes(lock([ZLIB]))})
    done = run_cli("missing", "-C", folder, "some", "mirror")
    assert done.out.splitlines()[2].startswith("1 of 1 spec of hep in some is missing: ")


def test_nothing_is_called_a_dependency_where_roots_are_not_known(folder: Path) -> None:
    write_files(folder, {"cache/build_cache/index.json": to_bytes(database([ZLIB, GMAKE]))})
    done = run_cli("missing", "-C", folder, "cache", "mirror")
    assert (done.status, done.err) == (0, "")
    assert done.out == (
        "Missing from mirror\n\n2 of 2 specs of cache are missing: 2 not there at all. "
        "--detail lists each, with its hash.\n\n"
        "Specs (nothing says which were asked for): 2\n\n"
        "  − not there at all: gmake 4.4, zlib 1.3\n"
    )
    both = run_cli("missing", "-C", folder, "env", "cache", "mirror")
    assert "\nSpecs (nothing says which were asked for): 2\n" in both.out
    assert "\nProducts (root specs): 1\n" in both.out
    found = answer(folder, "env", "cache", "mirror")
    assert (found["environments"], found["without_roots"]) == (["env", "cache"], ["cache"])
    assert answer(folder, "env", "mirror")["without_roots"] == []


def test_roots_come_first_then_what_only_they_need(folder: Path) -> None:
    found = answer(folder, "env", "mirror")
    assert found["specs"] == {"wanted": 5, "external": 1, "there": 1, "missing": 3}
    assert [(item["package"], item["asked_for"]) for item in found["missing"]] == [
        ("hdf5", True),
        ("zlib", False),
        ("gmake", False),  # python needs it, and python is there
    ]
    assert [item["needed_there"] for item in found["missing"]] == [False, False, True]
    assert [item["package_there"] for item in found["missing"]] == [True, False, False]
    [hdf5, *others] = found["missing"]
    assert hdf5["environment"] == "env"
    assert hdf5["nearest"]["spec"]["hash"] == OTHER_HDF5.key
    assert hdf5["nearest"]["fields"] == [{"name": "variants", "old": [], "new": ["+mpi"]}]
    assert [item["nearest"] for item in others] == [None, None]
    assert [side["source"] for side in found["wanted"]] == ["env"]
    assert found["catalog"]["source"] == "mirror"


def test_an_environment_where_one_stands_is_told_from_others(folder: Path) -> None:
    env = folder / "env"
    alone, first, last = (
        json.loads(run_cli("missing", "-C", env, *wanted, "../mirror", "-f", "json").out)
        for wanted in (["."], [".", "../mirror"], ["../env", "."])
    )
    assert [found["environments"] for found in (alone, first, last)] == [
        ["env"],
        ["env", "mirror"],  # nothing is missing of the other
        ["../env", "env"],
    ]


def test_pages_can_stand_for_an_environment(folder: Path) -> None:
    records = [spec("a", package=name) | {"hash": key} for name, key in PAGES.items()]
    write_files(folder / "pages", pages_of(records))
    found = answer(folder, "pages", "mirror")
    assert found["without_roots"] == ["pages"]
    assert [(item["environment"], item["package"]) for item in found["missing"]] == [
        ("pages", "numactl")
    ]


def test_what_is_there_may_need_itself_and_what_nothing_lists(folder: Path) -> None:
    one, two, ghost = (digest(name) for name in ("one", "two", "ghost"))
    a = Item("a", hash=one, needs=(Needs("b", two),), explicit=True)
    b = Item("b", hash=two, needs=(Needs("a", one), Needs("ghost", ghost)))
    write_files(folder, {"round/spack.lock": to_bytes(lock([a, b]))})
    write_files(folder, {"some/build_cache/index.json": to_bytes(database([b]))})
    lacks = f"a dependency is not in the document: ghost/{ghost[:7]} of b"
    err = f"snapdiff: warning: spack.lock in round: {lacks}\n"
    found = answer(folder, "round", "some", err=err)
    assert [item["package"] for item in found["missing"]] == ["a"]


def test_roots_are_in_the_order_of_their_names_whatever_needs_them(folder: Path) -> None:
    a, b = Item("a", explicit=True), Item("b", explicit=True)
    top = Item("top", explicit=True, needs=(needs(a),))
    write_files(folder, {"roots/spack.lock": to_bytes(lock([a, b, top]))})
    write_files(folder, {"some/build_cache/index.json": to_bytes(database([top]))})
    assert [item["package"] for item in answer(folder, "roots", "some")["missing"]] == ["a", "b"]


def test_environments_without_a_name_have_one_where_there_are_two(folder: Path) -> None:
    repository = GitRepository(folder / "repository")
    repository.commit({"spack.lock": to_bytes(lock(WANTED))})
    found = answer(repository.folder, "HEAD:", ".", str(folder / "mirror"))
    names = dict.fromkeys(item["environment"] for item in found["missing"])
    assert list(names) == ["HEAD:", "repository"]


def test_the_answer_fits_its_schema(folder: Path) -> None:
    schema = json.loads(run_cli("schema", "--of", "missing").out)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(answer(folder, "env", "mirror"), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"schema_version": 3}, schema)


def test_the_exit_status_says_whether_anything_is_missing(folder: Path) -> None:
    assert run_cli("missing", "-C", folder, "env", "mirror", "--exit-code").status == 1
    assert run_cli("missing", "-C", folder, "env", "env", "--exit-code").status == 0


def test_files_folders_and_revisions_are_one(folder: Path) -> None:
    repository = GitRepository(folder / "repository")
    repository.commit({"env/spack.lock": to_bytes(lock(WANTED))})
    lists = [
        answer(folder, "env", "mirror")["missing"],
        answer(folder, "env/spack.lock", "mirror")["missing"],
        answer(repository.folder, "HEAD:env", str(folder / "mirror"))["missing"],
        answer(repository.folder, "HEAD:env/spack.lock", str(folder / "mirror"))["missing"],
    ]
    assert all(some == lists[0] for some in lists)


def test_several_environments_each_in_its_order(folder: Path) -> None:
    write_files(folder, {"gpu/spack.lock": to_bytes(lock([replace(ZLIB, explicit=True)]))})
    found = answer(folder, "env", "gpu", "mirror")
    assert [(item["environment"], item["package"]) for item in found["missing"]] == [
        *(("env", name) for name in ("hdf5", "zlib", "gmake")),
        ("gpu", "zlib"),
    ]
    assert found["specs"]["wanted"] == 6


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere", "mirror"), "nowhere: "),
        (("env", "empty"), "empty: has no page and no document with a spec in it"),
        (
            ("env", "mirror", "-f", "csv"),
            "csv: no such format here",
        ),
    ],
)
def test_what_is_refused(folder: Path, arguments: tuple[str, ...], words: str) -> None:
    (folder / "empty").mkdir()
    assert refused("missing", "-C", folder, *arguments).startswith(words)


SKIPPED = "_cache/develop/bad/specs.md", "hep/spack.lock"


def test_a_document_that_cannot_be_read_is_named(folder: Path) -> None:
    write_files(folder, {f"mirror/{SKIPPED[0]}": b"---\n"})
    done = run_cli("missing", "-C", folder, "env", "mirror")
    assert done.status == 2
    assert done.err.startswith(f"snapdiff: error: {SKIPPED[0]} in mirror: ")


@pytest.mark.parametrize("arguments", [["env", "bad.lock"], ["bad.lock", "env"]], ids=words)
def test_a_file_that_was_named_itself_is_called_so(folder: Path, arguments: list[str]) -> None:
    write_files(folder, {"bad.lock": b'{"concrete_specs"'})
    reason = "no JSON: the file ends early"
    way_out = "correct it, or leave it out with --skip-bad-pages"
    assert refused("missing", "-C", folder, *arguments) == f"bad.lock: {reason}; {way_out}\n"
    done = run_cli("missing", "-C", folder, *arguments, "--skip-bad-pages", "-f", "json")
    assert done.err == f"snapdiff: warning: bad.lock: left out: {reason}\n"


def test_an_environment_that_lacks_a_dependency_is_named(folder: Path) -> None:
    write_files(folder, {"env/spack.lock": to_bytes(lock([HDF5, GLIBC]))})
    done = run_cli("missing", "-C", folder, "env", "mirror")
    lacks = f"a dependency is not in the document: zlib/{ZLIB.key[:7]} of hdf5"
    assert (done.status, done.err) == (0, f"snapdiff: warning: spack.lock in env: {lacks}\n")


def test_what_is_left_out_is_in_the_answer(folder: Path) -> None:
    write_files(folder, {f"mirror/{SKIPPED[0]}": b"---\n", f"env/{SKIPPED[1]}": b"{"})
    arguments = ("missing", "-C", folder, "env", "mirror", "--skip-bad-pages", "-f")
    text, markdown, found = (run_cli(*arguments, name) for name in ("text", "markdown", "json"))
    assert {done.status for done in (text, markdown, found)} == {0}
    for done in (text, markdown, found):
        assert [line.partition(": left out: ")[0] for line in done.err.splitlines()] == [
            f"snapdiff: warning: {SKIPPED[1]} in env",
            f"snapdiff: warning: {SKIPPED[0]} in mirror",
        ]
    report = json.loads(found.out)
    jsonschema.validate(report, json.loads(run_cli("schema", "--of", "missing").out))
    assert [(page["source"], page["path"]) for page in report["skipped"]] == [
        ("env", SKIPPED[1]),
        ("mirror", SKIPPED[0]),
    ]
    reasons = [page["error"] for page in report["skipped"]]
    assert text.out.partition("Left out, as they cannot be read\n\n")[2].splitlines()[:2] == [
        f"  ! {SKIPPED[1]} in env: {reasons[0]}",
        f"  ! {SKIPPED[0]} in mirror: {reasons[1]}",
    ]
    assert "## Left out, as they cannot be read\n\n- ! `hep/spack.lock` in `env`: " in markdown.out
    assert report["specs"] == {"wanted": 5, "external": 1, "there": 1, "missing": 3}


@given(st.sets(st.integers(0, 30)), st.sets(st.integers(0, 30)), st.sets(st.integers(0, 30)))
def test_by_hash_alone(
    tmp_path_factory: pytest.TempPathFactory, wanted: set[int], there: set[int], external: set[int]
) -> None:
    folder = tmp_path_factory.mktemp("sides")
    items = {
        number: Item(f"p{number % 4}", f"1.{number}", explicit=number % 3 == 0)
        for number in range(31)
    }
    first = Item("first", explicit=True)
    listed = [replace(items[n], external=n in external, explicit=True) for n in sorted(wanted)]
    keys = {n: item.key for n, item in zip(sorted(wanted), listed, strict=True)}
    cached = [replace(items[n], explicit=False, hash=keys.get(n, "")) for n in sorted(there)]
    write_files(
        folder,
        {
            "env/spack.lock": to_bytes(lock([first, *listed])),
            "mirror/build_cache/index.json": to_bytes(database([Item("other"), *cached])),
        },
    )
    found = answer(folder, "env", "mirror")
    expected = {first.key} | {keys[n] for n in wanted - there - external}
    assert {item["spec"]["hash"] for item in found["missing"]} == expected
    specs = found["specs"]
    assert specs["wanted"] == specs["external"] + specs["there"] + specs["missing"]
    assert specs["external"] == len(wanted & external)


@needs_real_catalogs
@pytest.mark.parametrize(("cache", "missing", "roots"), [("A", 69, 4), ("B", 0, 0), ("C", 2, 0)])
def test_a_real_environment_and_a_real_cache(cache: str, missing: int, roots: int) -> None:
    real = DATA / "real-spack"
    found = answer(real, "0.23/base", f"mirror-layout2/{cache}")
    assert found["specs"]["wanted"] == 71
    assert found["specs"]["missing"] == missing
    assert sum(item["asked_for"] for item in found["missing"]) == roots
