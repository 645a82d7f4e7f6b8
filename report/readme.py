"""Puts the tables of the shipped recording into README.md and docs/*.md, and draws docs/figures/.

Usage: readme.py [--check] [--root DIR] [--recording DIR] [--gvf PROGRAM] [--list]. Replaces what stands between
`<!-- gvf:begin NAME -->` and `<!-- gvf:end NAME -->`; --list prints the names. NAME?COLUMN=A,B&COLUMN=C keeps the rows
that have one of those in each such column, and of remarks on structure/submission the items of such variants; '_'
stands for a blank. --check changes nothing and exits 1 when anything drifted. The tables come from `gvf study
--replay`, or from the recording's tables.md without a build."""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import figure  # noqa: E402
import small_kernels  # noqa: E402

FIGURES = {Path("docs/figures/answer.svg"): (lambda recording: figure.data_of(recording, "sum_abs", None, None), figure),
           Path("docs/figures/small_kernels.svg"): (small_kernels.data_of, small_kernels)}
TABLES = {"The answer": "answer", "Where the wall goes": "wall", "Busy, split by the crossed arms": "split",
          "Bytes, counted and modelled": "counters", "Busy against the ceiling": "ceiling"}
# Level-two headings of what is about no pipeline.
SECTIONS = {"What a step costs": "steps", "What a graph costs over its life": "lifecycle"}
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
    """Name -> Markdown: provenance, machine, l2_knee, instruments, PIPELINE[/k:K]/sentences, PIPELINE[/k:K]/n:SIZE/TABLE,
    SECTION/TITLE_OF_A_TABLE."""
    blocks: dict[str, list[str]] = {}
    pipeline, place, name = "", "", "provenance"
    for line in text.splitlines():
        heading = re.fullmatch(r"(#+) (.*)", line)
        title = re.fullmatch(r"\*\*(.*)\*\*", line)
        if heading:
            level, words = len(heading[1]), heading[2]
            if level == 2:
                pipeline = place = SECTIONS.get(words, words)
            elif level == 3:
                place = pipeline + "/k:" + words.rpartition("k = ")[2]
            elif level == 4:
                size = words.rpartition("n = ")[2] if words.startswith("n = ") else ""
                name = f"{place}/n:{size}" if size else f"{pipeline}/absent"
                continue
            name = f"{place}/sentences" if place else "provenance"
        elif title:
            short = TABLES.get(title[1])
            if place in SECTIONS.values():
                name = f"{place}/{re.sub('[^a-z0-9]+', '_', title[1].lower()).strip('_')}"
                continue
            name = re.sub(rf"/({'|'.join(TABLES.values())})$", "", name) + f"/{short}" if short else MACHINE_TABLES[title[1]]
        elif name:
            blocks.setdefault(name, []).append(line)
    cleaned = {name: "\n".join(lines).strip() for name, lines in blocks.items()}
    return {name: body for name, body in cleaned.items() if body}


def cells_of(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def kept(body: str, query: str) -> str:
    """The rows, and the items of remarks, that `query` chooses."""
    wanted = {key: set(values.split(",")) for key, _, values in (part.partition("=") for part in query.split("&"))}
    columns = next((cells_of(line) for line in body.splitlines() if line.startswith("| ")), [])
    if not query or not set(wanted) <= set(columns):
        raise Problem(f"'?{query}' is no choice of rows: write ?COLUMN=A,B with columns of {', '.join(columns)}")

    def is_wanted(row: dict[str, str]) -> bool:
        return all(row.get(key, "").replace(" ", "_") in values for key, values in wanted.items())

    lines = []
    for number, line in enumerate(body.splitlines()):
        is_row = line.startswith("| ") and number > 0
        remark, colon, items = line.partition(": ")
        variants = [re.match(r"(?P<structure>\w+)/(?P<submission>\w+)", item) for item in items.split(", ")]
        if is_row and not is_wanted(dict(zip(columns, cells_of(line)))):
            continue
        if colon and not is_row and all(variants):
            left = [item for item, name in zip(items.split(", "), variants) if is_wanted(name.groupdict())]
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


def update_figures(root: Path, recording: Path, check: bool) -> list[Path]:
    """Those that a document shows and that were not of this recording."""
    drifted = []
    texts = [file.read_text(encoding="utf-8") for file in documents(root)]
    for file, (data_of, module) in FIGURES.items():
        if not any(f"figures/{file.name}" in text for text in texts):
            continue
        data = data_of(recording)
        target = root / file
        current = target.read_text(encoding="utf-8") if target.exists() else ""
        if f"data {module.fingerprint(data)}" in current:
            continue
        drifted.append(file)
        if not check:
            module.draw(data, target)
    return drifted


def blocks_from(recording: Path, gvf: Path | None) -> dict[str, str]:
    """Those of the document and, where the recording has its rows, the table beside a figure."""
    blocks = blocks_of(tables_of(recording, gvf))
    try:
        blocks["small_kernels"] = small_kernels.table_of(small_kernels.data_of(recording))
    except figure.BadRecording:  # without chain, or with few sizes of it
        pass
    return blocks


def update(root: Path, recording: Path, gvf: Path | None, check: bool) -> list[Path]:
    """The files that were not as the recording has it; they are now, unless `check`."""
    blocks = blocks_from(recording, gvf)
    drifted = []
    for file in documents(root):
        text = file.read_text(encoding="utf-8")
        wanted = replaced(text, blocks, file.relative_to(root))
        if wanted != text:
            drifted.append(file.relative_to(root))
            if not check:
                file.write_text(wanted, encoding="utf-8")
    return drifted + update_figures(root, recording, check)


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
            print("\n".join(sorted(blocks_from(recording, gvf))))
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
