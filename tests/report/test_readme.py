"""Generated blocks: they are filled from a recording, drift is found, and mistakes in markers are named."""

import json
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "report"))
import figure  # noqa: E402
import readme  # noqa: E402

TABLES = """# Graphs versus Fusion: Synthetic GPU

Recorded on a day.

Stale: recorded with other device sources.

- a label

**Measured ceilings**

| traffic | GB/s |
|---|---:|
| read | 4500 |

## chain

### chain, k = 4

chain, k = 4 pays.

#### n = 2^28

**The answer**

| structure | wall µs |
|---|---:|
| fused | 4.0 |

#### Not in the tables

- library/graph: no

## sum_abs

sum_abs pays.

- n = 2^16: for launches

#### n = 2^16

**The answer**

| structure | wall µs |
|---|---:|
| fused | 1.0 |

A note.

**Where the wall goes**

| structure | gap |
|---|---:|
| fused | 0.2 |

## What a step costs

**Cost of a step**

| way | host |
|---|---:|
| a stream | 3.5 |
| a graph | 0.0 |

## What a graph costs over its life

Medians.

**Break-even, fan_out**

| scenario | clock | 16 nodes |
|---|---|---:|
| same parameters | wall | 2 |
"""

ANSWER = Path("docs/figures/answer.svg")
README = """# Title

![The answer](docs/figures/answer.svg)

<!-- gvf:begin sum_abs/n:2^16/answer -->
old
<!-- gvf:end sum_abs/n:2^16/answer -->

Hand-written stays.

<!-- gvf:begin sum_abs/sentences -->
<!-- gvf:end sum_abs/sentences -->
"""


@pytest.fixture
def tree(tmp_path):
    """A source tree whose recording brings its own tables.md; no gvf is built."""
    recording = tmp_path / "docs" / "recordings" / "h200"
    shutil.copytree(ROOT / "tests" / "data" / "recording", recording)
    (recording / "tables.md").write_text(TABLES)
    (tmp_path / "README.md").write_text(README)
    target = tmp_path / ANSWER
    target.parent.mkdir(parents=True)
    # Stands for a drawn figure where matplotlib is absent.
    target.write_text(f"data {figure.fingerprint(figure.data_of(recording, 'sum_abs', None, None))}")
    return tmp_path


def run(tree, *arguments):
    return readme.main(["--root", str(tree), *arguments])


def test_blocks_have_names_and_leave_out_what_the_build_adds():
    blocks = readme.blocks_of(TABLES.replace("Stale: recorded with other device sources.\n", ""))
    assert sorted(blocks) == ["chain/absent", "chain/k:4/n:2^28/answer", "chain/k:4/sentences",
                              "lifecycle/break_even_fan_out", "lifecycle/sentences", "machine", "provenance",
                              "steps/cost_of_a_step", "sum_abs/n:2^16/answer", "sum_abs/n:2^16/wall", "sum_abs/sentences"]
    assert blocks["machine"].endswith("| read | 4500 |")
    assert blocks["sum_abs/n:2^16/answer"].endswith("A note.")
    assert blocks["sum_abs/sentences"] == "sum_abs pays.\n\n- n = 2^16: for launches"


def test_fill_then_check_then_drift(tree, capsys):
    assert run(tree, "--check") == 1
    assert "README.md: drifted" in capsys.readouterr().out
    assert (tree / "README.md").read_text() == README
    assert run(tree) == 0
    text = (tree / "README.md").read_text()
    assert "| fused | 1.0 |" in text and "old" not in text and "Hand-written stays." in text
    assert run(tree, "--check") == 0
    (tree / "README.md").write_text(text.replace("1.0", "0.9"))
    assert run(tree, "--check") == 1
    assert run(tree) == 0
    assert (tree / "README.md").read_text() == text


def test_the_stale_line_is_not_drift(tree):
    assert run(tree) == 0
    tables = tree / "docs" / "recordings" / "h200" / "tables.md"
    tables.write_text(TABLES.replace("Stale: recorded with other device sources.\n", "Stale: with yet others.\n"))
    assert run(tree, "--check") == 0


def test_docs_pages_are_filled_too(tree):
    page = tree / "docs" / "method.md"
    page.write_text("<!-- gvf:begin machine -->\n<!-- gvf:end machine -->\n")
    assert run(tree) == 0
    assert "| read | 4500 |" in page.read_text()


