//! The list of fuzz targets.

mod history;
mod hyperfine;
mod index;
mod lotse_json;
mod lotse_log;
mod numbers;
mod otf2;
mod perf_data;
mod recognise;
mod symbols;
mod temci_result;
mod temci_settings;
mod temci_suite;
mod trace_engine;

use std::sync::LazyLock;

use lotse_predict::question::Language;

use crate::predict::predict;
use crate::profile;
use crate::trace::trace;

/// The variable that names the target to run.
pub const VARIABLE: &str = "LOTSE_FUZZ_TARGET";

/// What a target does with one input.
pub type Target = fn(&[u8]);

/// All targets by name, which is also the folder of their seeds in `fuzz/corpus`.
#[rustfmt::skip]
const TARGETS: &[(&str, Target)] = &[
    ("cachegrind", |data| profile(data, "cachegrind")),
    ("callgrind", |data| profile(data, "callgrind")),
    ("chrome_trace", |data| profile(data, "chrome-trace")),
    ("collapsed", |data| profile(data, "collapsed")),
    ("cpuprofile", |data| profile(data, "cpuprofile")),
    ("dhat", |data| profile(data, "dhat")),
    ("firefox", |data| profile(data, "firefox")),
    ("gecko", |data| profile(data, "gecko")),
    ("gmon", |data| profile(data, "gmon")),
    ("gprof_text", |data| profile(data, "gprof")),
    ("heaptrack", |data| profile(data, "heaptrack")),
    ("history", history::fuzz),
    ("hyperfine", hyperfine::fuzz),
    ("index", index::fuzz),
    ("lotse_json", lotse_json::fuzz),
    ("lotse_log", lotse_log::fuzz),
    ("massif", |data| profile(data, "massif")),
    ("numbers", numbers::fuzz),
    ("otf2", otf2::fuzz),
    ("paraver", |data| trace(data, "paraver", &["t.prv", "t.pcf", "t.row"])),
    ("perf_data", perf_data::fuzz),
    ("perf_script", |data| profile(data, "perf-script")),
    ("pprof", |data| profile(data, "pprof")),
    ("pprof_legacy", |data| profile(data, "pprof-legacy")),
    ("predict_c", |data| predict(data, Language::C)),
    ("predict_rust", |data| predict(data, Language::Rust)),
    ("pstats", |data| profile(data, "pstats")),
    ("recognise", recognise::fuzz),
    ("speedscope", |data| profile(data, "speedscope")),
    ("stackprof", |data| profile(data, "stackprof")),
    ("symbols", symbols::fuzz),
    ("temci_result", temci_result::fuzz),
    ("temci_settings", temci_settings::fuzz),
    ("temci_suite", temci_suite::fuzz),
    ("trace_chrome", |data| trace(data, "chrome-trace", &["t.json"])),
    ("trace_engine", trace_engine::fuzz),
    ("xdebug", |data| profile(data, "xdebug")),
];

/// The target that the variable names. Without a name, the program prints all names and ends.
#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "libFuzzer's own `main` calls this before it looks at anything"
)]
pub static CHOSEN: LazyLock<Target> = LazyLock::new(|| {
    let name = std::env::var(VARIABLE).unwrap_or_default();
    if name.is_empty() {
        TARGETS.iter().for_each(|(name, _)| println!("{name}"));
        std::process::exit(0);
    }
    let Some((_, target)) = TARGETS.iter().find(|(known, _)| *known == name) else {
        eprintln!("there is no fuzz target `{name}`");
        std::process::exit(2);
    };
    *target
});
