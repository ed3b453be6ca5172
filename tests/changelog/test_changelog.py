"""The changelog of a repository made for the purpose: whole outputs, ranges, periods, folders."""

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.golden import CHANGELOGS, ROOT, golden_text
from tests.support.documents import Item, lock, to_bytes
from tests.support.helpers import pages_of, spec, words, write_files
from tests.support.story import MPI4PY, NEW_MPI, OLD_MPI, ZLIB, History, markdown, run_changelog
from tests.support.story import write_story as write_story


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> History:
    return write_story(tmp_path_factory.mktemp("story"))


def names(text: str) -> list[str]:
    """The headings of a changelog without what happened, newest first."""
    return [line[3:].split(": ")[0] for line in text.splitlines() if line.startswith("## ")]


@pytest.mark.slow
@pytest.mark.parametrize("name", CHANGELOGS)
def test_the_output_is_the_same_to_the_letter(name: str, story: History) -> None:
    text = markdown("-C", story.folder, "start..HEAD", *CHANGELOGS[name])
    assert text == golden_text(name)


def test_one_revision_stands_for_all_since_then(story: History) -> None:
    assert markdown("-C", story.folder, "v1.0") == markdown("-C", story.folder, "v1.0..HEAD")
    assert markdown("-C", story.folder, "v1.0..") == markdown("-C", story.folder, "v1.0..HEAD")


def test_one_folder_of_a_revision_stands_for_all_of_it_since_then(tmp_path: Path) -> None:
    history = History(tmp_path)
    for number in range(2):
        pages = pages_of([spec("bc"[number], f"1.{number}")])
        history.commit({f"in/one/{path}": page for path, page in pages.items()} | pages_of([ZLIB]))
    text = markdown("-C", tmp_path, "HEAD~1:in/one")
    assert text == markdown("-C", tmp_path, "HEAD~1:in/one..HEAD:in/one")
    assert ": `zlib` `1.0` → `1.1`\n" in text
    assert markdown("-C", tmp_path / "in", "HEAD~1:./one") == text


def test_a_commit_that_touches_no_page_or_only_their_order_is_no_section(story: History) -> None:
    called = names(markdown("-C", story.folder, "start..HEAD"))
    dates = [name.rstrip(")")[-2:] for name in called]
    assert dates == ["15", "12", "08", "07", "06", "05", "04", "02"]
    assert "`v2.0` (2025-07-12)" in called, "by its tag people know a commit"


def test_a_merge_is_one_section_and_its_branch_none(story: History) -> None:
    [name] = names(markdown("-C", story.folder, "v2.0~1..v2.0"))
    assert name == "`v2.0` (2025-07-12)"


def test_a_range_may_begin_beside_the_first_parent_line(story: History) -> None:
    text = markdown("-C", story.folder, "topic~1..HEAD", "-f", "json")
    reports = json.loads(text)
    assert reports[0]["old"]["source"] == "topic~1"
    assert [tag["new"] for tag in reports[0]["tags"]] == ["v1.0"]


def test_a_folder_that_was_renamed_is_one_catalog(story: History) -> None:
    text = markdown("-C", story.folder, "start:_cache..HEAD:catalog/_cache")
    ends = "from `start:_cache` to `HEAD:catalog/_cache`"
    assert text.replace(ends, "from `start` to `HEAD`") == markdown(
        "-C", story.folder, "start..HEAD"
    )


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("day", ["2025-07-15", "2025-07-12", "2025-07-08", "2025-07-07"]),
        ("week", ["2025-W29 - 2025-07-15", "2025-W28 - 2025-07-13"]),
        ("month", ["2025-07 - 2025-07-15"]),
        ("tag", ["Unreleased - 2025-07-15", "`v2.0` - 2025-07-12"]),
    ],
)
def test_a_period_is_the_diff_of_its_ends(by: str, expected: list[str], story: History) -> None:
    assert (
        names(markdown("-C", story.folder, "v1.0~..HEAD", "--by", by))[: len(expected)] == expected
    )


def test_what_came_and_went_within_a_period_is_not_told(story: History) -> None:
    by_month = json.loads(
        markdown("-C", story.folder, "start..HEAD", "--by", "month", "-f", "json")
    )
    assert len(by_month) == 1
    packages = {
        change["package"]
        for tag in by_month[0]["tags"]
        for stack in tag["stacks"]
        for change in stack["changes"]
    }
    assert MPI4PY["package"] not in packages


