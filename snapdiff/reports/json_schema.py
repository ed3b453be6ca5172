"""The JSON Schema of reports and answers, with what each key means (specification, section 7)."""

from typing import Any

import msgspec

from snapdiff.result import CatalogDiff
from snapdiff.result.questions import ExplainedPackage, MissingSpecs

DOCUMENTS: dict[str, type[msgspec.Struct]] = {
    "report": CatalogDiff,
    "missing": MissingSpecs,
    "why": ExplainedPackage,
}
"""What has a schema: the report, and the answers of the commands of these names."""


def json_schema(document: str = "report") -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a `report`, or of the answer of a command.

    Each object and each key has a description.
    """
    schema = msgspec.json.schema(DOCUMENTS[document])
    for name, definition in schema["$defs"].items():
        for key, value in definition.get("properties", {}).items():
            value["description"] = MEANINGS.get(name, {}).get(key) or COMMON[key]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"snapdiff {document}",
        **schema,
    }


# --- What each key means ---

COMMON = {
    "schema_version": "the version of this shape: what is added keeps it, other changes raise it",
    "snapdiff": "the version of snapdiff that made the report",
    "old": "on the old side",
    "new": "on the new side",
    "package": "its package",
    "version": "its version",
    "gone": "versions that only the old side has",
    "came": "versions that only the new side has",
    "configuration": "the configuration file that decided anything",
    "skipped": "the pages that were left out on both sides because they cannot be read",
    "error": "what is wrong with it",
    "gained_by": "the same of its added specs",
    "added": "how many were added: no partner on the old side",
    "removed": "how many were removed: no partner on the new side",
    "upgraded": "how many have a higher version",
    "downgraded": "how many have a lower version",
    "rebuilt": "how many differ in the hash alone",
    "reconfigured": "how many have the same version in another configuration",
}
"""What keys mean in each object of which nothing else is said."""

_TRAIT = {
    "what": "what they share: a `dependency` (linked or run, at any depth), a part of how they "
    "were built, or a `dependency variant`",
    "name": "the name of the dependency or of the variant, else null",
    "value": "the version of the dependency, null where it differs among them; else the value that "
    "all of them have, or the variant of the dependency",
}

_EVENT = {
    "package": "the package whose node differs, or the dependency that came, left or is needed in "
    "another way; null for `compilers` and `rehash`, and for a field that a whole stack changed",
    "what": "the kind of event: the field of the node that differs (`variants` with flags, "
    "`external` with paths and modules); dependencies `added`, `removed`, `replaced` by one with "
    "the same virtual, or needed in another way (`edge`); `compilers` that became dependencies; "
    "the `recipe`; `other`, which no rule knows, with its key; or `rehash`, where only hashes "
    "differ in all that can be reached",
    "old": "the value before, null where the kind of event has none",
    "new": "the value after, null where the kind of event has none",
}

MEANINGS: dict[str, dict[str, str]] = {
    "CatalogDiff": {
        "old": "the old side",
        "new": "the new side",
        "filters": "what the report was narrowed to",
        "summary": "what happened to specs, all reported stacks added up",
        "tags": "each tag in which anything changed",
    },
    "Revision": {
        "source": "what was asked for, as it was written",
        "commit": "the full id of the commit, null where it is none",
        "date": "when it was committed, in ISO 8601; null where it is no commit",
        "subject": "the first line of the commit's message; there where it is a commit",
    },
    "Filters": {
        "tag": "globs of tags",
        "stack": "globs of stacks",
        "package": "globs of packages",
        "kind": "globs of kinds of change",
        "stack_names": "pairs of an old and a new name of a stack, as they were given",
        "because": "globs of the packages that rebuilt and lost specs have as their reason",
        "explicit": "whether only what somebody asked for is reported",
        "path": "the paths that the documents are narrowed to",
        "no_renames": "whether stacks are compared by name alone",
    },
    "Summary": {"unchanged": "how many have the same hash on both sides"},
    "TagDiff": {
        "old": "the tag's name on the old side, null where it has no such tag",
        "new": "the tag's name on the new side, null where it has no such tag",
        "status": "whether the tag is on both sides, on the new one or on the old one alone",
        "specs": "how many distinct hashes it has",
        "packages": "how many packages it has, and which are on one side only",
        "stacks": "every stack of the tag",
        "hash_conflicts": "hashes that name another spec than on the other side",
    },
    "PackageCount": {
        "old": "how many on the old side",
        "new": "how many on the new side",
        "added": "the names of those on the new side alone",
        "removed": "the names of those on the old side alone",
    },
    "StackDiff": {
        "stack": "the name, that of the new side where it was renamed",
        "document": "the kind of document that lists it: an environment's lock, the index of a "
        "build cache, the database of an install tree, pages of the site or the site's data; the "
        "new side's where the sides differ",
        "status": "whether it changed, or is on one side only",
        "specs": "how many specs it has",
        "packages": "how many packages it has, and which are on one side only",
        "summary": "what happened to its specs",
        "asked_for": "the packages that became roots and those that are roots no more; null where "
        "there is none, or no document says it",
        "lost": "what most of its removed specs have in common, or null",
        "gained": "what most of its added specs have in common, or null",
        "lost_by": "what most of its removed specs have and no other specs of their packages, "
        "then what most of the others have, and so on; three at most, each spec counted once",
        "compilers": "how many specs have which compiler, the unchanged ones too; there where the "
        "compilers of all specs are known",
        "package_changes": "what happened to each package that changed",
        "still_there": "packages that are on both sides of the stack, though only other stacks of "
        "the tag have a change of them that is reported",
        "causes": "why its specs were rebuilt, what explains most first",
        "changes": "what happened to each spec that changed",
        "renamed_from": "its name on the old side, where it has another one there",
    },
    "RootChanges": {
        "now": "packages that are asked for now and were only dependencies before",
        "no_longer": "packages that are not asked for any more and still there as dependencies",
        "needed_by": "by each of these, the packages on the new side that depend on it directly",
    },
    "Trait": _TRAIT,
    "StackTrait": {
        **_TRAIT,
        "specs": "how many of the lost (gained) specs have it",
        "packages": "of how many packages these are",
    },
    "TraitCount": {
        "trait": "what they have in common",
        "specs": "how many of the lost (gained) specs that are not counted before have it",
        "also": "a compiler, target or os that all of these have, too, and no spec on the other "
        "side together with the trait",
    },
    "PackageChange": {
        "package": "its name",
        "kind": "what happened to it as a whole, from its versions before and after",
        "whole": "whether the package itself came to the stack or left it",
        "kept": "versions that both sides have",
        "specs": "what happened to its specs",
        "builds": "how many specs it has in the stack, changed or not",
        "versions": "how many of these there are of each version, the lowest first; there where a "
        "version is kept, and there are two or more",
        "different": "how many builds of each version there are, equal ones counted once; there "
        "where that is less, and more happened than that specs were rebuilt",
        "asked_for": "on which sides it is a root or was installed by hand; null where no document "
        "says that",
        "lost": "what all its removed specs have and none that is there on the new side, or null",
        "gained": "what all its added specs have and none that is there on the old side, or null",
        "lost_by": "what most of its removed specs have and no other spec of it on either side, "
        "then what most of the others have, and so on; three at most, each spec counted once",
        "merged": "of builds that are one now, the variant of that which lists the values that "
        "each of them had; there where that is so",
        "duplicates": "how many of its lost and gained builds are duplicates, where any is",
        "cause": "the cause that most of its rebuilt specs have, where dependencies are known",
        "needed_by": "of a package of which a version came that is older than one before: what is "
        "asked for, new in the stack, and links or runs that version; there where anything does",
        "because": "of a dependency that is gone from the stack, or new in it, the one package "
        "through which all led that needed it, or needs it; there where that is one alone",
        "was_compiler": "whether it was the compiler of specs, as a field of theirs, and is a "
        "dependency now",
        "parts": "what happened to its roots and what beside that; there where it is a root on "
        "both sides, and has other builds to which anything else happened",
    },
    "Because": {
        "package": "the package that needed it, or needs it, itself or by another dependency",
        "status": "whether that package is itself gone from the stack, or new in it",
        "direct": "whether it needed it itself, or needs it, and not by way of others alone",
        "fields": "the version and variants that tell its specs that needed what is gone, or need "
        "what is new, from all its specs on the other side",
    },
    "PackageParts": {
        "asked_for": "what happened to the roots of the package, null where nothing did",
        "others": "what happened beside that, null where nothing did",
    },
    "PartChange": {
        "kind": "what happened to these builds as a whole, as the kind of a package",
        "whole": "false: the package itself neither came nor left",
        "kept": "versions that both sides have; of what is beside roots, those of roots too",
        "specs": "what happened to them; of roots, by how many they are fewer (`removed`) and more "
        "(`added`)",
        "builds": "how many roots there are; of what is beside roots, how many builds in all",
        "versions": "how many of these there are of each version, as of a package",
    },
    "VersionCount": {"version": "a version"},
    "CompilerCount": {"compiler": "the compiler, `none` where a spec has none"},
    "Duplicates": {
        "lost": "how many of its removed specs are duplicates",
        "gained": "how many of its added specs are duplicates",
    },
    "Cause": {
        **_EVENT,
        "path": "the packages from the spec's direct dependency to the one above `package`",
        "build_only": "whether every way there has an edge that is needed for building alone",
        "others": "how many other packages have an event that the spec reaches",
    },
    "StackCause": {
        **_EVENT,
        "specs": "how many specs have it as their cause",
        "packages": "of how many packages these are",
        "reach": "how many rebuilt specs it could explain",
    },
    "Change": {
        "kind": "what happened to the spec",
        "old": "the spec of the old side, null where it was added",
        "new": "the spec of the new side, null where it was removed",
        "fields": "in what the two differ",
        "cause": "why it was rebuilt, null for every other kind; missing where a side has no "
        "dependencies",
        "same_to_use": "that it differs in hashes and in what is needed for building alone",
        "duplicate": "that its side (of a reconfigured one the new side) has another spec, "
        "to which that did not happen or that has a lower hash, with the same version, "
        "configuration, and all that it links and runs",
    },
    "Spec": {
        "hash": "Spack's hash of it",
        "compiler": "its compiler, `none` where it has none",
        "os": "the operating system that it was built for",
        "platform": "the platform that it was built for",
        "target": "the processors that it was built for",
        "variants": "its variants and flags",
        "explicit": "whether somebody asked for it: a root, or installed by hand",
        "external": "whether Spack did not build it",
    },
    "Field": {
        "name": "the field: `version`, `compiler`, `os`, `platform`, `target` or `variants`",
        "old": "the value before; of variants those that only the old side has",
        "new": "the value after; of variants those that only the new side has",
    },
    "HashConflict": {
        "hash": "the hash",
        "old": "what it names on the old side",
        "new": "what it names on the new side",
    },
    "SkippedPage": {
        "side": "the side that it could not be read on",
        "path": "where it is",
    },
    "ExplainedPackage": {
        "old": "the old side",
        "new": "the new side",
        "filters": "what the answer was narrowed to",
        "asked": "what was asked for",
        "tags": "each tag in which the package changed",
    },
    "Question": {
        "package": "its name",
        "version": "the version that a spec has to have on a side, or null",
        "hash": "what the hash of a spec has to begin with on a side, or null",
    },
    "ExplainedTag": {
        "old": "its name on the old side, null where it is not there",
        "new": "its name on the new side, null where it is not there",
        "stacks": "each stack in which the package changed",
    },
    "ExplainedStack": {
        "stack": "its name",
        "specs": "each spec of the package that changed",
    },
    "ExplainedSpec": {
        "change": "what happened to it",
        "below": "the tree of what changed, row by row, parents first; its first row is the spec "
        "itself",
        "depends_on": "what an added or removed spec depends on",
        "needed_by": "what depends on an added or removed spec",
        "trait": "what all added or removed builds of the package have in common in the stack, and "
        "no build on the other side; null where there is none",
    },
    "Neighbour": {
        "build_only": "whether it is needed for building alone",
        "stays": "whether the other side has the same spec, by hash",
        "kind": "what happened to it where it does not stay; null where its stack does not list it",
    },
    "ChangeBelow": {
        "depth": "how far below the spec that was asked about, which has 0",
        "old": "its hash on the old side",
        "new": "its hash on the new side",
        "build_only": "whether the row above needs it for building alone",
        "events": "what differs between its two nodes themselves",
    },
    "EventBelow": {
        **_EVENT,
        "build_only": "whether the dependency that came, left or was replaced is for building "
        "alone",
    },
    "MissingSpecs": {
        "wanted": "the environments, as they were named",
        "catalog": "where their specs were looked for",
        "specs": "how many specs are wanted, and where they are",
        "missing": "each spec that the catalog does not have, what was asked for first",
        "without_roots": "the environments of which nothing says what was asked for",
        "skipped": "documents that were left out because they cannot be read: what they list is "
        "neither wanted nor there",
    },
    "SkippedDocument": {
        "source": "the environment or the catalog that it is in, as that was named",
        "path": "where it is in there",
    },
    "WantedCounts": {
        "wanted": "all specs of the environments",
        "external": "those that Spack does not build, which were not looked for",
        "there": "those that the catalog has",
        "missing": "those that it does not have",
    },
    "MissingSpec": {
        "environment": "the environment that needs it",
        "spec": "the spec as the environment has it",
        "asked_for": "whether it is a root of the environment",
        "nearest": "the spec of its package in the catalog that is most like it, or null",
    },
    "NearestSpec": {
        "spec": "the spec as the catalog has it",
        "fields": "in what the two differ: `old` is the missing one's, `new` this one's",
    },
}
"""By the name of an object and of its key."""
