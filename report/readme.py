"""Puts the tables of the shipped recording into README.md and docs/*.md, and draws docs/figures/answer.svg.

Usage: readme.py [--check] [--root DIR] [--recording DIR] [--gvf PROGRAM] [--list]. Replaces what stands between
`<!-- gvf:begin NAME -->` and `<!-- gvf:end NAME -->`; --list prints the names. NAME?structure=A,B&submission=C,D keeps
the rows and remarks of those variants. --check changes nothing and exits 1
when anything drifted. The tables come from `gvf study --replay`, or from the recording's tables.md without a build."""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import figure  # noqa: E402

FIGURE = Path("docs/figures/answer.svg")
TABLES = {"The answer": "answer", "Where the wall goes": "wall", "Busy, split by the crossed arms": "split",
          "Bytes, counted and modelled": "counters", "Busy against the ceiling": "ceiling"}
MACHINE_TABLES = {"Measured ceilings": "machine", "Where L2 ends": "l2_knee", "What each instrument costs": "instruments"}
BLOCK = re.compile(r"(<!-- gvf:begin (?P<name>\S+) -->\n)(?P<body>.*?)(<!-- gvf:end (?P=name) -->)", re.DOTALL)
MARKER = re.compile(r"<!-- gvf:(begin|end) (\S+) -->")


class Problem(Exception):
    """What cannot be done, with the exit code that says so."""

    def __init__(self, text: str, code: int = 2):
        super().__init__(text)
        self.code = code


def find_gvf(root: Path) -> Path | None:
    built = [path for path in root.glob("build*/gvf") if path.is_file()]
    return max(built, key=lambda path: path.stat().st_mtime, default=None)


def tables_of(recording: Path, gvf: Path | None) -> str:
    """The document in Markdown, without what depends on the build that made it."""
    if gvf is None:
        file = recording / "tables.md"
        if not file.exists():
            raise Problem(f"no build*/gvf and no {file}: build gvf first (./bootstrap build)", 3)
        text = file.read_text(encoding="utf-8")
    else:
        with tempfile.TemporaryDirectory() as scratch:
            command = [str(gvf), "study", "--replay", str(recording), "--markdown", "--output", scratch]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Problem(f"{' '.join(command)} exited {done.returncode}: {done.stderr.strip()}")
        text = done.stdout
    start = text.find("# ")
    if start < 0:
        raise Problem(f"the tables of {recording} have no heading")
    return "".join(line for line in text[start:].splitlines(True) if not line.startswith("Stale: "))


def blocks_of(text: str) -> dict[str, str]:
    """Name -> Markdown: provenance, machine, l2_knee, instruments, PIPELINE[/k:K]/sentences, PIPELINE[/k:K]/n:SIZE/TABLE."""
    blocks: dict[str, list[str]] = {}
    pipeline, place, name = "", "", "provenance"
    for line in text.splitlines():
        heading = re.fullmatch(r"(#+) (.*)", line)
        title = re.fullmatch(r"\*\*(.*)\*\*", line)
        if heading:
            level, words = len(heading[1]), heading[2]
            if level == 2:
                pipeline = place = words
            elif level == 3:
                place = pipeline + "/k:" + words.rpartition("k = ")[2]
            elif level == 4:
                size = words.rpartition("n = ")[2] if words.startswith("n = ") else ""
                name = f"{place}/n:{size}" if size else f"{pipeline}/absent"
                continue
            name = f"{place}/sentences" if place else "provenance"
        elif title:
            short = TABLES.get(title[1])
            name = re.sub(rf"/({'|'.join(TABLES.values())})$", "", name) + f"/{short}" if short else MACHINE_TABLES[title[1]]
        elif name:
            blocks.setdefault(name, []).append(line)
    cleaned = {name: "\n".join(lines).strip() for name, lines in blocks.items()}
    return {name: body for name, body in cleaned.items() if body}


