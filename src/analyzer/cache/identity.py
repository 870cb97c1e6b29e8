"""What every key begins with: all that an answer depends on and that is no file of the user's.

This program is known by the content of its own installed files, so that neither an upgrade nor a change in a
development checkout is ever answered with what an older one said.
"""

import os
import sys
import time

from .store import Store, digest

_PACKAGES = ("analyzer", "models")
_LIBRARIES = (
    *("islpy", "pycparser", "pcpp", "networkx", "numpy", "msgspec", "jinja2", "rich", "pygments", "pathspec"),
    *("markupsafe", "joblib", "scipy"),
)
VARIABLES = ("PATH", "HOME", "SYSTEMROOT", "LD_LIBRARY_PATH", "CPATH", "C_INCLUDE_PATH", "SDKROOT", "XDG_CONFIG_HOME")
"""Those that reach the compiler (`source.process`), but for where it puts temporary files; where `native` is."""


def identity(store: Store) -> str:
    """A hash of this program, its libraries, Python, and the environment that a preprocessor sees."""
    environment = (f"{name}={os.environ[name]}" if name in os.environ else name for name in VARIABLES)
    python = f"{sys.implementation.cache_tag} {sys.version} {sys.platform} {sys.flags.optimize}"
    return digest(program(store), python, *libraries(sys.path), *environment, _working_directory())


def program(store: Store) -> str:
    """The hash of what the installed files hold, as it was when this process first asked: that is what it runs. It is
    looked up by their stamps: reading them all takes longer."""
    if "content" not in _LOADED:
        files = _files()
        _LOADED["stamps"] = digest("program", _SOURCE, repr(files))
        _LOADED["content"] = _content(files, _LOADED["stamps"], store)
    return _LOADED["content"]


def is_changed() -> bool:
    """Whether the files are others by now, so that it is not known which of them were loaded. Looked at once a
    second."""
    now = time.monotonic()
    if "stamps" in _LOADED and now - _LOOKED.get("at", 0.0) > 1:
        _LOOKED["at"] = now
        _LOOKED["changed"] = digest("program", _SOURCE, repr(_files())) != _LOADED["stamps"]
    return bool(_LOOKED.get("changed"))


_SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_LOADED: dict[str, str] = {}
_LOOKED: dict[str, float] = {}


def _files() -> list[tuple[str, int, int, int]]:
    return sorted(stamp for package in _PACKAGES for stamp in _stamps(os.path.join(_SOURCE, package)))


def _content(files: list[tuple[str, int, int, int]], key: str, store: Store) -> str:
    known = store.read(key)
    if known is not None and isinstance(known[0], str):
        return known[0]
    content = []
    for path, *_ in files:
        with open(path, "rb") as file:
            content += [os.path.relpath(path, _SOURCE), digest(file.read())]
    found = digest(*content)
    store.write(key, found)
    return found


def _stamps(folder: str) -> list[tuple[str, int, int, int]]:
    """Path, size, and times of change of all files of a package, what Python made of them left out."""
    found = []
    for entry in os.scandir(folder):
        if entry.is_dir():
            if entry.name != "__pycache__":
                found += _stamps(entry.path)
        else:
            seen = entry.stat()
            found.append((entry.path, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns))
    return found


def libraries(path: list[str]) -> list[str]:
    """Name and version of the libraries that take part in an answer, islpy's two flavours told apart; found by the
    names of their folders, since to import each costs more than the whole answer."""
    found = []
    for folder in path:
        if folder.endswith(("site-packages", "dist-packages")) and os.path.isdir(folder):
            found += [
                name
                for name in os.listdir(folder)
                if name.endswith((".dist-info", ".egg-info")) and name.lower().startswith(_LIBRARIES)
            ]
    return sorted(found)


def _working_directory() -> str:
    """Paths are shown relative to it. One that was deleted has no name."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def which(wanted: str | None) -> str | None:
    """The compiler that `source.compiler.find_compiler` finds, without loading what that needs."""
    listed = os.environ.get("PATH", os.defpath)
    folders = listed.split(os.pathsep) if listed else []
    for name in (wanted,) if wanted else ("cc", "gcc", "clang"):
        for folder in [""] if os.path.dirname(name) else folders:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and os.access(path, os.X_OK):
                return path
    return None
