"""Files that are kept up to date: what is there stays, and what is new is added."""

import json
import os
import re
import shutil
import tracemalloc
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapdiff.changelog.kept_file import (
    find_markers,
    options_text,
    require_no_changelog,
    section_marker,
)
from snapdiff.errors import ReportError
from snapdiff.model.specs import Revision
from tests.support.helpers import pages_of, spec, words, write_files
from tests.support.story import CMAKE, PETSC, ZLIB, History, markdown, run_changelog
from tests.support.story import write_story as write_story
from tests.support.work import seconds

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> History:
    return write_story(tmp_path_factory.mktemp("story"))


def update(story: History, file: Path, *arguments: str) -> None:
    result = run_changelog("-C", story.folder, *(arguments or ["start..HEAD"]), "-o", file)
    assert (result.status, result.out, result.err) == (0, "", "")


def refused(story: History, file: Path, *arguments: str) -> str:
    """The error of a run that leaves the file as it is."""
    before = file.read_bytes()
    result = run_changelog("-C", story.folder, *arguments, "-o", file)
    assert (result.status, result.out, file.read_bytes()) == (2, "", before)
    assert result.err.count("\n") == 1
    return result.err


def in_one_run(story: History, folder: Path, *arguments: str) -> str:
    """What a run writes that begins the file."""
    file = folder / "ONE.md"
    update(story, file, *arguments)
    return file.read_text("utf-8")


def without_net_changes(text: str) -> str:
    """A changelog that is written whole, without what it comes to: a kept file has none of that."""
    head, marker, sections = text.partition("<!-- snapdiff: ")
    head = re.sub(r"\*\*.*\n\n", "", head)
    return (
        head + marker + re.sub(r" back \(gone since `[^`]*`\), in (`e4s`)", r" new (\1)", sections)
    )


