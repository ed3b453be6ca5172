"""A tag or a stack that is called `.` is not named so in what people read."""

import json
import re
from pathlib import Path

import pytest

from tests.support.documents import Item, lock, to_bytes
from tests.support.helpers import run_cli, write_files

OLD = [Item("hdf5", "1.14.3"), Item("zlib", "1.3"), Item("cmake", "3.27.7"), Item("xz", "5.4.1")]
NEW = [Item("hdf5", "1.14.3"), Item("zlib", "1.2"), Item("python", "3.11.6"), Item("xz", "5.4.2")]

SENTENCE = "cmake is gone, python is new, zlib is downgraded to 1.2, xz is upgraded to 5.4.2"

DOT = re.compile(r"(?<![\w./*+)-])(?<!\w`)(\.|&#46;)(?=[`,: \n<)])")
"""A `.` as a name, in whatever it is written."""


def write(folder: Path, *names: str) -> None:
    """Write the same two environments under each of some names; `.` is the folder itself."""
    for side, items in (("old", OLD), ("new", NEW)):
        for name in names:
            write_files(folder / side / name, {"spack.lock": to_bytes(lock(items))})


def report(folder: Path, *options: str) -> str:
    return run_cli("-C", folder, "old", "new", *options).out


@pytest.mark.parametrize(
    "options",
    [
        ["-f", "markdown"],
        ["-f", "markdown", "--group-by", "stack"],
        ["-f", "comment"],
        ["-f", "comment", "--group-by", "package"],
        ["-f", "html"],
    ],
)
def test_one_environment_alone_is_named_in_no_report(tmp_path: Path, options: list[str]) -> None:
    write(tmp_path, ".")
    text = report(tmp_path, *options)
    body = text.partition("<body>")[2].partition("<script")[0] or text
    assert "zlib" in body
    assert DOT.findall(body) == []
    assert re.findall(r"(?m)``|\(\)|^: |, $| in$", body) == []


@pytest.mark.parametrize("options", [[], ["--detail"], ["--group-by", "stack"]])
def test_one_environment_alone_is_not_named_on_a_terminal(
    tmp_path: Path, options: list[str]
) -> None:
    write(tmp_path, ".")
    text = report(tmp_path, "-f", "text", *options)
    assert f"\n{SENTENCE}.\n" in text
    assert "\nDowngraded: zlib 1.3 → 1.2\n" in text
    assert "\nstack " not in text  # a table of one row would say it again
    assert DOT.findall(text) == []


def test_of_several_stacks_only_the_tag_is_not_named(tmp_path: Path) -> None:
    write(tmp_path, "cpu", "gpu")
    text = report(tmp_path, "-f", "text")
    assert "\nDowngraded: zlib 1.3 → 1.2 (both)\n" in text
    text += report(tmp_path, "-f", "text", "--stat")
    assert "\ncpu " in text
    assert DOT.findall(text) == []


def test_beside_others_both_are_the_top_folder(tmp_path: Path) -> None:
    write(tmp_path, ".", "cpu", "e4s/cpu")
    narrowed = report(tmp_path, "-f", "text", "-s", ".", "-t", ".")
    assert "; only tag top folder and environment top folder." in narrowed.replace("\n", " ")
    refused = run_cli("-C", tmp_path, "old", "new", "-s", "nope")
    assert "nope: matches no environment; there are . (the top folder), cpu" in refused.err
    text = report(tmp_path, "-f", "text")
    assert "\ntop folder: 4 packages, 4 builds\n" in text
    text += report(tmp_path, "-f", "text", "--stat")
    assert "\n  top folder " in text
    assert DOT.findall(text) == []


def test_a_gate_names_neither(tmp_path: Path) -> None:
    write(tmp_path, ".")
    done = run_cli("-C", tmp_path, "old", "new", "--fail-on", "downgraded", "-q", "-f", "csv")
    assert done.err.splitlines()[-1] == "snapdiff: downgraded: zlib 1.3 → 1.2"


def test_a_gate_names_the_top_folder_once(tmp_path: Path) -> None:
    write(tmp_path, ".", "cpu", "e4s/cpu")
    done = run_cli("-C", tmp_path, "old", "new", "--fail-on", "downgraded", "-q", "-f", "csv")
    assert done.err.splitlines()[-2:] == [
        "snapdiff: downgraded: zlib 1.3 → 1.2 in top folder, cpu",
        "snapdiff: downgraded: zlib 1.3 → 1.2 in e4s, cpu",
    ]


def test_with_one_folder_name_on_both_sides_it_is_called_so(tmp_path: Path) -> None:
    write(tmp_path, "e4s")
    for end in ("", "/", "/spack.lock"):
        done = run_cli("-C", tmp_path, f"old/e4s{end}", f"new/e4s{end}", "-f", "text")
        assert f"\n{SENTENCE}.\n" in done.out
        assert DOT.findall(done.out) == []


def test_in_json_they_have_their_names_and_in_csv_those_of_the_sides(tmp_path: Path) -> None:
    write(tmp_path, ".")
    [tag] = json.loads(report(tmp_path, "-f", "json"))["tags"]
    assert (tag["old"], tag["new"], tag["stacks"][0]["stack"]) == (".", ".", ".")
    assert report(tmp_path, "-f", "csv").splitlines()[1].startswith("old,new,,")
