"""One side of a comparison: how many specs a tag has, and where a package is listed."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from snapdiff.catalog.sides import CatalogSide, CountedFiles, Listed, count_hashes
from snapdiff.filters import Scope
from snapdiff.formats.document import Claim, Document
from snapdiff.model.packages import Counted, Package, PackageCounts
from snapdiff.result.changes import Filters

CPU, GPU, OTHER = (
    Claim("develop", "stack", "cpu"),
    Claim("develop", "stack", "gpu"),
    Claim("v1", "stack", "cpu"),
)
LISTED = {
    # cmake and zlib are in both stacks of `develop`
    CPU: {"a": "cmake", "b": "zlib", "c": "hdf5"},
    GPU: {"a": "cmake", "b": "zlib", "d": "cuda"},
    OTHER: {"a": "cmake", "b": "zlib", "c": "hdf5"},
}


class _Lock(Document):
    @property
    def listed_hashes(self) -> Mapping[str, Counted]:
        [claim] = self.claims
        stacks = frozenset([claim.name])
        names = LISTED[claim].items()
        return {key: Counted(name, "1.0", (claim.tag,), stacks) for key, name in names}


def side_with(*claims: Claim) -> CatalogSide:
    side = CatalogSide("", {})
    for claim in claims:
        side.add(f"{claim.tag}/{claim.name}/spack.lock", _Lock("lock", (claim,), [], []))
    return side


def unchanged_with(*claims: Claim) -> CountedFiles:
    counted = CountedFiles(Scope(Filters()))
    for claim in claims:
        counted.put(f"{claim.tag}/{claim.name}/spack.lock", _Lock("lock", (claim,), [], []))
    return counted


def _no_pages(paths: Sequence[str]) -> Iterable[Document]:
    raise AssertionError(paths)


def test_what_one_document_of_a_tag_lists_is_not_asked_for() -> None:
    class _Large(Document):
        @property
        def listed_hashes(self) -> Mapping[str, Counted]:
            raise AssertionError

    side = CatalogSide("", {})
    side.add("develop/cpu/spack.lock", _Large("lock", (CPU,)))
    side.add("v1/zlib/specs.md", Document("page", (Claim("v1", "package", "zlib"),)))
    for tag in ("develop", "v1", "v2"):
        assert count_hashes(tag, [side], lambda _: True, _no_pages) is None


def test_pages_are_not_looked_through_where_no_document_lists_a_stack() -> None:
    class _Pages(Listed):
        def pages(self, tag: str | None) -> Iterator[str]:
            raise AssertionError(tag)

    side = _Pages()
    side.add_claims("develop/zlib/specs.md", [Claim("develop", "package", "zlib")])
    assert count_hashes("develop", [side], lambda _: True, _no_pages) is None


def test_what_several_documents_of_a_tag_list_is_counted_once() -> None:
    """Pages are read again, those of this side that differ and those that do not."""
    asked: list[str] = []

    def read_pages(paths: Sequence[str]) -> Iterable[Document]:
        asked.extend(paths)
        claim = Claim("develop", "package", "zlib")
        counted = Counted("zlib", "1.0", ("develop",), frozenset(["cpu"]))
        yield Document("page", (claim,), listed_hashes={"b": counted, "e": counted})

    side = side_with(CPU, OTHER)
    side.add("differs.md", Document("page", (Claim("develop", "package", "zlib"),)))
    same = unchanged_with(GPU)
    same.put("same.md", Document("page", (Claim("develop", "package", "m4"),)))
    assert count_hashes("develop", [side, same], lambda _: True, read_pages) == 5
    assert asked == ["differs.md", "same.md"]
    assert count_hashes("develop", [side, same], lambda it: it.name == "zlib", read_pages) == 2
    assert count_hashes("develop", [side_with(CPU, GPU)], lambda _: True, _no_pages) == 4


def test_what_a_document_counts_is_asked_for_once() -> None:
    asked = []

    class _Counted(Document):
        @property
        def counts(self) -> Sequence[PackageCounts]:
            asked.append(self.claims)
            return [PackageCounts("develop", "zlib", Counter({frozenset(["cpu"]): 2}))]

    counted = CountedFiles(Scope(Filters()))
    counted.put("cpu/spack.lock", _Counted("lock", (CPU,)))
    assert counted.counts("develop", set()).specs == 2
    counted.take("cpu/spack.lock")
    assert counted.counts("develop", set()).specs == 0
    assert asked == [(CPU,)]


def test_a_package_that_waits_knows_where_it_is_listed() -> None:
    side = CatalogSide("", {})
    for name in ("cpu", "gpu"):
        packages = [Package("develop", "zlib", {}, stack=name)]
        side.wait(f"{name}/spack.lock", Document("lock", (), packages, []))
    waiting = side.waiting["develop"]["zlib"]
    assert [(it.stack, it.document) for it in waiting] == [
        ("cpu", "cpu/spack.lock"),
        ("gpu", "gpu/spack.lock"),
    ]
