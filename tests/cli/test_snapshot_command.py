"""`snapdiff snapshot`: the documents of a source in a folder, whole or not at all."""

import gzip
import json
import os
import signal
from pathlib import Path

import pytest

from tests.support.documents import database, lock, to_bytes
from tests.support.environments import before
from tests.support.example import OLD
from tests.support.faults import failed, wait_until
from tests.support.helpers import Files, pages_of, run_cli, write_files
from tests.support.mirrors import (
    INDEX,
    MANIFEST,
    below,
    blob_path,
    index,
    layout_2,
    layout_3,
    listing,
    site_data,
)
from tests.support.processes import run_python, start
from tests.support.repositories import GitRepository
from tests.support.servers import WebServer, endless, status

RECORD = "snapdiff-snapshot.json"

ONE = index("zlib", "cmake")
TWO = index("zlib", "cmake", "gcc")
LOCK = to_bytes(lock(before()))


def snapshot(source: str | Path, folder: Path, *options: str | Path) -> str:
    """Take a snapshot, and return what was said of it."""
    done = run_cli("snapshot", *options, source, folder)
    assert (done.status, done.out) == (0, "")
    return done.err


def error(source: str | Path, folder: Path, *options: str | Path) -> str:
    """The one line that is said where no snapshot can be taken."""
    done = run_cli("snapshot", *options, source, folder)
    assert (done.status, done.out) == (2, "")
    assert done.err.count("\n") == 1
    return done.err.removeprefix("snapdiff: error: ").rstrip("\n")


