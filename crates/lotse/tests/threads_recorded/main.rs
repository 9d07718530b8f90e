//! Predicted gains against reality, for threads: programs that wait for a lock, for a critical section, at a barrier of OpenMP, for its
//! serial code and for its tasks are recorded, changed and recorded again. The run gets shorter by what `lotse trace
//! what-if` predicted, and `analyze` names `extra` as what was waited for, or says that the recorder left it out.
//!
//! The programs are in `cases.c`, the recorder is Debian's EZTrace. It records OpenMP through OMPT, which LLVM's runtime
//! has (gcc's code runs on that too), and through the functions of gcc's runtime, where it writes no barriers: these cases
//! are recorded both ways. Without a compiler, EZTrace or LLVM's runtime the test is skipped with a note. Sleeping
//! takes the time asked for or, on a busy machine, longer: of several recordings of one program the shortest counts, and
//! more are made only while prediction and reality are too far apart.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A program, and changes of it.
struct Case {
    /// The modules of EZTrace that record it.
    modules: &'static [&'static str],
    slow: &'static [&'static str],
    /// The change that what-if predicts, and the arguments of the program after that change.
    changes: &'static [(&'static [&'static str], &'static [&'static str])],
    check: fn(&Value),
}

/// LLVM's runtime and gcc's.
const OPENMP: &[&str] = &["ompt", "openmp"];

const CASES: [Case; 7] = [
    Case {
        modules: &["pthread"],
        slow: &["lock", "30", "0"],
        changes: &[
            (&["--outside-lock", "extra"], &["lock", "0", "30"]),
            (&["--zero", "extra"], &["lock", "0", "0"]),
        ],
        check: blames_the_lock,
    },
    Case {
        modules: &["ompt"],
        slow: &["critical", "30", "0"],
        changes: &[
            (&["--outside-lock", "extra"], &["critical", "0", "30"]),
            (&["--zero", "extra"], &["critical", "0", "0"]),
        ],
        check: blames_the_critical_section,
    },
    Case {
        modules: OPENMP,
        slow: &["barrier", "20", "20", "80"],
        changes: &[
            (&["--balance", "extra"], &["barrier", "40", "40", "40"]),
            (&["--zero", "extra"], &["barrier", "0", "0", "0"]),
        ],
        check: blames_the_third_thread,
    },
    // All threads have the same work in all rounds together, but not in each round.
    Case {
        modules: OPENMP,
        slow: &["rotating", "40", "40", "160"],
        changes: &[(&["--balance", "extra"], &["rotating", "80", "80", "80"])],
        check: blames_no_thread_alone,
    },
    Case {
        modules: OPENMP,
        slow: &["serial", "60"],
        changes: &[(&["--scale", "extra=0.5"], &["serial", "30"]), (&["--zero", "extra"], &["serial", "0"])],
        check: names_extra,
    },
    Case {
        modules: OPENMP,
        slow: &["tasks", "60"],
        changes: &[(&["--scale", "extra=0.5"], &["tasks", "30"]), (&["--zero", "extra"], &["tasks", "0"])],
        check: names_extra,
    },
    Case { modules: &["ompt"], slow: &["dependent", "30"], changes: &[], check: misses_dependences },
];

const MAX_RECORDINGS: usize = 10;
const MAX_ERROR: f64 = 0.1;

/// A recorder that hangs must not hang the tests.
const MAX_SECONDS: &str = "60";

#[test]
fn the_run_gets_shorter_by_what_was_predicted() {
    let folder = tempfile::tempdir().unwrap();
    let Some(()) = built(folder.path()) else { return };
    for (case, module) in CASES.iter().flat_map(|case| case.modules.iter().map(move |module| (case, module)))
    {
        let recordings = |words| Recordings::new(folder.path(), module, words);
        let mut slow = recordings(case.slow);
        if !slow.has_functions() {
            test_support::skip_here("this EZTrace takes no regions from the program itself");
            return;
        }
        for &(change, words) in case.changes {
            let mut fast = recordings(words);
            while error(&slow, change, &fast) > MAX_ERROR && fast.made < MAX_RECORDINGS {
                slow.again();
                fast.again();
            }
            let error = error(&slow, change, &fast);
            let name = format!("{module}: {} {}", case.slow[0], change.join(" "));
            println!("{name}: the gain is wrong by {:.1} % after {}", error * 100.0, fast.made);
            assert!(error <= MAX_ERROR, "{name}: the gain is wrong by {:.1} %", error * 100.0);
        }
        (case.check)(&json_answer(&["analyze"], &slow.anchor));
    }
}

/// The difference between the predicted and the real gain, as a share of the real one.
fn error(slow: &Recordings<'_>, change: &[&str], fast: &Recordings<'_>) -> f64 {
    let gain = slow.seconds - fast.seconds;
    let words: Vec<&str> = ["what-if"].iter().chain(change).copied().collect();
    let predicted = json_answer(&words, &slow.anchor)["gain"].as_f64().unwrap();
    (predicted - gain).abs() / gain.abs().max(1e-9)
}

/// The greatest loss is waiting for the only mutex, which `extra` holds. That only one thread at a time can continue is not
/// called an imbalance.
fn blames_the_lock(answer: &Value) {
    let loss = &answer["losses"][0];
    assert_eq!(loss["metric"], "lock_contention", "{loss}");
    assert_eq!(loss["lock"]["waiters"], 4, "{loss}");
    assert!(loss["lock"]["name"].as_str().unwrap().starts_with("mutex 0x"), "{loss}");
    assert!(ends_with(&loss["lock"]["holder"]["callpath"], "extra"), "{loss}");
    let findings = answer["findings"].as_array().unwrap();
    let about = |rule: &str| findings.iter().find(|finding| finding["rule"]["id"] == rule);
    let command = about("lock_contention").unwrap()["verification"].as_str().unwrap();
    assert!(command.contains("--outside-lock") && command.ends_with("/extra"), "{command}");
    let imbalance = about("trace-imbalance").map(|it| it["reason"]["text"].to_string());
    assert!(imbalance.as_ref().is_none_or(|text| !text.contains("extra")), "{imbalance:?}");
}

/// The recorder writes that a lock is acquired when a thread asks for it.
fn blames_the_critical_section(answer: &Value) {
    let loss = &answer["losses"][0];
    assert_eq!(loss["metric"], "lock_contention", "{loss}");
    assert_eq!(loss["lock"]["waiters"], 4, "{loss}");
    assert!(ends_with(&loss["lock"]["holder"]["callpath"], "extra"), "{loss}");
    assert!(answer["pop"]["parallel_efficiency"].as_f64().unwrap() < 0.7, "{}", answer["pop"]);
    assert_eq!(answer["hidden"], "nothing", "{}", answer["gaps"]);
}

/// One task runs at a time, and two of three threads idle: this is no computation, and why they idle is not recorded.
fn misses_dependences(answer: &Value) {
    let gaps = answer["gaps"].as_array().unwrap();
    let gap = gaps.iter().find(|gap| gap["kind"] == "task_dependences").unwrap();
    assert!(gap["share"].as_f64().unwrap() > 0.4, "{gap}");
    assert_eq!(answer["hidden"], "causes", "{gaps:?}");
    assert!(answer["pop"]["parallel_efficiency"].as_f64().unwrap() < 0.5, "{}", answer["pop"]);
}

fn blames_the_third_thread(answer: &Value) {
    let loss = &answer["losses"][0];
    assert_eq!(loss["metric"], "omp_wait_at_implicit_barrier", "{loss}");
    assert_eq!(loss["cause"]["location"], 2, "{loss}");
    assert!(ends_with(&loss["cause"]["callpath"], "extra"), "{loss}");
    let blame = &answer["blame"][0];
    assert_eq!(blame["who"], "thread 2", "{blame}");
    assert!(blame["share"].as_f64().unwrap() > 0.9, "{blame}");
}

fn blames_no_thread_alone(answer: &Value) {
    assert_eq!(answer["losses"][0]["metric"], "omp_wait_at_implicit_barrier", "{}", answer["losses"][0]);
    assert!(answer["blame"][0]["share"].as_f64().unwrap() < 0.5, "{}", answer["blame"]);
}

/// With many tasks no thread waits, and with serial code all threads wait for one: `extra` is on the critical path, and the
/// gain in its row is that of all threads.
fn names_extra(answer: &Value) {
    let rows = answer["what_if_zero"].as_array().unwrap();
    let row = rows.iter().find(|row| ends_with(&row["callpath"], "extra")).unwrap();
    let runtime = answer["runtime"].as_f64().unwrap();
    assert!(row["gain"].as_f64().unwrap() > 0.5 * runtime, "{row}");
}

fn ends_with(path: &Value, region: &str) -> bool {
    path.as_str().is_some_and(|path| path.rsplit('/').next() == Some(region))
}

fn json_answer(words: &[&str], anchor: &Path) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lotse"));
    let output = command.arg("trace").args(words).arg("--json").arg(anchor).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", output_text(&output)))
}

