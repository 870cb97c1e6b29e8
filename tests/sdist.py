"""A source distribution without what differs from build to build: times and owners of its files, and their order.

setuptools gives a wheel the time in SOURCE_DATE_EPOCH, and a source distribution the time of the build.

    python -m tests.sdist build/dist/boathull-0.1.0.tar.gz       rewrites it with SOURCE_DATE_EPOCH (`make dist`)
"""

import gzip
import io
import os
import sys
import tarfile
from pathlib import Path

FORMAT = tarfile.PAX_FORMAT


def normal(data: bytes, epoch: int) -> bytes:
    """The archive with every file of one time, and of nobody."""
    written, compressed = io.BytesIO(), io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(data)) as old, tarfile.open(fileobj=written, mode="w", format=FORMAT) as new:
        for member in sorted(old.getmembers(), key=lambda one: one.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = epoch, 0, 0, "", ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            member.pax_headers = {}
            new.addfile(member, old.extractfile(member) if member.isreg() else None)
    with gzip.GzipFile(filename="", fileobj=compressed, mode="wb", mtime=epoch) as file:
        file.write(written.getvalue())
    return compressed.getvalue()


if __name__ == "__main__":
    archive = Path(sys.argv[1])
    archive.write_bytes(normal(archive.read_bytes(), int(os.environ["SOURCE_DATE_EPOCH"])))
