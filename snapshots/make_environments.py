"""Write one environment of two dates beside this script, as each kind of document lists its specs.

    python snapshots/make_environments.py

Nothing here was ever built. The packages, versions and dependencies exist, but most variants and
many dependencies are left out, and every hash is made up. As in Spack, a hash follows from the node
and the hashes of its dependencies: what is above a change gets a new one.

`environment` says what there is, and `CHANGES` what the week between the two dates brings: an
upgrade in the middle of the graph, and a spec that is added, removed or reconfigured. Edit these,
run the script, and look at `git diff`.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

NAME = "science"
OLD_DATE = "2025-06-29"
NEW_DATE = "2025-07-06"

Variants = Mapping[str, bool | str | list[str]]
Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class Package:
    """A spec in short: `uses` names its dependencies, in the words of `USES`."""

    name: str
    version: str
    variants: Variants = dataclasses.field(default_factory=dict)
    uses: str = ""
    asked_for: str = ""
    external: bool = False


CMAKE: Variants = {"build_system": "cmake", "build_type": "Release", "generator": ["make"]}
AUTOTOOLS: Variants = {"build_system": "autotools"}

LINKED = ["build", "link"]
USES: dict[str, tuple[str, list[str], list[str]]] = {
    "c": ("gcc", ["build"], ["c"]),
    "c,cxx": ("gcc", ["build"], ["c", "cxx"]),
    "c,cxx,fortran": ("gcc", ["build"], ["c", "cxx", "fortran"]),
    "wrapper": ("compiler-wrapper", ["build"], []),
    "runtime": ("gcc-runtime", ["link"], []),
    "libc": ("glibc", ["link"], ["libc"]),
    "make": ("gmake", ["build"], []),
    "cmake": ("cmake", ["build"], []),
    "pkgconfig": ("pkgconf", ["build"], ["pkgconfig"]),
    "zlib": ("zlib-ng", LINKED, ["zlib-api"]),
    "blas": ("openblas", LINKED, ["blas", "lapack"]),
    "mpi": ("openmpi", LINKED, ["mpi"]),
    "prrte": ("prrte", ["run"], []),
}
"""The package that a word means, the types of the edge to it, and the virtuals it provides.

