//! What-if against reality: a program is recorded, changed and recorded again; the second run takes as long as
//! `lotse trace what-if` predicts from the first.
//!
//! The program is `examples/sleepers`, the recorder Debian's EZTrace; without them the test is skipped with a note.
//! Sleeping takes the time asked for or, on a busy machine, longer, never shorter. So of several recordings of one
//! program the shortest counts, and more are made only while prediction and reality are too far apart.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "a test that is skipped says so")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use lotse_host::FolderSource;
use lotse_model::id::LocationId;
use lotse_model::work::Sequential;
use lotse_trace::open;
use lotse_trace::store::Trace;

/// Milliseconds of each function on each rank.
#[derive(Clone, Copy)]
struct Sleeps {
    prepare: [u32; 4],
    solve: [u32; 4],
    finish: [u32; 4],
}

/// 2 x (160 + 400 + 180) ms: the rank that solves longest waits for the one that prepares longest.
const ORIGINAL: Sleeps =
    Sleeps { prepare: [40, 120, 80, 160], solve: [400, 240, 320, 120], finish: [60, 60, 180, 20] };

/// The change that what-if predicts, and the sleeps of the program after that change.
const CHANGES: [(&str, Sleeps); 3] = [
    ("solve=0.5", Sleeps { solve: [200, 120, 160, 60], ..ORIGINAL }),
    ("prepare=0", Sleeps { prepare: [0; 4], ..ORIGINAL }),
    ("Working/finish=2", Sleeps { finish: [120, 120, 360, 40], ..ORIGINAL }),
];

const ITERATIONS: &str = "2";
const MAX_RECORDINGS: usize = 8;
const MAX_ERROR: f64 = 0.05;

#[test]
fn the_changed_program_takes_the_time_predicted() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = built(folder.path()) else { return };
    let mut original = Recordings::new(&program, folder.path().join("original"), ORIGINAL);
    if !original.has_functions() {
        test_support::skip_here("this EZTrace takes no regions from the program itself");
        return;
    }
    for (number, (change, sleeps)) in CHANGES.into_iter().enumerate() {
        let mut changed = Recordings::new(&program, folder.path().join(format!("changed-{number}")), sleeps);
        let mut error = error(&original, change, &changed);
        while error.abs() >= MAX_ERROR && changed.made < MAX_RECORDINGS {
            original.again();
            changed.again();
            error = self::error(&original, change, &changed);
        }
        assert!(error.abs() < MAX_ERROR, "{change}: wrong by {:.1} %", error * 100.0);
    }
}

/// How much longer the predicted time is than the real one, as a share of the real one.
fn error(original: &Recordings, change: &str, changed: &Recordings) -> f64 {
    let answer = what_if(&original.anchor, change);
    let seconds = |key: &str| answer[key].as_f64().unwrap();
    // Only the loop is compared: the start of the ranks, one after the other, differs each time.
    let outside = seconds("runtime") - original.seconds;
    let predicted = seconds("predicted") - outside;
    println!(
        "{change}: {:.3} s would become {predicted:.3} s; {:.3} s it became",
        original.seconds, changed.seconds
    );
    predicted / changed.seconds - 1.0
}

fn what_if(anchor: &Path, change: &str) -> serde_json::Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lotse"));
    let output =
        command.args(["trace", "what-if", "--json", "--scale", change]).arg(anchor).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", output_text(&output)))
}

/// Builds the program; `None` if a tool to build or record it is missing.
fn built(folder: &Path) -> Option<PathBuf> {
    for tool in ["mpicc", "mpirun", "eztrace"] {
        if Command::new(tool).arg("--version").output().is_err() {
            test_support::skip_missing(format!("{tool} is not installed"));
            return None;
        }
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sleepers");
    let program = folder.join("sleepers");
    let mut command = Command::new("mpicc");
    command.args(["-O1", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program);
    command.args(["sleepers.c", "regions.c", "-ldl"]).current_dir(source);
    run(&mut command);
    Some(program)
}

/// The shortest of several recordings of one program.
struct Recordings<'a> {
    program: &'a Path,
    folder: PathBuf,
    sleeps: Sleeps,
    made: usize,
    anchor: PathBuf,
    /// The time of its loop, by the clock of its first rank.
    seconds: f64,
}

impl<'a> Recordings<'a> {
    fn new(program: &'a Path, folder: PathBuf, sleeps: Sleeps) -> Self {
        let mut recordings =
            Self { program, folder, sleeps, made: 0, anchor: PathBuf::new(), seconds: f64::INFINITY };
        recordings.again();
        recordings
    }

    fn again(&mut self) {
        self.made += 1;
        let anchor = record(self.program, &self.folder.join(self.made.to_string()), self.sleeps);
        let seconds = loop_seconds(&opened(&anchor));
        if seconds < self.seconds {
            (self.anchor, self.seconds) = (anchor, seconds);
        }
    }

    fn has_functions(&self) -> bool {
        let trace = opened(&self.anchor);
        trace.definitions.regions.iter().any(|region| region.name == "solve")
    }
}

fn record(program: &Path, folder: &Path, sleeps: Sleeps) -> PathBuf {
    let mut command = Command::new("mpirun");
    command.args(["--allow-run-as-root", "--oversubscribe", "-np", "4", "eztrace", "-t", "openmpi", "-o"]);
    command.arg(folder).arg(program).arg(ITERATIONS);
    for times in [sleeps.prepare, sleeps.solve, sleeps.finish] {
        command.arg(times.map(|it| it.to_string()).join(","));
    }
    let output = run(&mut command);
    let anchor = folder.join("sleepers_trace/eztrace_log.otf2");
    assert!(anchor.is_file(), "no trace was written: {}", output_text(&output));
    anchor
}

fn opened(anchor: &Path) -> Trace {
    open::read(&FolderSource::open(anchor).unwrap(), None, &Sequential).unwrap()
}

/// The time from the end of the barrier before the loop to the end of the last barrier, on the first rank.
fn loop_seconds(trace: &Trace) -> f64 {
    let barriers = trace.paths_named("MPI_Barrier");
    let timeline = trace.timeline(LocationId(0));
    let calls = 0..timeline.calls.len() as u32;
    let mut ends =
        calls.filter(|&call| barriers.contains(&timeline.call_path(call))).map(|call| timeline.exit(call));
    let (first, last) = (ends.next().unwrap(), ends.next_back().unwrap());
    trace.seconds(last - first)
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
