"""What a stack has of a package that changed elsewhere: its versions, and whether it is a root."""

from pathlib import Path

from tests.support.documents import Item, lock, needs, to_bytes
from tests.support.helpers import report_of, run_json, spec, write_files


def test_a_page_has_the_versions_of_every_stack() -> None:
    same = [spec("d", "1.2", stacks="hep"), spec("f", "1.10", stacks="hep")]
    old, new = [spec("b", "1.4", stacks="e4s"), *same], [spec("c", "1.5", stacks="e4s"), *same]
    [tag] = report_of(old, new)["tags"]
    there = {it["stack"]: it.get("versions_there") for it in tag["stacks"]}
    assert there == {"e4s": None, "hep": {"zlib": ["1.2", "1.10"]}}
    assert not any("roots_there" in stack for stack in tag["stacks"])


def test_with_some_kinds_alone_other_changes_are_of_what_is_there() -> None:
    old = [spec("b", "1.4", stacks="e4s"), spec("d", "1.2", stacks="hep")]
    new = [spec("c", "1.5", stacks="e4s"), spec("f", "1.1", stacks="hep")]
    [tag] = report_of(old, new, kind=("upgraded",))["tags"]
    there = {it["stack"]: it.get("versions_there") for it in tag["stacks"]}
    assert there == {"e4s": None, "hep": {"zlib": ["1.1"]}}


def test_a_document_has_those_of_its_roots(tmp_path: Path) -> None:
    """Of a dependency it is not known without reading what did not change."""
    git = Item("git", explicit=True)
    for side, version in (("old", "1.2"), ("new", "1.3")):
        zlib = Item("zlib", version)
        tool = Item("tool", version, explicit=True, needs=(needs(zlib),))
        write_files(tmp_path / side, {"moves/spack.lock": to_bytes(lock([git, zlib, tool]))})
        zlib = Item("zlib", "1.1")
        tool = Item("tool", "1.1", explicit=True, needs=(needs(zlib),))
        stays = [git, zlib, tool, Item("more", version, explicit=True)]
        write_files(tmp_path / side, {"stays/spack.lock": to_bytes(lock(stays))})
    [tag] = run_json(tmp_path / "old", tmp_path / "new")["tags"]
    [there] = [it for it in tag["stacks"] if it["stack"] == "stays"]
    assert there["still_there"] == ["tool", "zlib"]
    assert there["versions_there"] == {"tool": ["1.1"]}
    assert there["roots_there"] == ["tool"]


def test_with_some_kinds_alone_a_root_that_changed_otherwise_is_one(tmp_path: Path) -> None:
    """Of this environment no root is known to be there as before."""
    for side, versions in (("old", ("1.2", "2.0")), ("new", ("1.3", "1.9"))):
        for stack, name in (("one", "tool"), ("two", "other")):
            items = [Item("git", explicit=True)]
            items += [Item(it, versions[it != name], explicit=True) for it in ("tool", "other")]
            write_files(tmp_path / side, {f"{stack}/spack.lock": to_bytes(lock(items))})
    [tag] = run_json(tmp_path / "old", tmp_path / "new", "-k", "downgraded")["tags"]
    assert {it["stack"]: it["roots_there"] for it in tag["stacks"]} == {
        "one": ["tool"],
        "two": ["other"],
    }
