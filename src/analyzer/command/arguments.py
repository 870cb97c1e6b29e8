"""The command line of `analyze`: options and their help (docs/commands.md). Every default is None here, so that a value
of the configuration file can be told from one that was typed; `settings.config` fills in the rest."""

import argparse
import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from ..base.errors import InputError
from ..report.formats import RENDERERS
from ..settings.config import CHOICES, Settings

if TYPE_CHECKING:
    from ..report.terminal import Much

OWN_FORMATS = ("text", "patch")
"""What the command itself makes: text depends on the terminal, a patch on which loops are asked for."""
FORMATS = ("text", *RENDERERS, "patch")
SUGGESTED = ("openmp", "openmp-target", "openacc", "cuda", "loops")
SHELLS = ("bash", "zsh", "tcsh", "fish")

EPILOG = """examples:
  analyze src/blas.c -t gtx470                   one file, one target
  analyze src/ -t h200 -I include --size n=1e6   a tree, with the value of an unknown size
  analyze src/ -t h200 -f text -f json=out.json  two reports of one run
  analyze src/ --suggest openmp > omp.patch      what makes the loops parallel that pay, as a patch

exit codes: 0 done; 1 findings at or above --fail-on; 2 usage, configuration, missing input;
3 an error of ours (the rest of the run is kept); 130 interrupted"""


