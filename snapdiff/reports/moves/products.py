"""Which changes of a package are about the product, and which about a dependency of its name.

A product is what somebody asked for: a root of an environment, or installed by hand. A stack may
have more builds of that package, for other packages to use.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from msgspec import UNSET
from msgspec.structs import replace

from snapdiff.result.changes import Change, StackDiff, changes_by_package
from snapdiff.result.packages import (
    AskedFor,
    ChangeCounts,
    Count,
    Kind,
    PackageChange,
    PackageParts,
)
from snapdiff.result.parts import change_of_part
from snapdiff.spack import NO_COMPILER, is_beside_compilers, package_of_compiler


def knows_products(stacks: Iterable[StackDiff]) -> bool:
    """Return whether the stacks of a tag say what somebody asked for, of all that changed.

    A lock does, and the index of a build cache beside it does not: there nobody knows.
    """
    stacks = list(stacks)
    asked_for = [change.asked_for for stack in stacks for change in stack.package_changes]
    return all(asked_for) and (bool(asked_for) or any(stack.asked_for for stack in stacks))


def in_parts(stack: StackDiff, kinds: AbstractSet[Kind], *, has_products: bool) -> StackDiff:
    """Return a stack with one change for the roots of a package, one for what happened beside.

    Of some kinds alone, as far as a part is of one of them. With them is a change for each package
    of which nothing changed but who asks for it. Without `has_products` no part is told apart.
    """
    specs = changes_by_package(stack.changes)
    changes = []
    for change in stack.package_changes:
        if has_products:
            changes += parts_of_kinds(change, specs.get(change.package, ()), kinds)
        else:
            changes.append(replace(change, asked_for=None, parts=UNSET))
    told = {change.package for change in changes}
    if roots := stack.asked_for:
        changes += [
            only_roots(name, AskedFor(name in roots.no_longer, name in roots.now))
            for name in sorted({*roots.no_longer, *roots.now} - told)
        ]
    return replace(stack, package_changes=tuple(changes))


def parts_of_kinds(
    change: PackageChange, specs: Sequence[Change], kinds: AbstractSet[Kind]
) -> list[PackageChange]:
    """Return what happened to a package's roots, and beside, in some kinds; if none, to it all."""
    return [it for it in _parts_of(change, specs) if not kinds.isdisjoint(it.kinds)] or [change]


def _parts_of(change: PackageChange, specs: Sequence[Change]) -> Iterable[PackageChange]:
    found = [(change, change.asked_for == AskedFor(old=True, new=True))]
    if isinstance(change.parts, PackageParts):
        parts = [
            (change_of_part(change, change.parts, specs, of_roots=it), it) for it in (True, False)
        ]
        found = [(part, of_roots) for part, of_roots in parts if part]
    for part, of_roots in found:  # each root is a build, equal to another or not
        yield replace(part, different=UNSET, duplicates=UNSET) if of_roots else part


def only_roots(package: str, asked_for: AskedFor) -> PackageChange:
    """Return the change of a package of which somebody asks for it no longer, or only now."""
    return PackageChange(
        package=package,
        kind=Kind.RECONFIGURED,
        whole=False,
        gone=(),
        came=(),
        kept=(),
        specs=ChangeCounts(),
        builds=Count(0, 0),
        asked_for=asked_for,
    )


def products_of(stacks: Iterable[StackDiff]) -> set[str]:
    """Return the packages that are no dependencies alone, as far as they changed in any stack."""
    changes = (change for stack in stacks for change in stack.package_changes)
    return {it.package for it in changes if it.parts or not it.is_dependency}


def needed_by_roots_now(stack: StackDiff) -> dict[str, tuple[str, ...]]:
    """Return what is asked for no longer by name, with the roots only now that need it directly."""
    if stack.asked_for is None:
        return {}
    now = roots_only_now(stack)
    return {
        name: tuple(root for root in roots if root in now)
        for name, roots in stack.asked_for.needed_by.items()
    }


def roots_only_now(stack: StackDiff) -> set[str]:
    """Return what was not asked for in a stack before and is now."""
    asked_for = ((change.package, change.asked_for) for change in stack.package_changes)
    return {name for name, sides in asked_for if sides and sides.new and not sides.old}


def versions_in(stack: StackDiff) -> dict[str, set[str]]:
    """Return the versions that a stack has by package, as far as it changed in any stack."""
    found = {name: set(versions) for name, versions in (stack.versions_there or {}).items()}
    for change in stack.package_changes:
        found.setdefault(change.package, set()).update(change.versions_now)
    return found


SpecsByPart = Mapping[tuple[str, bool], Sequence[Change]]
"""What happened to specs, by their package and by whether they are about a dependency."""


def specs_by_part(stack: StackDiff) -> SpecsByPart:
    """Return what happened to the specs of each package of a stack that is `in_parts`."""
    by_package = changes_by_package(stack.changes)
    found = {}
    for package in stack.package_changes:
        specs = by_package.get(package.package, ())
        if package.parts:
            own = [change for change in specs if change.is_explicit is not package.is_dependency]
            specs = own or specs  # each of its specs is in a pair with one of the other part
        found[package.package, package.is_dependency] = specs
    return found


def dependencies_now(stack: StackDiff) -> set[str]:
    """Return the packages that came as compilers became dependencies: compilers and their parts."""
    found = {it.package for it in stack.package_changes if it.was_compiler is True}
    if found or any(cause.what == "compilers" for cause in stack.causes):
        found.update(filter(is_beside_compilers, stack.packages.added))
    return found


def no_dependencies(stack: StackDiff) -> set[str]:
    """Return the packages that went as compilers became fields of what they compile again."""
    compilers = {it.compiler: it for it in stack.compilers or ()}
    unnamed = compilers.get(NO_COMPILER)
    names = {package_of_compiler(name) for name, it in compilers.items() if it.new}
    if not names or not unnamed or unnamed.new:
        return set()
    removed = stack.packages.removed
    return {name for name in removed if name in names or is_beside_compilers(name)}
