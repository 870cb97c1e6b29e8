"""Record layouts, against the compiler that defines them."""

import shutil
import subprocess
from pathlib import Path

import pytest

from analyzer.settings.options import SourceOptions
from analyzer.source import load_unit
from analyzer.source.ctypes import Member

COMPILER = shutil.which("cc") or shutil.which("gcc")

# Each record `R` with its tag; the members are asked of the layout, so that a forgotten one is noticed by the size.
RECORDS = {
    "padding": "struct R { char a; double b; char c; };",
    "shorts": "struct R { char a; short b; char c; int d; char e; long f; };",
    "union": "union R { char a[13]; double b; short c; };",
    "nested": "struct R { char a; struct { int b; char c; } d; char e; };",
    "anonymous": "struct R { char a; union { int b; double c; struct { char d, e; }; }; short f; };",
    "array of records": "struct R { char a; struct { short s; char t; } b[3]; char c; };",
    "packed": "struct __attribute__((packed)) R { char a; int b; double c; char d; };",
    "packed behind": "struct R { char a; int b; short c; } __attribute__((__packed__));",
    "packed member": "struct R { char a; int b __attribute__((packed)); double c; };",
    "aligned member": "struct R { char a; int b __attribute__((aligned(32))); char c; };",
    "aligned record": "struct R { char a; int b; } __attribute__((aligned(64)));",
    "alignas": "struct R { char a; _Alignas(16) char b; _Alignas(double) char c; };",
    "pragma pack": "#pragma pack(push, 2)\nstruct R { char a; int b; double c; };\n#pragma pack(pop)",
    "pragma pack plain": "#pragma pack(1)\nstruct R { char a; long b; };\n#pragma pack()",
    "flexible": "struct R { int n; char c; double data[]; };",
    "enum": "enum E { A, B = 5 }; struct R { char a; enum E b; };",
    "big enum": "enum E { A = 1, B = 0x100000000 }; struct R { char a; enum E b; };",
    "packed enum": "enum __attribute__((packed)) E { A, B = 255 }; struct R { char a; enum E b; int c; };",
    "packed enum behind": "typedef enum { A = -1, B = 128 } __attribute__((__packed__)) E; struct R { char a; E b; };",
    "packed enum inside": "struct R { char a; enum { A, B = 65536 } __attribute__((packed)) b; enum { C = 1 } c; };",
    "packed wide enum": "enum __attribute__((packed)) E { A = -1, B = 0x80000000 }; struct R { char a; enum E b; };",
    "packed typedef of an enum": "typedef enum { A } E __attribute__((packed)); struct R { char a; E b; };",
    "packed record of an enum": "struct R { char a; enum { A } b; } __attribute__((packed));",
    "enum of a mode": "enum __attribute__((mode(HI))) E { A }; struct R { char a; enum E b; };",
    "standard attribute": "struct [[gnu::packed]] R { char a; enum [[__gnu__::__packed__]] { A } b; int c; };",
    "bool complex": "struct R { _Bool a; float _Complex b; _Bool c; double _Complex d; long double e; };",
    "pointers": "struct R { char a; int (*b)(int); char c; void *d[2]; };",
    "int128": "struct R { char a; __int128 b; char c; _Float16 d; __float128 e; };",
    "vector": "typedef float v4 __attribute__((vector_size(16))); struct R { char a; v4 b; char c; };",
    "aligned typedef": "typedef double ad __attribute__((aligned(32))); struct R { char a; ad b; };",
    "typedef of record": "typedef struct { char x; int y; } T; struct R { char a; T b; T *c; };",
    "dimension": "enum { N = 3 }; struct R { char a; short b[N][sizeof(int)]; char c; };",
}
BIT_FIELDS = {
    "plain": "struct R { unsigned a : 3; unsigned b : 7; unsigned c : 30; unsigned d : 1; };",
    "mixed types": "struct R { unsigned char a : 3; unsigned short b : 9; unsigned c : 20; unsigned long d : 40; };",
    "after a char": "struct R { char a; unsigned b : 7; unsigned c : 18; };",
    "zero width": "struct R { unsigned a : 3; unsigned : 0; unsigned b : 5; char c; };",
    "unnamed": "struct R { unsigned a : 3; unsigned : 9; unsigned b : 5; };",
    "packed": "struct __attribute__((packed)) R { unsigned a : 3; unsigned b : 30; unsigned c : 15; };",
    "signed": "struct R { int a : 4; signed b : 12; long c : 33; _Bool d : 1; };",
    "union": "union R { unsigned a : 5; unsigned char b; unsigned c : 17; };",
    "zero width char": "struct R { char a; unsigned char : 0; unsigned b : 4; };",
}

PROGRAM = """
#include <stdio.h>
#include <stddef.h>
#include <string.h>
%s
#define SIZES printf("%%zu %%zu\\n", sizeof(TAG R), _Alignof(TAG R))
int main(void) { SIZES; %s return 0; }
"""


def _answers(tmp_path: Path, text: str, tag: str, questions: str) -> list[list[int]]:
    source = tmp_path / "ask.c"
    source.write_text(PROGRAM.replace("TAG", tag) % (text, questions))
    program = tmp_path / "ask"
    subprocess.run([str(COMPILER), "-w", "-o", str(program), str(source)], check=True, capture_output=True)
    output = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout
    return [[int(word) for word in line.split()] for line in output.splitlines()]


def _layout(tmp_path: Path, text: str) -> tuple[str, int, int, tuple[Member, ...]]:
    path = tmp_path / "t.c"
    path.write_text(f"{text}\n{'union' if 'union R' in text else 'struct'} R r;\nvoid f(void) {{ for (;;) &r; }}\n")
    unit = load_unit(path, SourceOptions(), root=tmp_path)
    assert unit.diagnostics == ()
    kind = "union" if "union R" in text else "struct"
    layout = unit.layouts[f"{kind} R"]
    return kind, layout.size, layout.alignment, layout.members


@pytest.mark.skipif(COMPILER is None, reason="no C compiler")
@pytest.mark.parametrize("text", RECORDS.values(), ids=RECORDS.keys())
def test_offsets_and_sizes_are_those_of_the_compiler(tmp_path: Path, text: str) -> None:
    kind, size, alignment, members = _layout(tmp_path, text)
    questions = "".join(f'printf("%zu\\n", offsetof({kind} R, {m.name}));' for m in members)
    answers = _answers(tmp_path, text, kind, questions)
    assert [[size, alignment], *([m.offset] for m in members)] == answers


@pytest.mark.skipif(COMPILER is None, reason="no C compiler")
@pytest.mark.parametrize("text", BIT_FIELDS.values(), ids=BIT_FIELDS.keys())
def test_bits_are_where_the_compiler_puts_them(tmp_path: Path, text: str) -> None:
    """Each member is set to all ones; the first bit that is set and their number must be the layout's."""
    kind, size, alignment, members = _layout(tmp_path, text)
    questions = "".join(
        f"""{{ union {{ {kind} R r; unsigned char b[sizeof({kind} R)]; }} u; int first = -1, n = 0; unsigned i;
        memset(&u, 0, sizeof u); u.r.{m.name} = -1;
        for (i = 0; i < 8 * sizeof u; i++) if (u.b[i / 8] >> i % 8 & 1) {{ if (first < 0) first = i; n++; }}
        printf("%d %d\\n", first, n); }}"""
        for m in members
    )
    answers = _answers(tmp_path, text, kind, questions)
    expected = [[8 * m.offset + m.bit_offset, m.bit_width or 8] for m in members]
    assert [[size, alignment], *expected] == answers
