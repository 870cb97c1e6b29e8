"""Random source trees: repositories in repositories, links, files of one name, headers in other places, odd names."""

import os
import random
from dataclasses import dataclass, field
from pathlib import Path

FOLDERS = ("src", "lib", "a", "b", "two words", "naïve", "deep")
FILES = ("x.c", "y.c", "main.c", "two words.c", "é.c", "-t.c", "it's.c")
REPOSITORIES = (".git", ".hg")

Loop = tuple[str, str, int]
"""Real path, function and line of a loop."""


@dataclass
class Layout:
    """A tree below `top`. `loops`: of each real C file and header, `asks`: the headers that a file includes."""

    top: Path
    folders: list[Path] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)
    links: list[Path] = field(default_factory=list)
    loops: dict[Path, list[Loop]] = field(default_factory=dict)
    asks: dict[Path, list[Path]] = field(default_factory=dict)

    def expected(self, given: list[Path]) -> set[Loop]:
        """The loops of all C files at or below the given paths, and of the headers that these include."""
        read = {p.resolve() for p in (*self.files, *self.links) if any(p == g or g in p.parents for g in given)}
        read |= {header for file in read for header in self.asks.get(file, ())}
        return {loop for file in read for loop in self.loops[file]}


def layout(top: Path, seed: int) -> Layout:
    """A tree with three to six C files and up to three headers, the same for the same seed."""
    rng = random.Random(seed)
    made = Layout(top)
    _folders(made, rng)
    headers = [_header(made, rng, number) for number in range(rng.randint(0, 3))]
    for _ in range(rng.randint(3, 6)):
        _file(made, rng, headers)
    for number in range(rng.randint(0, 2)):
        link = rng.choice(made.folders) / f"link{number}.c"
        link.symlink_to(os.path.relpath(rng.choice(made.files), link.parent))
        made.links.append(link)
    if rng.random() < 0.3:
        (top / "elsewhere").symlink_to(rng.choice(made.folders), target_is_directory=True)
    return made


def _folders(made: Layout, rng: random.Random) -> None:
    made.folders = [made.top]
    for _ in range(rng.randint(2, 6)):
        folder = rng.choice(made.folders) / rng.choice(FOLDERS)
        folder.mkdir(parents=True, exist_ok=True)
        made.folders.append(folder)
    for folder in rng.sample(made.folders, rng.randint(0, 2)):
        (folder / rng.choice(REPOSITORIES)).mkdir(exist_ok=True)
    if rng.random() < 0.3:
        (rng.choice(made.folders) / "Makefile").touch()


def _header(made: Layout, rng: random.Random, number: int) -> Path:
    """Headers of one name in several places, and some with a name of their own."""
    name = rng.choice(("h.h", f"own{number}.h"))
    path = (rng.choice(made.folders) / name).resolve()
    if path not in made.loops:
        _write(made, rng, path, [], static=True)
    return path


def _file(made: Layout, rng: random.Random, headers: list[Path]) -> None:
    path = rng.choice(made.folders) / rng.choice(FILES)
    if path.exists():
        return
    asked = rng.sample(headers, min(len(headers), rng.randint(0, 2)))
    one_of_a_name = {header.name: header for header in asked}
    made.asks[path.resolve()] = list(one_of_a_name.values())
    made.files.append(path)
    includes = []
    for header in one_of_a_name.values():
        # by name alone only where no other header has it: then there is one place to find it in
        alone = header.name != "h.h"
        name = header.name if alone and rng.random() < 0.7 else os.path.relpath(header, path.resolve().parent)
        includes.append(f'#include "{name}"')
    _write(made, rng, path.resolve(), includes, static=rng.random() < 0.5)


def _write(made: Layout, rng: random.Random, path: Path, includes: list[str], *, static: bool) -> None:
    """Functions of the same few names in all files."""
    lines, loops = list(includes), []
    for name in rng.sample(("work", "step", "sum"), rng.randint(1, 3)):
        own = f"{name}_{path.stem}" if path.suffix == ".h" else name
        own = "".join(sign if sign.isascii() and sign.isalnum() else "_" for sign in own)
        lines.append(f"{'static ' if static else ''}void {own}(int n, double *a, double *b) {{")
        for _ in range(rng.randint(1, 2)):
            body = rng.choice(("a[i] = 2 * b[i];", "a[i] = a[i - 1] + b[i];", "b[i] = a[i];"))
            lines.append(f"  for (int i = 1; i < {rng.choice(('n', '4096', '100000000'))}; i++) {body}")
            loops.append((str(path), own, len(lines)))
        lines.append("}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    made.loops[path] = loops
