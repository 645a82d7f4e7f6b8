"""The answer in one picture: where the wall time of sum_abs goes, variant by variant, at a small and a large size.

Usage: figure.py RECORDING_DIR OUT.svg [--pipeline NAME] [--small N] [--large N]. Reads attribution/NAME.json and
study.json only. The same recording gives the same bytes."""

import argparse
import hashlib
import json
import math
import sys
from pathlib import Path

VARIANTS = (
    "separate/stream",
    "separate/graph",
    "blocked/graph",
    "persistent/stream",
    "library/graph",
    "fused/stream",
    "fused/graph",
)
# Okabe and Ito's colours, in the order in which the parts follow each other in time.
PARTS = {
    "launch latency": "#0072B2",
    "starved": "#56B4E9",
    "gap": "#CC79A7",
    "busy: essential": "#009E73",
    "busy: ramp": "#F0E442",
    "busy: round trip": "#D55E00",
    "busy: not split": "#7FCDB9",  # a lighter shade of essential's, hatched
    "completion": "#999999",
    "residual": "#000000",
}
HATCHED = "busy: not split"
SMALLEST_SHOWN = 2**16


class BadRecording(Exception):
    """What is wrong with the recording, and where."""


def load(file: Path) -> dict:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadRecording(f"{file}: cannot be read ({error.strerror})") from error
    except json.JSONDecodeError as error:
        raise BadRecording(f"{file}:{error.lineno}:{error.colno}: this is not JSON ({error.msg})") from error


def parts_of(row: dict, structure: str) -> dict:
    """The parts of one row by their names in PARTS; they add up to its wall."""
    parts = {name: float(row["parts"][key]) for name, key in (
        ("launch latency", "launch_latency_us"), ("starved", "starved_us"), ("gap", "gap_us"),
        ("completion", "completion_us"), ("residual", "residual_us"))}
    busy = float(row["parts"]["busy_us"])
    split = row.get("split", {})
    differences = [split.get(key) for key in ("essential_us", "ramp_us", "round_trip_us")]
    if structure == "separate" and all(d is not None and d >= 0 for d in differences):
        # The arms' differences are medians of other runs: scaled, so that the bar stays as long as its busy time.
        scale = busy / sum(differences)
        for name, value in zip(("essential", "ramp", "round trip"), differences):
            parts[f"busy: {name}"] = value * scale
    elif structure == "fused":
        parts["busy: essential"] = busy
    else:
        parts["busy: not split"] = busy
    if not all(math.isfinite(value) for value in parts.values()):
        raise BadRecording(f"{row['name']}: a part is not a finite number")
    return parts


def data_of(recording: Path, pipeline: str, small: int | None, large: int | None) -> dict:
    """What the figure shows: the GPU, and for each size {variant: parts, or the reason why there are none}."""
    file = recording / "attribution" / f"{pipeline}.json"
    sizes: dict[int, dict] = {}
    for index, row in enumerate(load(file).get("rows", [])):
        try:
            _, structure, submission, *rest = row["name"].split("/")
            numbers = dict(part.split(":") for part in rest)
            variant = f"{structure}/{submission}"
            if variant not in VARIANTS or "s" in numbers:
                continue
            shown = {"withheld": row["withheld"]} if "withheld" in row else parts_of(row, structure)
            sizes.setdefault(int(numbers["n"]), {})[variant] = shown
        except (KeyError, ValueError, TypeError, AttributeError, ZeroDivisionError) as error:
            raise BadRecording(f"{file}: rows[{index}] is no row of an attribution ({error!r})") from error
    if not sizes:
        raise BadRecording(f"{file}: has no rows of the variants that the figure shows")
    if small is None:
        small = min((n for n in sizes if n >= SMALLEST_SHOWN), default=min(sizes))
    large = max(sizes) if large is None else large
    for n in (small, large):
        if n not in sizes:
            raise BadRecording(f"{file}: has no size n:{n}; there are: {', '.join(map(str, sorted(sizes)))}")
    study = load(recording / "study.json")
    chosen = [small] if small == large else [small, large]
    return {"gpu": study.get("gpu", "unknown GPU"), "pipeline": pipeline,
            "sizes": {str(n): {v: sizes[n].get(v, {"withheld": "not attributed"}) for v in VARIANTS} for n in chosen}}


