"""`--stat`: the first sentence and the table of counts, and nothing else."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.documents import Item, lock, needs, to_bytes
from tests.support.helpers import run_cli, write_files

MPI = Item("openmpi", "4.1.5", explicit=True)
OLD = [Item(f"lib{number}", "1.0", explicit=True) for number in range(6)]
NEW = [replace(item, version=f"1.{number}1") for number, item in enumerate(OLD)]
CPU = [MPI, *OLD], [replace(MPI, version="4.1.6"), *NEW]
GPU = [MPI, *OLD], [replace(MPI, version="4.1.6"), *NEW[1:]]

TITLE = (
    "Each package, product or dependency, in each of its environments, by the worst that happened "
    "to it there:\n\n"
)
MARKDOWN = f"""{TITLE}\
| Environment | Gone | Upgraded |
|:--|--:|--:|
| `gpu` | 1 | 6 |
| `cpu` |  | 7 |
"""
TABLES = {
    "markdown": MARKDOWN,
    "comment": MARKDOWN,
    "text": f"""{TITLE}\
environment  gone  upgraded
gpu             1         6
cpu             ·         7
""",
}


def reports(
    folder: Path, format_name: str, stacks: dict[str, tuple[Sequence[Item], Sequence[Item]]]
) -> tuple[str, str]:
    """What changed in some environments, as heading and sentence, and the counts alone."""
    for stack, sides in stacks.items():
        for side, items in zip(("old", "new"), sides, strict=True):
            write_files(folder, {f"{side}/{stack}/spack.lock": to_bytes(lock(items))})
    whole, counts = (
        run_cli("-C", folder, "old", "new", "-f", format_name, *options)
        for options in ([], ["--stat"])
    )
    assert [(it.status, it.err) for it in (whole, counts)] == [(0, "")] * 2
    return "\n\n".join(whole.out.split("\n\n")[:2]), counts.out


@pytest.mark.parametrize("format_name", TABLES)
def test_of_several_environments_there_is_a_row_each(tmp_path: Path, format_name: str) -> None:
    """Without the option there are the toolchain, a table of products, and folded counts."""
    beginning, counts = reports(tmp_path, format_name, {"cpu": CPU, "gpu": GPU})
    assert counts == f"{beginning}\n\n{TABLES[format_name]}"


def test_of_one_environment_a_line_says_all(tmp_path: Path) -> None:
    for name in TABLES:
        beginning, counts = reports(tmp_path / name, name, {"cpu": GPU})
        line = "Packages, products and dependencies: 1 gone, 6 upgraded"
        assert counts == f"{beginning}\n\n{line}\n"


def test_one_other_change_is_one(tmp_path: Path) -> None:
    tool, up = Item("tool"), Item("up", "1.0", explicit=True)
    app = Item("app", explicit=True, needs=(needs(tool),))
    old, new = [replace(tool, explicit=True), app, up], [tool, app, replace(up, version="1.1")]
    _, counts = reports(tmp_path, "text", {"cpu": (old, new)})
    line = "Packages, products and dependencies: 1 upgraded, 1 other change, 1 unchanged, 3 in all"
    assert counts.endswith(f"\n\n{line}\n")


def test_one_environment_that_went_is_a_row_that_says_so(tmp_path: Path) -> None:
    stacks = {"cpu": (CPU[0], CPU[0]), "gpu": (GPU[0], GPU[0])}
    for side, names in (("old", stacks), ("new", ("cpu",))):
        files = {f"{side}/{it}/spack.lock": to_bytes(lock(stacks[it][0])) for it in names}
        write_files(tmp_path, files)
    options = ("--stat", "-s", "gpu", "-f", "markdown")
    row = run_cli("-C", tmp_path, "old", "new", *options).out.splitlines()[-1]
    assert row.startswith("| `gpu`, removed | ")


def test_counts_that_do_not_fit_are_left_out_as_a_whole(tmp_path: Path) -> None:
    beginning, _ = reports(tmp_path, "markdown", {"cpu": CPU, "gpu": GPU})
    done = run_cli("-C", tmp_path, "old", "new", "--stat", "-f", "markdown", "--max-length", "250")
    assert (done.status, done.err) == (0, "")
    left_out = "Only in the whole report: the table of counts.\n"
    assert done.out == f"{beginning}\n\n{left_out}"
