"""What tests need of Maven's central repository, copied once into the directory ``.data``."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
JARS = ROOT / ".data" / "jars"

# Hadoop is added in one version, and what Hive wants of Pentaho is in no repository any more.
_POM = """\
<project><modelVersion>4.0.0</modelVersion>
<groupId>tests</groupId><artifactId>tests</artifactId><version>1</version>
<dependencies><dependency>
<groupId>{group}</groupId><artifactId>{name}</artifactId><version>{version}</version>
<exclusions>
<exclusion><groupId>org.pentaho</groupId><artifactId>*</artifactId></exclusion>
<exclusion><groupId>org.apache.hadoop</groupId><artifactId>*</artifactId></exclusion>
</exclusions>
</dependency></dependencies></project>
"""


def copied(artifact: str) -> Path:
    """The file of an artifact (``group:name:version[:type[:classifier]]``), a jar by default."""
    _, name, version, *rest = artifact.split(":")
    path = JARS / f"{'-'.join([name, version, *rest[1:]])}.{rest[0] if rest else 'jar'}"
    if not path.exists():
        copy = ["dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={_made(JARS)}"]
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


def resolved(*artifacts: str) -> Path:
    """A directory of the jars of some artifacts, the first with what it needs except Hadoop."""
    first, *added = artifacts
    group, name, version = first.split(":")
    place = JARS / f"{name}-{version}-with-dependencies"
    if not place.exists():
        with tempfile.TemporaryDirectory(dir=_made(JARS)) as scratch:
            pom = Path(scratch, "pom.xml")
            pom.write_text(_POM.format(group=group, name=name, version=version))
            copy = [f"--file={pom}", "dependency:copy-dependencies", "-DincludeScope=runtime"]
            made = Path(scratch, "jars")
            command = ["mvn", "--quiet", "--batch-mode", *copy, f"-DoutputDirectory={made}"]
            subprocess.run(command, check=True)
            for each in added:
                shutil.copy(copied(each), made)
            made.rename(place)
    return place


def _made(place: Path) -> Path:
    place.mkdir(parents=True, exist_ok=True)
    return place
