"""Places of reports become those of the protocol, whatever is in the text."""

import pytest

from analyzer.lsp.positions import Lines, Position, Span, units


@pytest.mark.parametrize(
    ("text", "encoding", "expected"),
    [
        ("for", "utf-16", 3),
        ("ä𝔸", "utf-16", 3),
        ("ä𝔸", "utf-8", 6),
        ("ä𝔸", "utf-32", 2),
        ("\udcff", "utf-16", 1),  # a byte that is no UTF-8
        ("", "utf-16", 0),
    ],
)
def test_units_are_those_of_the_encoding(text: str, encoding, expected: int) -> None:
    assert units(text, encoding) == expected


def test_a_column_counts_characters_and_a_place_units() -> None:
    lines = Lines("int x;\n/* 𝔸 ä */ for (;;);\n")
    assert lines.word(2, 11) == Span(Position(1, 11), Position(1, 14))
    assert lines.text[lines.offset(2, 11) :].startswith("for")


def test_each_character_of_a_text_has_a_place_of_its_own() -> None:
    text = "a𝔸\r\nb\f\x0b\u2028c\rd\n\n𝔸e"
    lines = Lines(text)
    places = [lines.position(at) for at in range(len(text) + 1)]
    assert places == sorted(places)
    assert places[text.index("b")] == Position(1, 0)
    assert places[text.index("c")] == Position(1, 4)  # neither form feeds nor signs of Unicode end a line
    assert places[text.index("d")] == Position(2, 0)  # a lone carriage return does, for the protocol alone
    assert places[text.index("e")] == Position(4, 2)
    assert lines.offset(2, 7) == text.index("d")


def test_line_ends_are_no_part_of_what_is_marked() -> None:
    lines = Lines("int f(\r\n")
    assert lines.word(1, 6) == Span(Position(0, 5), Position(0, 6))
    assert lines.word(1, 0) == Span(Position(0, 0), Position(0, 6))
    assert lines.word(1, 7) == Span(Position(0, 6), Position(0, 6))


@pytest.mark.parametrize("place", [(0, 0), (1, 99), (3, 1), (99, 99)])
def test_a_place_that_the_text_does_not_have_is_the_nearest(place: tuple[int, int]) -> None:
    lines = Lines("ab\n  cd\n")
    assert 0 <= lines.offset(*place) <= len(lines.text)
    assert lines.word(*place).begin <= lines.word(*place).end


def test_a_line_without_a_column_is_marked_from_its_code_on() -> None:
    assert Lines("ab\n  cd  \n").word(2, 0) == Span(Position(1, 2), Position(1, 4))