class TestMarkdown:
    """An existing CHANGELOG.md."""

    def test_grows_to_what_one_run_would_have_written(self, story: History, tmp_path: Path) -> None:
        file = tmp_path / "CHANGELOG.md"
        for end in ("v1.0~1", "v1.0", "HEAD~5", "HEAD"):
            update(story, file, f"start..{end}")
        assert file.read_text("utf-8") == in_one_run(story, tmp_path)

    def test_begins_with_nothing_that_a_later_run_could_make_untrue(
        self, story: History, tmp_path: Path
    ) -> None:
        whole = markdown("-C", story.folder, "start..HEAD")
        when = "gone in `2025-07-06`, back in `2025-07-07`"
        assert f"\n**Gone and back**: `py-mpi4py` (`develop/e4s`, {when})\n" in whole
        assert in_one_run(story, tmp_path) == without_net_changes(whole)

    def test_is_left_alone_where_nothing_is_new(self, story: History, tmp_path: Path) -> None:
        file = tmp_path / "CHANGELOG.md"
        update(story, file)
        os.utime(file, ns=(1, 1))
        before = file.read_bytes()
        update(story, file)
        update(story, file, "v1.0..HEAD")
        assert (file.stat().st_mtime_ns, file.read_bytes()) == (1, before)

    @pytest.mark.parametrize("line_break", ["\n", "\r\n"])
    def test_keeps_every_byte_that_people_wrote(
        self, line_break: str, story: History, tmp_path: Path
    ) -> None:
        file = tmp_path / "CHANGELOG.md"
        update(story, file, "start..v1.0")
        text = file.read_text("utf-8").replace("# Changelog\n", "# Our log\n\nWords by hand.\n", 1)
        text = text.replace("`Update`\n", "`Update`\n\n- **Mind** this  \n", 2)
        text = text.replace(", downgraded", ", sadly downgraded", 1)
        assert text.count("**Mind**") + text.count("sadly") == 3
        text += "\n\n[link]: https://example.org"
        text = text.replace("\n", line_break)
        file.write_bytes(b"\xef\xbb\xbf" + text.encode())
        update(story, file)
        after = file.read_bytes()
        first = text.index("<!-- snapdiff: ")
        new = after.removeprefix(b"\xef\xbb\xbf" + text[:first].encode())
        new = new.removesuffix(text[first:].encode())
        assert len(new) + len(text.encode()) + 3 == len(after)
        assert new.count(b"\n## ") == 5
        assert new.count(b"\n") == new.count(line_break.encode())
        update(story, file)
        assert file.read_bytes() == after

    def test_without_a_section_of_ours_takes_them_above_its_first(
        self, story: History, tmp_path: Path
    ) -> None:
        file = tmp_path / "CHANGELOG.md"
        file.write_text("# Log\n\nWords.\n\n## 0.1 - 2020-01-01\n\n- Began.\n")
        update(story, file, "HEAD~1..HEAD")
        text = file.read_text("utf-8")
        assert text.startswith("# Log\n\nWords.\n\n<!-- snapdiff: ")
        assert ": `zlib` `1.3` rebuilt (all but `root`)\n" in text
        assert text.endswith("`: `Update`\n\n## 0.1 - 2020-01-01\n\n- Began.\n")

    def test_without_any_section_takes_them_at_its_end(
        self, story: History, tmp_path: Path
    ) -> None:
        file = tmp_path / "CHANGELOG.md"
        file.write_text("# Log")
        update(story, file, "HEAD~1..HEAD")
        assert file.read_text("utf-8").startswith("# Log\n\n<!-- snapdiff: ")

    def test_that_is_empty_is_begun(self, story: History, tmp_path: Path) -> None:
        file = tmp_path / "CHANGELOG.md"
        file.touch()
        update(story, file)
        assert file.read_text("utf-8") == in_one_run(story, tmp_path)

    @pytest.mark.parametrize(
        "block",
        [
            "```\n## 1.0\n```\n",
            "```md\n## 1.0\n``\n~~~\n## 1.1\n`````  \n",
            "  ~~~~ ``` x\n## 1.0\n~~~\n## 1.1\n ~~~~~\n",
            "<!--\n## 1.0\n-->\n",
            "<!-- Begin every entry so:\n## 1.0\nlike this --> ## 1.1\n",
        ],
    )
    @pytest.mark.parametrize("line_break", ["\n", "\r\n"])
    def test_takes_nothing_for_a_section_that_is_none(
        self, line_break: str, block: str, story: History, tmp_path: Path
    ) -> None:
        above = f"# Log\n\n``` is no fence `\n<!-- done -->\n{block}\nWords.\n\n"
        below = "## 0.9\n\n- Began.\n"
        above, below = (it.replace("\n", line_break) for it in (above, below))
        file = tmp_path / "CHANGELOG.md"
        file.write_bytes(f"{above}{below}".encode())
        update(story, file, "HEAD~1..HEAD")
        text = file.read_bytes().decode()
        assert text.startswith(f"{above}<!-- snapdiff: ")
        assert text.endswith(f"{line_break}{below}")

    @pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
    def test_that_is_not_utf_8_is_refused(
        self, encoding: str, story: History, tmp_path: Path
    ) -> None:
        file = tmp_path / "CHANGELOG.md"
        file.write_bytes("# Änderungen\n".encode(encoding))
        said = refused(story, file, "start..HEAD")
        assert "CHANGELOG.md: is not UTF-8, as what is to be added is; " in said

    def test_is_continued_where_its_newest_section_ends(
        self, story: History, tmp_path: Path
    ) -> None:
        file = tmp_path / "CHANGELOG.md"
        update(story, file, "start..v1.0")
        update(story, file, "v2.0..HEAD")
        assert file.read_text("utf-8").count("\n## ") == 4  # what lies between was not asked for

    @pytest.mark.parametrize("suffix", ["md", "ndjson"])
    def test_of_a_range_that_begins_on_another_branch_goes_on(
        self, suffix: str, tmp_path: Path
    ) -> None:
        history = History(tmp_path / "repository")
        history.commit(pages_of([ZLIB]))
        history.git("checkout", "--quiet", "-b", "release")
        history.commit(pages_of([ZLIB, spec("b", package="mended")]))
        history.git("checkout", "--quiet", "main")
        history.commit(pages_of([spec("c", "1.4")]))
        file = tmp_path / f"CHANGELOG.{suffix}"
        update(history, file, "release..HEAD")
        before = file.read_bytes()
        update(history, file, "release..HEAD")
        assert file.read_bytes() == before
        history.commit(pages_of([spec("d", "1.5")]))
        update(history, file, "release..HEAD")
        name = "markdown" if suffix == "md" else "ndjson"
        whole = markdown("-C", history.folder, "release..HEAD", "-f", name)
        assert file.read_text("utf-8") == (without_net_changes(whole) if suffix == "md" else whole)

    @pytest.mark.parametrize("change", [("..", " to "), (" -->", ""), ("-->", "by=week->")])
    def test_in_which_a_marker_was_changed_is_refused(
        self, change: tuple[str, str], story: History, tmp_path: Path
    ) -> None:
        file = tmp_path / "CHANGELOG.md"
        update(story, file, "start..v1.0")
        file.write_text(file.read_text("utf-8").replace(*change, 1), "utf-8")
        error = refused(story, file, "start..HEAD")
        assert error.startswith(
            f"snapdiff: error: {file}: line 5: begins as the comment above a section, and was "
            "changed; write it as it was, or take that section and those above it out of the file"
        )

    def test_of_two_branches_goes_on_along_the_line_of_the_merge(self, tmp_path: Path) -> None:
        history = History(tmp_path / "repository")
        start = history.commit(pages_of([ZLIB]))
        lines = []
        for branch, item in (("topic", PETSC), ("main", CMAKE)):
            history.git("checkout", "--quiet", "-B", branch, start)
            history.commit(pages_of([ZLIB, item]))
            update(history, tmp_path / branch, f"{start}..HEAD", "-f", "markdown")
            lines.append((tmp_path / branch).read_text("utf-8"))
        history.merge("2025-07-12T04:00:00+00:00", "topic")
        file = tmp_path / "CHANGELOG.md"
        told, first = lines[1], lines[0].index("<!-- ")
        file.write_text(f"{told}\n{lines[0][first:]}", "utf-8")
        update(history, file, f"{start}..HEAD")
        text = file.read_text("utf-8")
        assert text.count("\n## ") == 3
        assert "gone" not in text

    def test_gets_no_section_for_what_no_tag_has(self, story: History, tmp_path: Path) -> None:
        file = tmp_path / "CHANGELOG.md"
        update(story, file, "start..HEAD", "--by", "tag")
        text = file.read_text("utf-8")
        assert "Unreleased" not in text
        assert text.count("\n## ") == 2

    def test_with_a_marker_whose_commit_is_gone_is_refused(self, tmp_path: Path) -> None:
        history = History(tmp_path / "repository")
        for number in range(4):
            item = spec("a", f"1.{number}") | {"hash": f"{number + 2}" * 32}
            history.commit(pages_of([item]))
        file = tmp_path / "CHANGELOG.md"
        update(history, file, "HEAD~3..HEAD")
        gone = history.git("rev-parse", "HEAD")
        history.git("reset", "--quiet", "--hard", "HEAD~1")
        history.commit(pages_of([ZLIB]))
        error = refused(history, file, "HEAD~3..HEAD")
        assert f"CHANGELOG.md: line 5: commit {gone} is not in the history of HEAD" in error
        assert "or take that section and those above it out of the file" in error
        # What the error says to do, works.
        lines = file.read_text("utf-8").split("<!-- ")
        file.write_text("<!-- ".join([lines[0], *lines[2:]]), "utf-8")
        update(history, file, "HEAD~3..HEAD")
        whole = markdown("-C", history.folder, "HEAD~3..HEAD")
        assert file.read_text("utf-8") == without_net_changes(whole)

    def test_with_any_marker_gone_is_refused(self, story: History, tmp_path: Path) -> None:
        file = tmp_path / "CHANGELOG.md"
        update(story, file)
        place = file.read_text("utf-8").rindex("<!-- snapdiff: ") + len("<!-- snapdiff: ")
        text = file.read_text("utf-8")
        file.write_text(f"{text[:place]}{'0' * 40}{text[place + 40 :]}", "utf-8")
        assert f"commit {'0' * 40} is not in the history" in refused(story, file, "start..HEAD")

    def test_of_a_newer_revision_is_refused(self, story: History, tmp_path: Path) -> None:
        file = tmp_path / "CHANGELOG.md"
        update(story, file)
        assert "is not in the history of v1.0" in refused(story, file, "start..v1.0")

    def test_in_a_shallow_clone_needs_its_newest_commit(
        self, story: History, tmp_path: Path
    ) -> None:
        file = tmp_path / "CHANGELOG.md"
        update(story, file, "start..HEAD~1")
        url = story.folder.as_uri()
        for depth, folder in (("4", "deep"), ("2", "flat")):
            story.git("clone", "--quiet", f"--depth={depth}", url, str(tmp_path / folder))
        error = refused(History(tmp_path / "flat"), file, "HEAD~1..HEAD")
        assert "git fetch --unshallow" in error
        update(History(tmp_path / "deep"), file, "HEAD~1..HEAD")
        assert file.read_text("utf-8") == in_one_run(story, tmp_path)

    def test_of_a_folder_goes_on_with_its_newest_snapshot(self, tmp_path: Path) -> None:
        folder, file = tmp_path / "snapshots", tmp_path / "CHANGELOG.md"
        items = [spec("a", f"1.{number}") | {"hash": f"{number + 2}" * 32} for number in range(4)]
        names = ["1 - first", "2..second", "3->third.", "4"]
        for name, item in zip(names[:3], items, strict=False):
            write_files(folder / name, pages_of([item]))
        assert run_changelog(folder, "-o", file).status == 0
        write_files(folder / names[3], pages_of([items[3]]))
        assert run_changelog(folder, "-o", file).status == 0
        assert file.read_text("utf-8") == without_net_changes(markdown(folder))
        shutil.rmtree(folder / names[0])  # old snapshots may go
        assert run_changelog(folder, "-o", file).status == 0
        shutil.rmtree(folder / names[3])
        result = run_changelog(folder, "-o", file)
        assert result.status == 2
        assert "there is no snapshot 4 any more" in result.err


