"""Environments and a catalog become what of the environments is not in the catalog."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from snapdiff import __version__
from snapdiff.catalog.loading import Catalog
from snapdiff.diff.fields import differing_fields
from snapdiff.diff.packages import hashes_of_builds
from snapdiff.diff.pairing import Effort, pair_specs
from snapdiff.errors import BadPage, BadPagesError, FormatError, RevisionError
from snapdiff.formats.kinds import LOCK_NAME
from snapdiff.limits import Limits
from snapdiff.model import EMPTY_PART, Build, Graph, Package
from snapdiff.result.questions import (
    MissingSpec,
    MissingSpecs,
    NearestSpec,
    SkippedDocument,
    WantedCounts,
)
from snapdiff.spack.version import parse_version


def find_missing(
    wanted: Sequence[Catalog],
    catalog: Catalog,
    *,
    allow_empty: bool = False,
    skip_bad_pages: bool = False,
) -> MissingSpecs:
    """Return which specs of some environments no stack of a catalog has, by hash alone.

    What is external is not looked for. Raises RevisionError where one of them has nothing in it
    (unless `allow_empty`), and BadPagesError where documents cannot be read (unless
    `skip_bad_pages`, which leaves them out and lists them).
    """
    bad_pages: list[BadPage] = []
    *environments, others = [
        _packages(one, bad_pages, allow_empty=allow_empty) for one in (*wanted, catalog)
    ]
    if bad_pages and not skip_bad_pages:
        raise BadPagesError(bad_pages)
    listed = _Listed(others, catalog.limits)
    missing: list[MissingSpec] = []
    external = there = total = 0
    without_roots = []
    for environment in _environments(wanted, environments):
        without_roots += [] if environment.has_roots else [environment.name]
        total += len(environment.specs)
        external += len(environment.external)
        found = environment.there(listed.hashes)
        there += len(found)
        missing += environment.missing(listed, found)
    return MissingSpecs(
        snapdiff=__version__,
        wanted=tuple(one.revision for one in wanted),
        catalog=catalog.revision,
        specs=WantedCounts(wanted=total, external=external, there=there, missing=len(missing)),
        missing=tuple(missing),
        without_roots=tuple(without_roots),
        skipped=tuple(
            SkippedDocument(source=page.source, path=page.path, error=page.reason)
            for page in bad_pages
        ),
    )


def _packages(catalog: Catalog, bad_pages: list[BadPage], *, allow_empty: bool) -> list[Package]:
    """Return what a catalog holds, and add what cannot be read of it to the bad pages."""
    found = list(catalog.packages())
    name = catalog.source.name
    if not found and not allow_empty:
        raise RevisionError(f"{name}: has no page and no document with a spec in it")
    bad = [item for item in found if isinstance(item, BadPage)]
    bad_pages += [BadPage(page.path, page.side, page.reason, source=name) for page in bad]
    return [item for item in found if not isinstance(item, BadPage)]


def _environments(
    wanted: Iterable[Catalog], sides: Iterable[Iterable[Package]]
) -> Iterator["_Environment"]:
    """Yield each environment, in the order in which they were named."""
    stacks: dict[tuple[str, str, str], list[Package]] = {}
    for catalog, packages in zip(wanted, sides, strict=True):
        for package in packages:
            place = catalog.source.name, package.tag, package.stack or EMPTY_PART
            stacks.setdefault(place, []).append(package)
    names = Counter(_name(stack, source) for source, _, stack in stacks)
    for place, packages in stacks.items():
        name = _name(place[2], place[0])
        whole = "/".join(part.rstrip("/") for part in place if part != EMPTY_PART)
        yield _Environment(name if names[name] == 1 else whole, packages)


def _name(stack: str, source: str) -> str:
    """Return what an environment is called: its stack, or the folder that was named.

    >>> _name("hep", "environments"), _name(".", "HEAD:env/gpu"), _name(".", "env/spack.lock")
    ('hep', 'gpu', 'env')
    """
    if stack != EMPTY_PART:
        return stack
    parts = [part for part in source.rpartition(":")[2].split("/") if part]
    if parts[-1:] == [LOCK_NAME]:
        del parts[-1]
    return parts[-1] if parts else EMPTY_PART


class _Listed:
    """All specs of the catalog, by hash, and by package for what comes nearest."""

    def __init__(self, packages: Iterable[Package], limits: Limits) -> None:
        self.hashes: set[str] = set()
        self._limits = limits
        self._packages: dict[str, dict[str, Build]] = {}
        self._nearest: dict[tuple[str, Build], tuple[str, Build] | None] = {}
        for package in packages:
            self.hashes.update(package.specs)
            self._packages.setdefault(package.name, {}).update(package.specs)

    def nearest(self, package: str, build: Build) -> NearestSpec | None:
        """Return the spec that pairing would take first for a build (specification, section 6)."""
        key = package, build
        if key not in self._nearest:
            self._nearest[key] = self._find(package, build)
        found = self._nearest[key]
        if found is None:
            return None
        spec_hash, other = found
        return NearestSpec(other.spec(spec_hash), differing_fields(build, other))

    def _find(self, package: str, build: Build) -> tuple[str, Build] | None:
        others = self._packages.get(package, {})
        try:
            pairs = pair_specs({build: [""]}, hashes_of_builds(others), Effort(self._limits)).pairs
        except FormatError:
            return None  # so many and so different that to find it would take too long
        return (pairs[0][1], others[pairs[0][1]]) if pairs else None


class _Environment:
    """The specs of one environment, by hash, each with its package."""

    def __init__(self, name: str, packages: Sequence[Package]) -> None:
        self.name = name
        self._graph = packages[0].graph
        self.specs = {
            spec_hash: (package.name, build)
            for package in packages
            for spec_hash, build in package.specs.items()
        }
        self.has_roots = any(build.explicit for _, build in self.specs.values())
        self.external = {key for key, (_, build) in self.specs.items() if build.external}

    def there(self, hashes: set[str]) -> set[str]:
        """Return which of the specs that are not external a catalog has."""
        return {key for key in self.specs if key in hashes} - self.external

    def missing(self, listed: _Listed, there: set[str]) -> list[MissingSpec]:
        """Return what a catalog does not have, what was asked for first."""
        needed = self._below(there, self._graph) if self._graph else set()

        def order(spec_hash: str) -> tuple[object, ...]:
            name, build = self.specs[spec_hash]
            is_needed_elsewhere = not build.explicit and spec_hash in needed
            return (
                (not build.explicit, is_needed_elsewhere, name),
                parse_version(build.version_text),
                spec_hash,
            )

        return [
            MissingSpec(
                environment=self.name,
                package=name,
                spec=build.spec(spec_hash),
                asked_for=build.explicit,
                nearest=listed.nearest(name, build),
            )
            for spec_hash in sorted(self.specs.keys() - there - self.external, key=order)
            for name, build in [self.specs[spec_hash]]
        ]

    @staticmethod
    def _below(roots: Iterable[str], graph: Graph) -> set[str]:
        """Return all that some specs depend on, themselves included."""
        found: set[str] = set()
        waiting = list(roots)
        while waiting:
            spec_hash = waiting.pop()
            if spec_hash not in found:
                found.add(spec_hash)
                node = graph.node(spec_hash)
                waiting += [edge.hash for edge in node.edges] if node else []
        return found