def test_a_clock_that_goes_back_begins_no_period_again(tmp_path: Path) -> None:
    history = History(tmp_path)
    for number, when in enumerate(["07-01", "07-03", "07-02", "07-04"]):
        item = spec("a", f"1.{number}")
        history.at(f"2025-{when}T04:00:00+00:00", pages_of([item | {"hash": f"{number + 2}" * 32}]))
    assert [
        name[:10] for name in names(markdown("-C", tmp_path, "HEAD~3..HEAD", "--by", "day"))
    ] == [
        "2025-07-04",
        "2025-07-03",
    ]


def test_a_kept_changelog_begins_no_week_again_either(tmp_path: Path) -> None:
    history = History(tmp_path / "repository")

    def weeks(*days: str) -> list[str]:
        for day in days:
            page = pages_of([spec(day.translate(str.maketrans("01-", "abc")), f"1.{day}")])
            history.at(f"2025-{day}T04:00:00+00:00", page)
        arguments = ("--by", "week", "-o", tmp_path / "kept.md", "start..HEAD")
        assert run_changelog("-C", history.folder, *arguments).status == 0
        text = (tmp_path / "kept.md").read_text(encoding="utf-8")
        return [name.partition(" ")[0] for name in names(text)]

    history.at("2025-06-01T04:00:00+00:00", pages_of([ZLIB]))
    history.git("tag", "start")
    assert weeks("07-02", "07-14", "07-03") == ["2025-W29", "2025-W27"]
    assert weeks("07-04", "07-22") == ["2025-W30", "2025-W29", "2025-W29", "2025-W27"]


def test_filters_narrow_every_section(story: History) -> None:
    text = markdown("-C", story.folder, "-p", "py-*", "-s", "e4s", "start..HEAD")
    assert [name[-2:] for name in names(text)] == ["07", "06"]
    assert "only stack `e4s` and package `py-*`" in text


@pytest.mark.parametrize("extra", [[], ["--first-seen"]])
def test_a_filter_that_matches_nothing_is_refused(extra: list[str], story: History) -> None:
    result = run_changelog("-C", story.folder, "start..HEAD", "-p", "openmpx", *extra)
    assert (result.status, result.out) == (2, "")
    assert result.err == "snapdiff: error: openmpx: matches no package; the nearest: openmpi\n"


def test_a_filter_may_match_what_was_there_in_between_alone(tmp_path: Path) -> None:
    history = History(tmp_path)
    for records in ([ZLIB], [ZLIB, MPI4PY], [ZLIB]):
        history.commit(pages_of(records))
    assert len(names(markdown("-C", tmp_path, "HEAD~2..HEAD", "-p", "py-mpi4py"))) == 2
    for number, records in enumerate(([ZLIB], [ZLIB, MPI4PY], [ZLIB])):
        write_files(tmp_path / "snapshots" / f"{number}", pages_of(records))
    assert len(names(markdown(tmp_path / "snapshots", "-p", "py-mpi4py"))) == 2


@pytest.mark.parametrize("extra", [[], ["--first-seen"], ["--by", "month"]])
def test_a_filter_may_match_what_documents_said_in_between_alone(
    extra: list[str], tmp_path: Path
) -> None:
    history = History(tmp_path)
    mpich = Item("mpich")
    for month, items, stacks in ((6, [], []), (7, [mpich], ["gpu"]), (8, [], [])):
        files = {"env/spack.lock": to_bytes(lock([Item("zlib"), *items]))}
        pages = pages_of([ZLIB | {"stacks": ["e4s", *stacks]}])
        history.at(f"2025-0{month}-01T12:00:00Z", {**files, **pages})
    whole: tuple[str | Path, ...] = ("-C", tmp_path, "HEAD~2..HEAD", *extra)
    for glob in (("-p", "mpich"), ("-s", "gpu")):
        text = markdown(*whole, *glob)
        assert text.count(f"`{glob[1]}`") > 1, text
    slip = run_changelog(*whole, "-p", "mpixh")
    assert slip.err == "snapdiff: error: mpixh: matches no package; the nearest: mpich\n"


def test_a_tag_that_the_name_of_the_folder_gives_is_known_in_between_too(tmp_path: Path) -> None:
    history = History(tmp_path)
    environment = {"_cache/develop/e4s/spack.lock": to_bytes(lock([Item("zlib", "1.3")]))}
    for pages in ({}, pages_of([ZLIB]), {}):
        history.commit({**environment, **pages})
    folder = ("HEAD~2:_cache/develop..HEAD:_cache/develop", "-t", "develop")
    assert len(names(markdown("-C", tmp_path, *folder))) == 2


