"""What every test stands on: the same examples every time, and a git that has no user settings."""

import gc
import os
import signal
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from snapdiff.model.specs import counting_stacks
from snapdiff.spack import parse_version, target_family
from tests.golden import FOLDER
from tests.support.example import NEW, OLD
from tests.support.helpers import Report, pages_of, run_json, without_revisions, write_files
from tests.support.nightly import examples
from tests.support.repositories import NO_USER_SETTINGS, GitRepository
from tests.support.servers import WebServer

# Hundreds of tests start the command as a process of its own: its modules are compiled once, and so
# are those of the tests, whose assertions pytest writes anew for seven seconds otherwise.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Where it is installed, jsonschema compiles its 38 grammars for one second of every process; no
# schema here asks for the format that they check, `iri`.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment] # how an import is made to fail

settings.register_profile(
    "snapdiff",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=examples(30),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("snapdiff")


HANGING = 600
"""After how many seconds a test counts as one that will never end: no test takes minutes."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    """Let a test fail that waits in vain: no other test asks how long something took."""

    def give_up(_signal: int, _frame: object) -> None:
        raise TimeoutError(f"the test still waits after {HANGING} seconds")

    signal.signal(signal.SIGALRM, give_up)
    # Again every second: the end of a `with` may wait for the same process.
    signal.setitimer(signal.ITIMER_REAL, HANGING, 1)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


COVERED_BY_SLOW_TESTS = ("action", "changelog", "cli", "posting", "sources")
"""The folders whose slow tests alone run some lines of the package: servers, signals, pagers."""


WITH_LONG_TESTS = (
    *("test_action.py", "test_bounds.py", "test_commit_hook.py", "test_component.py"),
    *("test_costs.py", "test_packaging.py", "test_site.py"),
)
"""Files with a test of ten seconds: last, it would keep one worker busy and let the others wait."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes long."""
    items.sort(key=lambda item: item.path.name not in WITH_LONG_TESTS)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Count lines in tests alone: to be counted, pytest's own work takes four times as long."""
    if cov := session.config.pluginmanager.getplugin("_cov"):
        cov.cov_controller.pause()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Count what a test covers: a slow one or a property where it adds any."""
    room = item.path.relative_to(Path(__file__).parent).parts[0]
    is_slow = item.get_closest_marker("slow") or is_hypothesis_test(getattr(item, "obj", None))
    cov = item.config.pluginmanager.getplugin("_cov")
    if not cov or (is_slow and room not in COVERED_BY_SLOW_TESTS):
        return (yield)
    cov.cov_controller.resume()
    try:
        return (yield)
    finally:
        cov.cov_controller.pause()


@pytest.fixture(autouse=True, scope="session")
def git_without_user_settings() -> Iterator[None]:
    """Let git have no settings but a repository's own."""
    with pytest.MonkeyPatch.context() as environment:
        for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"):
            environment.delenv(name, raising=False)
        for name, value in NO_USER_SETTINGS.items():
            environment.setenv(name, value)
        yield


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    """Every test finds out for itself: a result kept from an earlier one would hide a fault."""
    for function in (parse_version, target_family, counting_stacks):
        function.cache_clear()


@pytest.fixture(autouse=True, scope="module")
def what_stays_is_no_garbage() -> None:
    """Python looks for garbage again and again: five thousand tests it need not look through.

    For each file anew, as a changelog lets go of what was put aside.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def golden_files_are_only_read() -> Iterator[None]:
    """A test that writes what it is compared with finds nothing: `make goldens` alone writes."""
    before = golden_files()
    yield
    assert golden_files() == before


def golden_files() -> dict[str, int]:
    """When each golden file was last written; Python's own files beside them left out."""
    return {
        str(file): file.stat().st_mtime_ns
        for file in FOLDER.rglob("*.*")
        if file.suffix not in (".py", ".pyc")
    }


@pytest.fixture(autouse=True, scope="session")
def interrupts_are_heard() -> Iterator[None]:
    """What a shell runs in the background ignores Ctrl-C, and so would what the tests start."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def two_commits(tmp_path_factory: pytest.TempPathFactory) -> GitRepository:
    repository = GitRepository(tmp_path_factory.mktemp("two-commits"))
    repository.commit(pages_of(OLD))
    repository.commit(pages_of(NEW))
    return repository


@pytest.fixture
def repository(tmp_path: Path, two_commits: GitRepository) -> GitRepository:
    """A repository with two commits."""
    return two_commits.copied(tmp_path / "catalog")


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """A folder with the catalogs `old` and `new`; one tag differs, one came, one went."""
    write_files(tmp_path / "old", pages_of(OLD))
    write_files(tmp_path / "new", pages_of(NEW))
    (tmp_path / "empty").mkdir()
    return tmp_path


@pytest.fixture
def expected(example: Path) -> Report:
    """What a comparison of the two directories says, but for where they are."""
    return without_revisions(run_json("-C", example, "old", "new"))


@pytest.fixture
def server() -> Iterator[WebServer]:
    """A web server of files, which has none yet."""
    with WebServer().running() as running:
        yield running
