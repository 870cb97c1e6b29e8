"""Facts and answers made by hand, small enough to see what a verdict rests on."""

from analyzer.base.places import Place
from analyzer.facts.loop import Count, Counts, LoopFacts, Parallelism, Reason, Verdict
from analyzer.ir import nodes as ir
from analyzer.ir.symbols import program
from models.expr import Operand, as_expr, num
from models.prediction import Bound, Candidate, Prediction
from models.quantity import Quantity, Range, between

YES = Parallelism(Verdict.YES)


def loop(name: str = "outer", parent: str | None = None, answer: Parallelism = YES, entries: int = 1) -> LoopFacts:
    """A loop of which nothing is known but whether it is parallel, and how often it is entered."""
    place = Place("a.c", 1, 1)
    body = ir.Loop(0, program(0, "k", ir.Counter(0), 0), "for", place, 2, None, False, None, None, None, None, ())
    counts = Counts(executions=Count(num(entries)), trip_count=Count(num(10)), iterations=Count(num(10)))
    return LoopFacts(
        id=name,
        function="f",
        place=place,
        end_line=2,
        parent=parent,
        depth=0 if parent is None else 1,
        nest=(name,),
        parallel_loops=(),
        loop=body,
        lower=None,
        upper=None,
        step=None,
        parallelism=answer,
        counts=counts,
    )


def refused(verdict: Verdict, code: str) -> Parallelism:
    return Parallelism(verdict, reason=Reason(code, "because", 1))


def takes(
    candidate: Candidate,
    low: Operand,
    likely: Operand,
    high: Operand,
    *,
    device: str = "gtx470",
    transfer: float = 0.0,
    bound: Bound = "memory",
) -> Prediction:
    """A prediction with this time in seconds, `transfer` of it for copying."""
    formulas: Quantity = between(low, likely, high)
    time = formulas.at({})
    rest = None if time is None else Range(*(max(t - transfer, 0) for t in (time.low, time.likely, time.high)))
    return Prediction(
        device=device if candidate == "target" else "xeon6248",
        model="boat-hull",
        candidate=candidate,
        time=time,
        compute=Range(0, 0, 0),
        memory=rest,
        transfer=Range(transfer, transfer, transfer),
        launch=Range(0, 0, 0),
        bound=bound,
        total=Quantity(*(as_expr(e) for e in (formulas.likely, formulas.low, formulas.high))),
    )