def test_where_nothing_changed_that_is_said(story: History) -> None:
    text = markdown("-C", story.folder, "HEAD..HEAD")
    assert text.endswith("\n\nNo changes from `HEAD` to `HEAD`.\n")
    assert names(text) == []
    for options, said in {("--detail",): "Nothing changed.", ("-s", "e4s"): " asked for."}.items():
        page = markdown("-C", story.folder, "HEAD..HEAD", "-f", "html", *options)
        assert f"{said}</p>" in page


def test_json_is_a_list_and_ndjson_its_lines(story: History) -> None:
    both = [markdown("-C", story.folder, "start..HEAD", "-f", name) for name in ("json", "ndjson")]
    assert json.loads(both[0]) == [json.loads(line) for line in both[1].splitlines()]
    assert json.loads(markdown("-C", story.folder, "HEAD..HEAD", "-f", "json")) == []


class TestFolders:
    """A folder of snapshots."""

    def test_goes_by_the_natural_order_of_names(self, tmp_path: Path) -> None:
        for number in (1, 2, 10):
            item = spec("a", f"{number}") | {"hash": "abc"[number % 3] * 32}
            write_files(tmp_path / f"week-{number}", pages_of([item]))
        (tmp_path / "notes").mkdir()
        (tmp_path / ".hidden").mkdir()
        text = markdown(tmp_path)
        assert names(text) == ["`week-10`", "`week-2`"]
        assert "`1` → `2`" in text
        assert "<!-- snapdiff: week-2..week-10 -->" in text

    def test_is_told_of_the_example(self) -> None:
        assert names(markdown("-C", ROOT, "snapshots/")) == ["2025-07-06"]

    @pytest.mark.parametrize("folder", ["empty", "one"])
    def test_needs_two_snapshots(self, folder: str, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        write_files(tmp_path / "one" / "2025-07-06", pages_of([ZLIB]))
        result = run_changelog("-C", tmp_path, f"./{folder}")
        assert (result.status, result.out) == (2, "")
        assert "a folder for each snapshot" in result.err

    def test_has_no_periods(self) -> None:
        result = run_changelog("-C", ROOT, "snapshots/", "--by", "week")
        assert result.status == 2
        assert "--by" in result.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no-such..HEAD"], "no-such: no such directory, file or git revision"),
        (["start....HEAD"], "is no range"),
        (["HEAD..start"], "a changelog goes forward"),
        (["start..HEAD", "-f", "comment"], "comment: no such format here"),
        (["start..HEAD", "-f", "csv"], "csv: no such format here"),
        (["start..HEAD", "--first-seen", "-f", "ndjson"], "ndjson: no such format here"),
        (["start..HEAD", "--first-seen", "-k", "added"], "leave -k out"),
        (["start^{tree}..HEAD"], "is no commit"),
        (["start..HEAD", "-o", "no/such/folder.md"], "there is no folder no/such"),
        (["start..HEAD", "-o", "story.pdf"], "no format here has the suffix .pdf; known are .md,"),
        (["start..HEAD", "-o", "story.csv"], "no format here has the suffix .csv"),
        (["start..HEAD", "--first-seen", "-o", "x.html"], "no format here has the suffix .html"),
        (["start..HEAD", "--package-url", "https://x/"], "has no {package} in it"),
        (
            ["start..HEAD", "--template", "x", "-f", "json"],
            "replaces the format; leave -f json out",
        ),
        (["start..HEAD", "--template", "no.j2"], "no.j2: no such template file"),
        ([], "is missing; write snapdiff changelog [OPTIONS] RANGE [-- PATH...]"),
        (["start", "HEAD"], "extra argument (HEAD); write snapdiff changelog [OPTIONS] RANGE"),
    ],
)
def test_an_error_is_one_line(arguments: list[str], message: str, story: History) -> None:
    result = run_changelog("-C", story.folder, *arguments)
    assert (result.status, result.out) == (2, "")
    assert message in result.err
    assert result.err.startswith("snapdiff: error: ")
    assert result.err.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-f", "json", "--detail"], "--detail has no effect in json; it goes with markdown, "),
        (["-f", "ndjson", "--group-by", "stack"], "--group-by has no effect in ndjson; it goes "),
        (["--color", "always"], "--color has no effect in markdown; it goes with text"),
        (
            ["-f", "text", "--package-url", "https://x/{package}"],
            "--package-url has no effect in text; it goes with markdown, html",
        ),
        (["--first-seen", "--jobs", "2"], "--jobs has no effect with --first-seen; leave it out"),
        (["--first-seen", "-f", "csv", "--detail"], "--detail has no effect in csv; it goes with "),
        (["--first-seen", "--template", "x"], "--template has no effect in markdown; leave it "),
    ],
)
def test_an_option_without_effect_is_a_warning(
    options: list[str], message: str, story: History
) -> None:
    result = run_changelog("-C", story.folder, "v2.0..HEAD", *options)
    assert result.status == 0
    assert result.out
    assert result.err.startswith(f"snapdiff: warning: {message}")
    assert result.err.count("\n") == 1
    assert run_changelog("-C", story.folder, "v2.0..HEAD", *options, "-q").err == ""


