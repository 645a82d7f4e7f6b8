"""A PyTorch program to record: the same small model eagerly and with torch.compile(mode="reduce-overhead"), each
iteration in an NVTX range. `gvf record --output run1 -- python3 tests/programs/torch_graphs.py`, then
`gvf attribute run1/*.gvft`."""

import torch

WARM_UP = 5  # reduce-overhead captures its graphs in the first calls
ITERATIONS = 50


def model(x: torch.Tensor, weights: list[torch.Tensor]) -> torch.Tensor:
    for weight in weights:
        x = torch.relu(x @ weight) + 0.5
    return x


def run(name: str, function, x: torch.Tensor, weights: list[torch.Tensor]) -> None:
    for _ in range(WARM_UP):
        function(x, weights)
    torch.cuda.synchronize()
    for _ in range(ITERATIONS):
        with torch.cuda.nvtx.range(name):
            function(x, weights)
            torch.cuda.synchronize()


def main() -> None:
    torch.manual_seed(0)
    x = torch.randn(64, 256, device="cuda")
    weights = [torch.randn(256, 256, device="cuda") / 16 for _ in range(16)]
    with torch.inference_mode():
        run("eager", model, x, weights)
        run("reduce-overhead", torch.compile(model, mode="reduce-overhead"), x, weights)


if __name__ == "__main__":
    main()
