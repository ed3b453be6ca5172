"""What people read of a section: news first, in text, Markdown, a page and their own words."""

import gc
import json
import os
import pty
import re
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from snapdiff.changelog import writing
from snapdiff.reports.outline import outline_of
from snapdiff.reports.outline.outline import Outline
from tests.support.documents import Item, lock, needs, to_bytes
from tests.support.helpers import pages_of, run_cli, spec, write_files
from tests.support.oracle import Record
from tests.support.processes import command, environment
from tests.support.real_catalogs import LOCKS, needs_real_catalogs
from tests.support.story import MPI4PY, ZLIB, History, markdown, run_changelog

LETTERS = "bcdefghijklmnopqrstuvwxyz"
DIGITS = "abcdefghijklmnopqrstuvwxyz"


def hash_name(number: int, letter: str) -> str:
    """The beginning of a hash for a number."""
    return letter + "".join(DIGITS[int(digit)] for digit in f"{number:04}")


def many(count: int, letter: str, version: str) -> list[Record]:
    """A spec each of many packages, in one stack."""
    return [
        spec(
            hash_name(number, letter), f"{number}.{version}", package=f"p{number:03}", stacks="hep"
        )
        for number in range(count)
    ]


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two snapshots with 300 packages: one gone, one downgraded, one stack gone, all else moves."""
    folder = tmp_path_factory.mktemp("busy")
    lost = [spec("y", package="lost", stacks="hep"), spec("yb", package="only", stacks="e4s")]
    fell = [spec("xa", "2.0", package="fell", stacks="hep")]
    after = [spec("xb", "1.0", package="fell", stacks="hep")]
    # A hundred packages leave one of two stacks each: worse than the downgrade, and less news.
    left = [spec(hash_name(n, "v"), package=f"q{n:03}", stacks="hep tut") for n in range(100)]
    stay = [spec(hash_name(n, "v"), package=f"q{n:03}", stacks="tut") for n in range(100)]
    for n, record in enumerate(left):
        record["versions"] = stay[n]["versions"] = [f"{n}.0"]
    before = [*many(200, "b", "0"), *lost, *fell, *left]
    write_files(folder / "1", pages_of(before))
    write_files(folder / "2", pages_of([*many(200, "c", "1"), *after, *stay]))
    return folder


def test_a_page_has_the_news_of_a_large_section_on_top(busy: Path) -> None:
    text = _Reader(markdown(busy, "-f", "html")).text
    news = text[text.index("Stack e4s removed: 1 package") :][:1500]
    gone = "\nGone, or gone from some stacks\n\n\nlost 1.0 (hep)\n"
    for words in (gone, "\nDowngraded: fell 2.0 → 1.0 (hep)\n"):
        assert words in news


@pytest.mark.parametrize("format_name", ["markdown", "text"])
def test_the_news_of_a_large_section_is_in_its_first_lines(format_name: str, busy: Path) -> None:
    first = markdown(busy, "-f", format_name).splitlines()[:30]
    plain = [re.sub("[`*]", "", line).lower() for line in first]
    assert any(re.search("stack e4s removed: 1 package", line) for line in plain)
    assert plain.index("gone, or gone from some stacks") < next(
        number for number, line in enumerate(plain) if "lost 1.0 (hep)" in line
    )
    assert "only and lost are gone, 100 are gone from hep, fell is downgraded" in " ".join(plain)


def test_a_short_section_says_everything_once(tmp_path: Path) -> None:
    write_files(tmp_path / "1", pages_of([ZLIB, MPI4PY]))
    write_files(tmp_path / "2", pages_of([ZLIB]))
    text = markdown(tmp_path)
    assert text.count("`py-mpi4py`") == 1
    assert "attention" not in text


def test_packages_that_move_together_are_one_line_and_the_worst_comes_first(
    tmp_path: Path,
) -> None:
    def family(version: str, letter: str) -> list[Record]:
        names = ("hipblas", "rccl", "rocblas")
        return [
            spec(f"{letter}{'abc'[number]}", version, package=name, stacks="ml")
            for number, name in enumerate(names)
        ]

    older, newer = spec("m", "1.0", package="hdf5"), spec("n", "1.1", package="hdf5")
    write_files(tmp_path / "1", pages_of([*family("6.4.0", "b"), older, MPI4PY]))
    write_files(tmp_path / "2", pages_of([*family("6.2.4", "c"), newer, spec("o")]))
    text = markdown(tmp_path)
    assert [line for line in text.splitlines() if line.startswith("**")] == [
        "**Gone**: `py-mpi4py` `3.1.6` (`e4s`)",
        "**New**: `zlib` `1.0` (`e4s`)",
        "**Downgraded**: `hipblas`, `rccl`, `rocblas` `6.4.0` → `6.2.4` (`ml`)",
        "**Upgraded**: `hdf5` `1.0` → `1.1` (`e4s`)",
    ]


def test_many_rebuilt_packages_are_counted_unless_detail_is_asked_for(tmp_path: Path) -> None:
    write_files(tmp_path / "1", pages_of(many(11, "b", "0")))
    write_files(tmp_path / "2", pages_of(many(11, "c", "0")))
    same = "same version, compiler, os, target and variants"
    assert f"\n**11 only rebuilt ({same})**: `p000`, `p001`, " in markdown(tmp_path)
    assert f"\n11 only rebuilt ({same}): p000, p001, " in markdown(tmp_path, "-f", "text")
    detail = markdown(tmp_path, "--detail")
    assert f"\n**Only rebuilt ({same})**: `p000` `0.0`, `p001` `1.0`, " in detail
    assert detail.count("\n- = `p0") == 11  # a line a spec


def test_what_rebuilt_most_of_them_is_said(tmp_path: Path) -> None:
    for side, version in (("1", "5.0.0rc16"), ("2", "5.0.0")):
        mpi, other = Item("openmpi", version), Item("zlib", f"1.3.{side}")
        above = [Item(f"app{n}", "1.0", needs=(needs(mpi if n else other),)) for n in range(8)]
        content = to_bytes(lock([mpi, other, *above]))
        write_files(tmp_path / side, {"envs/cpu/spack.lock": content})
        write_files(tmp_path / side, {"envs/gpu/spack.lock": content})
    cause = "(7); `zlib` `1.3.1` → `1.3.2` (1)"
    by_package = markdown(tmp_path)
    words = "8 builds in both, because of `openmpi` `5.0.0rc16` → `5.0.0`"
    assert f"\n**With another hash**: {words} {cause}\n" in by_package
    text = markdown(tmp_path, "-f", "text")
    assert f"\nWith another hash: {words}"[:80].replace("`", "") in text
    by_stack = markdown(tmp_path, "--group-by", "stack")
    assert (
        by_stack.count(f"\n**With another hash**: {words.replace(' in both', '')} {cause}\n") == 2
    )
    assert f"{words} {cause}</p>".replace("`", "") in markdown(tmp_path, "-f", "html")


def test_a_section_of_kinds_that_no_package_has_counts_specs(tmp_path: Path) -> None:
    both = [spec("b", "1.0", variants="+a"), spec("c", "1.0", variants="+b")]
    write_files(tmp_path / "1", pages_of(both))
    write_files(tmp_path / "2", pages_of([both[0], spec("d", "1.1", variants="+b")]))
    write_files(tmp_path / "3", pages_of([spec("e", "1.0", variants="+a"), spec("f", "2.0")]))
    said = "## `3`\n\nNo package, but specs of packages that changed otherwise: 1 rebuilt.\n"
    assert markdown(tmp_path, "-k", "rebuilt").endswith(said)
    assert "## " not in markdown(tmp_path, "-k", "downgraded")


@pytest.mark.parametrize("name", ["markdown", "text", "html"])
def test_the_section_in_which_a_stack_was_renamed_says_so(name: str, tmp_path: Path) -> None:
    """The one after it, in which both sides have the new name, does not."""
    stacks = ("ubuntu22.04", "ubuntu24.04", "ubuntu24.04")
    for letter, stack, version in zip("abc", stacks, ("1.0", "1.1", "1.2"), strict=True):
        packages = [spec(f"{letter}{name}", version, package=name) for name in ("cmake", "zlib")]
        pages = pages_of([record | {"stacks": [stack]} for record in packages])
        write_files(tmp_path / letter, pages)
    text = re.sub("<[^>]*>|`", "", markdown(tmp_path, "-f", name))
    assert (
        text.count("1.0 → 1.1 in develop/ubuntu24.04; compared as one: ubuntu22.04 → ubuntu24.04.")
        == 1
    )
    assert text.count("compared as") == 1


@pytest.mark.parametrize(
    ("later", "said"),
    [
        ({"stacks": ["ubuntu24.04"]}, "ompared as one: ubuntu22.04 → ubuntu24.04."),
        ({"versions": ["1.1"]}, "one hash, baaaaaa: zlib 1.0 → zlib 1.1: a document was edited"),
    ],
)
@pytest.mark.parametrize("name", ["markdown", "text", "html"])
def test_what_no_spec_of_changed_is_a_section_in_every_format(
    name: str, later: dict[str, list[str]], said: str, tmp_path: Path
) -> None:
    record = spec("b", "1.0") | {"stacks": ["ubuntu22.04"]}
    write_files(tmp_path / "1", pages_of([record]))
    write_files(tmp_path / "2", pages_of([record | later]))
    done = run_changelog(tmp_path, "-f", name)
    text = re.sub("<[^>]*>|`", "", done.out)
    assert said in text
    assert "No changes" not in text
    assert "Nothing changed" not in text
    assert len(json.loads(run_changelog(tmp_path, "-f", "json").out)) == 1


class TestSubject:
    """The subject of a section that is one commit."""

    def test_is_below_the_section_of_a_commit_and_in_the_heading_of_a_period(
        self, tmp_path: Path
    ) -> None:
        history = History(tmp_path)
        history.at("2025-07-01T04:00:00+00:00", pages_of([ZLIB]))
        subject = "Add `mpi` <b>|| @all #12\nand a body"
        history.at("2025-07-02T04:00:00+00:00", pages_of([ZLIB, MPI4PY]), subject)
        commit = history.git("rev-parse", "HEAD")[:7]
        last = ("-C", tmp_path, "HEAD~1..HEAD")
        escaped = (
            "<code>Add &#96;mpi&#96; &#60;b&#62;&#124;&#124; "
            "<!-- -->&#64;all &#35;12 and a body</code>"
        )
        title = "\n## 2025-07-02: `py-mpi4py` `3.1.6` new (`e4s`)\n"
        assert markdown(*last).endswith(f"{title}\nCommit `{commit}` in `develop`: {escaped}\n")
        text = markdown(*last, "-f", "text")
        assert text.endswith(
            f"\n\nCommit {commit} in develop: Add `mpi` <b>|| @all #12 and a body\n"
        )
        page = markdown(*last, "-f", "html")
        assert (
            f"<p>Commit {commit} in develop: Add `mpi` &lt;b&gt;|| @all #12 and a body</p>" in page
        )
        assert f"\n## 2025-W27 - 2025-07-02: {escaped}\n" in markdown(*last, "--by", "week")

    def test_is_not_that_of_one_commit_of_several(self, tmp_path: Path) -> None:
        history = History(tmp_path)
        for number, records in enumerate(([ZLIB], [ZLIB, MPI4PY], [MPI4PY]), 1):
            history.at(f"2025-07-0{number}T04:00:00+00:00", pages_of(records), f"Step {number}")
        assert "Step" not in markdown("-C", tmp_path, "HEAD~2..HEAD", "--by", "month")

    def test_is_shown_whatever_its_bytes_are(self, tmp_path: Path) -> None:
        history = History(tmp_path)
        history.commit(pages_of([ZLIB]))
        odd = os.fsdecode(b"caf\xe9 \x1b[31m \xe2\x80\xa8 end")
        history.commit(pages_of([ZLIB, MPI4PY]), odd)
        text = markdown("-C", tmp_path, "HEAD~1..HEAD", "-f", "text")
        assert r"café \x1b[31m \u2028 end" in text


def test_a_sentence_stands_below_a_heading_if_it_says_more(tmp_path: Path) -> None:
    def items(version: str, recipe: str, *newer: str) -> list[Item]:
        zlib = Item("zlib", recipe=recipe)
        versions = {"app": version, "tool": f"2{version}"}
        apps = [Item(*it, explicit=True, needs=(needs(zlib),)) for it in versions.items()]
        libs = [Item(f"lib{n}", it, explicit=True) for it in ("0", *newer) for n in range(9)]
        return [zlib, *apps, *(replace(it, version=f"{it.version}.{it.name}") for it in libs)]

    history = History(tmp_path)
    for some in (("1.0", "a"), ("1.1", "a"), ("1.1", "b"), ("1.1", "b", "1")):
        history.commit({"cpu/spack.lock": to_bytes(lock(items(*some)))})
    text = markdown("-C", tmp_path, "HEAD~3..HEAD")
    more, hashes, upgraded = (it.split("\n\n")[:2] for it in text.split("\n## ")[1:])
    assert upgraded[0].endswith(": 2 products upgraded (`app` to `1.1`, `tool` to `21.1`)")
    assert upgraded[1] == "**Upgraded**"
    assert hashes[0].endswith(": 2 products only have another hash")
    because = "because `zlib`'s recipe changed"
    assert hashes[1] == f"2 products only have another hash in `cpu`, {because}."
    assert more[0].endswith(": 9 products with more versions")
    assert more[1] == "**With more versions**"
    assert text.endswith(
        f"\n\nCommit `{history.git('rev-parse', 'HEAD~2')[:7]}` in `cpu`: `Update`\n"
    )


def test_the_git_tags_of_a_commit_stand_with_it(tmp_path: Path) -> None:
    history = History(tmp_path)
    for number in range(3):
        history.commit(pages_of([spec("bcd"[number], f"1.{number}")]))
    history.git("tag", "v2")
    history.git("tag", "-a", "-m", "the second", "release")
    text = markdown("-C", tmp_path, "HEAD~2..HEAD", "-f", "text")
    last, before = (history.git("rev-parse", it)[:7] for it in ("HEAD", "HEAD~1"))
    assert f"\nCommit {last} (release, v2) in develop" in text
    assert f"\nCommit {before} in develop" in text
    weekly = markdown("-C", tmp_path, "HEAD~2..HEAD", "-f", "text", "--by", "week")
    assert "release" not in weekly
    by_tag = markdown("-C", tmp_path, "HEAD~2..HEAD", "-f", "text", "--by", "tag")
    assert "(release" not in by_tag


def test_a_heading_counts_who_lost_builds_beside_a_version_that_came(tmp_path: Path) -> None:
    """As the first sentence of a report does."""
    mpich, openmpi = Item("mpich", "4.1", explicit=True), Item("openmpi", "5.0", explicit=True)

    def built(name: str, version: str, *mpis: Item) -> list[Item]:
        return [Item(name, version, explicit=True, needs=(needs(it, "mpi"),)) for it in mpis]

    names = ("fftw", "hdf5", "netcdf")
    kept = [it for name in names for it in built(name, "1.0", openmpi)]
    lost = [it for name in names for it in built(name, "1.0", mpich)]
    before = [mpich, openmpi, *kept, *lost, *built("esmf", "8.5", mpich, openmpi)]
    more = [Item("mvapich", "3.0", explicit=True), Item("cray-mpich", "8.1", explicit=True)]
    after = [openmpi, *more, *kept, *built("esmf", "8.5", openmpi), *built("esmf", "8.6", *more)]
    history = History(tmp_path)
    for items in (before, after):
        history.commit({"cpu/spack.lock": to_bytes(lock(items))})
    title = markdown("-C", tmp_path, "HEAD~1..HEAD").split("\n## ")[1].split("\n")[0]
    assert "4 products lost builds that used it, " in title


@pytest.mark.parametrize(("length", "has_names"), [(20, True), (60, False)])
def test_a_heading_has_names_where_it_is_short(
    tmp_path: Path, length: int, *, has_names: bool
) -> None:
    history = History(tmp_path)
    new = [Item(it * length, explicit=True) for it in "abc"]
    up = [Item("up", it, explicit=True) for it in ("1.0", "1.1")]
    for items in ([up[0]], [up[1], *new]):
        history.commit({"cpu/spack.lock": to_bytes(lock(items))})
    title = markdown("-C", tmp_path, "HEAD~1..HEAD").split("\n## ")[1].split("\n")[0]
    names = f" ({', '.join(f'`{it.name}`' for it in new)})" if has_names else ""
    assert title.endswith(f": 3 products new{names}, `up` upgraded to `1.1`")


def test_below_a_heading_nothing_is_counted_twice(tmp_path: Path) -> None:
    def items(version: str, *, has: bool) -> list[Item]:
        ups = [Item(f"up{n}", f"{n}.{version}", explicit=True) for n in range(2)]
        beside = ["0"] if has else ["0", "1"]
        more = [Item(f"lib{n}", it, explicit=True) for it in beside for n in range(3)]
        built = [Item(f"app{n}", explicit=True, parameters={"x": has}) for n in range(3)]
        dated = Item("dated", "20180129" if has else "0.11.0", explicit=True)
        whole = Item("gone" if has else "new", explicit=True)
        root = Item("root", explicit=has)
        top = Item("top", explicit=True, needs=(needs(root),))
        return [*ups, *more, *built, dated, whole, root, top]

    history = History(tmp_path)
    for number, has in enumerate((True, False)):
        history.commit({"cpu/spack.lock": to_bytes(lock(items(str(number), has=has)))})
    title, below = markdown("-C", tmp_path, "HEAD~1..HEAD").split("\n## ")[1].split("\n\n")[:2]
    assert title.endswith(", 8 changed otherwise")
    assert "otherwise" not in below


def test_a_stack_and_tag_without_a_name_are_not_named(tmp_path: Path) -> None:
    for name, version in (("1", "1.0"), ("2", "1.1")):
        content = to_bytes(lock([Item("zlib", version)]))
        write_files(tmp_path / name, {"spack.lock": content})
    assert markdown(tmp_path).endswith("## `2`\n\n`zlib` `1.0` → `1.1`.\n")
    assert markdown(tmp_path, "-f", "text").endswith("2\n\nzlib 1.0 → 1.1.\n")
    for line in markdown(tmp_path, "--first-seen").splitlines():
        assert "`.`" not in line
    page = markdown(tmp_path, "-f", "html")
    assert "1.0 → 1.1.</p>" in page
    assert "()" not in page
    grouped = markdown(tmp_path, "--group-by", "stack")
    assert grouped.endswith(
        "\n`zlib` is upgraded to `1.1`.\n\n**Upgraded**: `zlib` `1.0` → `1.1`\n"
    )


class TestTerminal:
    """Standard output that is a terminal."""

    def shown(self, *arguments: str | Path, env: dict[str, str] | None = None) -> str:
        """What a terminal of 80 columns and 50 lines gets to see."""
        import fcntl
        import struct
        import termios

        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 80, 0, 0))
        names = {"COLUMNS": None, "LINES": None, "NO_COLOR": None, "TERM": "xterm", **(env or {})}
        process = subprocess.Popen(
            command("changelog", *arguments),
            stdout=theirs,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            env=environment(names),
        )
        os.close(theirs)
        seen = b""
        while True:
            try:
                part = os.read(ours, 1 << 16)
            except OSError:  # how Linux says that the other end is closed
                break
            if not part:
                break
            seen += part
        os.close(ours)
        assert process.wait() == 0
        return seen.decode("utf-8").replace("\r\n", "\n")

    @pytest.mark.slow
    @pytest.mark.parametrize("extra", [[], ["--first-seen"]])
    def test_gets_text_and_no_markdown(self, extra: list[str]) -> None:
        text = self.shown("snapshots/", *extra, "--no-pager")
        assert "\x1b[1m" in text
        plain = re.sub("\x1b\\[[0-9;]*m", "", text)
        assert "|" not in plain
        assert "`" not in plain
        assert "#" not in plain
        assert max(map(len, plain.splitlines())) <= 80
        assert self.shown("snapshots/", *extra, "--no-pager", env={"NO_COLOR": "1"}) == plain

    @pytest.mark.slow
    def test_has_a_pager_for_what_is_longer_than_the_screen(self, busy: Path) -> None:
        assert self.shown(busy, env={"PAGER": "sed -n 1p"}).count("\n") == 1
        assert self.shown(busy, "--no-pager", env={"PAGER": "sed -n 1p"}).count("\n") > 50


class _Reader(HTMLParser):
    """The elements of a page in their order, and all text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, _attrs: object) -> None:
        self.elements.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_page_shows_hostile_names_as_they_are(tmp_path: Path) -> None:
    name = "<script>alert(1)</script>"
    evil = spec("a", '"><img src=x>', package=name, stacks="e4s <b>hep</b>")
    [content] = pages_of([evil]).values()
    write_files(tmp_path / "1", pages_of([ZLIB]))
    write_files(tmp_path / "2", pages_of([ZLIB]) | {"_cache/develop/evil/specs.md": content})
    for extra in ([], ["--detail"], ["--group-by", "stack"]):
        found = _Reader(markdown(tmp_path, "-f", "html", *extra))
        assert not {"script", "img", "b"} & set(found.elements)
        assert name in found.text
        assert '"><img src=x>' in found.text


