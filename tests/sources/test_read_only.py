"""It only reads: nothing that a repository or an environment names is run, nothing is followed."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.example import NEW, OLD
from tests.support.helpers import pages_of, run_cli, run_json, spec, usual_page, words, write_files
from tests.support.processes import environment, is_one_line_error, run_process
from tests.support.repositories import GitRepository, run_git

pytestmark = pytest.mark.slow

PAGE = "_cache/develop/zlib/specs.md"
COMPARISONS = [["HEAD~1", "HEAD"], ["HEAD~1"], [], ["HEAD:_cache", "_cache"], [":/Update", "HEAD"]]


class Trap:
    """A program that leaves a file behind when it is run, whatever it is run for."""

    def __init__(self, folder: Path) -> None:
        """Write the program into a folder outside the repository."""
        self.sprung = folder / "sprung"
        self.program = folder / "trap"
        self.program.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{self.sprung}'\nexit 1\n")
        self.program.chmod(0o755)

    def traces(self) -> str:
        """What ran."""
        return self.sprung.read_text() if self.sprung.exists() else ""


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    """A program, and no file yet."""
    return Trap(tmp_path)


CONFIGURED = [
    "alias.cat-file",
    "alias.diff-tree",
    "alias.ls-tree",
    "alias.rev-parse",
    "alias.version",
    "browser.tell.cmd",
    "core.alternateRefsCommand",
    "core.askPass",
    "core.editor",
    "core.fsmonitor",
    "core.gitProxy",
    "core.pager",
    "core.sshCommand",
    "credential.helper",
    "diff.external",
    "diff.tell.command",
    "diff.tell.textconv",
    "difftool.tell.cmd",
    "filter.tell.clean",
    "filter.tell.process",
    "filter.tell.smudge",
    "gpg.program",
    "gpg.ssh.program",
    "gpg.ssh.defaultKeyCommand",
    "gpg.x509.program",
    "imap.tunnel",
    "interactive.diffFilter",
    "man.tell.cmd",
    "merge.tell.driver",
    "mergetool.tell.cmd",
    "pager.cat-file",
    "pager.diff-tree",
    "pager.ls-tree",
    "pager.rev-parse",
    "pager.version",
    "remote.origin.proxy",
    "remote.origin.receivepack",
    "remote.origin.uploadpack",
    "remote.origin.vcs",
    "sendemail.sendmailCmd",
    "sequence.editor",
    "tar.tell.command",
    "uploadpack.packObjectsHook",
    "web.browser",
]
SWITCHED_ON = {
    "core.fsmonitorHookVersion": "1",
    "core.untrackedCache": "true",
    "diff.tell.cachetextconv": "true",
    "diff.submodule": "log",
    "extensions.partialClone": "origin",
    "feature.manyFiles": "true",
    "filter.tell.required": "true",
    "log.showSignature": "true",
    "merge.verifySignatures": "true",
    "maintenance.auto": "true",
    "remote.origin.partialclonefilter": "blob:none",
    "remote.origin.promisor": "true",
    "submodule.recurse": "true",
}
IN_ENVIRONMENT = [
    "BROWSER",
    "EDITOR",
    "GIT_ASKPASS",
    "GIT_EDITOR",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_PROXY_COMMAND",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "LESSOPEN",
    "MANPAGER",
    "PAGER",
    "SSH_ASKPASS",
    "VISUAL",
]
HOOKS = [
    "fsmonitor-watchman",
    "post-checkout",
    "post-index-change",
    "pre-auto-gc",
    "query-watchman",
    "reference-transaction",
]


def set_every_trap(repository: GitRepository, trap: Trap) -> None:
    """Name the program wherever a repository can name one; nothing is left to run but git."""
    # The index says that a monitor was at work: whoever reads it asks for one.
    repository.git("update-index", "--fsmonitor")
    hooks = repository.folder / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in HOOKS:
        shutil.copy(trap.program, hooks / name)
    (repository.folder / ".gitattributes").write_text("* filter=tell diff=tell merge=tell\n")
    included = repository.folder / "included"
    included.write_text(f'[core]\n\teditor = "{trap.program}"\n\tpager = "{trap.program}"\n')
    attributes = repository.folder / ".git" / "info" / "attributes"
    attributes.parent.mkdir(exist_ok=True)
    attributes.write_text("* filter=tell diff=tell merge=tell\n")
    settings = SWITCHED_ON | dict.fromkeys(CONFIGURED, str(trap.program))
    settings |= {
        "core.hooksPath": str(hooks),
        "credential.https://example.org.helper": f"!{trap.program}",
        "include.path": str(included),
        "remote.origin.url": f"ext::{trap.program} %S",
        "url.ext::sh.insteadOf": "https://",
    }
    for name in ("alias.cat-file", "alias.diff-tree", "alias.ls-tree", "alias.rev-parse"):
        settings[name] = f"!{trap.program}"
    file = repository.folder / ".git" / "config"
    lines = [file.read_text()]
    for name, value in settings.items():
        section, _, key = name.rpartition(".")
        first, dot, rest = section.partition(".")
        lines.append(f'[{first} "{rest}"]' if dot else f"[{first}]")
        lines.append(f'\t{key} = "{value}"')
    lines[0] = lines[0].replace("repositoryformatversion = 0", "repositoryformatversion = 1")
    file.write_text("\n".join(lines) + "\n")


def test_no_program_that_a_repository_or_the_environment_names_is_run(
    repository: GitRepository, trap: Trap, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_every_trap(repository, trap)
    for name in IN_ENVIRONMENT:
        monkeypatch.setenv(name, str(trap.program))
    for number, name in enumerate(CONFIGURED):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", name)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", str(trap.program))
    monkeypatch.setenv("GIT_CONFIG_COUNT", str(len(CONFIGURED)))
    for arguments in COMPARISONS:
        result = run_cli("-C", repository.folder, "-f", "json", *arguments)
        assert (result.status, result.err) == (0, ""), arguments
        assert trap.traces() == "", arguments


def test_the_traps_are_real(repository: GitRepository, trap: Trap) -> None:
    set_every_trap(repository, trap)
    assert (repository.folder / PAGE).is_file()
    os.utime(repository.folder / PAGE, (1, 1))
    # Many a command fails when its helper does; what counts is that the helpers were run.
    for arguments in (
        ["status"],
        ["diff", "HEAD~1"],
        ["diff-tree", "HEAD~1", "HEAD"],
        ["-c", "core.fsmonitor=false", "-c", "protocol.ext.allow=always", "fetch", "origin"],
    ):
        trap.sprung.unlink(missing_ok=True)
        try:
            repository.git(*arguments)
        except Exception as error:  # noqa: BLE001 - said again where the trap was not sprung
            reason = str(error)
        else:
            reason = "no error"
        assert trap.traces(), (arguments, reason)


def test_nothing_is_run_in_a_process_of_its_own_either(
    repository: GitRepository, trap: Trap
) -> None:
    set_every_trap(repository, trap)
    env = dict.fromkeys(IN_ENVIRONMENT, str(trap.program))
    done = run_process("HEAD~1", "HEAD", cwd=repository.folder, env=env)
    assert (done.status, done.err) == (0, b"")
    assert trap.traces() == ""


def test_a_working_folder_full_of_modules_lends_none_of_them(
    repository: GitRepository, trap: Trap
) -> None:
    for name in ("yaml", "git", "jinja2", "msgspec", "click", "json", "string", "sitecustomize"):
        module = f"open({str(trap.sprung)!r}, 'a').write({name!r})\nraise SystemExit\n"
        (repository.folder / f"{name}.py").write_text(module)
    for arguments in (["HEAD~1", "HEAD"], ["HEAD~1"]):
        # As the installed command is started; a plain `python -m` looks for modules here first.
        done = run_process("-f", "text", *arguments, cwd=repository.folder, python=("-P",))
        assert (done.status, done.err) == (0, b"")
    assert trap.traces() == ""


NO_SERVERS = """
import sys
def refuse(event, _):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        raise SystemExit(f"asked a server: {event}")
sys.addaudithook(refuse)
from snapdiff.__main__ import main
sys.exit(main())
"""


@pytest.mark.parametrize(
    "arguments", [["HEAD~1", "HEAD"], ["HEAD~1"], ["changelog", "HEAD~1..HEAD"]]
)
def test_no_server_is_asked_and_no_file_written_but_the_one_that_is_named(
    arguments: list[str], repository: GitRepository, tmp_path: Path
) -> None:
    around = tmp_path / "around"
    around.mkdir()
    folders = ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
    file = tmp_path / "report.md"
    before = repository.everything()
    done = subprocess.run(
        [sys.executable, "-B", "-c", NO_SERVERS, *arguments, "-C", repository.folder, "-o", file],
        cwd=around,
        env=environment(dict.fromkeys(folders, str(around))),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"")
    assert file.stat().st_size
    assert list(around.iterdir()) == []
    assert repository.everything() == before


# --- Objects that are elsewhere ---


@pytest.fixture
def partial_clone(repository: GitRepository, tmp_path: Path) -> Path:
    """A clone that has commits and trees, and would have to fetch every page."""
    repository.git("config", "uploadpack.allowFilter", "true")
    repository.git("config", "uploadpack.allowAnySHA1InWant", "true")
    origin = repository.folder.as_uri()
    run_git(tmp_path, "clone", "--quiet", "--no-checkout", "--filter=blob:none", origin, "partial")
    return tmp_path / "partial"


def objects_in(folder: Path) -> set[str]:
    return {str(file) for file in (folder / ".git" / "objects").rglob("*") if file.is_file()}


def test_a_page_that_a_partial_clone_does_not_have_is_an_error_and_is_not_fetched(
    partial_clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "file:ext:ssh:https")
    before = objects_in(partial_clone)
    for arguments in (("HEAD~1", "HEAD"), ("changelog", "HEAD~1..HEAD")):
        result = run_cli(*arguments, "-C", partial_clone)
        assert (result.status, result.out) == (2, "")
        assert is_one_line_error(result.err)
        assert "is missing or damaged; see git fsck, and in a partial clone run" in result.err
    assert objects_in(partial_clone) == before


def test_a_folder_that_a_partial_clone_does_not_have_is_missing_until_it_is_fetched(
    repository: GitRepository, partial_clone: Path, tmp_path: Path
) -> None:
    origin = repository.folder.as_uri()
    run_git(tmp_path, "clone", "--quiet", "--no-checkout", "--filter=tree:0", origin, "trees")
    commit = repository.git("rev-parse", "HEAD")
    page = repository.git("rev-parse", f"HEAD:{PAGE}")
    for folder, arguments, what in (
        (tmp_path / "trees", ("HEAD", "HEAD~1"), f"HEAD: the tree of commit {commit}"),
        (partial_clone, (f"HEAD:{PAGE}", "HEAD"), f"HEAD:{PAGE}: object {page}"),
    ):
        expected = run_cli("-C", repository.folder, *arguments)
        result = run_cli("-C", folder, *arguments)
        assert (result.status, result.out) == (2, "")
        assert result.err == (
            f"snapdiff: error: {what} is missing or damaged; see git fsck, "
            "and in a partial clone run git fetch --refetch --no-filter\n"
        )
        run_git(folder, "fetch", "--quiet", "--refetch", "--no-filter")
        assert run_cli("-C", folder, *arguments) == expected


@pytest.mark.parametrize("kind", ["ext", "uploadpack", "vcs", "ssh"])
def test_a_partial_clone_asks_no_remote(partial_clone: Path, trap: Trap, kind: str) -> None:
    settings = {
        "ext": [("remote.origin.url", f"ext::{trap.program}")],
        "uploadpack": [("remote.origin.uploadpack", str(trap.program))],
        "vcs": [("remote.origin.vcs", "ext"), ("remote.origin.url", str(trap.program))],
        "ssh": [
            ("remote.origin.url", "ssh://example.org/catalog"),
            ("core.sshCommand", str(trap.program)),
        ],
    }
    for name, value in [("protocol.allow", "always"), *settings[kind]]:
        run_git(partial_clone, "config", name, value)
    for arguments in (["HEAD~1", "HEAD"], ["HEAD:_cache", "HEAD~1:"]):
        result = run_cli("-C", partial_clone, *arguments)
        assert result.status == 2
        assert is_one_line_error(result.err)
    assert trap.traces() == ""


# --- Revisions that look like options ---


@pytest.mark.parametrize(
    "arguments",
    [
        ["--", "--output=leak", "HEAD"],
        ["--", "HEAD", "--output=leak"],
        ["--", "-O", "leak"],
        ["HEAD..--output=leak"],
        ["--", "--output=leak..HEAD"],
        ["HEAD", "HEAD:--output=leak"],
        ["HEAD^{--output=leak}"],
        ["HEAD\n--output=leak", "HEAD"],
        ["--", "--batch-all-objects"],
        ["--", "--textconv", "HEAD:_cache"],
        ["--", "--git-dir=leak", "HEAD"],
    ],
    ids=words,
)
def test_a_revision_is_never_taken_for_an_option(
    arguments: list[str], repository: GitRepository
) -> None:
    before = repository.everything()
    result = run_cli("-C", repository.folder, *arguments)
    assert (result.status, result.out) == (2, "")
    assert is_one_line_error(result.err)
    assert repository.everything() == before
    assert not list(repository.folder.parent.rglob("leak"))


def test_a_branch_that_is_named_like_an_option_can_be_named_in_full(
    repository: GitRepository,
) -> None:
    head = repository.git("rev-parse", "HEAD~1")
    reference = repository.folder / ".git" / "refs" / "heads" / "--output=leak"
    reference.write_text(f"{head}\n")
    assert run_cli("-C", repository.folder, "--", "--output=leak", "HEAD").status == 2
    report = run_json("-C", repository.folder, "refs/heads/--output=leak", "HEAD")
    assert report["old"]["commit"] == head


# --- Links, loops, and what is no file ---


def secret_page() -> str:
    return usual_page([spec("s", package="secret")])


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A page and a folder outside every catalog."""
    return write_files(tmp_path / "elsewhere", {"specs.md": secret_page(), "a.md": secret_page()})


