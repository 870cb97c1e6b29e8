"""A folder of answers, each in a file named by the hash of its key.

    boathull-cache 1 <hash of the rest>\\n <JSON, one line>\\n <bytes>

A file is written under another name first and then renamed, so that whoever reads finds a whole one or none; one that
is not what its hash says is no answer. Nothing in it is ever run: JSON and bytes, no pickle.
"""

from __future__ import annotations

import contextlib
import json
import os
import time

try:
    from _blake2 import blake2b
except ImportError:  # the same by way of OpenSSL, which takes longer to load than a kept answer may cost
    from hashlib import blake2b

TYPE_CHECKING = False  # `typing` alone takes as long to load as all the rest
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

MAGIC = b"boathull-cache 1 "
MOST_BYTES = 512 << 20
"""What the folder is cut back to; answers that were not used for longest go first."""
_LARGEST_ENTRY = MOST_BYTES // 4
_TIDIED_EVERY_S = 3600
_USED_EVERY_S = 86400
"""How exactly it is known when an answer was last used."""
_TAG = "CACHEDIR.TAG"
_TAG_TEXT = b"Signature: 8a477f597d28d172789f06886806bc55\n# Answers kept by boathull; safe to delete.\n"


def digest(*parts: str | bytes) -> str:
    """The hash of a sequence of parts, whatever is in them."""
    made = blake2b(digest_size=20)
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
        made.update(b"%d:" % len(data))
        made.update(data)
    return made.hexdigest()


def default_folder() -> str:
    """`$XDG_CACHE_HOME/boathull`, or where the system keeps such things; never in the analysed tree."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(given):
        return os.path.join(given, "boathull")
    local = os.environ.get("LOCALAPPDATA") if os.name == "nt" else None
    return os.path.join(local or os.path.join(os.path.expanduser("~"), ".cache"), "boathull")


class Compressed:
    """Bytes that wait in little room, to be read in pieces: reports with all figures are long."""

    def __init__(self) -> None:
        import zlib

        self._new, self._reader = zlib.compressobj(1), zlib.decompressobj
        self._waiting: list[bytes] = []
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[bytes]:
        read = self._reader()
        for part in (*self._waiting, self._new.copy().flush()):
            yield read.decompress(part)

    def add(self, data: bytes) -> None:
        self._length += len(data)
        self._waiting.append(self._new.compress(data))


class Store:
    """`trouble`: why nothing could be written, for one note to the user; '' while all is well."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.trouble = ""

    def read(self, key: str) -> tuple[Any, bytes] | None:
        """The answer kept under a key; None where there is none, or it is damaged."""
        path = self._path(key)
        try:
            with open(path, "rb") as file:
                content = file.read()
                age_s = time.time() - os.fstat(file.fileno()).st_mtime
        except OSError:
            return None
        if age_s > _USED_EVERY_S:
            with contextlib.suppress(OSError):
                os.utime(path)
        head, _, rest = content.partition(b"\n")
        if head != MAGIC + digest(rest).encode():
            return None
        line, _, payload = rest.partition(b"\n")
        try:
            return json.loads(line), payload
        except (ValueError, RecursionError):
            return None

    def write(self, key: str, header: object, payload: bytes | Compressed = b"") -> None:
        """Keeps an answer. Never fails: `trouble` says what went wrong."""
        line = json.dumps(header, separators=(",", ":")).encode("ascii") + b"\n"
        pieces = (payload,) if isinstance(payload, bytes) else payload
        length = len(line) + len(payload)
        if length > _LARGEST_ENTRY:
            return
        made = blake2b(b"%d:" % length + line, digest_size=20)  # as `digest` has it of the whole
        for piece in pieces:
            made.update(piece)
        path = self._path(key)
        temporary = f"{path}.{os.getpid()}.tmp"
        try:
            self._make_folder(os.path.dirname(path))
            with open(temporary, "wb") as file:
                file.write(MAGIC + made.hexdigest().encode() + b"\n" + line)
                file.writelines(pieces)
            os.replace(temporary, path)
        except OSError as error:
            self.trouble = self.trouble or (error.strerror or str(error)).lower()
            with contextlib.suppress(OSError):
                os.unlink(temporary)

    def tidy(self) -> None:
        """Once an hour: the answers that were not used for longest are deleted until the rest is small enough."""
        mark = os.path.join(self.folder, _TAG)
        with contextlib.suppress(OSError):
            if time.time() - os.stat(mark).st_mtime < _TIDIED_EVERY_S:
                return
            os.utime(mark)
            self.shrink(MOST_BYTES)

    def shrink(self, most_bytes: int) -> None:
        """Deletes answers, those not used for longest first, until at most `most_bytes` are left."""
        known = []
        for folder, _, names in os.walk(self.folder):
            for name in names:
                with contextlib.suppress(OSError):
                    path = os.path.join(folder, name)
                    seen = os.stat(path)
                    if name != _TAG:
                        known.append((seen.st_mtime, seen.st_size, path))
        left = sum(size for _, size, _ in known)
        for _, size, path in sorted(known):
            if left <= most_bytes:
                return
            with contextlib.suppress(OSError):
                os.unlink(path)
            left -= size

    def _path(self, key: str) -> str:
        return os.path.join(self.folder, key[:2], key[2:])

    def _make_folder(self, folder: str) -> None:
        """The folder is the user's own: what is in it says what their code looks like."""
        if os.path.isdir(folder):
            return
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        mark = os.path.join(self.folder, _TAG)
        if not os.path.exists(mark):
            with open(mark, "wb") as file:
                file.write(_TAG_TEXT)
        os.makedirs(folder, mode=0o700, exist_ok=True)
