# Copyright Spack Project Developers. See COPYRIGHT file for details.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

from spack_repo.builtin.build_systems.python import PythonPackage

from spack.package import *


class PySpackSnapdiff(PythonPackage):
    """What changed between two snapshots of a Spack package catalog, for people."""

    homepage = "https://github.com/YOUR_ORGANIZATION/snapdiff"
    git = "https://github.com/YOUR_ORGANIZATION/snapdiff.git"
    pypi = "spack-snapdiff/spack_snapdiff-0.1.0.tar.gz"

    license("Apache-2.0 OR MIT")

    # After `spack load py-spack-snapdiff` there is `spack snapdiff`: Spack's Python finds the
    # package by then, whose entry points say where the command is.

    # A release adds a line with the checksum of its source archive.
    version("main", branch="main")

    variant("mirror", default=False, description="Read mirrors by URL")
    variant("s3", default=False, description="Read mirrors on S3")
    variant("gcs", default=False, description="Read mirrors on Google Cloud")
    variant("post", default=False, description="Post comments on GitHub, Gitea and GitLab")
    variant("dask", default=False, description="Spread a changelog over a Dask cluster")

    requires("+mirror", when="+s3")
    requires("+mirror", when="+gcs")

    depends_on("py-hatchling@1.27:", type="build")
    depends_on("git", type="run")

    with default_args(type=("build", "run")):
        depends_on("python@3.11:")
        depends_on("py-archspec@0.2.3:")
        depends_on("py-click@8.1.7:")
        depends_on("py-deepdiff@8.6.1:")
        depends_on("py-gitpython@3.1.61:")
        depends_on("py-jinja2@3.1.6:")
        depends_on("py-msgspec@0.19:")
        depends_on("py-pyyaml@6.0.1:")

        depends_on("py-aiohttp@3.10:", when="+mirror")
        depends_on("py-fsspec@2025.3:", when="+s3")
        depends_on("py-fsspec@2025.3:", when="+gcs")
        depends_on("py-s3fs@2025.3:", when="+s3")
        depends_on("py-gcsfs@2025.3:", when="+gcs")
        depends_on("py-requests@2.32.2:", when="+post")
        depends_on("py-distributed@2024.1:", when="+dask")
