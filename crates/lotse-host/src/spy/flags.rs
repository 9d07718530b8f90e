//! Compiler options. Tested with rustc 1.95 (LLVM 22).

use std::ffi::OsString;

use lotse_spy_rt::WRAPPED;

/// LLVM passes that insert calls of the runtime at every load, store and basic block. The memory profiler only replaces copies by
/// calls; it must run after the coverage pass, which would instrument these calls otherwise.
const PASSES: [&str; 2] = ["sancov-module", "function(memprof)"];

const LLVM: [&str; 16] = [
    "-sanitizer-coverage-level=3",
    "-sanitizer-coverage-trace-pc-guard",
    // A table of all basic blocks and their successors, from which loops are reconstructed.
    "-sanitizer-coverage-control-flow",
    "-sanitizer-coverage-trace-loads",
    "-sanitizer-coverage-trace-stores",
    "-memprof-instrument-reads=0",
    "-memprof-instrument-writes=0",
    "-memprof-instrument-atomics=0",
    // Each instruction of the program stays a single instruction: no unrolling, merging or replacement by library calls.
    "-unroll-full-max-count=0",
    "-unroll-runtime=0",
    "-unroll-allow-partial=0",
    "-unroll-allow-peeling=0",
    "-simplifycfg-sink-common=false",
    "-simplifycfg-hoist-common=false",
    "-enable-tail-merge=0",
    "-disable-loop-idiom-all",
];

/// Code generation options: line information, names with concrete types, and frame pointers.
const CODE: [&str; 6] = [
    "debuginfo=2",
    "strip=none",
    "force-frame-pointers=yes",
    "symbol-mangling-version=v0",
    "no-vectorize-loops",
    "no-vectorize-slp",
];

/// Options for a crate that is compiled with callbacks.
pub(super) fn with_callbacks() -> Vec<OsString> {
    let code = CODE.iter().map(|option| format!("-C{option}"));
    let passes = PASSES.iter().map(|pass| format!("-Cpasses={pass}"));
    let llvm = LLVM.iter().map(|option| format!("-Cllvm-args={option}"));
    code.chain(passes).chain(llvm).map(OsString::from).collect()
}

/// Options for a crate without callbacks in a recorded build: line information and frame pointers.
pub(super) fn without_callbacks() -> Vec<OsString> {
    CODE[..4].iter().map(|option| OsString::from(format!("-C{option}"))).collect()
}

/// Options for a crate in an unrecorded build: line information and full names, without effect on the code.
pub(super) fn unrecorded() -> Vec<OsString> {
    let code = CODE.iter().filter(|option| !option.contains("frame-pointers")).take(3);
    code.map(|option| OsString::from(format!("-C{option}"))).collect()
}

/// Options that link the runtime into a program.
pub(super) fn link(object: &str) -> Vec<String> {
    let wrapped = WRAPPED.iter().map(|function| format!("-Clink-arg=-Wl,--wrap={function}"));
    std::iter::once(format!("-Clink-arg={object}")).chain(wrapped).collect()
}
