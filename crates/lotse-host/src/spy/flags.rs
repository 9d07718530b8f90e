//! What the compiler is asked for. Tried with rustc 1.95 (LLVM 22).

use std::ffi::OsString;

use lotse_spy_rt::WRAPPED;

/// Every load, store and basic block calls the runtime. The memory profiler only turns copies into calls; it must come
/// after the coverage pass, which then leaves those calls alone.
const PASSES: [&str; 2] = ["sancov-module", "function(memprof)"];

const LLVM: [&str; 16] = [
    "-sanitizer-coverage-level=3",
    "-sanitizer-coverage-trace-pc-guard",
    // A table of all basic blocks and their successors, from which loops are known.
    "-sanitizer-coverage-control-flow",
    "-sanitizer-coverage-trace-loads",
    "-sanitizer-coverage-trace-stores",
    "-memprof-instrument-reads=0",
    "-memprof-instrument-writes=0",
    "-memprof-instrument-atomics=0",
    // An instruction of the program stays one instruction: nothing is unrolled, merged or recognised as a library call.
    "-unroll-full-max-count=0",
    "-unroll-runtime=0",
    "-unroll-allow-partial=0",
    "-unroll-allow-peeling=0",
    "-simplifycfg-sink-common=false",
    "-simplifycfg-hoist-common=false",
    "-enable-tail-merge=0",
    "-disable-loop-idiom-all",
];

/// Names with concrete types, lines, and frames that can be followed.
const CODE: [&str; 6] = [
    "debuginfo=2",
    "strip=none",
    "force-frame-pointers=yes",
    "symbol-mangling-version=v0",
    "no-vectorize-loops",
    "no-vectorize-slp",
];

/// Options for a crate that is compiled with callbacks.
pub(super) fn callbacks() -> Vec<OsString> {
    let code = CODE.iter().map(|option| format!("-C{option}"));
    let passes = PASSES.iter().map(|pass| format!("-Cpasses={pass}"));
    let llvm = LLVM.iter().map(|option| format!("-Cllvm-args={option}"));
    code.chain(passes).chain(llvm).map(OsString::from).collect()
}

/// Options for a crate that is left alone but whose lines are wanted all the same.
pub(super) fn lines() -> Vec<OsString> {
    CODE[..4].iter().map(|option| OsString::from(format!("-C{option}"))).collect()
}

/// Options for a crate of an unrecorded build: its lines and full names are known, and its code is what it would be.
pub(super) fn names() -> Vec<OsString> {
    let code = CODE.iter().filter(|option| !option.contains("frame-pointers")).take(3);
    code.map(|option| OsString::from(format!("-C{option}"))).collect()
}

/// Options that link the runtime into a program.
pub(super) fn link(object: &str) -> Vec<String> {
    let wrapped = WRAPPED.iter().map(|function| format!("-Clink-arg=-Wl,--wrap={function}"));
    std::iter::once(format!("-Clink-arg={object}")).chain(wrapped).collect()
}