A word that is missing here is a package that is built against, and provides nothing.
"""

BY_C = "c wrapper runtime libc make"
BY_CXX = "c,cxx wrapper runtime libc make"
BY_FORTRAN = "c,cxx,fortran wrapper runtime libc make"


def environment() -> tuple[Package, ...]:
    """The specs of the older date; each is listed after its dependencies."""
    return (
        Package("glibc", "2.39", AUTOTOOLS, external=True),
        Package(
            "gcc", "13.3.0", {**AUTOTOOLS, "languages": ["c", "c++", "fortran"]}, external=True
        ),
        Package("gcc-runtime", "13.3.0", {"build_system": "generic"}, "libc"),
        Package("compiler-wrapper", "1.0", {"build_system": "generic"}),
        Package("gmake", "4.4.1", {**AUTOTOOLS, "guile": False}, "c wrapper runtime libc"),
        Package("pkgconf", "2.3.0", AUTOTOOLS, BY_C),
        Package("zlib-ng", "2.2.4", {**AUTOTOOLS, "compat": True, "opt": True}, BY_CXX),
        Package("ncurses", "6.5", {**AUTOTOOLS, "abi": "none", "termlib": True}, BY_CXX),
        Package("cmake", "3.31.6", {"build_system": "generic", "doc": False}, f"{BY_CXX} ncurses"),
        Package("xz", "5.6.3", {**AUTOTOOLS, "libs": ["shared", "static"], "pic": False}, BY_C),
        Package("libxml2", "2.13.5", {**AUTOTOOLS, "python": False}, f"{BY_C} pkgconfig xz zlib"),
        Package(
            "hwloc",
            "2.11.1",
            {**AUTOTOOLS, "cuda": False, "libs": ["shared", "static"], "libxml2": True},
            f"{BY_CXX} pkgconfig libxml2 ncurses",
        ),
        Package("libevent", "2.1.12", {**AUTOTOOLS, "openssl": False}, BY_C),
        Package(
            "pmix", "5.0.5", {**AUTOTOOLS, "munge": False}, f"{BY_C} pkgconfig hwloc libevent zlib"
        ),
        Package("prrte", "3.0.8", AUTOTOOLS, f"{BY_C} hwloc libevent pmix"),
        Package(
            "openmpi",
            "5.0.7",
            {**AUTOTOOLS, "cuda": False, "fabrics": ["none"], "fortran": True, "romio": True},
            f"{BY_FORTRAN} pkgconfig hwloc libevent pmix prrte zlib",
        ),
        Package("openblas", "0.3.29", {"build_system": "makefile", "threads": "none"}, BY_FORTRAN),
        Package("metis", "5.1.0", {**CMAKE, "int64": False, "shared": True}, f"{BY_CXX} cmake"),
        Package(
            "fftw",
            "3.3.10",
            {**AUTOTOOLS, "mpi": False, "openmp": False, "precision": ["double", "float"]},
            BY_C,
            asked_for="fftw",
        ),
        Package(
            "hdf5",
            "1.14.6",
            {**CMAKE, "fortran": True, "hl": True, "mpi": True, "shared": True},
            f"{BY_FORTRAN} cmake mpi pkgconfig zlib",
            asked_for="hdf5+fortran+hl",
        ),
        Package(
            "netcdf-c",
            "4.9.2",
            {**AUTOTOOLS, "mpi": True},
            f"{BY_CXX} hdf5 mpi zlib",
            asked_for="netcdf-c",
        ),
        Package(
            "petsc",
            "3.23.3",
            {"build_system": "generic", "hdf5": True, "metis": True, "mpi": True, "shared": True},
            f"{BY_FORTRAN} blas hdf5 metis mpi",
            asked_for="petsc",
        ),
        Package("valgrind", "3.23.0", {**AUTOTOOLS, "mpi": False}, BY_CXX, asked_for="valgrind"),
    )


UPGRADED = {"hwloc": "2.12.0"}
REMOVED = {"valgrind"}
RECONFIGURED = {"fftw": {"openmp": True}}
ADDED = (
    Package(
        "netcdf-fortran",
        "4.6.1",
        {**AUTOTOOLS, "doc": False, "shared": True},
        f"{BY_FORTRAN} mpi netcdf-c",
        asked_for="netcdf-fortran",
    ),
)


def after_the_week() -> tuple[Package, ...]:
    """The specs of the newer date."""
    kept = (
        dataclasses.replace(
            package,
            version=UPGRADED.get(package.name, package.version),
            variants={**package.variants, **RECONFIGURED.get(package.name, {})},
        )
        for package in environment()
        if package.name not in REMOVED
    )
    return (*kept, *ADDED)


# --- Nodes ---

FLAGS = ("cflags", "cppflags", "cxxflags", "fflags", "ldflags", "ldlibs")


def nodes_of(packages: tuple[Package, ...]) -> dict[str, Json]:
    """The packages as nodes, by name; each has its hash."""
    nodes: dict[str, Json] = {}
    for package in packages:
        node = node_of(package, nodes)
        nodes[package.name] = {**node, "hash": digest(json.dumps(node, sort_keys=True))[:32]}
    return nodes


def node_of(package: Package, nodes: Mapping[str, Json]) -> Json:
    """A package as Spack 1.x writes a node; `nodes` has its dependencies."""
    runs_anywhere = package.external
    node: Json = {
        "name": package.name,
        "version": package.version,
        "arch": {
            "platform": "linux",
            "platform_os": "ubuntu24.04",
            "target": "x86_64" if runs_anywhere else "x86_64_v3",
        },
        "namespace": "builtin",
        "parameters": {**package.variants, **{flag: [] for flag in FLAGS}},
        "package_hash": digest(f"recipe of {package.name} {package.version}") + "====",
        "annotations": {"original_specfile_version": 5},
    }
    if package.external:
        node["external"] = {"path": "/usr", "module": None, "extra_attributes": {}}
    if package.uses:
        edges = [edge_of(word, nodes) for word in package.uses.split()]
        node["dependencies"] = sorted(edges, key=lambda edge: str(edge["name"]))
    return node


def edge_of(word: str, nodes: Mapping[str, Json]) -> Json:
    """The edge to a dependency."""
    name, types, virtuals = USES.get(word, (word, LINKED, []))
    parameters = {"deptypes": types, "virtuals": virtuals}
    return {"name": name, "hash": nodes[name]["hash"], "parameters": parameters}


def digest(text: str) -> str:
    """52 characters as Spack writes hashes, which follow from the text."""
    return base64.b32encode(hashlib.sha256(text.encode()).digest()).decode().lower().rstrip("=")


# --- Documents ---


def lock(packages: tuple[Package, ...]) -> Json:
    """The environment's lock file, of version 7."""
    nodes = nodes_of(packages)
    return {
        "_meta": {"file-type": "spack-lockfile", "lockfile-version": 7, "specfile-version": 5},
        "spack": {"version": "1.2.0", "type": "release"},
        "roots": [
            {"hash": nodes[package.name]["hash"], "spec": package.asked_for, "group": "default"}
            for package in packages
            if package.asked_for
        ],
        "concrete_specs": by_hash(nodes),
    }


def index(packages: tuple[Package, ...]) -> Json:
    """The index of a build cache with all that was built; what is external is listed, not in it."""
    nodes = nodes_of(packages)
    used = [name for package in packages for name in names_used(package)]
    return database(
        {
            spec_hash: {
                "spec": node,
                "ref_count": used.count(str(node["name"])),
                "in_buildcache": "external" not in node,
            }
            for spec_hash, node in by_hash(nodes).items()
        }
    )


