"""The configuration file in real catalogs: where it is found, what counts, what is said of it."""

import itertools
import json
import os
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict, fields

from snapdiff.cli.diff_command import diff
from snapdiff.cli.given_options import GivenOptions, with_settings
from snapdiff.errors import FilterError
from snapdiff.reports import ReportOptions
from snapdiff.settings import CatalogSettings
from snapdiff.sources.source import SETTINGS_FILE
from tests.support.documents import lock, to_bytes
from tests.support.example import NEW, OLD
from tests.support.helpers import Result, pages_of, refused, run_cli, spec, write_files
from tests.support.processes import is_one_line_error
from tests.support.repositories import GitRepository

GATE = '[gate]\nfail-on = ["downgraded"]\n'
STACKS = '[diff]\nstacks = ["e4s"]\n'


def catalog(records: Any, settings: str | bytes | None = None, folder: str = "") -> dict[str, Any]:
    """The files of a catalog, with a configuration file in a folder."""
    files: dict[str, Any] = dict(pages_of(records))
    return files if settings is None else files | {f"{folder}{SETTINGS_FILE}": settings}


def repository_of(folder: Path, old: str | None, new: str | None = None) -> GitRepository:
    """A repository with two commits, each with a configuration file or none."""
    repository = GitRepository(folder)
    repository.commit(catalog(OLD, old))
    repository.commit(catalog(NEW, new))
    return repository


def report(*arguments: str | Path) -> dict[str, Any]:
    """The JSON report of a run, whatever its status."""
    found: dict[str, Any] = json.loads(run_cli(*arguments, "-f", "json").out)
    return found


def stacks_of(found: dict[str, Any]) -> set[str]:
    """The stacks of a report."""
    return {stack["stack"] for tag in found["tags"] for stack in tag["stacks"]}


