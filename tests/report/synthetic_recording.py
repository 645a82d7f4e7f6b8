"""Writes tests/data/recording: a small recording of a GPU that does not exist, with numbers from a formula.

Usage: synthetic_recording.py [FOLDER]. The tests compare the shipped folder with what this writes."""

import json
import sys
from pathlib import Path

READ_GBPS, WRITE_GBPS, COPY_GBPS, L2_GBPS = 4500.0, 4300.0, 4200.0, 6000.0
KERNEL_START_US, CALL_US, COMPLETION_US = 4.0, 4.5, 3.0
SUBMISSIONS = ("stream", "graph")
CROSSED = ("separate", "sliced", "blocked", "persistent", "fused", "library")
REPETITIONS = 3


def kernels_of(structure: str, stages: int, n: int) -> int:
    if structure in ("separate", "sliced"):
        return stages
    if structure == "blocked":
        return stages * max(1, n // 2**22)
    return 1


def busy_of(structure: str, stages: int, n: int, one_output: bool) -> float:
    """Sum of the kernels' durations: a ramp of 1.8 µs each, and bytes over a ceiling."""
    once = 4 * n / READ_GBPS * 1e-3 if one_output else 8 * n / COPY_GBPS * 1e-3
    trips = 8 * n * (stages - 1) / (L2_GBPS if structure == "blocked" else COPY_GBPS) * 1e-3
    full = structure in ("separate", "blocked", "persistent")
    return 1.8 * kernels_of(structure, stages, n) + once + (trips if full else 0)


def parts_of(busy: float, kernels: int, graph: bool) -> dict:
    gap = (0.2 if graph else 1.7) * (kernels - 1)
    each = busy / kernels
    starved = 0.0 if graph else max(0.0, CALL_US - each - 1.7) * (kernels - 1)
    parts = {
        "launch_latency_us": KERNEL_START_US + (1.0 if graph else 0.0),
        "starved_us": starved,
        "gap_us": gap,
        "busy_us": busy,
        "completion_us": COMPLETION_US,
        "residual_us": -0.1,
    }
    return {name: round(value, 4) for name, value in parts.items()}


def bench_entries(name: str, clock: str, quantities: dict, context: dict) -> list:
    out = []
    base = {"run_name": f"{name}/iterations:50/repeats:{REPETITIONS}/manual_time", "repetitions": REPETITIONS,
            "threads": 1}
    for repetition in range(REPETITIONS):
        factor = (1.0, 1.02, 0.99)[repetition]
        values = {key: round(value * factor, 4) for key, value in quantities.items()}
        real = values["wall_us" if clock == "latency" else "period_us"]
        out.append({"name": base["run_name"], **base, "run_type": "iteration", "repetition_index": repetition,
                    "iterations": 50, "real_time": real, "cpu_time": real, "time_unit": "us", **values, **context})
    median = {key: round(value, 4) for key, value in quantities.items()}
    out.append({"name": base["run_name"] + "_median", **base, "run_type": "aggregate", "aggregate_name": "median",
                "iterations": REPETITIONS, "real_time": 0.0, "cpu_time": 0.0, "time_unit": "us", **median, **context})
    return out


def variant(pipeline: str, structure: str, submission: str, n: int, stages: int, k: int) -> tuple[list, dict]:
    """The entries of the bench file and the row of the attribution file."""
    one_output = pipeline == "sum_abs"
    kernels = kernels_of(structure, stages, n)
    busy = busy_of(structure, stages, n, one_output)
    parts = parts_of(busy, kernels, submission == "graph")
    wall = round(sum(parts.values()), 4)
    size = f"n:{n}" + (f"/k:{k}" if k else "")
    host = CALL_US * kernels if submission == "stream" else 2.0
    context = {"kernels": float(kernels), "submissions": float(kernels if submission == "stream" else 1),
               "bytes_min": float(4 * n + 4 if one_output else 8 * n), "bytes_intermediate": 0.0, "verified": 1.0,
               "sm_mhz": 1980.0}
    prefix = f"{pipeline}/{structure}/{submission}"
    entries = bench_entries(f"{prefix}/latency/{size}", "latency",
                            {"wall_us": wall, "wall_us_p10": wall - 0.2, "wall_us_p90": wall + 0.5, "host_us": host,
                             "span_us": busy + parts["gap_us"]}, context)
    entries += bench_entries(f"{prefix}/throughput/{size}", "throughput",
                             {"period_us": max(host, busy + parts["gap_us"] + 0.2), "host_us": host}, context)
    row = {"name": f"{prefix}/{size}", "wall_us": wall, "passes": {"untraced": wall}, "parts": parts,
           "evidence": {"busy": "kernel pass"}, "modelled": submission == "graph", "marks": []}
    if structure == "separate":
        row["split"] = split_of(stages, n, one_output)
    return entries, row


def split_of(stages: int, n: int, one_output: bool) -> dict:
    if n < 2**24:
        return {"reason": "not separable: a slice has less than 4 waves"}
    fused, sliced, separate = (busy_of(s, stages, n, one_output) for s in ("fused", "sliced", "separate"))
    return {"essential_us": round(fused, 4), "ramp_us": round(sliced - fused, 4),
            "round_trip_us": round(separate - sliced, 4), "ramp_per_slice_us": 1.8, "fit_relative_error": 0.01}


def pipeline_files(pipeline: str, sizes: list, structures: tuple, stages: int, k: int,
                   submissions: tuple = SUBMISSIONS) -> tuple[dict, dict]:
    benchmarks, rows = [], []
    for n in sizes:
        for structure in structures:
            for submission in submissions:
                entries, row = variant(pipeline, structure, submission, n, stages, k)
                benchmarks += entries
                rows.append(row)
    context = {"date": "2026-01-01T00:00:00+00:00", "executable": "synthetic", "library_build_type": "release"}
    return {"context": context, "benchmarks": benchmarks}, {"rows": rows}


def failed_entry() -> dict:
    name = "chain/persistent/stream/latency/n:268435456/k:4/iterations:50/repeats:3/manual_time"
    return {"name": name, "run_name": name, "run_type": "iteration", "repetitions": 3, "repetition_index": 0,
            "threads": 1, "error_occurred": True, "error_message": "the check found 3 wrong elements"}


def spread(us: float) -> dict:
    return {"p10": round(0.99 * us, 4), "p50": round(us, 4), "p90": round(1.02 * us, 4)}


def steps_file() -> dict:
    """A stream of 1.7 µs a step and a graph of 0.8, on a chip without clusters."""
    def row(way: str, one_launch: bool, step: float) -> dict:
        clock = {"step": spread(step), "fixed": spread(6.0)}
        return {"way": way, "group": "submission", "shape": "empty", "lanes": 1, "one_launch": one_launch, "rounds": 5,
                "host_us": clock, "wall_us": clock, "device_us": clock}

    return {"steps": [64, 320], "shapes": [{"name": "empty", "work": "empty", "blocks": 128, "threads": 32}],
            "rows": [row("stream", False, 1.7), row("graph", True, 0.8),
                     {"way": "one kernel", "group": "barrier", "shape": "empty", "lanes": 1, "one_launch": True,
                      "missing": "no clusters on this chip"}],
            "calls": [{"what": "launching a graph of 32 nodes", "host_us": spread(1.3)}]}


def lifecycle_file() -> dict:
    """Capture and instantiation of 1 µs a node and 10 in all, against 2 µs a node that a replay saves."""
    def graph(nodes: int, parameter_bytes: int) -> dict:
        costs = {"capture": 10 + nodes, "instantiate": 10 + nodes, "stream": 3 * nodes, "replay": nodes}
        return {"shape": "straight_line", "nodes": nodes, "edges": nodes - 1, "parameter_bytes": parameter_bytes,
                "repetitions": 9, "costs": {name: {"host_us": spread(us)} for name, us in costs.items()},
                "memory": {"bytes_per_executable": 4096 * nodes, "resolution_bytes": 8192, "instances": 256,
                           "memory_node_bytes": 0}}

    def break_even(nodes: int) -> dict:
        return {"scenario": "same parameters", "clock": "host_us", "shape": "straight_line", "nodes": nodes,
                "replays": 1 + 10 // nodes, "low": 1 + 10 // nodes, "high": "never" if nodes == 1 else 2,
                "one_off_us": 20 + 2 * nodes, "stream_us": 3 * nodes, "replay_us": nodes}

    fit = {"cost": "capture", "clock": "host_us", "relative_error": 0.0}
    return {"nodes_are": "of a formula", "graphs": [graph(1, 8), graph(256, 8)],
            "parameters": [graph(64, 8), graph(64, 4096)],
            "fits": [{"shape": "straight_line", **fit, "a_us": 10.0, "b_us_per_node": 1.0}],
            "memory_fits": [{"shape": "straight_line", "missing": "fewer than two points"}],
            "parameter_fits": [{"shape": "straight_line", "nodes": 64, **fit, "a_us": 74.0, "b_us_per_kib": 0.0}],
            "break_even": [break_even(1), break_even(256)]}


def write(folder: Path) -> None:
    def put(name: str, content: dict) -> None:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")

    put("study.json", {
        "gpu": "Synthetic GPU", "driver": "13.0", "runtime": "13.0", "cupti": "13.0", "git_commit": "0" * 40,
        "sources_hash": "synthetic", "date": "2026-01-01T00:00:00Z", "cpu": "Synthetic CPU", "l2_bytes": 62914560,
        "matrix": {"quick": True, "pipelines": ["sum_abs", "chain"]},
        "labels": ["Synthetic: numbers from a formula, measured on no machine"]})
    put("machine.json", {"read_gbps": READ_GBPS, "write_gbps": WRITE_GBPS, "copy_gbps": COPY_GBPS,
                         "l2_read_gbps": L2_GBPS, "constants": {"stream_gap_ns": 1700, "graph_gap_ns": 200}})
    put("check.json", {"rows": [
        {"name": "sum_abs/fused/graph/n:1024", "input": "reals", "verdict": "pass", "error": 0.0, "bound": 1.0},
        {"name": "chain/persistent/stream/n:1024/k:4", "input": "integers", "verdict": "FAIL", "error": 3.0,
         "bound": 0.0, "detail": "element 7 is 3, not 0"},
        {"name": "chain/library/graph/n:1024/k:4", "input": "", "verdict": "not applicable", "bound": 0.0,
         "detail": "no library fuses a chain"}]})
    put("steps.json", steps_file())
    put("lifecycle.json", lifecycle_file())
    bench, attribution = pipeline_files("sum_abs", [2**16, 2**24, 2**28], CROSSED, 2, 0)
    put("bench/sum_abs.json", bench)
    put("attribution/sum_abs.json", attribution)
    put("bench/sum_abs.from_device.json", pipeline_files("sum_abs", [2**16], ("fused",), 2, 0, ("graph_device",))[0])
    put("bench/chain.from_device.json", pipeline_files("chain", [2**28], ("fused",), 4, 4, ("graph_device",))[0])
    bench, attribution = pipeline_files("chain", [2**28], ("separate", "fused"), 4, 4)
    bench["benchmarks"].append(failed_entry())
    put("bench/chain.json", bench)
    put("attribution/chain.json", attribution)


if __name__ == "__main__":
    write(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1] / "data" / "recording"))