def test_a_template_has_the_reports_newest_first(tmp_path: Path) -> None:
    template = tmp_path / "own.j2"
    template.write_text(
        "{% for section in sections %}{{ section.name }} {{ section.subject }}:"
        "{% for tag in section.tags %} {{ tag.new }} {{ section.new.date[:10] }}{% endfor %}\n\n"
        "{% endfor %}{{ filters.package|join }}\n"
    )
    history = History(tmp_path / "repository")
    for number, records in enumerate(([ZLIB], [ZLIB, MPI4PY], [ZLIB]), 1):
        history.at(f"2025-07-0{number}T04:00:00+00:00", pages_of(records), f"Step {number}")
    commits = history.git("rev-list", "--abbrev-commit", "--abbrev=7", "HEAD").split()
    text = markdown("-C", history.folder, "HEAD~2", "--template", template, "-p", "py-*")
    assert text == (
        f"{commits[0]} Step 3: develop 2025-07-03\n{commits[1]} Step 2: develop 2025-07-02\npy-*\n"
    )


def test_the_order_of_each_format_is_in_the_help() -> None:
    text = run_cli("changelog", "--help").out
    assert "newest section first: markdown, text, html, and the sections of a template" in text
    assert "oldest section first: json and ndjson" in text


@pytest.mark.parametrize("format_name", ["html", "text", "json"])
def test_a_file_of_another_format_is_written_anew(format_name: str, tmp_path: Path) -> None:
    file = tmp_path / f"story.{ {'text': 'txt'}.get(format_name, format_name) }"
    for _ in range(2):
        assert run_changelog("snapshots/", "-o", file) == (0, "", "")
    assert file.read_text("utf-8") == markdown("snapshots/", "-f", format_name)


