"""What a report with a limit says of what it leaves out, and how a text ends that has to be cut."""

import re
from pathlib import Path

import pytest

from snapdiff import render_report
from snapdiff.reports import ReportOptions
from tests.reports.test_news import diff_of
from tests.support.documents import Item, lock, needs, to_bytes
from tests.support.helpers import run_cli, spec, write_files
from tests.support.html_reports import snapshots_diff
from tests.support.real_catalogs import e4s_diff, needs_real_catalogs

NOTE = "\nOnly in the whole report: "
CUT = "\n… and more, left out to fit.\n"


@pytest.mark.slow
def test_a_text_that_is_cut_keeps_its_note() -> None:
    cut = 0
    for most in range(300, 2600, 100):
        text = render_report(snapshots_diff(), "comment", ReportOptions(max_length=most))
        if CUT in text:
            cut += 1
            assert text.endswith(CUT)
        else:
            assert NOTE in text, "it stands below all else"
    assert cut > 5


def test_a_text_that_is_cut_ends_below_no_heading() -> None:
    long = "-of-a-long-name" * 4
    old, new = (
        [
            spec(f"{side}{tag}{letter}", f"1.{minor}", package=letter + long, tag=f"v-{tag}")
            for tag in "cd"
            for letter in "ab"
        ]
        for minor, side in enumerate("xy")
    )
    diff, cut = diff_of(old, new), 0
    for most in range(320, 560, 10):
        text = render_report(diff, "comment", ReportOptions(max_length=most))
        if CUT in text:
            cut += 1
            above = text.partition(CUT)[0].rstrip("\n").rpartition("\n")[2]
            assert not re.fullmatch(r"#+ .*|\*\*[^*]*\*\*", above)
    assert cut > 5


def environments(folder: Path, **stacks: tuple[list[Item], list[Item]]) -> Path:
    for stack, sides in stacks.items():
        for side, items in zip(("old", "new"), sides, strict=True):
            write_files(folder, {f"{side}/{stack}/spack.lock": to_bytes(lock(items))})
    return folder


def test_a_loss_in_another_environment_than_the_downgrade_keeps_its_line(tmp_path: Path) -> None:
    """What is downgraded is named with its step; `p` lost a build as well, in `b`."""

    def side(version: int) -> list[Item]:
        names = {f"u{n}": f"{n}.{version}" for n in range(9)}
        names |= {f"d{n}": f"{9 - version}.{n}" for n in range(4)}
        return [Item(name, it, explicit=True) for name, it in names.items()]

    twins = [Item("p", "1.0", explicit=True, parameters={"n": it}) for it in "12"]
    new = [Item(f"n{number}", explicit=True) for number in range(4)]
    down = Item("p", "0.9", explicit=True, parameters={"n": "1"})
    folder = environments(
        tmp_path, a=([*side(1), twins[0]], [*side(2), *new, down]), b=([*twins], [twins[0]])
    )
    whole = run_cli("-C", folder, "old", "new", "-f", "comment", "--package-url", "").out
    kept = 0
    for most in range(len(whole) - 1, len(whole) // 2, -50):
        arguments = ("-f", "comment", "--package-url", "", "--max-length", str(most))
        text = run_cli("-C", folder, "old", "new", *arguments).out
        if "details of what is named above" in text and CUT not in text:
            kept += 1
            assert "(`1.0`, with `n=2`)" in text or "1 of 2 builds" in text
    assert kept


def test_a_note_that_leaves_out_why_hashes_differ_is_true_of_each_environment(
    tmp_path: Path,
) -> None:
    def side(version: str) -> list[Item]:
        zlib = Item("zlib", version)
        return [zlib, *(Item(f"p{n}", explicit=True, needs=(needs(zlib),)) for n in range(6))]

    ups = [[Item(f"u{n}", f"{n}.{it}", explicit=True) for n in range(6)] for it in "12"]
    sides = ([*side("1.0"), *ups[0]], [*side("1.1"), *ups[1]])
    folder = environments(tmp_path, a=sides, b=sides)
    told = 0
    for most in range(300, 1500, 50):
        arguments = ("-f", "comment", "--package-url", "", "--group-by", "stack")
        done = run_cli("-C", folder, "old", "new", *arguments, "--max-length", str(most))
        if "details of dependencies and hashes" in done.out:
            told += 1
            assert "**With another hash**" not in done.out
    assert told


def test_a_class_without_a_line_is_counted_where_no_fold_counts_it() -> None:
    old = [spec(f"o{'abcdefgh'[n]}", f"1.{n}", package=f"p{n}") for n in range(8)]
    new = [spec(f"n{'abcdefgh'[n]}", f"1.{n + 1}", package=f"p{n}") for n in range(8)]
    more = [spec(name, package="q", variants=it) for name, it in (("x", "+a"), ("y", "~a"))]
    diff = diff_of([*old, more[0]], [*new, more[1]])
    counted = 0
    for most in range(150, 500, 10):
        text = render_report(diff, "comment", ReportOptions(max_length=most, package_url=""))
        if CUT not in text and "**Reconfigured**" not in text:
            counted += 1
            assert "1 reconfigured" in text
    assert counted


@needs_real_catalogs
@pytest.mark.slow
def test_what_products_lost_is_left_out_after_what_is_upgraded() -> None:
    for most in range(2000, 5000, 400):
        text = render_report(e4s_diff(), "comment", ReportOptions(max_length=most))
        is_lost = "\n- options turned off: `lbann`" in text
        left_out = (
            "which versions and builds products lost, where products are only dependencies now, and"
        )
        assert is_lost or f"\nOnly in the whole report: {left_out} more.\n" in text
        assert is_lost or most <= 2400


@pytest.mark.parametrize("most", [700, 1000, 1500])
def test_nothing_is_said_to_be_left_out_that_was_never_there(most: int) -> None:
    """Pages have no dependencies, and nobody knows of their specs why hashes differ."""
    text = render_report(snapshots_diff(), "comment", ReportOptions(max_length=most))
    assert "details of dependencies" not in text
