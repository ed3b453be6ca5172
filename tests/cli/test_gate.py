"""The gate's offenders as values, for a reader other than a person at a terminal."""

from snapdiff import diff_catalogs, load_catalog
from snapdiff.cli.gate import judge
from snapdiff.reports.annotations import Offender
from snapdiff.result.packages import Kind
from tests.support.example import NEW, OLD
from tests.support.helpers import catalog_folders, pages_of, spec
from tests.support.oracle import Record


def offenders(old: list[Record], new: list[Record]) -> list[Offender]:
    """What a gate on losses finds between two catalogs."""
    with catalog_folders(pages_of(old), pages_of(new)) as (before, after):
        found = diff_catalogs(load_catalog(str(before)), load_catalog(str(after)))
        return judge(found, (Kind.REMOVED, Kind.DOWNGRADED)).offenders


def test_an_offender_names_its_kind_its_place_and_its_packages() -> None:
    assert offenders(OLD, NEW) == [
        Offender(kind=Kind.REMOVED, tag="v0.22", text="removed: tag v0.22"),
        Offender(
            kind=Kind.REMOVED,
            tag="develop",
            stacks=("ml-cuda",),
            packages=("py-torch",),
            text="removed: py-torch 6.0 in develop, ml-cuda",
        ),
        Offender(
            kind=Kind.DOWNGRADED,
            tag="develop",
            stacks=("hep",),
            packages=("mpich",),
            text="downgraded: mpich 3.0 → 2.9 in develop, hep",
        ),
    ]


def test_a_stack_is_an_offender_without_packages() -> None:
    old = [spec("b", stacks="e4s root"), spec("c", package="hdf5", stacks="hep root")]
    [stack] = offenders(old, old[:1])
    assert stack == Offender(
        kind=Kind.REMOVED, tag="develop", stacks=("hep",), text="removed: stack hep in develop"
    )


def test_an_upgrade_that_leaves_out_a_compiler_is_a_loss_where_a_version_stays() -> None:
    upgraded = [spec("b", "1.0"), spec("c", "1.0", compiler="gcc@13.1.0")], [spec("d", "2.0")]
    assert offenders(*upgraded) == []
    stays = [spec("f", "0.9")]
    [offender] = offenders(*(side + stays for side in upgraded))
    assert offender.text.startswith("removed: zlib 1.0 → 2.0, still has 0.9, 1 of 3 builds gone")