def fingerprint(data: dict) -> str:
    """Of everything that is drawn and how: stands in the SVG, so that drift is seen without drawing."""
    code = Path(__file__).read_bytes()
    return hashlib.sha256(code + json.dumps(data, sort_keys=True).encode()).hexdigest()


def size_text(n: int) -> str:
    exponent = n.bit_length() - 1
    return f"$2^{{{exponent}}}$" if n == 2**exponent and n >= 1024 else str(n)


def style_of(name: str, colour: str) -> dict:
    return {"facecolor": colour, "edgecolor": "white", "hatch": "///" if name == HATCHED else None}


def draw_size(axes, n: int, variants: dict) -> None:
    """One stacked bar a variant; a negative part goes left of zero."""
    walls = {v: sum(p.values()) for v, p in variants.items() if "withheld" not in p}
    longest = max(walls.values(), default=1.0)
    for line, (variant, parts) in enumerate(variants.items()):
        if "withheld" in parts:
            axes.text(0.01 * longest, line, parts["withheld"][:48], va="center", fontsize=7, color="#555555")
            continue
        right, left = 0.0, 0.0
        for name, colour in PARTS.items():
            value = parts.get(name, 0.0)
            start = right if value >= 0 else left
            axes.barh(line, value, left=start, height=0.66, linewidth=0, **style_of(name, colour))
            if value >= 0:
                right += value
            else:
                left += value
        axes.text(right + 0.015 * longest, line, f"{walls[variant]:.1f}", va="center", fontsize=8, color="#222222")
    axes.set_yticks(range(len(variants)), list(variants))
    axes.invert_yaxis()
    axes.set_xlim(right=1.14 * longest)
    axes.set_xlabel("wall time of one iteration, µs")
    axes.set_title(f"n = {size_text(n)}", fontsize=10)
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.axvline(0, color="#222222", linewidth=0.8)


def draw(data: dict, out: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "gvf", "font.family": "DejaVu Sans", "font.size": 9})
    from matplotlib import pyplot
    from matplotlib.patches import Patch

    # A white ground reads on light and on dark pages alike.
    figure, all_axes = pyplot.subplots(1, len(data["sizes"]), figsize=(11, 3.9), facecolor="white", squeeze=False)
    for axes, (n, variants) in zip(all_axes[0], data["sizes"].items()):
        draw_size(axes, int(n), variants)
    for axes in all_axes[0][1:]:
        axes.set_yticklabels([])
    used = [name for name in PARTS
            if any(abs(parts.get(name, 0)) > 0 for variants in data["sizes"].values()
                   for parts in variants.values() if "withheld" not in parts)]
    figure.legend(handles=[Patch(label=name, linewidth=0, **style_of(name, PARTS[name])) for name in used], loc="lower center",
                  ncols=len(used), fontsize=7.5, frameon=False, columnspacing=1.2, handlelength=1.2)
    figure.suptitle(f"{data['pipeline']} on {data['gpu']}: where the wall time goes", fontsize=11)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": "gvf report/figure.py",
                                                "Description": f"data {fingerprint(data)}"})
    pyplot.close(figure)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("recording", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--pipeline", default="sum_abs")
    parser.add_argument("--small", type=int, help="elements; default: the smallest recorded from 2^16")
    parser.add_argument("--large", type=int, help="elements; default: the largest recorded")
    chosen = parser.parse_args(arguments)
    try:
        draw(data_of(chosen.recording, chosen.pipeline, chosen.small, chosen.large), chosen.out)
    except BadRecording as error:
        print(f"figure.py: {error}", file=sys.stderr)
        return 2
    except ImportError as error:
        print(f"figure.py: {error}: install requirements.txt, or run ./bootstrap", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
