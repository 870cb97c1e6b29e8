"""What is said of counted loops is what gcc makes of them: a sample (the campaign is `make counters`)."""

import shutil

import pytest
from msgspec.structs import replace

from analyzer.facts.loop import Count, Verdict
from models.expr import add

from . import campaign
from .campaign import Claims, Tally, judge
from .headers import headers, sample

ONE_OF = 400


@pytest.fixture(scope="module", autouse=True)
def _gcc() -> None:
    if shutil.which("gcc") is None:
        pytest.skip("needs gcc to run the loops")


@pytest.fixture(scope="module")
def tally() -> Tally:
    return judge(sample(ONE_OF))


def test_no_claim_about_a_header_is_wrong(tally: Tally) -> None:
    assert not tally.wrong, "\n\n".join(tally.wrong.values())


def test_the_sample_exercises_all_this(tally: Tally) -> None:
    """A sample in which nothing is claimed, or nothing runs, would prove nothing."""
    assert tally.numbers["headers"] > 60
    assert tally.numbers["claims compared"] > 10_000
    kinds = {kind for _, kind in tally.known}
    assert {"exact", "assumed", "unknown"} <= kinds


COUNTING_DOWN = (
    "for ( {d}i = n - 1{s} ; i != ( unsigned long ) -1 ; i-- ) {b}",
    "for ( {d}i = n{s} ; i-- > 0 ; ) {b}",
    "for ( {d}i = n - 1{s} ; i < n ; i-- ) {b}",
    "unsigned long i = n ; {s} while ( --i != -1 ) {b}",
    "unsigned long i = n ; {s} while ( i-- ) {b}",
)


@pytest.mark.parametrize("text", COUNTING_DOWN)
def test_counting_down_to_zero_is_exact(text: str) -> None:
    (found,) = campaign.claims([h for h in headers() if h.type == "unsigned long" and h.text == text][:1])
    trip = found.facts.counts.trip_count
    assert trip is not None
    assert (str(trip.expr), trip.exact, trip.assumptions) == ("n", True, ())
    assert (found.facts.lower, found.facts.upper) == ("0", "n - 1")


def test_claims_turned_wrong_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every count is one too many, and every loop parallel."""
    chosen = [h for h in sample(ONE_OF) if h.form.startswith("for <")]
    right = campaign.claims(chosen)

    def more(count: Count | None) -> Count | None:
        return count if count is None or count.expr is None else replace(count, expr=add(count.expr, 1))

    def wrong(said: Claims) -> Claims:
        counts = replace(said.facts.counts, trip_count=more(said.facts.counts.trip_count))
        yes = replace(said.facts.parallelism, verdict=Verdict.YES)
        return Claims(said.header, replace(said.facts, counts=counts, parallelism=yes))

    monkeypatch.setattr(campaign, "claims", lambda _: [wrong(each) for each in right])
    kinds = {name for _, name in judge(chosen).wrong}
    assert {"trip_count", "yes"} <= kinds