class TestOptions:
    """The options that decide what is in a section, as its marker has them."""

    @pytest.mark.parametrize(
        ("options", "named"),
        [
            (["--by", "week"], "with by=week"),
            (["-s", "e4s,hep"], "with stack=e4s,hep"),
            (["-p", "!py-*", "-t", "dev*"], "with package=%21py-%2A tag=dev%2A"),
            (["-k", "added"], "with kind=added"),
            (["--detail"], "with detail=yes"),
            (["--group-by", "stack"], "with group-by=stack"),
            (
                ["--package-url", "https://x/{package}"],
                "with package-url=https%3A%2F%2Fx%2F%7Bpackage%7D",
            ),
            (["--skip-bad-pages"], "with skip-bad-pages=yes"),
        ],
        ids=words,
    )
    def test_are_named_where_others_are_given(
        self, options: list[str], named: str, story: History, tmp_path: Path
    ) -> None:
        file = tmp_path / "CHANGELOG.md"
        update(story, file, "start..HEAD~5", *options)
        update(story, file, "start..HEAD", *options)
        assert len(file.read_text("utf-8").split("<!-- ")) > 1
        error = refused(story, file, "start..HEAD")
        assert (
            f"CHANGELOG.md: line 5: was written {named}, and this run is without options; run with "
            in error
        )
        plain = tmp_path / "PLAIN.md"
        update(story, plain, "v1.0~1..v1.0")
        assert f"was written without options, and this run is {named}; " in refused(
            story, plain, "v1.0~1..v1.0", *options
        )

    def test_are_the_same_in_another_order_and_where_the_default_is_spelled_out(
        self, story: History, tmp_path: Path
    ) -> None:
        file = tmp_path / "CHANGELOG.md"
        update(story, file, "start..v1.0", "-s", "e4s", "-s", "hep", "--by", "commit")
        update(story, file, "start..HEAD", "-s", "hep,e4s")

    def test_do_not_keep_other_formats_from_a_changelog(
        self, story: History, tmp_path: Path
    ) -> None:
        file = tmp_path / "CHANGELOG.md"
        update(story, file)
        for name in ("text", "html", "json"):
            message = refused(story, file, "start..HEAD", "-f", name)
            assert "holds a changelog, and would lose it" in message


_NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1)


@given(
    ends=st.tuples(_NAMES, _NAMES),
    options=st.dictionaries(
        st.sampled_from(["by", "stack", "package-url"]), st.lists(_NAMES, min_size=1, unique=True)
    ),
)
def test_a_marker_is_read_as_it_was_written(
    ends: tuple[str, str], options: dict[str, list[str]]
) -> None:
    given_options = {name: tuple(values) for name, values in options.items()}
    old, new = (Revision(source=name, commit=None, date=None) for name in ends)
    text = options_text(given_options)
    line = section_marker(old, new, text)
    assert line.isprintable()
    with NamedTemporaryFile() as file:
        Path(file.name).write_text(f"# Log\n\n{line}\n## 1\n", "utf-8")
        [found] = find_markers(Path(file.name))
    assert found == (f"{file.name}: line 3", *ends, text)


def test_a_file_with_eight_times_the_sections_is_read_in_about_eight_times_as_long(
    tmp_path: Path,
) -> None:
    section = "<!-- snapdiff: a..b -->\n## b\n\n" + "- `zlib` `1.3` → `1.4`\n" * 100
    needed = []
    for number in (200, 1600):
        file = tmp_path / f"{number}.md"
        file.write_text(section * number, "utf-8")

        def read(file: Path = file, number: int = number) -> None:
            assert len(list(find_markers(file))) == number

        needed.append(min(seconds(read) for _ in range(3)))
    assert needed[1] < 24 * needed[0]