class TestPlaces:
    """Where the file is read from."""

    def test_the_old_side_decides_so_that_a_gate_cannot_be_weakened(self, tmp_path: Path) -> None:
        folder = repository_of(tmp_path, GATE, "[gate]\nfail-on = []\n").folder
        for revisions in (["HEAD~1", "HEAD"], ["HEAD~1"], ["HEAD~1..HEAD"]):
            result = run_cli("-C", folder, *revisions)
            assert result.status == 1
            assert "downgraded: mpich 3.0 → 2.9 in develop, hep" in result.err
            assert ".snapdiff.toml does not count: settings are taken from the old" in result.err
        assert run_cli("-C", folder, "HEAD", "HEAD~1").status == 0

    def test_a_file_that_is_gone_from_the_new_side_counts(self, tmp_path: Path) -> None:
        folder = repository_of(tmp_path, GATE, None).folder
        result = run_cli("-C", folder, "HEAD~1", "HEAD")
        assert result.status == 1
        assert "downgraded: mpich 3.0 → 2.9 in develop, hep" in result.err

    def test_a_file_of_the_new_side_alone_does_not_count(self, tmp_path: Path) -> None:
        folder = repository_of(tmp_path, None, GATE).folder
        result = run_cli("-C", folder, "HEAD~1", "HEAD")
        note = "HEAD:.snapdiff.toml does not count: settings are taken from the old side"
        assert (result.status, result.err) == (0, f"snapdiff: note: {note}\n")
        assert run_cli("-C", folder, "-q", "HEAD~1", "HEAD").err == ""

    def test_a_new_file_that_could_not_be_read_does_not_count_either(self, tmp_path: Path) -> None:
        folder = repository_of(tmp_path, STACKS, "[diff]\nstack = []\n").folder
        result = run_cli("-C", folder, "HEAD~1", "HEAD")
        note = "HEAD:.snapdiff.toml does not count: settings are taken from the old side"
        assert (result.status, result.err) == (0, f"snapdiff: note: {note}\n")

    def test_one_file_on_both_sides_is_no_news(self, tmp_path: Path) -> None:
        folder = repository_of(tmp_path, STACKS, STACKS).folder
        assert run_cli("-C", folder, "HEAD~1", "HEAD").err == ""

    def test_without_arguments_head_decides_and_not_the_working_tree(self, tmp_path: Path) -> None:
        repository = repository_of(tmp_path, None, STACKS)
        write_files(repository.folder, catalog(OLD, "[diff]\nstacks = ['hep']\n"))
        for arguments in ([], ["HEAD"]):
            result = run_cli("-C", repository.folder, *arguments, "-f", "json")
            assert stacks_of(json.loads(result.out)) == {"e4s"}
            assert result.err == (
                "snapdiff: note: working tree/.snapdiff.toml does not count: settings are taken "
                "from the old side\n"
            )

    @pytest.mark.parametrize(
        ("old", "place"),
        [
            ("HEAD:a/b", "HEAD:a/b/.snapdiff.toml"),
            ("HEAD:a/b/", "HEAD:a/b/.snapdiff.toml"),
            ("HEAD:a/c", "HEAD:a/.snapdiff.toml"),
            ("HEAD:d", "HEAD:.snapdiff.toml"),
            ("HEAD", "HEAD:.snapdiff.toml"),
            ("HEAD^{tree}", "HEAD^{tree}:.snapdiff.toml"),
        ],
    )
    def test_the_nearest_file_of_a_revision_counts(
        self, old: str, place: str, tmp_path: Path
    ) -> None:
        repository = GitRepository(tmp_path)
        files: dict[str, Any] = {SETTINGS_FILE: STACKS, f"a/{SETTINGS_FILE}": STACKS}
        files[f"a/b/{SETTINGS_FILE}"] = STACKS
        for folder in ("a/b/", "a/c/", "d/"):
            files |= {f"{folder}{path}": text for path, text in pages_of(OLD).items()}
        repository.commit(files)
        assert report("-C", tmp_path, old, old)["configuration"] == place
        assert "./" not in report("-C", tmp_path / "a", "HEAD:./c", "HEAD:./b")["configuration"]

    def test_a_file_in_a_revision_has_the_settings_of_its_folder(self, tmp_path: Path) -> None:
        repository = GitRepository(tmp_path)
        text = to_bytes(lock([]))
        repository.commit({"a/spack.lock": text, f"a/{SETTINGS_FILE}": GATE})
        found = report("-C", tmp_path, "HEAD:a/spack.lock", "HEAD:a/spack.lock", "--allow-empty")
        assert found["configuration"] == "HEAD:a/.snapdiff.toml"
        # A file on disk has none: its folder may be one that anybody writes to.
        found = report("-C", tmp_path, "a/spack.lock", "a/spack.lock", "--allow-empty")
        assert "configuration" not in found

    def test_a_bare_repository_has_it_too(self, tmp_path: Path) -> None:
        repository = repository_of(tmp_path / "full", GATE)
        repository.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare"))
        assert run_cli("-C", tmp_path / "bare", "HEAD~1", "HEAD").status == 1

    def test_a_directory_has_its_own_and_no_other(self, tmp_path: Path) -> None:
        write_files(tmp_path, {SETTINGS_FILE: "x = 1"})
        write_files(tmp_path / "old", catalog(OLD, STACKS))
        write_files(tmp_path / "new", catalog(NEW))
        found = report("-C", tmp_path, "old", "new")
        assert (found["configuration"], stacks_of(found)) == ("old/.snapdiff.toml", {"e4s"})
        assert "configuration" not in report("-C", tmp_path, "new", "old")

    def test_it_is_no_document(self, tmp_path: Path) -> None:
        write_files(tmp_path / "old", {SETTINGS_FILE: STACKS})
        result = run_cli("-C", tmp_path, "old", "old")
        assert result.status == 2
        assert "old: holds nothing to compare: no specs.md" in result.err

    def test_a_link_is_not_followed(self, tmp_path: Path) -> None:
        repository = GitRepository(tmp_path / "catalog")
        write_files(tmp_path, {"outside.toml": STACKS})
        write_files(repository.folder, catalog(OLD))
        os.symlink("../outside.toml", repository.folder / SETTINGS_FILE)
        repository.git("add", "--all")
        repository.git("commit", "--quiet", "--message=Link")
        for old in ("HEAD", "./"):
            said = refused("-C", repository.folder, old, "HEAD")
            assert f"{SETTINGS_FILE}: is a symbolic link, and links are not followed" in said

    def test_one_that_a_partial_clone_has_not_got_is_an_error(self, tmp_path: Path) -> None:
        repository = repository_of(tmp_path / "full", GATE)
        blob = repository.git("rev-parse", f"HEAD~1:{SETTINGS_FILE}")
        (repository.folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
        said = refused("-C", repository.folder, "HEAD~1", "HEAD")
        assert f"HEAD~1:.snapdiff.toml: object {blob} is missing or damaged" in said

    def test_a_large_one_is_refused_without_being_read(self, tmp_path: Path) -> None:
        folder = repository_of(tmp_path, "#" * 10_000_000).folder
        for old in ("HEAD~1", "./"):
            write_files(folder, {SETTINGS_FILE: "#" * 10_000_000})
            said = refused("-C", folder, old, "HEAD")
            assert "has more than 65,536 bytes, and that is the limit" in said


class TestConfig:
    """`--config` and `--no-config`."""

    def test_another_file_counts_in_its_place(self, tmp_path: Path) -> None:
        repository = repository_of(tmp_path / "catalog", GATE, STACKS)
        file = write_files(tmp_path, {"strict.toml": STACKS}) / "strict.toml"
        for name in ("HEAD:.snapdiff.toml", str(file)):
            result = run_cli("-C", repository.folder, "HEAD~1", "HEAD", "--config", name, "-fjson")
            found = json.loads(result.out)
            assert (found["configuration"], stacks_of(found)) == (name, {"e4s"})
            assert (result.status, result.err) == (0, "")
        result = run_cli("-C", repository.folder, "HEAD~1", "HEAD", "--no-config")
        assert (result.status, result.err) == (0, "")
        result = run_cli("-C", repository.folder, "HEAD~1", "HEAD", "-qv")
        assert "snapdiff: settings of HEAD~1:.snapdiff.toml count\n" in result.err

    @pytest.mark.parametrize(
        ("arguments", "error"),
        [
            (["--config", "none.toml"], "none.toml: cannot be read: No such file or directory"),
            (["--config", "."], ".: cannot be read: Is a directory"),
            (["--config", "HEAD:none.toml"], "HEAD:none.toml: there is no such file in git"),
            (["--config", "HEAD:_cache"], "HEAD:_cache: there is no such file in git"),
            (["--config", "no\nsuch:file"], "there is no such file in git"),
            (["--config", "x", "--no-config"], "--config x: --no-config takes no file; leave one"),
        ],
    )
    def test_one_that_is_not_there_is_an_error(
        self, arguments: list[str], error: str, tmp_path: Path
    ) -> None:
        folder = repository_of(tmp_path, None).folder
        assert error in refused("-C", folder, "HEAD~1", "HEAD", *arguments)

    def test_one_in_git_where_no_repository_is_is_an_error(self, tmp_path: Path) -> None:
        write_files(tmp_path, {"old/a.txt": "", "new/a.txt": ""})
        said = refused("-C", tmp_path, "old", "new", "--config", "HEAD:x.toml")
        way_out = "write ./HEAD:x.toml for a file on disk"
        assert said == f"HEAD:x.toml: {tmp_path}: no git repository is here; {way_out}\n"

    def test_a_file_on_disk_cannot_pass_for_one_in_git(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = repository_of(tmp_path, GATE).folder
        write_files(folder, {"HEAD~1:.snapdiff.toml": ""})
        monkeypatch.chdir(folder)
        assert run_cli("HEAD~1", "HEAD", "--config", "HEAD~1:.snapdiff.toml").status == 1
        assert run_cli("HEAD~1", "HEAD", "--config", "./HEAD~1:.snapdiff.toml").status == 0


def test_an_error_of_a_filter_can_be_sent_from_another_process() -> None:
    error = pickle.loads(pickle.dumps(FilterError("tag", "x: matches no tag")))  # noqa: S301
    assert (error.option, str(error), error.lines()) == ("tag", str(error), ["x: matches no tag"])


FLAGS: dict[str, tuple[list[str], object, str, object]] = {
    "format_name": (["-f", "text"], "text", 'diff.format = "html"', "html"),
    "group_by": (["--group-by", "stack"], "stack", 'diff.group-by = "package"', "package"),
    "tag": (["-t", "a", "-t", "b"], ("a", "b"), 'diff.tags = ["c", "d"]', ("c", "d")),
    "stack": (["-s", "a,b"], ("a", "b"), 'diff.stacks = ["c"]', ("c",)),
    "package": (["-p", "a"], ("a",), "diff.packages = []", ()),
    "kind": (["-k", "added"], ("added",), 'diff.kinds = ["removed"]', ("removed",)),
    "stack_names": (
        ["--map-stack", "a=b"],
        (("a", "b"),),
        'diff.map-stack = { c = "d=e" }',
        (("c", "d=e"),),
    ),
    "fail_on": (["--fail-on", "none"], (), 'gate.fail-on = ["added"]', ("added",)),
    "marker": (["--marker", "a"], "a", 'comment.marker = "b"', "b"),
}
"""A flag and its value, a line of a file and its value, by the option's name."""


class _Old:
    """A side that has a configuration file."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def settings_file(self) -> Any:
        from snapdiff.sources.source import SettingsFile

        return SettingsFile("old/.snapdiff.toml", self._content)


def effective(arguments: list[str], content: str) -> tuple[frozenset[str], dict[str, Any]]:
    """What a file decides of a run, and the options of the run, filters and looks as well."""
    with diff.make_context("diff", arguments) as context:
        values = {name: value for name, value in context.params.items() if name != "revisions"}
        options = GivenOptions.of(values)
        old: Any = _Old(content.encode("utf-8"))
        found = with_settings(options, old, None, ())
        usual = asdict(ReportOptions())
        return found.from_file, {**asdict(found), **usual, **found.looks, **asdict(found.filters)}


@given(st.sets(st.sampled_from(sorted(FLAGS))), st.sets(st.sampled_from(sorted(FLAGS))))
def test_flags_count_before_the_file_and_the_file_before_defaults(
    flags: set[str], lines: set[str]
) -> None:
    arguments = list(itertools.chain.from_iterable(FLAGS[name][0] for name in sorted(flags)))
    from_file, found = effective(arguments, "\n".join(FLAGS[name][2] for name in sorted(lines)))
    _, usual = effective([], "")
    for name, (_, flag_value, _, file_value) in FLAGS.items():
        expected = flag_value if name in flags else file_value if name in lines else usual[name]
        assert found[name] == expected, name
    assert from_file == lines - flags


def test_the_table_of_flags_has_every_option_that_a_file_can_decide() -> None:
    sections = [fields(section.type) for section in fields(CatalogSettings)]
    assert {*FLAGS, "ignore", "by"} == {it.name for section in sections for it in section}


class TestEffect:
    """What the settings do to a report."""

    def run(self, folder: Path, settings: str, *arguments: str | Path) -> Result:
        write_files(folder / "old", catalog(OLD, settings))
        write_files(folder / "new", catalog(NEW, settings))
        return run_cli("-C", folder, "old", "new", *arguments)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("format_name", "end"),
        [
            ("markdown", "\n\nSettings: `old/.snapdiff.toml`\n"),
            ("comment", "\n\nSettings: `old/.snapdiff.toml`\n"),
            ("text", "\n\nSettings: old/.snapdiff.toml\n"),
            ("html", " Settings: <code>old/.snapdiff.toml</code>.</p></footer>\n"),
            ("json", ',"configuration":"old/.snapdiff.toml"}\n'),
            ("csv", "\n"),
        ],
    )
    def test_the_report_names_the_file(self, format_name: str, end: str, tmp_path: Path) -> None:
        shown = self.run(tmp_path, STACKS, "-f", format_name).out
        assert shown.partition("<script")[0].endswith(end)
        assert (
            ".snapdiff.toml" not in self.run(tmp_path, STACKS, "-f", format_name, "-s", "e4s").out
        )
        assert ".snapdiff.toml" not in self.run(tmp_path, "[diff]\n", "-f", format_name).out

    def test_of_a_file_that_is_asked_for_no_other_one_is_held_against_it(
        self, tmp_path: Path
    ) -> None:
        write_files(tmp_path, {"own.toml": STACKS})
        options = ("--config", str(tmp_path / "own.toml"), "-f", "json")
        assert self.run(tmp_path, "[diff]\n", *options).err == ""

    def test_a_report_without_changes_names_it_too(self, tmp_path: Path) -> None:
        write_files(tmp_path / "old", catalog(OLD, STACKS))
        for format_name in ("markdown", "comment", "text", "html"):
            found = run_cli("-C", tmp_path, "old", "old", "-f", format_name).out
            assert "old/.snapdiff.toml" in found

    def test_the_name_of_the_file_is_escaped(self, tmp_path: Path) -> None:
        write_files(tmp_path / "o`<b>|@x", catalog(OLD, STACKS))
        write_files(tmp_path / "new", catalog(NEW))
        arguments = ("-C", tmp_path, "o`<b>|@x", "new", "-f")
        shown = run_cli(*arguments, "markdown").out
        assert "Settings: <code>o&#96;&#60;b&#62;&#124;<!-- -->&#64;x&#47;" in shown
        assert "o`&lt;b&gt;|@x/.snapdiff.toml</code>" in run_cli(*arguments, "html").out

    def test_without_a_file_the_report_has_the_same_bytes(self, tmp_path: Path) -> None:
        for format_name in ("markdown", "comment", "text", "html", "json", "csv"):
            empty = self.run(tmp_path, "", "-f", format_name)
            (tmp_path / "old" / SETTINGS_FILE).unlink()
            (tmp_path / "new" / SETTINGS_FILE).unlink()
            assert run_cli("-C", tmp_path, "old", "new", "-f", format_name) == empty

    def test_the_format_is_the_usual_one_where_nothing_else_says(self, tmp_path: Path) -> None:
        asked = '[diff]\nformat = "csv"\n'
        assert self.run(tmp_path, asked).out.startswith("old_tag,")
        assert self.run(tmp_path, asked, "-f", "json").out.startswith("{")
        target = tmp_path / "report.json"
        self.run(tmp_path, asked, "-o", target)
        assert target.read_text("utf-8").startswith("{")
        target = tmp_path / "report"
        self.run(tmp_path, asked, "-o", target)
        assert target.read_text("utf-8").startswith("old_tag,")
        template = write_files(tmp_path, {"own.j2": "own"}) / "own.j2"
        assert self.run(tmp_path, asked, "--template", template).out == "own"

    def test_a_setting_without_effect_is_no_error(self, tmp_path: Path) -> None:
        settings = '[diff]\ngroup-by = "stack"\n[comment]\nmarker = "x"\n'
        for format_name in ("markdown", "comment", "text", "html", "json", "csv"):
            result = self.run(tmp_path, settings, "-f", format_name)
            assert result.status == 0
            assert "has no effect" not in result.err
        assert self.run(tmp_path, settings, "-f", "comment").out.startswith("<!-- x -->\n")
        assert "has no effect" in self.run(tmp_path, settings, "-f", "json", "--marker", "y").err

    @pytest.mark.parametrize(
        ("settings", "error"),
        [
            ("[diff]\n\nstacks = ['e4']", "line 3: e4: matches no stack; the nearest: e4s"),
            ("[diff]\ntags = ['x']", "line 2: x: matches no tag of the catalog; "),
            ("diff.packages = ['zlb']", "line 1: zlb: matches no package; the nearest: zlib"),
            (
                "[diff]\nkinds = ['remvoed']",
                "line 2: remvoed: not a kind of change; the kinds are added",
            ),
        ],
    )
    def test_a_slip_in_a_filter_names_file_and_line(
        self, settings: str, error: str, tmp_path: Path
    ) -> None:
        result = self.run(tmp_path, settings)
        assert (result.status, result.out) == (2, "")
        assert f"error: old/.snapdiff.toml: {error}" in result.err
        assert is_one_line_error(result.err)
        assert "toml" not in self.run(tmp_path, STACKS, "-p", "zlb").err

    def test_a_bad_file_ends_the_run(self, tmp_path: Path) -> None:
        result = self.run(tmp_path, "[diff]\nx = 1\n")
        assert (result.status, result.out) == (2, "")
        assert result.err.startswith(
            "snapdiff: error: old/.snapdiff.toml: line 2: diff: no key is called x"
        )
        assert is_one_line_error(result.err)

    def test_a_stack_is_renamed_while_one_side_has_each_name(self, tmp_path: Path) -> None:
        settings = '[diff.map-stack]\nhep = "physics"\nnone = "other"\n'
        before = [spec("b", "1.0", stacks="hep"), spec("c", package="hdf5", stacks="hep")]
        after = [item | {"stacks": ["physics"]} for item in before]
        for name, records in (("before", before), ("after", after)):
            write_files(tmp_path / name, catalog(records, settings))
        for sides, names in (
            (["before", "after"], [["hep", "physics"]]),
            (["before", "before"], []),
            (["after", "after"], []),
            (["after", "before"], []),
        ):
            found = report("-C", tmp_path, *sides)
            assert found["filters"]["stack_names"] == names
        assert report("-C", tmp_path, "before", "after")["tags"] == []

    def test_why_takes_stacks_and_tags(self, tmp_path: Path) -> None:
        write_files(tmp_path / "old", catalog(OLD, f"{STACKS}{GATE}"))

        def why(*options: str) -> str:
            result = run_cli("why", "zlib", "-C", tmp_path, "old", "old", *options)
            assert (result.status, result.err) == (0, "")
            return result.out

        assert why().endswith("\n\nNo spec of it changed.\n\nSettings: old/.snapdiff.toml\n")
        assert why("-f", "markdown").endswith("\n\nSettings: `old/.snapdiff.toml`\n")
        found = json.loads(why("-f", "json"))
        assert found["configuration"] == "old/.snapdiff.toml"
        assert found["filters"]["stack"] == ["e4s"]
        assert "settings" not in why("--no-config")

    def test_its_format_and_its_gate_are_those_of_a_diff_alone(self, tmp_path: Path) -> None:
        accepted = '{ kind = "added", stack = "e4s" }'
        settings = f'diff.format = "text"\n{GATE}ignore = [{accepted}]\n'
        write_files(tmp_path / "old", catalog(OLD, settings))
        for day, records in (("2025-07-01", OLD), ("2025-07-02", NEW)):
            write_files(tmp_path / "days" / day, catalog(records))
        write_files(tmp_path / "days", {SETTINGS_FILE: settings})
        for arguments in (("why", "zlib", "old", "old"), ("changelog", "days")):
            result = run_cli(*arguments, "-C", tmp_path)
            assert (result.status, ".snapdiff.toml" in result.out) == (0, False)
        assert "Settings: old/.snapdiff.toml" in run_cli("-C", tmp_path, "old", "old").out
