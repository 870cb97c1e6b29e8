"""Calibration: what is measured becomes a device file that the catalogue reads; what cannot be is refused."""

import shutil
import tomllib
from pathlib import Path

import pytest
from msgspec.structs import replace

from models.calibration import measuring
from models.calibration.machine import Machine, this_machine
from models.calibration.measuring import ROUNDS, Measured, measure
from models.calibration.profile import device_file
from models.catalogue import CatalogueError, find_device, load_device, native_file
from models.cli import main
from models.errors import InputError
from models.figures import CORE_TIMES
from models.rules import deviations

MACHINE = Machine("A processor", 4, 8, 32 * 1024, 512 * 1024, 16 * 2**20, 32 * 10**9, 0.1)
KEYS = ("clock", "compute.fp64", "compute.fp32", "compute.int32", "memory")
MEASURED = Measured(
    {
        **{f"{key}.{cores}": (3e9, 2e9, 4e9) for key in KEYS for cores in ("one_core", "all_cores")},
        "cache.l1_rate": (1e11,),
        "cache.l2_rate.core": (5e10, 6e10),
        "cache.l3_rate.core": (2e10, 3e10),
        "threads.start": (5e-6, 4e-6, 9e-6),
        "threads.atomic": (2e-8, 1e-8, 3e-8),
        "core.atomic": (5e-9, 5e-9, 6e-9),
        "core.pages": (2900.0, 2800.0, 3000.0),
        "core.pages.found": (2500.0, 2400.0, 2700.0),
        "core.pages.lost": (3300.0, 3200.0, 3500.0),
        **{f"core.{name}": (2e-9, 1e-9, 3e-9) for name in CORE_TIMES},
    },
    256, True, "cc",
)  # fmt: skip


def loaded(folder: Path, text: str) -> object:
    path = folder / "native.toml"
    path.write_text(text, encoding="utf-8")
    return load_device(path)


def test_the_file_is_one_of_the_catalogue(tmp_path: Path) -> None:
    path = tmp_path / "native.toml"
    path.write_text(device_file(MACHINE, MEASURED), encoding="utf-8")
    device = load_device(path)
    assert not list(deviations(device.figures))
    assert {figure.kind for figure in device.figures.values()} == {"measured"}
    rate = device.figure("memory.one_core")
    assert (rate.low, rate.value, rate.high) == (2e9, 3.5e9, 4e9)
    assert device.figure("core.add").value == pytest.approx(1.5e-9)
    assert device.figure("core.pages").value == 2900
    assert device.figure("threads.start").value == pytest.approx(4.5e-6)
    assert device.figure("threads").value == 8
    assert device.figure("cache.l3").value == 16 * 2**20
    assert device.fused_multiply_add


def test_it_says_neither_where_nor_when(tmp_path: Path) -> None:
    import platform

    text = device_file(MACHINE, MEASURED)
    assert text == device_file(MACHINE, MEASURED)
    assert not platform.node() or platform.node() not in text
    assert str(Path.home()) not in text


def test_a_machine_without_a_third_cache_says_so(tmp_path: Path) -> None:
    values = {key: value for key, value in MEASURED.values.items() if not key.startswith("cache.l3")}
    text = device_file(replace(MACHINE, l3=0), replace(MEASURED, values=values))
    assert tomllib.loads(text)["device"]["absent"] == ["cache.l3"]
    loaded(tmp_path, text)


def test_a_name_that_is_no_toml_is_written_as_it_is(tmp_path: Path) -> None:
    name = 'The "best" \\ one\n[device]'
    text = device_file(replace(MACHINE, name=name), MEASURED)
    assert tomllib.loads(text)["device"]["name"] == name.replace("\n", "")


def test_a_busy_machine_is_said_to_be_busy() -> None:
    assert "other programs" in device_file(replace(MACHINE, load=3.0), MEASURED)
    assert "other programs" not in device_file(MACHINE, MEASURED)


def test_caches_and_cores_are_those_of_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two cores of two hardware threads each, of which this process may use three."""
    for number in range(4):
        folder = tmp_path / f"cpu{number}"
        (folder / "topology").mkdir(parents=True)
        (folder / "topology" / "physical_package_id").write_text("0\n")
        (folder / "topology" / "core_id").write_text(f"{number // 2}\n")
        for index, (level, kind, size) in enumerate(
            [("1", "Data", "48K"), ("1", "Instruction", "32K"), ("2", "Unified", "2M"), ("3", "Unified", "32M")]
        ):
            cache = folder / "cache" / f"index{index}"
            cache.mkdir(parents=True)
            for name, value in (("level", level), ("type", kind), ("size", size), ("shared_cpu_list", "0-3")):
                (cache / name).write_text(value + "\n")
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1, 2})
    found = this_machine(tmp_path)
    assert (found.cores, found.threads) == (2, 3)
    assert (found.l1, found.l2, found.l3) == (48 * 1024, 2 * 2**20, 32 * 2**20)


def test_a_system_that_says_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be measured"):
        this_machine(tmp_path)


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_what_is_measured_is_a_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One repetition over small arrays in each run: every figure is there and positive; how fast this machine is, is
    not tested."""
    small = replace(MACHINE, cores=2, l1=16 * 1024, l2=64 * 1024, l3=256 * 1024, memory=12 * 2**20)
    found = measure(small, repetitions=1)
    assert set(found.values) == set(MEASURED.values)
    assert all(min(several) > 0 for several in found.values.values())
    after_a_pause = {"threads.start"} if found.openmp else set()
    assert {name for name, several in found.values.items() if len(several) != ROUNDS} == after_a_pause
    assert all(len(found.values[name]) == 2 * ROUNDS for name in after_a_pause)
    assert found.vector in (128, 256, 512)
    loaded(tmp_path, device_file(small, found))


def test_without_a_compiler_nothing_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "here.toml"
    assert main(["calibrate", "-o", str(path), "--cc", "no-such-compiler"]) == 2
    assert "no-such-compiler not found" in capsys.readouterr().err
    assert not path.exists()


@pytest.mark.skipif(shutil.which("false") is None, reason="needs false")
def test_a_compiler_that_fails_is_quoted() -> None:
    with pytest.raises(InputError, match="cannot build the benchmark"):
        measure(MACHINE, "false")


@pytest.mark.parametrize("option", ["--gpu", "--mpi"])
def test_what_is_not_measured_is_refused(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", option]) == 2
    assert "not measured yet" in capsys.readouterr().err


def test_native_is_the_users_own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert native_file() == tmp_path / "boathull" / "native.toml"
    with pytest.raises(CatalogueError, match="boathull calibrate"):
        find_device("native")
    native_file().parent.mkdir()
    native_file().write_text(device_file(MACHINE, MEASURED), encoding="utf-8")
    assert find_device("Native").id == "native"


def test_the_benchmark_is_there() -> None:
    assert measuring.SOURCE.is_file()