class TestLines:
    """An existing file of lines (NDJSON)."""

    def test_goes_on_after_its_last_complete_line(self, story: History, tmp_path: Path) -> None:
        file = tmp_path / "log.ndjson"
        whole = markdown("-C", story.folder, "start..HEAD", "-f", "ndjson")
        for length in (0, 1, 17, 1000, len(whole) // 2, len(whole) - 1, len(whole)):
            file.write_text(whole[:length], "utf-8")
            update(story, file)
            assert file.read_text("utf-8") == whole

    def test_is_made_where_a_link_leads(self, story: History, tmp_path: Path) -> None:
        link, file = tmp_path / "log.ndjson", tmp_path / "later.ndjson"
        link.symlink_to(file)
        update(story, link)
        assert link.is_symlink()
        assert file.read_text("utf-8") == markdown(
            "-C", story.folder, "start..HEAD", "-f", "ndjson"
        )

    def test_of_tags_goes_on_in_the_same_words(self, story: History, tmp_path: Path) -> None:
        file = tmp_path / "log.jsonl"
        update(story, file, "start..v1.0", "--by", "tag")
        update(story, file, "start..HEAD", "--by", "tag")
        sources = [json.loads(line)["old"]["source"] for line in file.read_text().splitlines()]
        assert sources == ["start", "v1.0"]

    def test_is_left_alone_where_nothing_is_new(self, story: History, tmp_path: Path) -> None:
        file = tmp_path / "log.ndjson"
        update(story, file)
        os.utime(file, ns=(1, 1))
        update(story, file)
        assert file.stat().st_mtime_ns == 1

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("words\n", "is no report with schema_version 3"),
            ("words", "is no report of snapdiff"),
            ('{"a": 1}\n', "is no report with schema_version 3"),
        ],
    )
    def test_of_something_else_is_refused(
        self, content: str, message: str, story: History, tmp_path: Path
    ) -> None:
        file = tmp_path / "log.ndjson"
        file.write_text(content)
        assert message in refused(story, file, "start..HEAD")

    @pytest.mark.parametrize("version", [2, 4])
    def test_of_another_version_is_refused_as_such(
        self, version: int, story: History, tmp_path: Path
    ) -> None:
        file = tmp_path / "log.ndjson"
        update(story, file, "start..v1.0")
        text = file.read_text("utf-8")
        file.write_text(text.replace('{"schema_version":3', f'{{"schema_version":{version}'))
        assert refused(story, file, "start..HEAD") == (
            f"snapdiff: error: {file}, last line: is no report with schema_version 3 (Invalid enum "
            f"value {version} - at `$.schema_version`); write all of it into another file\n"
        )

    def test_of_which_the_last_line_is_damaged_is_refused(
        self, story: History, tmp_path: Path
    ) -> None:
        file = tmp_path / "log.ndjson"
        update(story, file, "start..v1.0")
        file.write_text(file.read_text("utf-8").replace('"tags":[', '"tags":1,"x":['))
        assert "last line: is no report with schema_version 3 (Expected `array`" in refused(
            story, file, "start..HEAD"
        )

    def test_with_other_filters_is_refused(self, story: History, tmp_path: Path) -> None:
        file = tmp_path / "log.ndjson"
        update(story, file, "start..v1.0")
        error = refused(story, file, "start..HEAD", "-p", "zlib")
        words = "was written without options, and this run is with package=zlib; "
        assert f"log.ndjson, last line: {words}" in error

    def test_of_rewritten_history_is_refused(self, story: History, tmp_path: Path) -> None:
        file = tmp_path / "log.ndjson"
        update(story, file)
        assert "is not in the history" in refused(story, file, "start..v1.0")


def test_first_seen_does_not_take_the_place_of_a_changelog(story: History, tmp_path: Path) -> None:
    file = tmp_path / "CHANGELOG.md"
    update(story, file)
    before = file.read_bytes()
    message = refused(story, file, "start..HEAD", "--first-seen")
    assert "holds a changelog, and would lose it; name another file" in message
    assert file.read_bytes() == before


def test_a_large_report_that_is_written_anew_is_not_held_in_memory(tmp_path: Path) -> None:
    file = tmp_path / "log.json"
    with file.open("wb") as lines:
        for _ in range(64):
            lines.write(b"x" * 100_000 + b"\n")
    tracemalloc.start()
    require_no_changelog(file)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1_000_000
    with file.open("ab") as lines:
        lines.write(b"<!-- snapdiff: a..b -->\n")
    with pytest.raises(ReportError, match="holds a changelog"):
        require_no_changelog(file)


def test_json_is_written_anew(story: History, tmp_path: Path) -> None:
    file = tmp_path / "log.json"
    for _ in range(2):
        update(story, file)
        assert len(json.loads(file.read_text("utf-8"))) == 8