@pytest.fixture
def catalog(tmp_path: Path) -> Path:
    """A catalog with one page."""
    return write_files(tmp_path / "new", pages_of([spec("b")]))


def test_links_to_folders_are_not_followed(catalog: Path, elsewhere: Path) -> None:
    before = run_json("--allow-empty", elsewhere.parent / "new", catalog)
    (catalog / "out").symlink_to(elsewhere)
    (catalog / "up").symlink_to("..")
    (catalog / "_cache" / "itself").symlink_to(".")
    (catalog / "_cache" / "develop" / "above").symlink_to(catalog)
    (catalog / "root").symlink_to("/")
    (catalog / "nowhere").symlink_to("no-such")
    assert run_json(catalog, catalog)["tags"] == before["tags"] == []
    (elsewhere / "empty").mkdir()
    report = run_json("--allow-empty", elsewhere / "empty", catalog)
    assert report["summary"]["added"] == 1


def test_links_to_pages_are_bad_pages_and_not_followed(catalog: Path, elsewhere: Path) -> None:
    (catalog / "leak").mkdir()
    (catalog / "leak" / "specs.md").symlink_to(elsewhere / "specs.md")
    (catalog / "leak" / "a.md").symlink_to(elsewhere / "a.md")
    result = run_cli(catalog, catalog)
    assert (result.status, result.out) == (2, "")
    assert "leak/specs.md (old) and (new): is a symbolic link" in result.err
    assert "secret" not in result.err
    result = run_cli("--skip-bad-pages", "-f", "json", catalog, catalog)
    assert result.status == 0
    assert "secret" not in result.out