/// Builds the programs (`None` if a tool to build or record them is missing): for each module of EZTrace in a folder of
/// its name.
fn built(folder: &Path) -> Option<()> {
    for tool in ["gcc", "eztrace", "timeout"] {
        if Command::new(tool).arg("--version").output().is_err() {
            test_support::skip_missing(format!("{tool} is not installed"));
            return None;
        }
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/threads_recorded");
    let object = |name: &str| folder.join(format!("{name}.o"));
    for name in ["cases", "regions"] {
        let mut command = Command::new("gcc");
        command.args(["-O1", "-Wall", "-Wextra", "-Werror", "-fopenmp", "-c"]).arg(format!("{name}.c"));
        run(command.arg("-o").arg(object(name)).current_dir(&source));
    }
    // Without -fopenmp gcc's own runtime is not linked.
    for (module, runtime) in
        [("pthread", "-l:libomp.so.5"), ("ompt", "-l:libomp.so.5"), ("openmp", "-fopenmp")]
    {
        std::fs::create_dir(folder.join(module)).unwrap();
        let mut link = Command::new("gcc");
        link.arg("-o").arg(folder.join(module).join("cases")).args([object("cases"), object("regions")]);
        if !link.args([runtime, "-ldl", "-lpthread"]).output().unwrap().status.success() {
            test_support::skip_missing("LLVM's runtime of OpenMP is not installed");
            return None;
        }
    }
    Some(())
}

/// The shortest of several recordings of one program.
struct Recordings<'a> {
    place: &'a Path,
    module: &'static str,
    words: &'static [&'static str],
    made: usize,
    anchor: PathBuf,
    seconds: f64,
}