def installed(packages: tuple[Package, ...]) -> Json:
    """The install database of a tree with all specs in it."""
    nodes = nodes_of(packages)
    used = [name for package in packages for name in names_used(package)]
    explicit = {package.name for package in packages if package.asked_for}
    return database(
        {
            spec_hash: {
                "spec": node,
                "path": f"/opt/{NAME}/{node['name']}-{node['version']}-{spec_hash}",
                "installed": True,
                "ref_count": used.count(str(node["name"])),
                "explicit": node["name"] in explicit,
                "installation_time": 0.0,
            }
            for spec_hash, node in by_hash(nodes).items()
        }
    )


def database(records: Json) -> Json:
    """Records in Spack's database format, of version 8."""
    return {"database": {"version": "8", "installs": records}}


def site_specs(packages: tuple[Package, ...]) -> Json:
    """All that was built by hash, as the site of 2026 publishes it: `specs_data.json`."""
    nodes = nodes_of(packages)
    return {
        str(nodes[package.name]["hash"]): {
            "hash": nodes[package.name]["hash"],
            "version": package.version,
            "variants": [variant(*item) for item in sorted(package.variants.items())],
            "platform": "linux",
            "os": "ubuntu24.04",
            "target": "x86_64_v3",
            "dependencies": nodes[package.name].get("dependencies", []),
            "stacks": [NAME],
            "releases": ["develop"],
        }
        for package in packages
        if not package.external
    }


def site_packages(packages: tuple[Package, ...]) -> Json:
    """The hashes of each package, as the site publishes them: `package_data.json`."""
    nodes = nodes_of(packages)
    return {
        package.name: {
            "uid": package.name,
            "url": f"/packages/{package.name}.json",
            "releases": ["develop"],
            "specs": [nodes[package.name]["hash"]],
        }
        for package in packages
        if not package.external
    }


def variant(name: str, value: bool | str | list[str]) -> str:
    """A variant as text: `+mpi`, `threads=none`, `libs:=shared,static`."""
    if isinstance(value, bool):
        return f"{'+' if value else '~'}{name}"
    if isinstance(value, list):
        return f"{name}:={','.join(value)}"
    return f"{name}={value}"


def by_hash(nodes: Mapping[str, Json]) -> dict[str, Json]:
    """The nodes by hash, in the order of the hashes."""
    return dict(sorted((str(node["hash"]), node) for node in nodes.values()))


def names_used(package: Package) -> list[str]:
    """The names of a package's direct dependencies."""
    return [USES[word][0] if word in USES else word for word in package.uses.split()]


def manifest(blob: bytes) -> Json:
    """What leads to an index in layout 3."""
    entry = {
        "contentLength": len(blob),
        "mediaType": "application/vnd.spack.db.v8+json",
        "compression": "none",
        "checksumAlgorithm": "sha256",
        "checksum": hashlib.sha256(blob).hexdigest(),
    }
    return {"version": 3, "data": [entry]}


def to_bytes(document: Json) -> bytes:
    """JSON on one line, as Spack writes it."""
    return json.dumps(document, separators=(",", ":")).encode()


def files_of(date: str, packages: tuple[Package, ...]) -> dict[str, bytes]:
    """All files of a date, by path."""
    blob = to_bytes(index(packages))
    checksum = hashlib.sha256(blob).hexdigest()
    mirror = f"mirrors/{date}/{NAME}"
    return {
        f"environments/{date}/{NAME}/spack.lock": to_bytes(lock(packages)),
        f"{mirror}/v3/manifests/index/index.manifest.json": to_bytes(manifest(blob)),
        f"{mirror}/blobs/sha256/{checksum[:2]}/{checksum}": blob,
        f"trees/{date}/{NAME}/.spack-db/index.json": to_bytes(installed(packages)),
        f"site/{date}/specs_data.json": to_bytes(site_specs(packages)),
        f"site/{date}/package_data.json": to_bytes(site_packages(packages)),
    }


def main() -> None:
    """Write the files of both dates, remove older blobs, and say how many specs there are."""
    folder = Path(__file__).resolve().parent
    files: dict[str, bytes] = {}
    for date, packages in ((OLD_DATE, environment()), (NEW_DATE, after_the_week())):
        files |= files_of(date, packages)
        print(f"{date}: {NAME}, {len(packages)} specs")
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    for blob in sorted(folder.glob("mirrors/*/*/blobs/sha256/*/*")):
        if blob.relative_to(folder).as_posix() not in files:
            blob.unlink()
            if not any(blob.parent.iterdir()):
                blob.parent.rmdir()


if __name__ == "__main__":
    main()
