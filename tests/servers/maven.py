"""What tests need of Maven's central repository, copied once into the directory ``.data``."""

from __future__ import annotations

import subprocess
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
JARS = ROOT / ".data" / "jars"


def copied(artifact: str) -> Path:
    """The file of an artifact (``group:name:version[:type[:classifier]]``), a jar by default."""
    _, name, version, *rest = artifact.split(":")
    path = JARS / f"{'-'.join([name, version, *rest[1:]])}.{rest[0] if rest else 'jar'}"
    if not path.exists():
        JARS.mkdir(parents=True, exist_ok=True)
        copy = ["dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={JARS}"]
        subprocess.run(["mvn", "--quiet", "--batch-mode", *copy], check=True)
    return path


def unpacked(artifact: str) -> Path:
    """The one directory that is in an archive."""
    archive = copied(artifact)
    place = JARS / archive.name.removesuffix(".tar.gz")
    if not place.exists():
        with tarfile.open(archive) as found:
            found.extractall(place, filter="data")
    (directory,) = place.iterdir()
    return directory
