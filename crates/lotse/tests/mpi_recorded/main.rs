//! Predicted gains against reality: programs that wait in different ways are recorded, changed and recorded again. The run gets
//! shorter by what `lotse trace what-if --zero extra` predicted, and `analyze` says that `extra` is what was waited for.
//!
//! The programs are in `cases.c`. The packaged recorders leave out some of their calls, so `recorder.c` records them
//! through MPI's profiling interface. Without a compiler for MPI and libotf2 the test is skipped with a note. Sleeping
//! takes the time asked for or, on a busy machine, longer: of several recordings of one program the shortest counts,
//! and more are made only while prediction and reality are too far apart.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// Each program, how many ranks it has, and the kind of wait that it is about.
const CASES: [(&str, &str, &str); 11] = [
    ("short_send", "3", "late_sender"),
    ("long_send", "3", "late_receiver"),
    ("probe", "3", "late_sender"),
    ("waitany", "3", "late_sender"),
    ("sendrecv", "3", "late_sender"),
    ("broadcast", "3", "late_broadcast"),
    ("fence", "3", "rma_wait_at_fence"),
    ("window_lock", "3", "rma_lock_contention"),
    ("test", "3", "busy_wait"),
    ("reduce", "4", "late_member"),
    ("wavefront", "4", "late_sender"),
];

/// Milliseconds, in each of three rounds.
const EXTRA: &str = "60";
const MAX_RECORDINGS: usize = 24;
const MAX_ERROR: f64 = 0.1;

#[test]
fn the_run_gets_shorter_by_the_predicted_gain() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = built(folder.path()) else { return };
    for (case, ranks, metric) in CASES {
        let recordings = |extra| Recordings::new(&program, folder.path(), (case, ranks), extra);
        let (mut slow, mut fast) = (recordings(EXTRA), recordings("0"));
        while error(&slow, &fast) > MAX_ERROR && slow.made < MAX_RECORDINGS {
            slow.again();
            fast.again();
        }
        let error = error(&slow, &fast);
        println!("{case}: the gain is wrong by {:.1} % after {} recordings", error * 100.0, slow.made);
        assert!(error <= MAX_ERROR, "{case}: the gain is wrong by {:.1} %", error * 100.0);
        blames_extra(&slow.folder, case, metric);
    }
}

/// The difference between the predicted and the real gain, as a share of the real one.
fn error(slow: &Recordings<'_>, fast: &Recordings<'_>) -> f64 {
    let gain = slow.seconds - fast.seconds;
    let predicted = json_answer(&["what-if", "--zero", "extra"], &slow.folder)["gain"].as_f64().unwrap();
    (predicted - gain).abs() / gain.abs().max(1e-9)
}

/// The largest wait of that kind is attributed to the call that takes too long.
fn blames_extra(folder: &Path, case: &str, metric: &str) {
    let answer = json_answer(&["analyze"], folder);
    let losses = answer["losses"].as_array().unwrap();
    let loss = losses.iter().find(|loss| loss["metric"].as_str().unwrap().starts_with(metric));
    let loss = loss.unwrap_or_else(|| panic!("{case}: no {metric} in {losses:?}"));
    assert_eq!(loss["cause"]["callpath"], "extra", "{case}: {loss}");
}

fn json_answer(words: &[&str], folder: &Path) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lotse"));
    let output = command.arg("trace").args(words).arg("--json").arg(folder).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", output_text(&output)))
}

/// Builds the programs with their recorder; `None` if a compiler or library is missing.
fn built(folder: &Path) -> Option<PathBuf> {
    for tool in ["mpicc", "mpirun"] {
        if Command::new(tool).arg("--version").output().is_err() {
            test_support::skip_missing(format!("{tool} is not installed"));
            return None;
        }
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mpi_recorded");
    let mut check = Command::new("mpicc");
    if !check
        .args(["-E", "recorder.c", "-o", "/dev/null"])
        .current_dir(&source)
        .output()
        .unwrap()
        .status
        .success()
    {
        test_support::skip_missing("the headers of OTF2 are not installed");
        return None;
    }
    let program = folder.join("cases");
    let mut command = Command::new("mpicc");
    command.args(["-O1", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program);
    run(command.args(["cases.c", "recorder.c", "-lopen-trace-format2"]).current_dir(source));
    Some(program)
}

/// The shortest of several recordings of one program.
struct Recordings<'a> {
    program: &'a Path,
    place: &'a Path,
    case: &'static str,
    ranks: &'static str,
    extra: &'static str,
    made: usize,
    folder: PathBuf,
    seconds: f64,
}

impl<'a> Recordings<'a> {
    fn new(
        program: &'a Path,
        place: &'a Path,
        (case, ranks): (&'static str, &'static str),
        extra: &'static str,
    ) -> Self {
        let (folder, seconds) = (PathBuf::new(), f64::INFINITY);
        let mut recordings = Self { program, place, case, ranks, extra, made: 0, folder, seconds };
        recordings.again();
        recordings
    }

    fn again(&mut self) {
        self.made += 1;
        let folder = self.place.join(format!("{}-{}-{}", self.case, self.extra, self.made));
        let mut command = Command::new("mpirun");
        command.args(["--allow-run-as-root", "--oversubscribe", "-np", self.ranks]).arg(self.program);
        run(command.args([self.case, self.extra]).env("LOTSE_TRACE", &folder));
        let seconds = json_answer(&["info"], &folder)["runtime"].as_f64().unwrap();
        if seconds < self.seconds {
            (self.folder, self.seconds) = (folder, seconds);
        }
    }
}

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", output_text(&output));
    output
}

fn output_text(output: &Output) -> String {
    let [out, err] =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    format!("{}\n{out}\n{err}", output.status)
}