def test_to_ask_for_no_colour_where_there_is_none_is_no_warning(story: History) -> None:
    assert run_changelog("-C", story.folder, "v2.0..HEAD", "--color", "never").err == ""


def test_a_bad_page_is_named_with_its_commit(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.commit(pages_of([ZLIB]))
    bad = history.commit(pages_of([ZLIB]) | {"_cache/develop/bad/specs.md": "---\ntitle: x\n---\n"})
    history.commit(pages_of([ZLIB, OLD_MPI]))
    result = run_changelog("-C", tmp_path, "HEAD~2..HEAD")
    assert (result.status, result.out) == (2, "")
    assert f"_cache/develop/bad/specs.md in {bad[:10]}: " in result.err
    skipped = run_changelog("-C", tmp_path, "HEAD~2..HEAD", "--skip-bad-pages")
    assert skipped.status == 0
    assert "Pages left out" in skipped.out


@pytest.mark.slow
def test_a_page_that_is_too_large_is_a_bad_page(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.commit(pages_of([OLD_MPI]))
    history.commit(pages_of([NEW_MPI, ZLIB]))
    for options in ([], ["--jobs", "2"], ["--first-seen"]):
        result = run_changelog("-C", tmp_path, "HEAD~1", "--max-size", "300", *options)
        assert (result.status, result.out) == (2, "")
        assert "--max-size raises it" in result.err
    assert markdown("-C", tmp_path, "HEAD~1", "--max-size", "4K")
    assert "is no size" in run_changelog("-C", tmp_path, "HEAD~1", "--max-size", "x").err


def test_an_end_without_a_page_is_an_error_unless_allowed(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.commit({"README": "nothing yet"})
    history.commit(pages_of([ZLIB]))
    result = run_changelog("-C", tmp_path, "HEAD~1..HEAD")
    assert result.status == 2
    assert "holds nothing to compare" in result.err
    assert "**Tag `develop` added**: 1 package in 2 stacks" in markdown(
        "-C", tmp_path, "HEAD~1..HEAD", "--allow-empty"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments", [[], ["-f", "json"], ["-f", "ndjson"], ["--first-seen", "-f", "json"]], ids=words
)
def test_names_that_are_not_utf_8_are_shown_byte_by_byte(
    arguments: list[str], tmp_path: Path
) -> None:
    history = History(tmp_path)
    first, second = os.fsdecode(b"caf\xe9"), os.fsdecode(b"th\xe9")
    for tag, item in ((first, OLD_MPI), (second, NEW_MPI)):
        history.commit(pages_of([item]))
        history.git("tag", tag)
    text = markdown("-C", tmp_path, f"{first}..{second}", "--by", "tag", *arguments)
    assert r"th\xe9" in text.replace("\\\\", "\\")


def test_a_document_is_warned_of_once(tmp_path: Path) -> None:
    history = History(tmp_path)
    newer = lock([Item("zlib")])
    newer["_meta"]["lockfile-version"] = 99
    for version in ("1", "2", "3"):
        other = lock([Item("m4", version)])
        history.commit({"v1/a/spack.lock": to_bytes(newer), "v1/b/spack.lock": to_bytes(other)})
    result = run_changelog("-C", tmp_path, "HEAD~2..HEAD")
    assert result.status == 0
    assert result.err.count("warning: ") == 1


@pytest.mark.slow
def test_the_repository_is_left_as_it_was(tmp_path: Path) -> None:
    story = write_story(tmp_path / "story")
    before = story.everything()
    markdown("-C", story.folder, "start..HEAD")
    markdown("-C", story.folder, "start..HEAD", "--first-seen")
    assert story.everything() == before


def test_a_bare_repository_has_a_story_too(story: History, tmp_path: Path) -> None:
    story.git("clone", "--quiet", "--bare", str(story.folder), str(tmp_path / "bare"))
    assert names(markdown("-C", tmp_path / "bare", "start..HEAD")) == names(
        markdown("-C", story.folder, "start..HEAD")
    )
    shutil.rmtree(tmp_path / "bare")
