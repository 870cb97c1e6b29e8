"""Predictions and devices as plain values for JSON."""

from typing import TYPE_CHECKING

from .catalogue import Device, Figure
from .expr import to_text
from .prediction import Prediction, Refusal
from .quantity import Range

if TYPE_CHECKING:
    from .systems import System


def answer_document(answer: Prediction | Refusal) -> dict[str, object]:
    """A prediction with the fields of the analysis JSON, or `{"device", "refused": {"code", "message"}}`."""
    if isinstance(answer, Refusal):
        return {"device": answer.device, "refused": {"code": answer.code, "message": answer.message}}
    formulas = answer.formulas
    return {
        "device": answer.device,
        "model": answer.model,
        "candidate": answer.candidate,
        "time_s": _range(answer.time),
        "compute_s": _range(answer.compute),
        "memory_s": _range(answer.memory),
        "transfer_s": _range(answer.transfer),
        "launch_s": _range(answer.launch),
        "bound": answer.bound,
        "formula": {
            "low": to_text(formulas.low), "likely": to_text(formulas.likely), "high": to_text(formulas.high),
        },
        "terms": [
            {"name": t.name, "expr": t.expr, "value": t.value, "unit": t.unit, "source": t.source} for t in answer.terms
        ],
        "assumptions": list(answer.assumptions),
    }  # fmt: skip


def device_document(device: Device) -> dict[str, object]:
    """A device in SI base units."""
    return {
        "id": device.id,
        "name": device.name,
        "kind": device.kind,
        "released": device.released or None,
        "unsupported": list(device.unsupported),
        "absent": list(device.absent),
        "fused_multiply_add": device.fused_multiply_add,
        "note": device.note,
        "figures": {key: _figure(figure) for key, figure in device.figures.items()},
    }


def system_document(system: "System") -> dict[str, object]:
    """A system of the papers in SI base units, per process."""
    return {
        "id": system.id,
        "name": system.name,
        "kind": "system",
        "processor": system.processor,
        "link": system.link,
        "figures": {key: _figure(figure) for key, figure in system.figures.items()},
    }


def _figure(figure: Figure) -> dict[str, object]:
    return {
        "value": figure.value,
        "low": figure.low,
        "high": figure.high,
        "unit": figure.unit,
        "kind": figure.kind,
        "rule": figure.rule or None,
        "source": figure.source,
        "note": figure.note,
    }


def _range(value: Range | None) -> dict[str, float] | None:
    return None if value is None else {"low": value.low, "likely": value.likely, "high": value.high}
