"""`snapdiff why`: whole answers, what is refused, and laws that the answer keeps."""

import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import jsonschema
import pytest
from hypothesis import given, settings

from tests.support.documents import Item, database, lock, needs, to_bytes
from tests.support.environments import after, before, write_locks
from tests.support.generated_graphs import Graphs, graphs
from tests.support.generated_locks import environment, written
from tests.support.graphs import PlainGraph
from tests.support.helpers import Result, pages_of, refused, run_cli, spec, write_files
from tests.support.nightly import examples
from tests.support.real_catalogs import DATA, DERECHO, LOCKS, needs_real_catalogs

TEXT = """\
Why hdf5 changed

From old.lock to new.lock.

= hdf5 1.14.3 with another hash: zlib replaced by zlib-ng (+1 more)

  aa535mc → roods2a
  ├── zlib replaced by zlib-ng
  └── openmpi
      └── numactl
          └── automake (build only)
              └── autoconf 2.69 → 2.71 (build only)
"""

MARKDOWN = """\
# Why `json` changed

From `old.lock` to `new.lock`.

**= `json` `3.11.2` with another hash: `cmake` `3.26.3` → `3.27.7` (build only); \
link and run dependencies unchanged**

```text
k7lvwjm → sda7elh
└── cmake 3.26.3 → 3.27.7 (build only)
```
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_locks(tmp_path, before(), after())
    return tmp_path


def why(folder: Path, *arguments: str) -> Result:
    asked, *options = arguments
    return run_cli("why", asked, "-C", folder, "old.lock", "new.lock", *options)


def test_the_answer_is_a_tree_of_all_that_changed_below(folder: Path) -> None:
    assert why(folder, "hdf5").out == TEXT


def test_a_package_that_differs_is_not_looked_for_again(folder: Path) -> None:
    with mock.patch("snapdiff.answering.names_in", side_effect=AssertionError):
        assert why(folder, "hdf5").out == TEXT


def test_in_markdown_the_tree_is_code(folder: Path) -> None:
    assert why(folder, "json", "-f", "markdown", "--package-url", "").out == MARKDOWN


def test_of_what_is_external_now_its_path_is_said_once(tmp_path: Path) -> None:
    zlib = Item("zlib")
    for side, used in (("old", zlib), ("new", replace(zlib, external=True))):
        items = [Item("hdf5", explicit=True, needs=(needs(used),)), used]
        write_files(tmp_path, {f"{side}.lock": to_bytes(lock(items))})
    assert "\n  └── zlib external — → /usr\n" in why(tmp_path, "hdf5").out


def test_in_json_there_are_the_change_and_the_rows_of_the_tree(folder: Path) -> None:
    answer = json.loads(why(folder, "hdf5", "-f", "json").out)
    assert (answer["schema_version"], answer["asked"]["package"]) == (1, "hdf5")
    [explained] = answer["tags"][0]["stacks"][0]["specs"]
    assert explained["change"]["cause"]["what"] == "replaced"
    assert [(row["depth"], row["package"], row["build_only"]) for row in explained["below"]] == [
        (0, "hdf5", False),
        (1, "openmpi", False),
        (2, "numactl", False),
        (3, "automake", True),
        (4, "autoconf", True),
    ]


def test_the_answer_fits_its_schema(folder: Path) -> None:
    schema = json.loads(run_cli("schema", "--of", "why").out)
    jsonschema.Draft202012Validator.check_schema(schema)
    for package in ("hdf5", "zlib-ng", "autoconf"):
        jsonschema.validate(json.loads(why(folder, package, "-f", "json").out), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"schema_version": 1}, schema)


def test_a_file_is_written_in_the_format_of_its_suffix(folder: Path) -> None:
    done = why(folder, "hdf5", "-o", str(folder / "why.json"))
    assert (done.status, done.out) == (0, "")
    assert json.loads((folder / "why.json").read_text())["asked"]["package"] == "hdf5"


def test_what_is_on_one_side_or_upgraded_has_its_own_reason(folder: Path) -> None:
    replaced = "zlib replaced by zlib-ng"
    assert f": a dependency now of hdf5 1.14.3, {replaced}\n" in why(folder, "zlib-ng").out
    assert f"− zlib 1.3 removed: {replaced}\n" in why(folder, "zlib").out
    assert "↑ autoconf 2.69 → 2.71 upgraded\n" in why(folder, "autoconf@2.69").out


@needs_real_catalogs
def test_of_a_package_that_others_had_beside_it_nothing_is_the_place() -> None:
    """One build of esmf goes with one that has nvhpc for MKL: five others with MKL are gone."""
    old, new = (next((LOCKS / "derecho").glob(f"{it}-*.lock")) for it in ("062", "063"))
    mkl = run_cli("why", "intel-oneapi-mkl", old, new).out
    assert "\n− intel-oneapi-mkl 2023.2.0 removed\n" in mkl
    out = run_cli("why", "openmpi", old, new).out
    assert "+ openmpi 5.0.0rc16 added: asked for" in out
    assert "replaced" not in out


def test_where_nothing_below_changed_the_answer_says_so(tmp_path: Path) -> None:
    lib, other = Item("lib"), Item("lib", "2")
    for needed, is_alone in ((lib, True), (other, False)):
        old, new = Item("app", "1", needs=(needs(lib),)), Item("app", "3", needs=(needs(needed),))
        write_locks(tmp_path, [lib, old], [needed, new])
        text = why(tmp_path, "app").out
        assert "↑ app 1 → 3 upgraded\n" in text
        assert ("\n  nothing below it changed\n" in text) == is_alone
        assert text.endswith("\n  └── lib 1.0 → 2\n") != is_alone
        markdown = why(tmp_path, "app", "-f", "markdown").out
        assert markdown.endswith("\nnothing below it changed\n```\n") == is_alone
    write_locks(tmp_path, [lib], [lib, Item("app")])
    assert "nothing below" not in why(tmp_path, "app").out  # it has no other side


def test_a_dependency_that_came_only_for_building_is_told_as_such(tmp_path: Path) -> None:
    gmake, lib = Item("gmake"), Item("lib")
    for types, note in ((("build",), " (build only)"), (("build", "link"), "")):
        app = Item("app", needs=(needs(lib), needs(gmake, types=types)))
        write_locks(tmp_path, [lib, Item("app", needs=(needs(lib),))], [lib, gmake, app])
        text = why(tmp_path, "app").out
        assert f"= app 1.0 with another hash: gmake is a dependency now{note}" in text
        assert text.endswith(f"\n  └── gmake is a dependency now{note}\n")


def test_each_stack_is_explained_by_its_own_document(tmp_path: Path) -> None:
    for side, version in (("old", "1"), ("new", "2")):
        for name in ("zlib", "zstd"):
            below = Item(name, version)
            document = lock([below, Item("app", needs=(needs(below),))])
            write_files(tmp_path / side, {f"{name}-env/spack.lock": to_bytes(document)})
    answer = json.loads(run_cli("why", "app", "-C", tmp_path, "old", "new", "-f", "json").out)
    [tag] = answer["tags"]
    assert {
        stack["stack"]: [row["package"] for row in stack["specs"][0]["below"]]
        for stack in tag["stacks"]
    } == {"zlib-env": ["app", "zlib"], "zstd-env": ["app", "zstd"]}


def test_a_version_and_a_hash_narrow_the_question(folder: Path) -> None:
    assert why(folder, "hdf5@1.14.3").out == TEXT.replace("Why hdf5", "Why hdf5@1.14.3")
    assert why(folder, "hdf5/roods").out == TEXT.replace("Why hdf5", "Why hdf5/roods")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("hdf", "hdf: neither side has a package of this name; the nearest: hdf5"),
        ("hdf5@1.12", "hdf5: no spec that changed has version 1.12; the nearest: 1.14.3\n"),
        ("hdf5/zz", "hdf5: no spec that changed has hash zz; there are aa535"),
        ("hdf5@1.12/roods", "hdf5: no spec that changed has version 1.12 and hash roods; "),
        ("autoconf@1", "autoconf: no spec that changed has version 1; "),
        ("@1", "@1: names no package; write hdf5, "),
        ("hdf5@", "hdf5@: names no package; write hdf5, "),
        ("hdf5/", "hdf5/: names no package; write hdf5, "),
        ("", "an empty name: names no package; write hdf5, "),
    ],
)
def test_a_slip_is_one_line_with_a_way_out(folder: Path, asked: str, words: str) -> None:
    done = why(folder, asked)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"snapdiff: error: {words}")
    assert done.err.count("\n") == 1


def test_a_format_that_is_none_is_named_before_anything_is_read(folder: Path) -> None:
    done = why(folder, "hdf5", "-f", "csv")
    assert done.status == 2
    assert "csv: no such format here; there are text, markdown, json" in done.err
    done = why(folder, "hdf5", "-o", "answer.html")
    assert done.status == 2
    assert "no format here has the suffix .html; known are .txt, .md, .markdown, .json" in done.err


def test_an_option_without_effect_is_a_warning(folder: Path) -> None:
    links = ("--package-url", "https://site.example/{package}")
    done = why(folder, "hdf5", *links)
    warning = "--package-url has no effect in text; it goes with markdown"
    assert (done.status, done.err) == (0, f"snapdiff: warning: {warning}\n")
    assert why(folder, "hdf5", *links, "-f", "markdown").err == ""


def test_pages_have_no_dependencies_and_the_error_says_so(tmp_path: Path) -> None:
    write_files(tmp_path / "old", pages_of([spec("a", package="zlib")]))
    write_files(tmp_path / "new", pages_of([spec("b", package="zlib")]))
    said = refused("why", "zlib", "-C", tmp_path, "old", "new")
    assert "zlib: what lists it has no dependencies on both sides" in said


def test_a_package_that_did_not_change_is_told_so(tmp_path: Path) -> None:
    same = Item("same")
    write_locks(tmp_path, [same, Item("other")], [same, Item("other", "2")])
    done = why(tmp_path, "same")
    assert (done.status, done.out) == (
        0,
        "Why same changed\n\nFrom old.lock to new.lock.\n\nNo spec of it changed.\n",
    )


def test_what_is_the_same_on_both_sides_is_a_package_of_theirs(tmp_path: Path) -> None:
    for side, version in (("old", "1"), ("new", "2")):
        for tag, item in (("v0", Item("same")), ("v1", Item("other", version))):
            path = f"{side}/{tag}/env/spack.lock"
            write_files(tmp_path, {path: to_bytes(lock([replace(item, explicit=True)]))})
    for sides in (("old", "new"), ("old", "old")):
        assert "\nNo spec of it changed.\n" in run_cli("why", "same", "-C", tmp_path, *sides).out
        assert refused("why", "sane", "-C", tmp_path, *sides) == (
            "sane: neither side has a package of this name; the nearest: same\n"
        )
    write_files(tmp_path, {"a.lock": to_bytes(lock([])), "b.lock": to_bytes(lock([]))})
    empty = run_cli("why", "same", "-C", tmp_path, "a.lock", "b.lock", "--allow-empty")
    assert (empty.status, empty.err) == (0, "")


def test_what_came_and_went_with_a_whole_stack_or_tag_is_told_so(tmp_path: Path) -> None:
    stays, app = (Item(name, explicit=True) for name in ("stays", "app"))
    for side, names in (("old", ("v1/one", "v2/x")), ("new", ("v1/two", "v3/x"))):
        files = {f"{side}/{name}/spack.lock": to_bytes(lock([app])) for name in names}
        write_files(tmp_path, {**files, f"{side}/v1/env/spack.lock": to_bytes(lock([stays]))})
    done = run_cli("why", "app", "-C", tmp_path, "old", "new")
    assert (done.status, done.err) == (0, "")
    assert done.out == (
        "Why app changed\n\nFrom old to new.\n\nv1\n\n"
        f"− app 1.0 removed\n\n  {app.key[:7]} in one\n  the whole stack is gone\n\n"
        f"+ app 1.0 added: asked for\n\n  {app.key[:7]} in two\n  the whole stack is new\n\n"
        "v2\n\nThe whole tag is gone.\n\nv3\n\nThe whole tag is new.\n"
    )
    answer = json.loads(run_cli("why", "app", "-C", tmp_path, "old", "new", "-f", "json").out)
    jsonschema.validate(answer, json.loads(run_cli("schema", "--of", "why").out))
    assert [
        (tag["old"], tag["new"], tag["whole"], [it["whole"] for it in tag["stacks"]])
        for tag in answer["tags"]
    ] == [("v1", "v1", False, [True, True]), ("v2", None, True, []), (None, "v3", True, [])]
    alone = run_cli("why", "app", "-C", tmp_path, "old", "new", "-t", "v2")
    assert alone.out.endswith("; only tag v2.\n\nv2\n\nThe whole tag is gone.\n")


def test_what_is_only_asked_for_now_or_no_longer_is_told_so(tmp_path: Path) -> None:
    tool, app = Item("tool"), Item("app", explicit=True, needs=(needs(Item("tool")),))
    root = replace(tool, explicit=True)
    sides = {"old": {"a": root, "b": root, "c": tool}, "new": {"a": tool, "b": tool, "c": root}}
    for side, stacks in sides.items():
        for stack, item in stacks.items():
            path = f"{side}/{stack}/spack.lock"
            write_files(tmp_path, {path: to_bytes(lock([item, app]))})
    assert run_cli("why", "tool", "-C", tmp_path, "old", "new").out == (
        "Why tool changed\n\nFrom old to new.\n\nNo spec of it changed.\n\n"
        "No longer asked for in a, b: needed by app.\n\nNow asked for in c.\n"
    )
    alone = run_cli("why", "tool", "-C", tmp_path, "old/c", "new/c", "-f", "markdown").out
    assert "\n\nNo spec of it changed.\n\nNow asked for.\n\nCompared: `old/c` with " in alone
    answer = json.loads(run_cli("why", "tool", "-C", tmp_path, "old", "new", "-f", "json").out)
    jsonschema.validate(answer, json.loads(run_cli("schema", "--of", "why").out))
    gone = {"asked_for": {"old": True, "new": False}, "needed_by": ["app"]}
    assert [
        {key: value for key, value in stack.items() if key not in ("whole", "specs")}
        for stack in answer["tags"][0]["stacks"]
    ] == [
        {"stack": "a", **gone},
        {"stack": "b", **gone},
        {"stack": "c", "asked_for": {"old": False, "new": True}},
    ]
    for asked in ("tool@1.0", f"tool/{tool.key[:5]}"):
        done = run_cli("why", asked, "-C", tmp_path, "old", "new", "-f", "json")
        assert json.loads(done.out)["tags"] == [], "the question is about specs"


def test_what_changed_and_is_asked_for_no_longer_says_both(tmp_path: Path) -> None:
    old, new = Item("tool", explicit=True), Item("tool", "2.0")
    app = Item("app", explicit=True, needs=(needs(new),))
    write_locks(tmp_path, [old, app], [new, app])
    done = why(tmp_path, "tool").out
    assert "\n\nNo longer asked for: needed by app.\n\n↑ tool 1.0 → 2.0 upgraded\n" in done
    assert "No spec of it" not in done


def test_what_is_not_installed_any_more_does_not_stay(tmp_path: Path) -> None:
    lib = Item("lib")
    app = Item("app", needs=(needs(lib),))
    for side, tree in (("old", [lib, app]), ("new", [replace(lib, counted=False), Item("other")])):
        path = f"{side}/.spack-db/index.json"
        write_files(tmp_path, {path: to_bytes(database(tree, installed=True))})
    done = run_cli("why", "app", "-C", tmp_path, "old", "new")
    assert done.out.endswith(f"\n  {app.key[:7]}\n  needed what is gone: lib 1.0\n")


def test_of_what_cannot_be_read_nothing_is_said(tmp_path: Path) -> None:
    write_files(tmp_path / "old", pages_of([spec("a"), spec("b", package="hdf5")]))
    pages = pages_of([spec("a")])
    bad = dict.fromkeys(pages_of([spec("b", package="hdf5")]), "---\n")
    write_files(tmp_path / "new", {**pages, **bad})
    done = run_cli("why", "hdf5", "-C", tmp_path, "old", "new", "--skip-bad-pages")
    assert done.status == 0
    assert "\nNo spec of it changed in what can be read.\n" in done.out
    assert "_cache/develop/hdf5/specs.md" in done.out


def test_like_changes_of_several_stacks_are_told_once(tmp_path: Path) -> None:
    for stack in ("cpu", "gpu"):
        for side, items in (("old", before()), ("new", after())):
            path = f"{side}/envs/{stack}/spack.lock"
            write_files(tmp_path, {path: to_bytes(lock(items))})
    done = run_cli("why", "json", "-C", tmp_path, "old", "new")
    assert done.out.count("json 3.11.2 with another hash") == 1
    assert "  k7lvwjm → sda7elh in cpu, gpu\n" in done.out
    narrowed = run_cli("why", "json", "-C", tmp_path, "old", "new", "-s", "gpu")
    assert "  k7lvwjm → sda7elh in gpu\n" in narrowed.out
    assert "; only stack gpu.\n" in narrowed.out


def test_no_stack_is_called_a_dot(tmp_path: Path) -> None:
    for side, items in (("old", before()), ("new", after())):
        for folder in ("", "gpu/"):
            write_files(tmp_path, {f"{side}/{folder}spack.lock": to_bytes(lock(items))})
    done = run_cli("why", "json", "-C", tmp_path, "old", "new")
    assert "  k7lvwjm → sda7elh in top folder, gpu\n" in done.out
    alone = run_cli("why", "json", "-C", tmp_path, "old/gpu", "new/gpu")
    assert "  k7lvwjm → sda7elh\n" in alone.out


def test_what_a_catalog_says_cannot_end_the_code_around_a_tree(tmp_path: Path) -> None:
    lib = Item("lib", "````\n# `x`"), Item("lib", "\x1b[31m````")
    both = [[item, Item("app", needs=(needs(item),))] for item in lib]
    write_locks(tmp_path, *both)
    text = why(tmp_path, "app", "-f", "markdown").out
    assert "\n`````text\n" in text
    assert "\n# `x`" not in text
    assert "\x1b" not in text + why(tmp_path, "app").out


def test_a_deep_chain_is_drawn_no_wider_than_a_window(tmp_path: Path) -> None:
    sides = []
    for version in ("1", "2"):
        chain = [Item("n300", version)]
        for number in range(299, -1, -1):
            chain.append(Item(f"n{number}", needs=(needs(chain[-1]),)))
        sides.append(chain)
    write_locks(tmp_path, *sides)
    lines = why(tmp_path, "n0").out.splitlines()
    assert lines[-1].endswith("└── (300 deep) n300 1 → 2")
    assert max(map(len, lines)) < 200


def lock_of(graph: PlainGraph) -> bytes:
    """A generated graph as an environment lock."""
    lock = environment(5)
    lock["concrete_specs"] = {key: written(key, node, 5) for key, node in graph.items()}
    return to_bytes(lock)


def packages_told(answer: Any) -> Iterator[tuple[Any, ...]]:
    """The hashes of every pair of an answer with the packages that its tree names."""
    for tag in answer["tags"]:
        for stack in tag["stacks"]:
            for explained in stack["specs"]:
                sides = [explained["change"][side] for side in ("old", "new")]
                names = {
                    name
                    for row in explained["below"]
                    for event in row["events"]
                    for name in (
                        (event["old"], event["new"])
                        if event["what"] == "replaced"
                        else (event["package"],)
                    )
                }
                yield frozenset(side["hash"] for side in sides if side), frozenset(names)


@settings(max_examples=examples(10), deadline=None)
@given(graphs(compilers_move=False))
def test_the_other_way_round_the_answer_names_the_same_packages(both: Graphs) -> None:
    for name in sorted({node.name for node in both[0].values()})[:2]:
        with tempfile.TemporaryDirectory() as place:
            folder = write_files(
                Path(place), {"a.lock": lock_of(both[0]), "b.lock": lock_of(both[1])}
            )
            forth, back = (
                run_cli("why", name, "-C", folder, *files, "-f", "json")
                for files in (("a.lock", "b.lock"), ("b.lock", "a.lock"))
            )
        assert (forth.status, back.status) == (0, 0), forth.err + back.err
        assert set(packages_told(json.loads(forth.out))) == set(packages_told(json.loads(back.out)))


def entries(done: Result) -> str:
    """What an answer says of specs, without its head and the whole names of both sides."""
    return done.out.split("\n\n", 2)[2].partition("\nCompared: ")[0]


@needs_real_catalogs
def test_on_a_real_environment_a_new_mpi_is_the_reason() -> None:
    done = run_cli("why", "hdf5", *DERECHO)
    stays = "cmake 3.26.3, gmake 4.2.1, libszip 2.1.1, pkg-config 0.29.2, zlib 1.2.13"
    assert entries(done) == (
        "− hdf5 1.12.2 removed\n\n  ccqu3tz\n"
        "  was needed by netcdf-c 4.9.2\n  needed what is gone: mvapich 3.0b\n"
        f"  needed what stays: {stays}\n\n"
        "− hdf5 1.12.2 removed\n\n  wjv57om\n"
        "  was needed by netcdf-c 4.9.2\n  needed what is gone: openmpi 5.0.0rc16\n"
        f"  needed what stays: {stays}\n\n"
        "= hdf5 1.12.2 with another hash: openmpi 5.0.0rc16 → 5.0.0\n\n"
        "  2horr4b → dfqy4bu\n  wpkhqiw → 7ums72m\n  zcryzby → dkagnvv\n"
        "  └── openmpi 5.0.0rc16 → 5.0.0\n"
    )


REAL = DATA / "real-spack"


def why_of(package: str, old: str, new: str) -> str:
    """What is said of a package between two environments that Spack made."""
    locks = (REAL / name / "spack.lock" for name in (old, new))
    return entries(run_cli("why", package, *locks))


@needs_real_catalogs
def test_another_compiler_is_one_line_with_what_follows_counted() -> None:
    assert why_of("hdf5", "0.23/base", "0.23/clang") == (
        "≠ hdf5 1.14.3 reconfigured: compiler gcc@12.2.0 → clang@14.0.6\n\n"
        "  ahcqi4t → acdijj2\n"
        "  ├── compiler gcc@12.2.0 → clang@14.0.6 in 42 specs\n"
        "  └── gcc-runtime is no dependency any more in 41 specs\n"
    )


@needs_real_catalogs
def test_a_compiler_that_came_is_a_dependency_now_of_what_needs_it() -> None:
    assert why_of("gcc", "0.23/base", "1.2/base").startswith(
        "+ gcc 12.2.0 added: a dependency now of automake 1.16.5, berkeley-db 18.1.40, bison 3.8.2,"
    )


def test_what_is_needed_for_building_and_linked_too_is_not_for_building_alone(
    tmp_path: Path,
) -> None:
    tool = Item("cmake", "3.27")
    both = (needs(tool, types=("build",)), needs(tool, types=("link",)))
    write_locks(tmp_path, [tool, Item("app", needs=both, explicit=True)], [tool])
    done = run_cli("why", "app", "-C", tmp_path, "old.lock", "new.lock", "-f", "json")
    [app] = json.loads(done.out)["tags"][0]["stacks"][0]["specs"]
    assert [(it["package"], it["build_only"]) for it in app["depends_on"]] == [("cmake", False)]


def test_each_environment_explains_its_own_specs(tmp_path: Path) -> None:
    for side, version in (("old", "1"), ("new", "2")):
        for name, below in (("east", "cmake"), ("west", "python")):
            tool = Item(below, version)
            hdf5 = Item("hdf5", "1.14", needs=(needs(tool),), explicit=True)
            content = to_bytes(lock([tool, hdf5]))
            write_files(tmp_path, {f"{side}/{name}/spack.lock": content})
    said = run_cli("why", "hdf5", "-C", tmp_path, "old", "new").out
    assert "└── cmake 1 → 2\n" in said
    assert "└── python 1 → 2\n" in said


def test_what_has_another_version_or_hash_is_not_gone(tmp_path: Path) -> None:
    """One of two builds of hdf5 is lost while cmake rises and gmake is rebuilt; zlib is gone."""
    for side, version, more in (("old", "3.26", True), ("new", "3.27", False)):
        cmake, zlib = Item("cmake", version), Item("zlib", "1.2.13")
        gmake = Item("gmake", "4.4", needs=(needs(cmake),))
        hdf5 = Item("hdf5", "1.14", needs=(needs(cmake), needs(gmake)), explicit=True)
        lost = Item("hdf5", "1.12", needs=(*hdf5.needs, needs(zlib)))
        user = Item("app", needs=(needs(lost),), explicit=True)
        users = [user, replace(user, target="zen4")]
        items = [cmake, gmake, hdf5, *([zlib, lost, *users] if more else [])]
        write_files(tmp_path, {f"{side}.lock": to_bytes(lock(items))})
    done = run_cli("why", "hdf5@1.12", "-C", tmp_path, "old.lock", "new.lock")
    assert "  needed what is gone: zlib 1.2.13\n  needed what changed: cmake 3.26, gmake 4.4\n" in (
        done.out
    )
    assert "was needed by app 1.0\n" in done.out
    back = run_cli("why", "hdf5@1.12", "-C", tmp_path, "new.lock", "old.lock")
    assert "a dependency now of app 1.0, with zlib 1.2.13\n" in back.out
    assert "  needed with it: zlib 1.2.13\n  needed what changed: cmake 3.26, gmake 4.4\n" in (
        back.out
    )


def test_a_removed_build_says_what_it_depended_on_and_what_needed_it(tmp_path: Path) -> None:
    """Both builds of fftw stay the same but for their MPI; one of the two MPIs is gone."""
    gone, stays, zlib = Item("mvapich", "3.0b"), Item("openmpi", "5.0"), Item("zlib", "1.3")
    lost = Item("fftw", "3.3", needs=(needs(gone, "mpi"), needs(zlib)))
    kept = Item("fftw", "3.3", needs=(needs(stays, "mpi"), needs(zlib)))
    app = Item("gromacs", "2024", needs=(needs(lost),), explicit=True)
    others = [stays, zlib, replace(kept, explicit=True)]
    write_locks(tmp_path, [gone, lost, app, *others], others)
    done = run_cli("why", "fftw", "-C", tmp_path, "old.lock", "new.lock")
    assert entries(done) == (
        "− fftw 3.3 removed: with mvapich 3.0b\n\n"
        f"  {lost.key[:7]}\n"
        "  was needed by gromacs 2024\n"
        "  needed what is gone: mvapich 3.0b\n"
        "  needed what stays: zlib 1.3\n"
    )
    answer = json.loads(
        run_cli("why", "fftw", "-C", tmp_path, "old.lock", "new.lock", "-f", "json").out
    )
    [spec] = answer["tags"][0]["stacks"][0]["specs"]
    assert spec["below"] == []
    assert spec["trait"] == {"what": "dependency", "name": "mvapich", "value": "3.0b"}
    assert spec["needed_by"] == [
        {
            "package": "gromacs",
            "version": "2024",
            "build_only": False,
            "stays": False,
            "kind": "removed",
        }
    ]
    assert [(it["package"], it["stays"]) for it in spec["depends_on"]] == [
        ("mvapich", False),
        ("zlib", True),
    ]
    assert [it["kind"] for it in spec["depends_on"]] == ["removed", None]
    back = run_cli("why", "gromacs", "-C", tmp_path, "new.lock", "old.lock").out
    assert "+ gromacs 2024 added: asked for\n" in back
    assert "  needed with it: fftw 3.3\n" in back
    back = run_cli("why", "mvapich", "-C", tmp_path, "new.lock", "old.lock").out
    assert "+ mvapich 3.0b added: a dependency now of fftw 3.3\n" in back