def kept(body: str, query: str) -> str:
    """The rows, and the items of remarks, of the variants that `query` names."""
    wanted = {key: set(values.split(",")) for key, _, values in (part.partition("=") for part in query.split("&"))}
    if not wanted or not set(wanted) <= {"structure", "submission"}:
        raise Problem(f"'?{query}' is no choice of rows: write ?structure=A,B&submission=C,D")

    def is_wanted(structure: str, submission: str) -> bool:
        return all({"structure": structure, "submission": submission}[key] in values for key, values in wanted.items())

    lines = []
    for line in body.splitlines():
        row = re.match(r"\| (\w+) \| (\w+) \|", line)
        remark, colon, items = line.partition(": ")
        variants = [re.match(r"(\w+)/(\w+)", item) for item in items.split(", ")]
        if row and row[1] != "structure" and not is_wanted(row[1], row[2]):
            continue
        if colon and not row and all(variants):
            left = [item for item, name in zip(items.split(", "), variants) if is_wanted(name[1], name[2])]
            if not left:
                continue
            line = f"{remark}: {', '.join(left)}"
        if line or (lines and lines[-1]):
            lines.append(line)
    return "\n".join(lines).strip()


def replaced(text: str, blocks: dict[str, str], file: Path) -> str:
    markers = MARKER.findall(text)
    for begin, end in zip(markers[::2], markers[1::2] + [("end", "?")]):
        if begin[0] != "begin" or end != ("end", begin[1]):
            raise Problem(f"{file}: the markers of '{begin[1]}' do not pair")

    def body_of(match: re.Match) -> str:
        name, _, query = match["name"].partition("?")
        if name not in blocks:
            raise Problem(f"{file}: unknown block '{name}'; there are: {', '.join(sorted(blocks))}")
        return f"{match[1]}{kept(blocks[name], query) if query else blocks[name]}\n{match[4]}"

    return BLOCK.sub(body_of, text)


def documents(root: Path) -> list[Path]:
    files = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    return [file for file in files if file.exists()]


def update_figure(root: Path, recording: Path, check: bool) -> bool:
    """True when the figure is not the one of this recording."""
    data = figure.data_of(recording, "sum_abs", None, None)
    target = root / FIGURE
    current = target.read_text(encoding="utf-8") if target.exists() else ""
    if f"data {figure.fingerprint(data)}" in current:
        return False
    if not check:
        figure.draw(data, target)
    return True


def update(root: Path, recording: Path, gvf: Path | None, check: bool) -> list[Path]:
    """The files that were not as the recording has it; they are now, unless `check`."""
    blocks = blocks_of(tables_of(recording, gvf))
    drifted = []
    for file in documents(root):
        text = file.read_text(encoding="utf-8")
        wanted = replaced(text, blocks, file.relative_to(root))
        if wanted != text:
            drifted.append(file.relative_to(root))
            if not check:
                file.write_text(wanted, encoding="utf-8")
    if update_figure(root, recording, check):
        drifted.append(FIGURE)
    return drifted


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when anything drifted")
    parser.add_argument("--list", action="store_true", help="print the names of the blocks")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument("--recording", type=Path, help="default: docs/recordings/h200")
    parser.add_argument("--gvf", type=Path, help="default: the newest build*/gvf")
    chosen = parser.parse_args(arguments)
    recording = chosen.recording or chosen.root / "docs" / "recordings" / "h200"
    gvf = chosen.gvf or find_gvf(chosen.root)
    try:
        if not (recording / "study.json").exists():
            raise Problem(f"no recording in {recording}", 3)
        if chosen.list:
            print("\n".join(sorted(blocks_of(tables_of(recording, gvf)))))
            return 0
        drifted = update(chosen.root, recording, gvf, chosen.check)
    except (Problem, figure.BadRecording) as error:
        print(f"readme.py: {error}", file=sys.stderr)
        return getattr(error, "code", 2)
    except ImportError as error:
        print(f"readme.py: {error}: install requirements.txt, or run ./bootstrap", file=sys.stderr)
        return 3
    for file in drifted:
        print(f"{file}: {'drifted; run report/readme.py' if chosen.check else 'updated'}")
    return 1 if drifted and chosen.check else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
