"""The time line of a program: as long as its times, copies where they are made, enlarged where little is left."""

from analyzer.report.html.timeline import LENGTH, timeline
from analyzer.report.program_entries import PlacedEntry, ProgramEntry, TransferEntry


def placed(loop: str, today: float, now: float, candidate: str = "target") -> PlacedEntry:
    return PlacedEntry(f"p.c:f:{loop}:1", "h200", candidate, 1, now, today, "h200", None, ("f",), ("a",))


def copied(seconds: float, before: str | None = None, after: str | None = None) -> TransferEntry:
    at = [None if line is None else f"p.c:f:{line}:1" for line in (after, before)]
    return TransferEntry("a", "host", "h200", 8, 1, at[0], at[1], "line 1", seconds)


def program(sequence: tuple[PlacedEntry, ...], transfers: tuple[TransferEntry, ...] = ()) -> ProgramEntry:
    before = sum(float(p.today_s or 0) for p in sequence)
    after = sum(float(p.time_s or 0) for p in sequence) + sum(float(t.time_s) for t in transfers)
    return ProgramEntry("f", sequence, transfers, before, after, before / after, 0, after, (), (), (), ())


def test_loops_in_order_and_in_proportion() -> None:
    before, after = timeline(program((placed("1", 3, 2), placed("2", 1, 1, "host"))))
    assert [(bar.start, bar.width) for bar in before.bars] == [(0, 750), (750, 250)]
    assert [(bar.kind, bar.start, bar.width) for bar in after.bars] == [("target", 0, 500), ("host", 500, 250)]


def test_copies_stand_where_they_are_made() -> None:
    moves = (placed("1", 4, 1), placed("2", 4, 1), placed("1", 4, 1))
    _, after = timeline(program(moves, (copied(0.5, before="2"), copied(0.25, after="1"), copied(0.125))))
    assert [bar.kind for bar in after.bars] == ["target", "copy", "target", "target", "copy", "copy"]


def test_what_is_left_is_enlarged() -> None:
    *_, after, enlarged = timeline(program((placed("1", 90, 0.5), placed("2", 10, 0.5, "host-threads"))))
    assert enlarged.label == "100x"
    assert sum(bar.width for bar in after.bars) == LENGTH / 100
    assert [(bar.kind, bar.width) for bar in enlarged.bars] == [("target", 500), ("threads", 500)]


def test_loops_without_a_time_are_left_out() -> None:
    unknown = PlacedEntry("p.c:f:1:1", "host", "host", 1, None, None, "host", None, ("f",), ())
    before, after = timeline(program((unknown, placed("2", 1, 1))))
    assert [len(line.bars) for line in (before, after)] == [1, 1]