@pytest.mark.parametrize("name", ["story.md", "story.ndjson"])
def test_a_file_that_goes_on_is_written_or_up_to_date(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    for said in (f"wrote {file}", f"{file} is up to date"):
        result = run_changelog("snapshots/", "-v", "-o", file)
        assert (result.status, result.err) == (0, f"snapdiff: {said}\n")
    other = tmp_path / f"other-{name}"
    nothing = run_changelog("snapshots/", "-v", "-p", "cmake", "-k", "downgraded", "-o", other)
    assert nothing.err == f"snapdiff: wrote {other}\n"


@pytest.mark.parametrize("format_name", ["markdown", "text", "html"])
def test_nothing_is_kept_of_a_section_but_its_text(
    format_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[int] = []

    def counted(*arguments: Any, **options: Any) -> Outline:
        kept.append(sum(type(item) is Outline for item in gc.get_objects()))
        return outline_of(*arguments, **options)

    monkeypatch.setattr(writing, "outline_of", counted)
    for number, letter in enumerate("bcdefg"):
        write_files(tmp_path / str(number), pages_of([spec(letter, f"1.{number}")]))
    told = markdown(tmp_path, "-f", format_name)
    assert "1.0 → 1.1" in told.replace("`", "")
    assert len(kept) == 6, "five sections, and what they come to"
    assert max(kept) - kept[0] <= 1  # the one before, while the next takes its place


def test_what_of_the_toolchain_is_as_before_is_left_to_reports(tmp_path: Path) -> None:
    for side in "12":
        tools = [Item("openmpi", f"5.0.{side}"), Item("cuda", "12.2.1")]
        apps = [
            Item(f"app{n}", f"{n}.{side}", explicit=True, needs=tuple(map(needs, tools)))
            for n in range(6)
        ]
        write_files(tmp_path / side, {"cpu/spack.lock": to_bytes(lock([*tools, *apps]))})
    assert "upgraded in `cpu`; `openmpi` `5.0.1` → `5.0.2`." in markdown(tmp_path)
    assert "as before" not in markdown(tmp_path)
    report = run_cli("-C", tmp_path, "1", "2").out
    assert "upgraded; `gcc` as before, `openmpi` `5.0.1` → `5.0.2`." in report


def test_a_section_of_many_names_says_what_became_of_the_toolchain(tmp_path: Path) -> None:
    """The first sentence is long then, and leaves it to the next."""
    for side in "12":
        cuda = Item("cuda", f"1{side}.8")
        apps = [
            Item(f"app{n}", f"{n}.{side}", explicit=True, needs=(needs(cuda),)) for n in range(6)
        ]
        some = [Item(f"{'gone' if side == '1' else 'new'}{n}", explicit=True) for n in range(4)]
        write_files(tmp_path / side, {"cpu/spack.lock": to_bytes(lock([cuda, *apps, *some]))})
    told = markdown(tmp_path)
    assert "4 are new, 6 are upgraded.\n\nToolchain: `cuda` `11.8` → `12.8`.\n" in told


@needs_real_catalogs
def test_all_that_have_no_build_left_are_named_where_the_line_of_one_does_not_say_it(
    tmp_path: Path,
) -> None:
    """The lines of parmetis and metis say it; that of superlu names what its build used."""
    history = History(tmp_path)
    for number in ("062", "063", "064"):
        [path] = (LOCKS / "derecho").glob(f"{number}-*.lock")
        history.commit({"derecho/spack.lock": path.read_bytes()})
    lines = markdown("-C", tmp_path, "HEAD~2..HEAD").splitlines()
    both = "`superlu`, `superlu-dist`; of dependencies, `metis`, `parmetis`"
    assert (
        "`esmf` and `superlu-dist` have no build with `intel-oneapi-mpi` any more, `superlu` and "
        "`superlu-dist` none with `intel-oneapi-compilers`."
    ) in lines
    [again] = [line for line in lines if line.startswith("**Built again** with ")]
    assert again.startswith("**Built again** with `intel-oneapi-compilers` (lost in ")
    assert again.endswith(f"): {both}")
    [still] = [line for line in lines if line.startswith("**Still no builds** with ")]
    assert still.startswith("**Still no builds** with `intel-oneapi-mpi` (none since ")
    assert still.endswith("): `esmf`, `superlu-dist`; of dependencies, `parmetis`")
    [back] = [line for line in lines if line.startswith("**Back (gone since ")]
    assert lines.index(back) < lines.index(again) < lines.index(still), "the cause goes before"


@pytest.mark.parametrize("stacks", [("cpu",), ("cpu", "gpu")])
def test_what_has_builds_again_that_an_older_section_says_has_none_is_told(
    tmp_path: Path, stacks: tuple[str, ...]
) -> None:
    """Of a compiler and of an MPI; of what had them for the first time nothing is said."""
    mpi = [Item(name, explicit=True) for name in ("mpich", "openmpi")]
    other = [
        Item("other", explicit=True, compiler=("cce", "16.0.1")),
        Item("user", explicit=True, needs=(needs(mpi[1], "mpi"),)),
    ]
    kept = Item("app", explicit=True, needs=(needs(mpi[0], "mpi"),))
    gone = [
        replace(kept, compiler=("cce", "16.0.1")),
        replace(kept, needs=(needs(mpi[1], "mpi"),)),
    ]
    history = History(tmp_path)
    for some in (gone, [], gone):
        documents = {
            f"{stack}/spack.lock": to_bytes(
                lock([*mpi, *other, kept, *(some if stack == "cpu" else ())])
            )
            for stack in stacks
        }
        documents["cpu/README.md"] = str(len(history.git("rev-list", "--all"))).encode()
        history.commit(documents)
    text = markdown("-C", tmp_path, "HEAD~2..HEAD")
    where = " in `cpu`" if len(stacks) > 1 else ""
    for tool in ("cce", "openmpi"):
        line = rf"\*\*Built again\*\* with `{tool}` \(lost in `[0-9-]+`\): `app`{where}\n"
        assert len(re.findall(line, text)) == 1
    html = run_cli("-C", tmp_path, "changelog", "HEAD~2..HEAD", "-f", "html").out
    assert html.count("Built again") == 2
    assert "Still no builds" not in text
    # Of some kinds alone nobody knows what happened in between.
    narrowed = run_cli("-C", tmp_path, "changelog", "HEAD~2..HEAD", "-k", "added,removed").out
    assert "Built again" not in narrowed


@pytest.mark.parametrize("back", ["version", "variant", "whole", "none"])
def test_still_no_build_is_said_only_where_nothing_else_may_have_one(
    tmp_path: Path, back: str
) -> None:
    """Two lost their builds with openmpi, and one has them again; the other may have, too."""
    mpi = [Item(name, explicit=True) for name in ("mpich", "openmpi")]

    def build(name: str, tool: int, **fields: Any) -> Item:
        return replace(Item(name, explicit=True, needs=(needs(mpi[tool], "mpi"),)), **fields)

    kept, user = [build(name, 0) for name in ("app", "lib")], build("user", 1)
    lost = [build(name, 1) for name in ("app", "lib")]
    again = {
        "version": [build("app", 1, version="1.1")],
        "variant": [build("app", 1, parameters={"x": True})],
        "whole": [kept[0], lost[0]],
        "none": [kept[0]],
    }[back]
    gone = [] if back == "whole" else [kept[0]]
    more = build("app", 0, parameters={"new": True})
    history = History(tmp_path)
    for some in (
        [*kept, *lost],
        [*gone, kept[1]],
        again + kept[1:],
        [*again, more, kept[1], lost[1]],
    ):
        history.commit({"hpc/spack.lock": to_bytes(lock([*mpi, user, *some]))})
    text = markdown("-C", tmp_path, "HEAD~3..HEAD")
    assert "**Built again** with `openmpi` (lost in " in text
    assert ("**Still no builds** with `openmpi`" in text) is (back == "none")


def test_a_section_calls_no_builds_the_first_that_were_there_before(tmp_path: Path) -> None:
    kept = [Item(name, explicit=True) for name in ("fftw", "hdf5", "netcdf-c")]
    cce = [replace(item, compiler=("cce", "16.0.1")) for item in kept]
    for day, some in enumerate((cce, [], cce), 1):
        # Of few lines these say it, and nothing is told of the toolchain.
        others = [Item(f"up{n}", f"{n}.{day}", explicit=True) for n in range(4)]
        others.append(Item(f"p{day}", explicit=True))
        documents = {f"2025-01-0{day}/hep/spack.lock": to_bytes(lock([*kept, *some, *others]))}
        write_files(tmp_path, documents)
    newest = markdown(tmp_path).split("\n## ")[1]
    assert "3 have new builds with `cce` `16.0.1`" in newest
    assert "first" not in newest
    # A report on two of them cannot know of others.
    both = (tmp_path / "2025-01-02", tmp_path / "2025-01-03")
    said = "3 have new builds with `cce` `16.0.1`; these are the first with `cce`."
    assert said in run_cli(*both).out


def test_a_build_that_has_its_mpi_again_with_another_hash_has_it_again(tmp_path: Path) -> None:
    mpi = {name: Item(name, explicit=True) for name in ("mpich", "openmpi")}

    def build(name: str, number: int, provider: str) -> Item:
        parameters = {"number": str(number)}
        return Item(
            name, explicit=True, parameters=parameters, needs=(needs(mpi[provider], "mpi"),)
        )

    history = History(tmp_path)
    for provider in ("openmpi", "mpich", "openmpi"):
        some = [build("app", 1, provider), build("app", 2, "mpich"), build("user", 1, "openmpi")]
        history.commit({"cpu/spack.lock": to_bytes(lock([*mpi.values(), *some]))})
    text = markdown("-C", tmp_path, "HEAD~2..HEAD")
    assert len(re.findall(r"\*\*Built again\*\* with `openmpi` \(lost in .*\): `app`\n", text)) == 1


def test_a_heading_says_how_many_builds_of_a_product_are_new(tmp_path: Path) -> None:
    kept = Item("app", explicit=True)
    new = [Item("tool", "7.2", explicit=True, compiler=("gcc", it)) for it in ("12.2.0", "13.1.0")]
    history = History(tmp_path)
    for some in ([kept], [kept, *new]):
        history.commit({"hep/spack.lock": to_bytes(lock(some))})
    assert re.search(
        r"(?m)^## [0-9-]+: `tool` `7.2` new \(2 builds\)$", markdown("-C", tmp_path, "HEAD~1..HEAD")
    )
    more = [replace(it, version="7.3") for it in new]
    up = replace(kept, version="2.0")
    history.commit({"hep/spack.lock": to_bytes(lock([up, *new, *more]))})
    out = run_cli("-C", tmp_path, "HEAD~1", "HEAD", "--package-url", "").out
    assert "**With more versions**: `tool` `7.3` added beside `7.2`, 2 builds new\n" in out


def test_a_heading_says_that_builds_used_what_went_only_where_all_did(tmp_path: Path) -> None:
    mpi = [Item(name, explicit=True) for name in ("mpich", "openmpi")]
    users = [
        Item(name, explicit=True, needs=(needs(it, "mpi"),))
        for name in ("a", "b", "c")
        for it in mpi
    ]
    others = [Item("d", explicit=True, compiler=("gcc", it)) for it in ("12.2.0", "13.1.0")]
    up = [Item("up", it, explicit=True) for it in ("1.0", "2.0")]
    history = History(tmp_path)
    for is_other in (True, False):
        kept = [mpi[1], *users[1::2], up[1], *(others[1:] if is_other else others)]
        history.commit({"hep/spack.lock": to_bytes(lock([*mpi, *users, *others, up[0]]))})
        history.commit({"hep/spack.lock": to_bytes(lock(kept))})
        said = "4 products lost builds, " if is_other else "lost builds that used it, "
        assert said in markdown("-C", tmp_path, "HEAD~1..HEAD").partition("## ")[2].splitlines()[0]