class Parser(argparse.ArgumentParser):
    """Says which option was meant where one is unknown, and leaves exiting to the command."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message}{self._near(message)} (see analyze --help)")

    def _near(self, message: str) -> str:
        head, _, words = message.partition(": ")
        if not head.startswith("unrecognized"):
            return ""
        known = [option for action in self._actions for option in action.option_strings]
        wanted = next((w.split("=")[0] for w in words.split() if w.startswith("-")), "")
        near = difflib.get_close_matches(wanted, known, n=3, cutoff=0.6)
        return f"; did you mean {', '.join(near)}?" if near else ""


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """The arguments as typed. InputError for anything that cannot be understood."""
    return parser().parse_intermixed_args(argv)  # options may stand between paths


def much_of(arguments: argparse.Namespace) -> "Much":
    """How much of a run text reports hold."""
    return "totals" if arguments.quiet else "all" if arguments.verbose else "decisions"


NARROWING = ("select", "ignore", "baseline", "per-path-ignores")


def narrows(arguments: argparse.Namespace, chosen: Settings) -> bool:
    """Whether anything asks for less than all findings, or for a baseline."""
    asked = (arguments.write_baseline, arguments.changed_since is not None, arguments.staged, arguments.hook)
    return any(asked) or any(chosen.origin[name] != "default" for name in NARROWING)


def parser() -> Parser:
    top = Parser(
        prog="analyze",
        usage="analyze [OPTIONS] PATH...",
        description="Which loops of a C program are worth moving to which device, and why.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    top.add_argument("paths", metavar="PATH", nargs="*", help=".c files, directories (recursive), - for standard input")
    _devices(top)
    _preprocessing(top)
    _analysis(top)
    _findings(top)
    _reports(top)
    _changes(top)
    _editors(top)
    _information(top)
    return top


def _devices(top: Parser) -> None:
    group = top.add_argument_group("devices and models")
    add = group.add_argument
    add("-t", "--target", metavar="ID", action="append", help="device or device file; repeatable, or a comma list")
    add("--host", metavar="ID", help="device that runs the code today (default: xeon6248)")
    add("--model", metavar="NAME", help="performance model (default: extended; see --list-models)")
    add("--set", metavar="ID.KEY=V", action="append", help="a figure of a device, as h200.link.rate=20GB/s; repeatable")
    add(
        "--network", metavar="ID",
        help="cluster of an MPI program: big-red-ii, karst, jetstream (boathull scale), or a FILE.toml of one's own",
    )
    add("--ranks", metavar="P", type=int, help="number of processes of an MPI program")
    add(
        "--resident", action="store_true", default=None,
        help="the data is on the targets already, or in memory shared with them",
    )
    add(
        "--mapping", choices=("best", "naive"),
        help="a nest on a device: as a porter would map it to threads (best, default), or as it is written",
    )
    add(
        "--cflags", metavar="FLAGS",
        help="how the host's code is compiled: which loops become vectors (default: '-O3 -march=native')",
    )
    add("--min-speedup", metavar="X", type=float, help="likely speedup from which a move is worth it (default: 1.5)")


def _preprocessing(top: Parser) -> None:
    add = top.add_argument_group("preprocessing, as the C compiler's").add_argument
    add("-D", dest="define", metavar="NAME[=V]", action="append", help="define a macro")
    add("-U", dest="undefine", metavar="NAME", action="append", help="undefine a macro")
    add("-I", dest="include", metavar="DIR", action="append", help="look for headers here")
    add("--std", metavar="STD", help="C standard, as c11 or gnu99")
    add("-p", "--build-dir", metavar="DIR", help="read compile_commands.json there (default: ., build/ and parents)")
    add("--abi", choices=("lp64", "llp64", "ilp32"), help="sizes of types (default: ask the compiler)")
    add("--cc", metavar="PATH", help="compiler that preprocesses (default: cc, gcc or clang, else a built-in one)")
    add("--stdin-filename", metavar="NAME", help="name of standard input in reports (default: stdin.c)")


def _analysis(top: Parser) -> None:
    add = top.add_argument_group("analysis").add_argument
    add("--size", metavar="NAME=V", action="append", help="a size: n=4096, f:n=4096, a.c:f:n=4096; a range: n=1e3..1e7")
    add("--facts", metavar="FILE", action="append", help="what you know of the program (default: analyze-facts.toml)")
    add("--alloc", metavar="NAME", action="append", help="functions that give new memory, as malloc; a comma list")
    add("--profile", metavar="PATH", action="append", help="gcov JSON, perf report CSV or gprof of a run; repeatable")
    assume = "named assumptions are made where needed, or none; pragmas: all, and what OpenMP and OpenACC say of loops"
    add("--assume", choices=("all", "none", "members", "pragmas"), help=f"{assume}; members: all (default: all)")
    add("--strict-fp", action="store_true", default=None, help="sums of floats keep their order")
    add("--entry", metavar="NAME", help="function that the program starts from, for its placement (default: main)")
    add("--count-as", choices=CHOICES["count-as"], help="way of counting (default: definitions, as docs/soundness.md)")
    add("--exclude", metavar="PATTERN", action="append", help="leave out files of directories, as in .gitignore")
    add("-j", "--jobs", metavar="N", type=int, help="worker processes (default: one per processor for many files)")
    add("--engine", metavar="E", help="local (default), or a cluster: dask://HOST:PORT (boathull[distributed])")
    add("--shard", metavar="K/N", help="analyse the K-th of N parts of the files, for machines that share a run")
    add("--cache-dir", metavar="DIR", help="where answers are kept (default: ~/.cache/boathull; see docs/cache.md)")
    add("--no-cache", action="store_true", default=None, help="analyse everything again, and keep nothing")


def _reports(top: Parser) -> None:
    group = top.add_argument_group("reports")
    add = group.add_argument
    add("-f", "--format", metavar="F[=PATH]", action="append", help=f"{', '.join(FORMATS)} (default: text); repeatable")
    add("--from-json", metavar="FILE", help="render a saved JSON report again, without analysing")
    detail = "how much JSON and HTML hold of each loop; brief: 20 kB on average (default: brief; see docs/json.md)"
    add("--merge", metavar="FILE", nargs="+", help="the saved JSON reports of all parts of a run (--shard) as one")
    add("--detail", choices=CHOICES["detail"], help=detail)
    much = group.add_mutually_exclusive_group()
    much.add_argument("-q", "--quiet", action="store_true", help="text: the totals alone, and no word on the time")
    each = "text: every loop (default: of many loops only those that are worth a decision)"
    much.add_argument("-v", "--verbose", action="store_true", help=each)
    colours = "colours of text and concise (default: auto, on a terminal)"
    add("--color", choices=("auto", "always", "never"), help=colours)
    add("--no-source", action="store_true", default=None, help="leave source text out of JSON and HTML")
    add("--top", metavar="N", type=int, help="what to port first: the N loops that save most, in groups, not all loops")
    arithmetic = (
        "the arithmetic behind one loop's times, every number with its source, in place of the report; LINE alone "
        "where one file has a loop there"
    )
    add("--why", metavar="FILE:LINE", help=arithmetic)
    add("--dump", nargs=2, metavar=("nest", "ID"), help="the nest of a loop, by id or FILE:LINE, in isl syntax")
    add("--compare", nargs=2, metavar=("OLD.json", "NEW.json"), help="what changed between two saved reports")


def _changes(top: Parser) -> None:
    add = top.add_argument_group("from advice to change").add_argument
    change = (
        "the change of the source as a unified diff: for the threads of the host (openmp), for the targets, or nests "
        "in another form that is faster (loops)"
    )
    add("--suggest", choices=SUGGESTED, help=f"{change} (with --top N for the N loops that save most)")
    add("--suggest-at", metavar="FILE:LINE", help="the same for this loop alone, whether it pays or not")
    add("--apply", action="store_true", help="change the files, and list what was changed in place of the diff")


def _editors(top: Parser) -> None:
    add = top.add_argument_group("in an editor").add_argument
    lsp = "a language server on standard input and output: findings, verdicts and changes as you type (boathull[lsp])"
    add("--lsp", action="store_true", help=lsp)


def _findings(top: Parser) -> None:
    add = top.add_argument_group("which findings are listed").add_argument
    add("--select", metavar="RULE", action="append", help="only these rules or families (OFF, DEP001), a comma list")
    add("--ignore", metavar="RULE", action="append", help="not these rules or families")
    add("--baseline", metavar="FILE", help="not the findings that this file holds")
    add("--write-baseline", metavar="FILE", help="write the findings of this run there, to be known from now on")
    add("--changed-since", metavar="REF", help="only loops with lines that changed since the branch left REF, in git")
    add("--staged", action="store_true", help="only loops with lines that are staged for the next commit")
    add("--hook", choices=("gate", "advice"), help="pre-commit hook: candidates on changed lines; gate exits with 1")
    add("--fail-on", choices=("never", "note", "warning", "error"), help="exit with 1 at findings of this level")


def _information(top: Parser) -> None:
    add = top.add_argument_group("information, without an analysis").add_argument
    add("--list-targets", action="store_true", help="the devices of the catalogue")
    add("--list-models", action="store_true", help="the models; the default is marked")
    add("--list-rules", action="store_true", help="all rules of findings")
    add("--explain", metavar="RULE", help="what a rule means, why, and how to fix it")
    add("--show-config", action="store_true", help="the settings in force and where each comes from")
    add("--completion", choices=SHELLS, help="completion script for a shell")
    add("--version", action="store_true", help="the version")