def test_a_figure_of_another_recording_is_drift(tree):
    assert run(tree) == 0
    (tree / ANSWER).write_text("data 0000")
    assert run(tree, "--check") == 1
    pytest.importorskip("matplotlib")
    assert run(tree) == 0
    assert run(tree, "--check") == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<!-- gvf:begin nothing -->\n<!-- gvf:end nothing -->\n", "unknown block 'nothing'; there are: chain/absent"),
        ("<!-- gvf:begin machine -->\n", "markers of 'machine' do not pair"),
        ("<!-- gvf:begin machine -->\n<!-- gvf:end provenance -->\n", "do not pair"),
    ],
)
def test_wrong_markers_are_named(tree, capsys, text, message):
    (tree / "README.md").write_text(text)
    assert run(tree) == 2
    assert message in capsys.readouterr().err
    assert (tree / "README.md").read_text() == text


def test_without_recording_or_tables_the_exit_code_is_3(tree, capsys):
    (tree / "docs" / "recordings" / "h200" / "tables.md").unlink()
    assert run(tree, "--check") == 3
    assert "build gvf first" in capsys.readouterr().err
    shutil.rmtree(tree / "docs" / "recordings")
    assert run(tree, "--check") == 3


def test_the_tables_of_a_built_gvf_are_used(tree):
    gvf = tree / "build" / "gvf"
    gvf.parent.mkdir()
    gvf.write_text("#!/bin/sh\n[ \"$1 $2\" = 'study --replay' ] || exit 9\necho 'Replaying the recording of X'\necho\n"
                   f"cat '{tree}/other.md'\n")
    gvf.chmod(0o755)
    (tree / "other.md").write_text(TABLES.replace("| fused | 1.0 |", "| fused | 7.7 |"))
    assert run(tree) == 0
    assert "| fused | 7.7 |" in (tree / "README.md").read_text()
    gvf.write_text("#!/bin/sh\necho broken >&2\nexit 2\n")
    assert run(tree, "--check") == 2


def test_list_prints_the_names(tree, capsys):
    assert run(tree, "--list") == 0
    assert "sum_abs/n:2^16/wall" in capsys.readouterr().out.splitlines()


TABLE = """| structure | submission | wall |
|---|---|---:|
| separate | stream | 3 |
| separate | graph_pdl | 2 |
| fused | graph | 1 |

api pass disturbs wall: separate/stream +9%, fused/graph +8%

kernel pass disturbs wall: separate/graph_pdl +9%

Medians over repetitions: all of them."""


def test_a_query_keeps_rows_and_remarks_of_its_variants():
    assert readme.kept(TABLE, "structure=separate&submission=stream,graph") == """| structure | submission | wall |
|---|---|---:|
| separate | stream | 3 |

api pass disturbs wall: separate/stream +9%

Medians over repetitions: all of them."""
    assert readme.kept(TABLE, "structure=separate,fused") == TABLE


def test_a_query_of_any_column():
    table = "| way | clock | 1 node |\n|---|---|---:|\n| same parameters | wall | 2 |\n| same parameters | host | 3 |\n\nA note."
    assert readme.kept(table, "way=same_parameters&clock=host") == table.replace("| same parameters | wall | 2 |\n", "")


def test_a_figure_is_drawn_where_a_document_shows_it(tree):
    pytest.importorskip("matplotlib")
    chain = tree / "docs" / "recordings" / "h200" / "bench" / "chain.json"
    content = json.loads(chain.read_text())
    for variant in ("separate/stream", "separate/graph", "persistent/stream"):
        content["benchmarks"] += [{"name": f"chain/{variant}/throughput/n:{n}/k:16/iterations:9/manual_time",
                                   "aggregate_name": "median", "period_us": 20 + n / 1e4} for n in (2**14, 2**18)]
    chain.write_text(json.dumps(content))
    small_kernels = tree / "docs" / "figures" / "small_kernels.svg"
    assert run(tree) == 0
    assert not small_kernels.exists()
    (tree / "docs" / "page.md").write_text("![Small kernels](figures/small_kernels.svg)\n\n<!-- gvf:begin small_kernels -->\n"
                                           "<!-- gvf:end small_kernels -->\n")
    assert run(tree, "--check") == 1
    assert run(tree) == 0
    assert small_kernels.exists()
    assert "| 128 KiB |" in (tree / "docs" / "page.md").read_text()
    assert run(tree, "--check") == 0


@pytest.mark.parametrize("query", ["colour=red", "structure=fused&size=3", ""])
def test_a_query_of_something_else_is_named(query):
    with pytest.raises(readme.Problem, match="is no choice of rows"):
        readme.kept(TABLE, query)