def test_links_in_git_are_not_followed(tmp_path: Path, elsewhere: Path) -> None:
    repository = GitRepository(tmp_path / "catalog")
    repository.commit(pages_of(OLD))
    write_files(repository.folder, pages_of(NEW))
    links = {
        "leak/specs.md": str(elsewhere / "specs.md"),
        "leak/a.md": str(elsewhere / "a.md"),
        "inner/specs.md": "../_cache/develop/zlib/specs.md",
        "out": str(elsewhere),
        "loop": ".",
    }
    for path, target in links.items():
        (repository.folder / path).parent.mkdir(exist_ok=True)
        (repository.folder / path).symlink_to(target)
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--message=Links")
    result = run_cli("-C", repository.folder, "HEAD~1", "HEAD")
    assert (result.status, result.out) == (2, "")
    assert result.err == (
        "snapdiff: error: inner/specs.md (new): is a symbolic link, and links are not followed\n"
        "snapdiff: error: leak/specs.md (new): is a symbolic link, and links are not followed\n"
        "snapdiff: error: 2 bad pages; correct them, or leave them out with --skip-bad-pages\n"
    )
    result = run_cli("-C", repository.folder, "--skip-bad-pages", "-f", "json", "HEAD~1", "HEAD")
    assert result.status == 0
    assert "secret" not in result.out + result.err