def files_in(folder: Path) -> dict[str, bytes]:
    """All files of a snapshot by path, less its record."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file() and file.name != RECORD
    }


def state(folder: Path) -> dict[Path, tuple[int, int]]:
    """What changes where anything is written, of a folder and all around and below it."""
    return {
        place: (place.stat().st_ino, place.stat().st_mtime_ns)
        for place in (folder.parent, folder, *folder.rglob("*"))
    }


# --- What is kept ---


@pytest.mark.parametrize(
    "files",
    [
        layout_3(ONE),
        layout_3(ONE, zipped=True),
        {INDEX: ONE},
        site_data(),
    ],
)
def test_a_mirror_is_kept_in_its_own_layout(
    server: WebServer, tmp_path: Path, files: dict[str, bytes]
) -> None:
    server.files.update(below("m", files))
    size = sum(map(len, files.values()))
    said = snapshot(f"{server.url}/m", tmp_path / "kept")
    documents = f"{len(files)} document{'s' * (len(files) > 1)}"
    assert said == f"snapdiff: {tmp_path}/kept: {documents} with {size:,} bytes\n"
    assert files_in(tmp_path / "kept") == files


def test_a_mirror_of_mirrors_is_kept(server: WebServer, tmp_path: Path) -> None:
    stacks = {stack: f"s3://bucket/develop/{stack}/{INDEX}" for stack in ("e4s", "hep")}
    server.files.update(below("m", listing({"develop": stacks})))
    for stack in stacks:
        server.files.update(below(f"m/develop/{stack}", layout_2(ONE)))
    snapshot(f"{server.url}/m", tmp_path / "kept")
    assert files_in(tmp_path / "kept") == {f"develop/{stack}/{INDEX}": ONE for stack in stacks}


def test_a_directory_is_kept(tmp_path: Path) -> None:
    pages = pages_of(OLD)
    write_files(tmp_path / "catalog", pages)
    snapshot("catalog", tmp_path / "kept", "-C", tmp_path)
    kept = {path: content.decode() for path, content in files_in(tmp_path / "kept").items()}
    assert kept == pages


def test_of_a_directory_documents_alone_are_kept(tmp_path: Path) -> None:
    page = next(iter(pages_of(OLD).values()))
    files = {"v1/zlib/specs.md": page, "v1/zlib/other.md": page}
    notes = {"README.md": "# Notes", "v1/notes.txt": "notes", ".git/specs.md": page}
    write_files(tmp_path / "catalog", {**files, **notes})
    snapshot("catalog", tmp_path / "kept", "-C", tmp_path)
    assert set(files_in(tmp_path / "kept")) == set(files)


@pytest.mark.parametrize("folder", ["", "hep/"])
def test_of_a_mirror_on_disk_the_index_alone_is_kept(tmp_path: Path, folder: str) -> None:
    view = {path.replace("/index/", "/index/view/"): it for path, it in layout_3(TWO).items()}
    documents = {f"{folder}{path}": it for path, it in {**layout_3(ONE), **view}.items()}
    package = b"an archive of a package"
    for path, content in {**documents, f"{folder}{blob_path(package)}": package}.items():
        place = tmp_path / "mirror" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    snapshot("mirror", tmp_path / "kept", "-C", tmp_path)
    assert files_in(tmp_path / "kept") == documents


def test_a_path_that_is_no_utf_8_is_kept(tmp_path: Path) -> None:
    page = next(iter(pages_of(OLD).values()))
    folder = os.fsencode(tmp_path / "catalog") + b"/\xff"
    os.makedirs(folder)
    Path(os.fsdecode(folder), "specs.md").write_text(page)
    snapshot("catalog", tmp_path / "kept", "-C", tmp_path)
    before = state(tmp_path / "kept")
    snapshot("catalog", tmp_path / "kept", "-C", tmp_path)
    assert state(tmp_path / "kept") == before
    assert (tmp_path / "kept" / os.fsdecode(b"\xff") / "specs.md").read_text() == page


def test_a_revision_is_kept(repository: GitRepository, tmp_path: Path) -> None:
    snapshot("HEAD~1", tmp_path / "kept", "-C", repository.folder)
    kept = {path: content.decode() for path, content in files_in(tmp_path / "kept").items()}
    assert kept == pages_of(OLD)
    record = json.loads((tmp_path / "kept" / RECORD).read_text())
    assert record["commit"] == repository.git("rev-parse", "HEAD~1")


@pytest.mark.parametrize(
    ("name", "content", "path"),
    [
        ("old.lock", LOCK, "spack.lock"),
        ("old.lock.gz", gzip.compress(LOCK), "spack.lock"),
        ("db.json", to_bytes(database(before(), installed=True)), ".spack-db/index.json"),
        ("mirror.json", ONE, "build_cache/index.json"),
        ("page.md", pages_of(OLD[:1]).popitem()[1].encode(), "specs.md"),
    ],
)
def test_a_file_is_kept_so_that_the_snapshot_can_be_compared(
    tmp_path: Path, name: str, content: bytes, path: str
) -> None:
    write_files(tmp_path, {name: content})
    snapshot(name, tmp_path / "kept", "-C", tmp_path)
    assert set(files_in(tmp_path / "kept")) == {path}
    assert run_cli(tmp_path / name, tmp_path / "kept", "--exit-code", "-f", "json").status == 0


def test_a_file_that_is_no_document_is_not_kept(tmp_path: Path) -> None:
    write_files(tmp_path, {"notes.lock": "notes"})
    message = error("notes.lock", tmp_path / "kept", "-C", tmp_path)
    assert message.startswith("notes.lock: is nothing to compare; name a folder, or ")


def test_the_record_says_what_a_snapshot_is_of(server: WebServer, tmp_path: Path) -> None:
    server.files.update(below("m", layout_3(ONE)))
    secrets = f"http://user:secret@{server.host}/m?token=secret"
    snapshot(secrets, tmp_path / "kept")
    text = (tmp_path / "kept" / RECORD).read_text()
    assert "secret" not in text
    record = json.loads(text)
    assert record["snapshot"] == 1
    assert record["source"] == f"{server.url}/m"
    assert record["taken"].endswith("+00:00")
    blob = blob_path(ONE)
    assert set(record["documents"]) == {MANIFEST, blob}
    assert record["documents"][blob]["sha256"] == blob.rpartition("/")[2]
    assert record["documents"][blob]["size"] == len(ONE)


def test_a_snapshot_can_be_read_by_everybody(server: WebServer, tmp_path: Path) -> None:
    server.files.update(below("m", layout_2(ONE)))
    snapshot(f"{server.url}/m", tmp_path / "kept")
    (tmp_path / "usual").mkdir()
    assert (tmp_path / "kept").stat().st_mode == (tmp_path / "usual").stat().st_mode


# --- A second time ---


@pytest.mark.parametrize(
    "files", [layout_3(ONE), layout_2(ONE), {INDEX: ONE}, site_data()], ids=["3", "2", "-", "site"]
)
def test_where_nothing_is_new_nothing_is_sent_or_written(
    server: WebServer, tmp_path: Path, files: dict[str, bytes]
) -> None:
    server.files.update(below("m", files))
    url, folder = f"{server.url}/m", tmp_path / "kept"
    snapshot(url, folder)
    before = state(folder)
    server.seen.clear()
    said = snapshot(url, folder)
    assert said == f"snapdiff: {folder}: nothing is new, nothing was written\n"
    assert state(folder) == before
    assert set(server.paths()) <= {f"m/{INDEX}.hash"}
    assert server.paths(304) or files == layout_2(ONE)


def test_a_server_without_etags_is_asked_by_date(server: WebServer, tmp_path: Path) -> None:
    server.files["m/specs_data.json.gz"] = b"\x1f\x8b..."
    snapshot(f"{server.url}/m", tmp_path / "kept")
    record = tmp_path / "kept" / RECORD
    text = json.loads(record.read_text())
    del text["documents"]["specs_data.json.gz"]["etag"]
    record.write_text(json.dumps(text))
    snapshot(f"{server.url}/m", tmp_path / "kept")
    assert server.paths(304) == ["m/specs_data.json.gz"]


def test_a_server_that_knows_no_change_sends_all_and_nothing_is_written(
    server: WebServer, tmp_path: Path
) -> None:
    server.with_validators = False
    server.files["m/specs_data.json.gz"] = b"\x1f\x8b..."
    snapshot(f"{server.url}/m", tmp_path / "kept")
    before = state(tmp_path / "kept")
    snapshot(f"{server.url}/m", tmp_path / "kept")
    assert state(tmp_path / "kept") == before


def test_what_is_new_takes_the_place_of_what_was_there(server: WebServer, tmp_path: Path) -> None:
    server.files.update(below("m", layout_3(ONE)))
    snapshot(f"{server.url}/m", tmp_path / "kept")
    server.files.update(below("m", layout_3(TWO)))
    snapshot(f"{server.url}/m", tmp_path / "kept")
    assert files_in(tmp_path / "kept") == layout_3(TWO)
    assert os.listdir(tmp_path) == ["kept"]


def test_a_part_that_is_the_same_still_is_not_sent_again(server: WebServer, tmp_path: Path) -> None:
    server.files.update(below("m", site_data("1.0")))
    snapshot(f"{server.url}/m", tmp_path / "kept")
    server.seen.clear()
    server.files.update(below("m", site_data("2.0")))
    snapshot(f"{server.url}/m", tmp_path / "kept")
    assert server.paths() == ["m/specs_data.json"]
    assert server.paths(304) == ["m/package_data.json"]
    assert files_in(tmp_path / "kept") == site_data("2.0")


@pytest.mark.parametrize("harm", ["changed", "gone"])
def test_a_snapshot_that_was_harmed_is_mended(server: WebServer, tmp_path: Path, harm: str) -> None:
    server.files.update(below("m", layout_3(ONE)))
    snapshot(f"{server.url}/m", tmp_path / "kept")
    if harm == "changed":
        (tmp_path / "kept" / blob_path(ONE)).write_bytes(b"other")
    else:
        (tmp_path / "kept" / MANIFEST).unlink()
    snapshot(f"{server.url}/m", tmp_path / "kept")
    assert files_in(tmp_path / "kept") == layout_3(ONE)


# --- What is not touched ---


def others(folder: Path, files: Files) -> Path:
    write_files(folder, files)
    return folder


def test_an_empty_folder_becomes_a_snapshot(server: WebServer, tmp_path: Path) -> None:
    server.files.update(below("m", {INDEX: ONE}))
    (tmp_path / "kept").mkdir()
    snapshot(f"{server.url}/m", tmp_path / "kept")
    assert files_in(tmp_path / "kept") == {INDEX: ONE}


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"notes.txt": "mine"}, "holds notes.txt, which is of no snapshot"),
        ({INDEX: ONE}, f"holds {INDEX}, which is of no snapshot"),
        ({RECORD: "{"}, f"{RECORD} in it cannot be read"),
        ({RECORD: "[" * 100_000}, f"{RECORD} in it cannot be read"),
        ({RECORD: '{"snapshot": 1}'}, f"{RECORD} in it cannot be read"),
        (
            {RECORD: '{"snapshot": 2, "source": "", "commit": null, "taken": "", "documents": {}}'},
            f"{RECORD} in it cannot be read",
        ),
    ],
)
def test_a_folder_that_holds_something_else_is_refused(
    tmp_path: Path, files: Files, reason: str
) -> None:
    folder = others(tmp_path / "kept", files)
    before = state(folder)
    assert error("http://127.0.0.1:9/m", folder).startswith(f"{folder}: {reason}; name another")
    assert state(folder) == before


def test_a_file_beside_the_documents_is_not_lost(server: WebServer, tmp_path: Path) -> None:
    server.files.update(below("m", layout_2(ONE)))
    snapshot(f"{server.url}/m", tmp_path / "kept")
    (tmp_path / "kept" / "build_cache" / "mine").write_text("precious")
    server.files.update(below("m", layout_2(TWO)))
    reason = "holds build_cache/mine, which is of no snapshot; name another folder"
    assert error(f"{server.url}/m", tmp_path / "kept") == f"{tmp_path}/kept: {reason}"
    assert (tmp_path / "kept" / "build_cache" / "mine").read_text() == "precious"


def test_a_snapshot_of_another_source_is_refused(server: WebServer, tmp_path: Path) -> None:
    server.files.update({**below("m", {INDEX: ONE}), **below("n", {INDEX: ONE})})
    snapshot(f"{server.url}/m", tmp_path / "kept")
    reason = f"{tmp_path}/kept: is a snapshot of {server.url}/m; name another folder"
    assert error(f"{server.url}/n", tmp_path / "kept") == reason


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("env", "{}/env"),
        ("env/spack.lock", "{}/env/spack.lock"),
        ("HEAD", "HEAD in {}"),
        ("HEAD:env", "HEAD in {}/env"),
        ("HEAD:env/spack.lock", "HEAD in {}/env/spack.lock"),
    ],
)
def test_a_source_is_told_by_its_place_however_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, place: str
) -> None:
    here, there, kept = (tmp_path / name for name in ("here", "there", "kept"))
    for top in (here, there):
        GitRepository(top).commit({"env/spack.lock": LOCK})
    snapshot(source, kept, "-C", here)
    monkeypatch.chdir(here)
    assert "nothing is new" in snapshot(source, kept)
    monkeypatch.chdir(there)
    reason = f"{kept}: is a snapshot of {place.format(here)}; name another folder"
    assert error(source, kept) == reason


def test_a_record_cannot_lead_out_of_the_folder(tmp_path: Path) -> None:
    document = {"sha256": "", "size": 0}
    record = {"snapshot": 1, "source": "", "commit": None, "taken": ""}
    record["documents"] = {"../../etc/passwd": document}
    folder = others(tmp_path / "kept", {RECORD: json.dumps(record)})
    assert "../../etc/passwd: is no path" in error("http://127.0.0.1:9/m", folder)


def test_a_link_to_a_folder_is_followed_once(server: WebServer, tmp_path: Path) -> None:
    server.files.update(below("m", {INDEX: ONE}))
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    snapshot(f"{server.url}/m", tmp_path / "link")
    assert files_in(tmp_path / "real") == {INDEX: ONE}
    assert (tmp_path / "link").is_symlink()


def test_a_link_in_a_folder_is_something_else(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "link").symlink_to("/etc")
    assert "holds link, which is of no snapshot" in error("http://127.0.0.1:9/m", tmp_path / "kept")


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("")
    reason = f"{tmp_path}/kept: is a file, not a folder"
    assert error("http://127.0.0.1:9/m", tmp_path / "kept") == reason


def test_a_folder_to_be_in_has_to_be_there(tmp_path: Path) -> None:
    reason = f"{tmp_path}/none/kept: there is no folder {tmp_path}/none; make it first"
    assert error("http://127.0.0.1:9/m", tmp_path / "none" / "kept") == reason


def test_a_snapshot_is_no_part_of_what_it_is_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path / "catalog", pages_of(OLD))
    reason = "catalog/kept: is in catalog; name a folder outside of it"
    monkeypatch.chdir(tmp_path)
    assert error("catalog", Path("catalog/kept")) == reason


# --- Not at all ---


def test_nothing_is_written_where_a_document_is_unreadable(
    server: WebServer, tmp_path: Path
) -> None:
    server.files.update(below("m", {**layout_3(ONE), blob_path(ONE): TWO}))
    message = error(f"{server.url}/m", tmp_path / "kept")
    assert message.startswith(f"{blob_path(ONE)}: its SHA-256 is ")
    assert message.endswith("; no snapshot was written")
    assert os.listdir(tmp_path) == []


def test_a_snapshot_stays_as_it_was_where_the_next_fails(server: WebServer, tmp_path: Path) -> None:
    server.files.update(below("m", layout_3(ONE)))
    snapshot(f"{server.url}/m", tmp_path / "kept")
    before = state(tmp_path / "kept")
    server.files.update(below("m", {**layout_3(TWO), blob_path(TWO): ONE}))
    error(f"{server.url}/m", tmp_path / "kept")
    assert state(tmp_path / "kept") == before


def test_what_cannot_be_written_is_named(server: WebServer) -> None:
    server.files.update(below("m", {INDEX: ONE}))
    message = error(f"{server.url}/m", Path("/proc/kept"))
    assert message.startswith("/proc/kept: cannot be written: ")


def test_a_source_without_documents_is_named(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    message = error("empty", tmp_path / "kept", "-C", tmp_path)
    assert message == "empty: holds no document, so there is nothing to keep"


def test_max_download_is_kept(server: WebServer, tmp_path: Path) -> None:
    server.faults[f"m/{INDEX}"] = endless(bytes(1 << 16))
    message = error(f"{server.url}/m", tmp_path / "kept", "--max-size", "1M")
    assert "more than 1,048,576 bytes of the mirror would be taken; --max-size" in message
    assert os.listdir(tmp_path) == []


def test_a_size_that_is_none_is_named(tmp_path: Path) -> None:
    message = error("http://127.0.0.1:9/m", tmp_path / "kept", "--max-size", "much")
    assert "'much' is no size" in message


def test_what_a_server_says_is_not_repeated(server: WebServer, tmp_path: Path) -> None:
    server.faults[f"m/{MANIFEST}"] = status(500 + 1, {"X-Words": "server's own words"})
    message = error(f"http://user:secret@{server.host}/m?t=secret", tmp_path / "kept")
    assert message == f"{server.url}/m/{MANIFEST}: the server answers with status 501"


@pytest.mark.slow
def test_a_run_that_is_ended_leaves_nothing(server: WebServer, tmp_path: Path) -> None:
    server.faults[f"m/{INDEX}"] = endless(bytes(1 << 10), pause=0.01)
    with start("snapshot", f"{server.url}/m", tmp_path / "kept") as process:
        wait_until(server.paths, process)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate()
    assert (process.returncode, said) == (143, b"snapdiff: error: interrupted\n")
    assert os.listdir(tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("url", "library", "extra"),
    [
        ("https://host/m", "aiohttp", "mirror"),
        ("s3://bucket/m", "s3fs", "s3"),
        ("gs://bucket/m", "gcsfs", "gcs"),
    ],
)
def test_without_a_library_one_line_says_what_to_install(
    tmp_path: Path, url: str, library: str, extra: str
) -> None:
    program = (
        f"import sys; sys.modules[{library!r}] = None\n"
        "from snapdiff.cli.commands import main\n"
        f"sys.exit(main(['snapshot', {url!r}, {str(tmp_path / 'kept')!r}]))"
    )
    way_out = f"takes a library that an extra brings: in a clone, pip install '.[{extra}]'"
    assert failed(run_python(program)) == f"snapdiff: error: {url}: {way_out}\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        ("resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))", "File too large"),
        ("tempfile.tempdir = '/nowhere'", "No such file or directory"),
    ],
)
def test_a_disk_without_room_is_named(
    server: WebServer, tmp_path: Path, limit: str, reason: str
) -> None:
    server.files.update(below("m", {INDEX: ONE}))
    program = (
        "import resource, sys, tempfile; tempfile.gettempdir()\n"
        "from snapdiff.cli.commands import main\n"
        f"{limit}\n"
        f"sys.exit(main(['snapshot', '{server.url}/m', {str(tmp_path / 'kept')!r}]))"
    )
    said = failed(run_python(program))
    assert f": a download cannot be stored: {reason}; TMPDIR names" in said


def test_quiet_says_nothing(server: WebServer, tmp_path: Path) -> None:
    server.files.update(below("m", {INDEX: ONE}))
    assert snapshot(f"{server.url}/m", tmp_path / "kept", "-q") == ""


# --- What it is for ---


def test_dated_snapshots_of_pages_are_a_story(tmp_path: Path) -> None:
    (tmp_path / "snapshots").mkdir()
    for day, catalog in (("2025-06-29", OLD[:-1]), ("2025-07-06", OLD)):
        write_files(tmp_path / day, pages_of(catalog))
        snapshot(day, tmp_path / "snapshots" / day, "-C", tmp_path)
    done = run_cli("changelog", "-f", "json", tmp_path / "snapshots")
    assert done.status == 0
    assert len(json.loads(done.out)) == 1
