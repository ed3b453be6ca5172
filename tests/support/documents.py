"""Small documents of every kind and version, written from one description."""

import gzip
import hashlib
import json
from base64 import b32encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import strategies as st

from snapdiff.catalog.reading import FilePair, pair_documents
from snapdiff.errors import NoSuchFile
from snapdiff.formats.document import Document, File
from snapdiff.formats.kinds import DOCUMENTS, Documents
from snapdiff.limits import DEFAULT_LIMITS, Limits
from snapdiff.model.specs import Build, Spec

LOCK_VERSIONS = (1, 2, 3, 4, 5, 6, 7)
DATABASE_VERSIONS = (5, 6, 7, 8)
FLAGS = ("cflags", "cppflags", "cxxflags", "fflags", "ldflags", "ldlibs")
Json = dict[str, Any]


def digest(*words: object) -> str:
    """A hash as Spack's look, the same for the same words."""
    made = hashlib.sha1(" ".join(map(str, words)).encode(), usedforsecurity=False).digest()
    return b32encode(made).decode("ascii").lower()


@dataclass(frozen=True)
class Needs:
    """A dependency of an item."""

    name: str
    hash: str
    types: tuple[str, ...] = ("build", "link")
    virtuals: tuple[str, ...] = ()


@dataclass(frozen=True)
class Item:
    """A node, free of how a version writes it; `compiler` is a name and a version."""

    name: str
    version: str = "1.0"
    hash: str = ""
    compiler: tuple[str, str] | None = ("gcc", "12.3.0")
    os: str = "ubuntu22.04"
    platform: str = "linux"
    target: str = "x86_64_v3"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    needs: tuple[Needs, ...] = ()
    explicit: bool = False
    external: bool = False
    counted: bool = True
    namespace: str = "builtin"
    recipe: str | None = "recipe===="

    @property
    def key(self) -> str:
        """The hash of the item, which follows from all of it where none is given."""
        return self.hash or digest(replace(self, explicit=False, counted=True))


def needs(item: Item, *virtuals: str, types: tuple[str, ...] = ("build", "link")) -> Needs:
    """A dependency on another item."""
    return Needs(item.name, item.key, types, virtuals)


def _edges(item: Item, version: int) -> Any:
    if version <= 2:
        return {edge.name: {"hash": edge.hash, "type": list(edge.types)} for edge in item.needs}
    if version == 3:
        return [
            {"name": edge.name, "build_hash": edge.hash, "type": list(edge.types)}
            for edge in item.needs
        ]
    if version == 4:
        return [
            {"name": edge.name, "hash": edge.hash, "type": list(edge.types)} for edge in item.needs
        ]
    return [
        {
            "name": edge.name,
            "hash": edge.hash,
            "parameters": {"deptypes": list(edge.types), "virtuals": list(edge.virtuals)},
        }
        for edge in item.needs
    ]


def node(item: Item, version: int) -> Json:
    """An item as the lock of a version writes it.

    From version 6 on a compiler is a dependency that provides a language; an item that has only
    the compiler's name gets it as an annotation, as nodes of older versions do.
    """
    target: Any = item.target
    if version in (3, 6):
        target = {"name": item.target, "vendor": "GenuineIntel", "features": [], "parents": []}
    written: Json = {
        "version": item.version,
        "arch": {"platform": item.platform, "platform_os": item.os, "target": target},
        "namespace": item.namespace,
        "parameters": {
            **item.parameters,
            **{flag: [] for flag in FLAGS if flag not in item.parameters},
        },
    }
    if item.compiler and version <= 5:
        written["compiler"] = {"name": item.compiler[0], "version": item.compiler[1]}
    if item.compiler and version > 5:
        written["annotations"] = {
            "compiler": "@".join(item.compiler),
            "original_specfile_version": 4,
        }
    if item.needs:
        written["dependencies"] = _edges(item, version)
    if item.external:
        written["external"] = {"path": "/usr", "module": None, "extra_attributes": {}}
    if item.recipe and version >= 4:
        written["package_hash"] = item.recipe
    if version <= 2:
        return {item.name: written}
    # Before version 4 a node's own hash is not the key: it leaves out what only builds need.
    return {"name": item.name, **written, "hash": item.key if version >= 4 else digest(item.key)}


def lock(items: Sequence[Item], version: int = 6, **more: Any) -> Json:
    """A lock file."""
    roots: list[Json] = [{"hash": item.key, "spec": item.name} for item in items if item.explicit]
    if version == 7:
        roots = [{**root, "group": "default"} for root in roots]
    return {
        "_meta": {"file-type": "spack-lockfile", "lockfile-version": version},
        "roots": roots,
        "concrete_specs": {item.key: node(item, version) for item in items},
        **more,
    }


