"""What several environments lack: sorts of it in order, like specs together, many folded."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.documents import Item, database, digest, lock, to_bytes
from tests.support.helpers import run_cli, write_files

CLASSES = """\
Missing from cache

60 of 62 specs of wanted are missing: 2 not there at all, 2 there for other
machines only, 3 there in another version, 3 there in another configuration, 50
there with another hash only. --detail lists each, with its hash.

Products (root specs): 60

  − not there at all: app 1.0 (all but old)

  − there for other machines only: arm 1.0 (all but old)

  ≠ cuda 12.2: there is 12.1 (gpu)
  ≠ zlib 1.3: there is 1.2 (all but old)

  ≠ hypre 1.0, petsc 1.0, each %gcc@13.1.0: there is %gcc@12.3.0 (cpu)
  ≠ hypre 1.0 %gcc@13.1.0 +cuda: there is %gcc@12.3.0 (gpu)

  = 50 specs of 25 packages there with another hash only
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Environments of which one has all that it wants, and the others lack something of all sorts.

    Of 25 packages there is another hash only.
    """
    newer = ("gcc", "13.1.0")
    same = [Item(f"lib{number:02}", explicit=True) for number in range(25)]
    both = [Item("app"), Item("arm"), Item("zlib", "1.3")]
    built = Item("hypre", compiler=newer)
    cpu = [built, Item("petsc", compiler=newer)]
    gpu = [replace(built, parameters={"cuda": True}), Item("cuda", "12.2")]
    there = [
        replace(Item("arm"), target="aarch64"),
        *(Item("zlib", "1.2"), Item("cuda", "12.1"), Item("hypre"), Item("petsc")),
        *(replace(item, explicit=False, hash=digest("there", item.name)) for item in same),
    ]
    for name, items in (("cpu", [*both, *cpu]), ("gpu", [*both, *gpu]), ("old", there[1:3])):
        roots = [replace(item, explicit=True) for item in items]
        content = to_bytes(lock([*roots, *(same if name != "old" else [])]))
        write_files(tmp_path, {f"wanted/{name}/spack.lock": content})
    write_files(tmp_path, {"cache/build_cache/index.json": to_bytes(database(there))})
    return tmp_path


def missing(folder: Path, *options: str) -> str:
    done = run_cli("missing", "-C", folder, "wanted", "cache", *options)
    assert (done.status, done.err) == (0, "")
    return done.out


def test_what_is_not_there_at_all_comes_first_and_like_specs_share_a_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("snapdiff.reports.terminal.PLAIN_WIDTH", 80)
    assert missing(folder) == CLASSES


def test_markdown_folds_many_packages_with_another_hash_only(folder: Path) -> None:
    names = ", ".join(f"`lib{number:02}` `1.0`" for number in range(25))
    assert missing(folder, "-f", "markdown", "--package-url", "").endswith(f"""
- ≠ `hypre` `1.0` `%gcc@13.1.0` `+cuda`: there is `%gcc@12.3.0` (`gpu`)

<details><summary>50 specs of 25 packages there with another hash only</summary>

- = there with another hash only: {names} (all but `old`)

</details>
""")


def test_with_details_nothing_is_only_counted(folder: Path) -> None:
    lines = missing(folder, "--detail").splitlines()
    names = [f"lib{number:02}" for number in range(25)]
    hashes = {name: [digest(*words)[:7] for words in ((name,), ("there", name))] for name in names}
    assert len([line for line in lines if line.startswith("  = ")]) == 25
    for name, (_, there) in hashes.items():
        assert any(
            line.startswith(f"  = {name} 1.0 ")
            and line.endswith(f": there is {there} (all but old)")
            for line in lines
        )


def test_of_several_specs_on_one_line_there_is_their_number(tmp_path: Path) -> None:
    twins = [Item("a", explicit=True, hash=digest("a", str(it))) for it in range(2)]
    for name, items in (("cpu", twins), ("gpu", [*twins, Item("b", explicit=True)])):
        write_files(tmp_path, {f"wanted/{name}/spack.lock": to_bytes(lock(items))})
    write_files(tmp_path, {"cache/build_cache/index.json": to_bytes(database([Item("c")]))})
    text = missing(tmp_path, "-f", "text")
    assert "  − not there at all: a 1.0 (4 specs), in both\n" in text
    assert "  − not there at all: b 1.0 (gpu)\n" in text
