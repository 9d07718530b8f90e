//! A recording by perf of this machine, where perf works.

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

/// A perf.data file of two threads with call chains; `None` with a message where perf does not work.
pub(crate) fn recorded() -> Option<&'static str> {
    static FILE: LazyLock<Option<String>> = LazyLock::new(|| record("recorded.data", &["-g"]));
    if FILE.is_none() {
        test_support::skip_here("perf does not record here");
    }
    FILE.as_deref()
}

/// Records a shell that does a little work, with options.
pub(crate) fn record(name: &str, options: &[&str]) -> Option<String> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let path = path.to_str()?.to_owned();
    let work = "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done & wait; j=0; while [ $j -lt 60000 ]; do j=$((j+1)); done";
    let often: &[&str] = if options.contains(&"-c") { &[] } else { &["-F", "999"] };
    let recording = Command::new("perf")
        .args(["record", "-q", "-e", "cpu-clock", "-o", &path])
        .args(often)
        .args(options)
        .args(["--", "sh", "-c", work])
        .output();
    recording.is_ok_and(|output| output.status.success()).then_some(path)
}