def test_a_revision_that_leads_through_a_link_is_refused(tmp_path: Path, elsewhere: Path) -> None:
    repository = GitRepository(tmp_path / "catalog")
    repository.commit(pages_of(OLD))
    (repository.folder / "out").symlink_to(elsewhere)
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--message=Links")
    for name in ("HEAD:out", "HEAD:out/", "HEAD:out/a.md", "HEAD:../elsewhere"):
        result = run_cli("-C", repository.folder, name, "HEAD")
        assert (result.status, result.out) == (2, ""), name
        assert is_one_line_error(result.err)


@pytest.fixture
def device(catalog: Path) -> Iterator[Path]:
    """A page that is the device /dev/zero."""
    path = catalog / "device" / "specs.md"
    path.parent.mkdir()
    try:
        os.mknod(path, 0o600 | 0o020000, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("only root makes devices")
    yield path
    path.unlink()


def test_a_device_is_not_read(catalog: Path, device: Path) -> None:
    result = run_process(catalog, catalog)
    assert (result.status, result.out) == (2, b"")
    path = device.relative_to(catalog)
    assert f"{path} (old) and (new): is not a regular file" in result.err.decode()


@pytest.mark.parametrize("name", ["specs.md", "other.md"])
def test_a_fifo_is_not_waited_for(catalog: Path, name: str) -> None:
    (catalog / "fifo").mkdir()
    os.mkfifo(catalog / "fifo" / name)
    result = run_process(catalog, catalog)
    if name == "specs.md":
        assert result.status == 2
        assert b"fifo/specs.md (old) and (new): is not a regular file" in result.err
    else:
        assert (result.status, result.err) == (0, b"")


def test_a_folder_named_like_a_page_is_a_folder(catalog: Path) -> None:
    (catalog / "specs.md").mkdir()
    write_files(catalog / "specs.md", pages_of([spec("c", package="inner")]))
    assert run_json(catalog, catalog)["tags"] == []


def test_a_file_that_became_a_fifo_or_a_link_after_it_was_listed_is_a_bad_page(
    catalog: Path, elsewhere: Path
) -> None:
    from snapdiff.sources.directory import DirectorySource

    source = DirectorySource("new", catalog)
    [entry] = source.entries()
    page = catalog / entry.path
    page.unlink()
    os.mkfifo(page)
    [content] = source.read([entry])
    assert not isinstance(content, bytes)
    page.unlink()
    page.symlink_to(elsewhere / "specs.md")
    [content] = source.read([entry])
    assert not isinstance(content, bytes)
    page.unlink()
    [content] = source.read([entry])
    assert not isinstance(content, bytes)
