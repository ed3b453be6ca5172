"""Write the parts list of a wheel (SBOM, CycloneDX): it and all that it runs on.

python -m release.parts_list dist/NAME.whl build/NAME.cdx.json

The parts are those of an environment that has the wheel and nothing else, as they are today.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from snapdiff import __version__

ROOT = Path(__file__).resolve().parents[1]


def write_parts_list(wheel: Path, target: Path) -> None:
    """Install a wheel in an environment of its own, and list what is there in a file."""
    with tempfile.TemporaryDirectory() as place:
        python = Path(place) / "bin" / "python"
        uv = [sys.executable, "-m", "uv"]
        subprocess.run([*uv, "venv", "--quiet", "--python", sys.executable, place], check=True)
        subprocess.run([*uv, "pip", "install", "--quiet", "--python", python, wheel], check=True)
        list_parts(python, target)


def list_parts(python: Path, target: Path) -> None:
    """List in a file what an environment has, by its Python; the same parts give the same bytes."""
    target.parent.mkdir(parents=True, exist_ok=True)
    described = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".toml") as project:
        # The tool that lists parts does not look versions up where pyproject.toml says they are.
        project.write(described.replace('dynamic = ["version"]', f'version = "{__version__}"'))
        project.flush()
        command = [sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible"]
        subprocess.run(
            [*command, "--pyproject", project.name, "--output-file", target, python], check=True
        )


def main() -> int:
    """Write the parts list of the wheel that is named; return the exit status."""
    write_parts_list(Path(sys.argv[1]), Path(sys.argv[2]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