def database(items: Sequence[Item], version: int = 8, *, installed: bool = False) -> Json:
    """An install database, or an index."""
    lock_version = {5: 2, 6: 4, 7: 5, 8: 6}[version]
    installs = {}
    for item in items:
        record = {"spec": node(item, lock_version), "ref_count": 0}
        record["explicit"] = item.explicit
        if installed:
            record["installed"] = item.counted
        elif version >= 6 or not item.counted:
            record["in_buildcache"] = item.counted
        installs[item.key] = record
    return {"database": {"version": str(version), "installs": installs}}


def manifest(index: bytes, *, compression: str = "none", **blob: Any) -> tuple[bytes, str, bytes]:
    """The manifest of an index of layout 3, and the path and content of its blob."""
    content = gzip.compress(index, mtime=0) if compression == "gzip" else index
    checksum = hashlib.sha256(content).hexdigest()
    entry = {
        "contentLength": len(content),
        "mediaType": "application/vnd.spack.db.v8+json",
        "compression": compression,
        "checksumAlgorithm": "sha256",
        "checksum": checksum,
        **blob,
    }
    path = f"blobs/sha256/{checksum[:2]}/{checksum}"
    return to_bytes({"version": 3, "data": [entry]}), path, content


def site_data(
    items: Sequence[Item], places: Mapping[str, tuple[Sequence[str], Sequence[str]]]
) -> tuple[Json, Json]:
    """`specs_data.json` and `package_data.json`; `places` has stacks and releases by name."""
    specs: Json = {}
    packages: Json = {}
    for item in items:
        stacks, releases = places[item.name]
        specs[item.key] = {
            "hash": item.key,
            "version": item.version,
            "variants": [f"{name}={value}" for name, value in item.parameters.items()],
            "platform": item.platform,
            "os": item.os,
            "target": item.target,
            "dependencies": _edges(item, 6),
            "stacks": list(stacks),
            "releases": list(releases),
        }
        package = packages.setdefault(item.name, {"uid": item.name, "specs": []})
        package["specs"].append(item.key)
    return specs, packages


def to_bytes(document: object) -> bytes:
    """JSON as Spack writes it."""
    return json.dumps(document, separators=(",", ":")).encode()


def file(path: str, content: bytes | Json, beside: Mapping[str, bytes] | None = None) -> File:
    """A file of a catalog, with the others that it may ask for."""
    others = beside or {}

    def read_beside(name: str) -> bytes:
        if name not in others:
            raise NoSuchFile(f"{name}: missing")
        return others[name]

    return File(path, content if isinstance(content, bytes) else to_bytes(content), read_beside)


def read(
    document: File, limits: Limits = DEFAULT_LIMITS, documents: Documents = DOCUMENTS
) -> Document:
    """A file read whole."""
    found = documents.reader(document.path, limits)(document)
    assert found is not None
    assert found.packages is not None
    return found


def read_pair(old: File, new: File) -> FilePair:
    """Two versions of a file, compared record by record."""
    reader = DOCUMENTS.reader(new.path, DEFAULT_LIMITS)
    before, after = reader(old), reader(new)
    assert before
    assert after
    assert after.is_version_of(before)
    return pair_documents(before, after, new.path)


def specs_of(document: Document) -> dict[str, tuple[str, Spec]]:
    """The package and the spec of each hash of a document of one tag."""
    return {
        spec_hash: (package.name, build.spec(spec_hash))
        for package in document.packages
        for spec_hash, build in package.specs.items()
    }


def meaning(build: Build) -> tuple[object, ...]:
    """What a build says, to compare it with one of another reader."""
    return build.version_text, build.configuration, build.stacks, build.explicit, build.external


# The independent reading: the standard library's JSON and plain loops, and nothing of the product.


def plain_variants(parameters: Json) -> set[str]:
    """Variants and flags by the words of the specification, section 10."""
    found = set()
    for name, value in parameters.items():
        if name in FLAGS:
            if value:
                found.add(name + '="' + " ".join(value) + '"')
        elif isinstance(value, bool):
            found.add(("+" if value else "~") + name)
        elif isinstance(value, list):
            words = [str(word)[:7] if name == "patches" else str(word) for word in value]
            found.add(name + ":=" + ",".join(sorted(words)))
        else:
            found.add(f"{name}={value}")
    return found


def plain_node(nodes: Mapping[str, Json], key: str) -> Json:
    """A node with its name in it, of a document that keys it by name or does not."""
    found = nodes[key]
    if "name" in found:
        return found
    [(name, inner)] = found.items()
    return {**inner, "name": name}


