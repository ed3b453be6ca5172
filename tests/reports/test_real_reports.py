"""Reports of real releases: how long they are, what their first lines say, how they are built."""

import re
from pathlib import Path

import pytest

from tests.reports.test_escaping import Tree
from tests.reports.test_words import NEVER_SAID
from tests.support.documents import NO_SHARED, SHARED
from tests.support.helpers import run_cli

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason=NO_SHARED)

E4S = tuple(SHARED / "locks" / "e4s" / "environments" / name for name in ("23.08", "23.11"))


def derecho(number: str) -> Path:
    return next((SHARED / "locks" / "derecho").glob(f"{number}-*.lock"))


@pytest.mark.slow
def test_the_notes_of_a_release_are_short_and_begin_with_its_products() -> None:
    text = run_cli(*E4S).out
    assert len(text) <= 60_000
    assert len(text.splitlines()) <= 600
    lines = [line for line in text.splitlines() if line]
    assert lines[0] == "# Changes from `23.08` to `23.11`"
    assert re.match(r"2 products gone from some environments, 1 new, .* upgraded \(2 to", lines[1])
    assert lines[2].startswith("Toolchain: `gcc` and `intel-oneapi-compilers` as before; `openmpi`")
    assert lines[4].startswith("- − gone: [`libcatalyst`]")
    [lost] = [line for line in lines if " packages gone: " in line]
    assert re.fullmatch(
        r"- − \d+ builds of \d+ packages gone: \d+ with `zlib` `1.2.13` in all 5", lost
    )
    assert text.index("## Products") < text.index("<summary>Dependencies: ")
    assert "\n| [`amrex`](" in text
    tree = Tree(text)
    assert tree.open_folds == 0
    links = [link for link in tree.links if link.startswith("https://packages.spack.io")]
    assert len(links) == len(set(links))  # each package is linked once


@pytest.mark.slow
def test_a_comment_on_a_release_is_a_page_to_look_at() -> None:
    text = run_cli(*E4S, "-f", "comment").out
    seen = re.sub(r"(?s)<details>.*?</details>", "", text)
    assert len([line for line in seen.splitlines() if line]) <= 40
    short = run_cli(*E4S, "-f", "comment", "--max-length", "5000").out
    assert 4_000 <= len(short) <= 5_000


def test_a_comment_on_one_upgrade_has_no_fold() -> None:
    text = run_cli(derecho("066"), derecho("067"), "-f", "comment", "--package-url", "").out
    assert "<details" not in text
    assert len(text.splitlines()) <= 35
    assert "- ↑ `openmpi` `5.0.0rc16` → `5.0.0`" in text
    assert "\n- = 40 specs with another hash: `openmpi` `5.0.0rc16` → `5.0.0`\n" in text


def test_no_word_is_left_that_nobody_would_say() -> None:
    for sides in (E4S, (derecho("066"), derecho("067"))):
        for name in ("markdown", "text", "comment"):
            text = run_cli(*sides, "-f", name).out
            for words in NEVER_SAID:
                assert words not in text