impl<'a> Recordings<'a> {
    fn new(place: &'a Path, module: &'static str, words: &'static [&'static str]) -> Self {
        let (anchor, seconds) = (PathBuf::new(), f64::INFINITY);
        let mut recordings = Self { place, module, words, made: 0, anchor, seconds };
        recordings.again();
        recordings
    }

    fn again(&mut self) {
        self.made += 1;
        let place = self.place.join(self.module);
        let folder = place.join(format!("{}-{}", self.words.join("-"), self.made));
        let mut command = Command::new("timeout");
        command.args(["--kill-after=1", MAX_SECONDS, "eztrace", "-t", self.module, "-o"]).arg(&folder);
        let output = run(command.arg(place.join("cases")).args(self.words));
        let anchor = folder.join("cases_trace/eztrace_log.otf2");
        assert!(anchor.is_file(), "no trace was written: {}", output_text(&output));
        let seconds = json_answer(&["info"], &anchor)["runtime"].as_f64().unwrap();
        if seconds < self.seconds {
            (self.anchor, self.seconds) = (anchor, seconds);
        }
    }

    fn has_functions(&self) -> bool {
        let answer = json_answer(&["critical-path"], &self.anchor);
        answer["rows"].as_array().unwrap().iter().any(|row| ends_with(&row["callpath"], "extra"))
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