def plain_edges(found: Json) -> list[tuple[str, str, list[str]]]:
    """Name, hash and virtuals of each edge of a node."""
    edges = found.get("dependencies", [])
    if isinstance(edges, dict):
        edges = [{**edge, "name": name} for name, edge in edges.items()]
    return [
        (
            edge["name"],
            edge["hash"] if "hash" in edge else edge["build_hash"],
            edge["parameters"]["virtuals"] if "parameters" in edge else [],
        )
        for edge in edges
    ]


def plain_compiler(nodes: Mapping[str, Json], found: Json) -> str:
    """The compiler of a node, by the words of the specification, section 10."""
    if "compiler" in found:
        return f"{found['compiler']['name']}@{found['compiler']['version']}"
    for language in ("c", "cxx", "fortran"):
        for name, spec_hash, virtuals in sorted(plain_edges(found)):
            if language in virtuals and spec_hash in nodes:
                return f"{name}@{plain_node(nodes, spec_hash)['version']}"
    return str(found.get("annotations", {}).get("compiler", "none"))


def plain_environments(document: Json) -> list[Json]:
    """A lock's own environment and all that it includes, at any depth."""
    included = document.get("include_concrete", {}).values()
    return [document, *(found for inner in included for found in plain_environments(inner))]


def plain_environment(document: Json) -> dict[str, tuple[Any, ...]]:
    """What each spec of a lock's environment says: all that dependencies lead to from a root."""
    environments = plain_environments(document)
    nodes = {key: found for each in environments for key, found in each["concrete_specs"].items()}
    roots = {root["hash"] for each in environments for root in each["roots"]}
    reached, waiting = set(), set(roots) or set(nodes)
    while waiting:
        reached |= waiting
        edges = [edge for key in waiting for edge in plain_edges(plain_node(nodes, key))]
        waiting = {key for _, key, _ in edges if key in nodes} - reached
    reading = plain_reading(nodes, roots)
    return {key: reading[key] for key in reached}


def plain_reading(nodes: Mapping[str, Json], explicit: set[str]) -> dict[str, tuple[Any, ...]]:
    """What each node says, by its key."""
    reading = {}
    for key in nodes:
        found = plain_node(nodes, key)
        target = found["arch"]["target"]
        reading[key] = (
            found["name"],
            found["version"],
            plain_compiler(nodes, found),
            found["arch"]["platform_os"],
            found["arch"]["platform"],
            target["name"] if isinstance(target, dict) else target,
            plain_variants(found["parameters"]),
            key in explicit,
            bool(
                found.get("external") and (found["external"]["path"] or found["external"]["module"])
            ),
        )
    return reading


def reading_of(document: Document) -> dict[str, tuple[Any, ...]]:
    """What the product says, in the same shape."""
    return {
        spec_hash: (
            name,
            spec.version,
            spec.compiler,
            spec.os,
            spec.platform,
            spec.target,
            set(spec.variants),
            spec.explicit,
            spec.external,
        )
        for spec_hash, (name, spec) in specs_of(document).items()
    }


_WORDS = st.sampled_from(["shared", "static", "c", "c++", "80", "90", "none", "a" * 40, "b" * 64])
_VALUES = st.one_of(
    st.booleans(),
    st.sampled_from(["none", "Release", "x86", "1.2"]),
    st.lists(_WORDS, min_size=1, max_size=3, unique=True),
)
_PARAMETERS = st.fixed_dictionaries(
    {},
    optional={
        "build_type": _VALUES,
        "shared": _VALUES,
        "patches": st.lists(_WORDS, min_size=1, max_size=2, unique=True),
        "cflags": st.lists(st.sampled_from(["-O2", "-g", "-fPIC"]), max_size=2),
    },
)


@st.composite
def items(draw: Callable[..., Any], names: Sequence[str] = ("a", "b", "c", "gcc")) -> list[Item]:
    """Nodes that depend on earlier ones; some share all their own fields, and differ below."""
    found: dict[str, Item] = {}
    for _ in range(draw(st.integers(0, 7))):
        below: dict[str, Needs] = {}
        for earlier in found.values():
            if earlier.name not in below and draw(st.booleans()):
                virtuals = draw(st.sampled_from([(), ("c",), ("cxx",), ("c", "cxx"), ("mpi",)]))
                below[earlier.name] = needs(earlier, *virtuals)
        item = Item(
            name=draw(st.sampled_from(names)),
            version=draw(st.sampled_from(["1.0", "1.1", "2.0rc1"])),
            compiler=draw(st.sampled_from([None, ("gcc", "12.3.0"), ("clang", "15")])),
            target=draw(st.sampled_from(["zen3", "x86_64"])),
            parameters=draw(_PARAMETERS),
            needs=tuple(below.values()),
            explicit=draw(st.booleans()),
            external=draw(st.booleans()),
            counted=draw(st.booleans()),
        )
        found[item.key] = item
    return list(found.values())
