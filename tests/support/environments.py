"""Two small environments in which one change rebuilds what is above it: locks, as files."""

from collections.abc import Sequence
from pathlib import Path

from tests.support.documents import Item, lock, needs, to_bytes
from tests.support.helpers import write_files

BUILD = ("build",)


def before() -> list[Item]:
    """hdf5 above openmpi and zlib; autoconf four edges below it, all but the last ones linked."""
    return _environment(zlib=Item("zlib", "1.3"), autoconf="2.69", cmake="3.26.3")


def after() -> list[Item]:
    """The same with zlib-ng in place of zlib, and with a newer autoconf and cmake."""
    return _environment(zlib=Item("zlib-ng", "2.1.4"), autoconf="2.71", cmake="3.27.7")


def _environment(*, zlib: Item, autoconf: str, cmake: str) -> list[Item]:
    tools = Item("autoconf", autoconf), Item("cmake", cmake)
    automake = Item("automake", "1.16.5", needs=(needs(tools[0], types=BUILD),))
    numactl = Item("numactl", "2.0.14", needs=(needs(automake, types=BUILD),))
    openmpi = Item("openmpi", "4.1.6", needs=(needs(numactl),))
    above = [
        Item("hdf5", "1.14.3", needs=(needs(openmpi, "mpi"), needs(zlib, "zlib-api"))),
        Item("netcdf", "4.9.2", needs=(needs(openmpi, "mpi"),)),
        Item("json", "3.11.2", needs=(needs(tools[1], types=BUILD),)),
    ]
    roots = [Item(**{**vars(item), "explicit": True}) for item in above]
    return [zlib, *tools, automake, numactl, openmpi, *roots]


def write_locks(folder: Path, old: Sequence[Item], new: Sequence[Item]) -> tuple[Path, Path]:
    """Write two environments; return the files."""
    files = {"old.lock": to_bytes(lock(old)), "new.lock": to_bytes(lock(new))}
    write_files(folder, files)
    return folder / "old.lock", folder / "new.lock"
