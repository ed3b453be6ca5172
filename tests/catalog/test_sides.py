"""One side of a comparison: which specs are listed again, and where a package is listed."""

from collections.abc import Mapping

import pytest

from snapdiff.catalog.sides import CatalogSide, CountedFiles, Unchanged
from snapdiff.filters import Scope
from snapdiff.formats.document import Claim, Document
from snapdiff.model import Package
from snapdiff.result import Filters

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
    def listed_hashes(self) -> Mapping[str, str]:
        return LISTED[self.claims[0]]


def side_with(*claims: Claim) -> CatalogSide:
    side = CatalogSide("", {})
    for claim in claims:
        side.add(f"{claim.tag}/{claim.name}/spack.lock", _Lock("lock", (claim,), [], []))
    return side


def unchanged_with(*claims: Claim) -> Unchanged:
    unchanged = Unchanged(Scope(Filters()))
    for claim in claims:
        counted = CountedFiles(Scope(Filters()))
        counted.put(f"{claim.tag}/{claim.name}/spack.lock", _Lock("lock", (claim,), [], []))
        unchanged.add_folder(counted)
    return unchanged


def test_what_one_document_of_a_tag_lists_is_not_asked_for() -> None:
    class _Large(Document):
        @property
        def listed_hashes(self) -> Mapping[str, str]:
            raise AssertionError

    side = CatalogSide("", {})
    side.add("develop/cpu/spack.lock", _Large("lock", (CPU,)))
    assert side.count_repeated("develop", unchanged_with(OTHER), Scope(Filters()), set()) == 0


@pytest.mark.parametrize(
    ("tag", "filters", "left_out", "repeated"),
    [
        ("develop", Filters(), "", 2),
        ("v1", Filters(), "", 0),
        ("v2", Filters(), "", 0),
        ("develop", Filters(package=("z*",)), "", 1),
        ("develop", Filters(stack=("cpu",)), "", 0),
        ("develop", Filters(), "gpu", 0),
        ("develop", Filters(), "other", 2),
    ],
)
def test_specs_of_several_documents_of_a_tag_are_counted_again(
    tag: str, filters: Filters, left_out: str, repeated: int
) -> None:
    both, unchanged = side_with(CPU, GPU, OTHER), side_with(OTHER, CPU)
    page = Document("page", (Claim("develop", "package", "zlib"),), [], [])
    unchanged.add("develop/site.md", page)
    scope, without = Scope(filters), {left_out}
    assert both.count_repeated(tag, unchanged_with(), scope, without) == repeated
    assert unchanged.count_repeated(tag, unchanged_with(GPU), scope, without) == repeated


def test_a_package_that_waited_is_found_where_it_is_listed() -> None:
    side = CatalogSide("", {})
    for name in ("cpu", "gpu"):
        packages = [Package("develop", "zlib", {}, stack=name)]
        document = Document("lock", (), packages, [])
        side.wait(f"{name}/spack.lock", document)
    assert side.waiting == {
        "develop": {"zlib": [Package("develop", "zlib", {}, stack=name) for name in ("cpu", "gpu")]}
    }
    for name in ("cpu", "gpu"):
        assert side.document_of["develop", "zlib", name] == f"{name}/spack.lock"
    assert side.document_of["develop", "zlib", None] == "cpu/spack.lock"
