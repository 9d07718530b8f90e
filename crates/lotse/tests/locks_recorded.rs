//! Waits of threads in a recording: a program whose threads sleep while they hold a lock, come late to a barrier and
//! signal late is recorded by Debian's EZTrace, which records mutexes, conditions and barriers only as attributes.
//!
//! Without a compiler and EZTrace the test is skipped with a note. On a busy machine sleeps take longer than asked for, so
//! more recordings are made while the waits are too far from those that follow from the sleeps.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PROGRAM: &str = r"
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t contended = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t signalled = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t meeting;
static int ready;

static void milliseconds(int count) { usleep(count * 1000); }

static void *holder(void *unused) {
    pthread_mutex_lock(&contended);
    milliseconds(150);
    pthread_mutex_unlock(&contended);
    pthread_barrier_wait(&meeting);
    milliseconds(100);
    pthread_mutex_lock(&other);
    ready = 1;
    pthread_cond_signal(&signalled);
    pthread_mutex_unlock(&other);
    return unused;
}

static void *asker(void *unused) {
    milliseconds(30);
    pthread_mutex_lock(&contended);
    pthread_mutex_unlock(&contended);
    milliseconds(60);
    pthread_barrier_wait(&meeting);
    pthread_mutex_lock(&other);
    while (!ready)
        pthread_cond_wait(&signalled, &other);
    pthread_mutex_unlock(&other);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_barrier_init(&meeting, 0, 2);
    pthread_create(&threads[0], 0, holder, 0);
    pthread_create(&threads[1], 0, asker, 0);
    pthread_mutex_lock(&other);
    pthread_mutex_unlock(&other);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
";

/// The seconds that each wait must take, given the sleeps.
const EXPECTED: [(&str, f64); 4] = [
    ("lock_contention", 0.120),
    ("thread_barrier_wait", 0.060),
    ("condition_wait", 0.100),
    ("thread_join_wait", 0.310),
];

const MAX_RECORDINGS: usize = 8;
const MAX_ERROR: f64 = 0.015;

#[test]
fn threads_wait_as_long_as_others_sleep() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = built(folder.path()) else { return };
    for number in 1..=MAX_RECORDINGS {
        let totals = totals(&recorded(&program, &folder.path().join(number.to_string())));
        let error = |(metric, seconds): (&str, f64)| (totals[metric].as_f64().unwrap_or(0.0) - seconds).abs();
        println!("{totals}");
        if EXPECTED.into_iter().all(|expected| error(expected) < MAX_ERROR) {
            return;
        }
    }
    panic!("none of {MAX_RECORDINGS} recordings shows the waits that the sleeps make");
}

/// Builds the program; `None` if a tool to build or record it is missing.
fn built(folder: &Path) -> Option<PathBuf> {
    for tool in ["gcc", "eztrace"] {
        if Command::new(tool).arg("--version").output().is_err() {
            test_support::skip_missing(format!("{tool} is not installed"));
            return None;
        }
    }
    let (source, program) = (folder.join("waits.c"), folder.join("waits"));
    std::fs::write(&source, PROGRAM).unwrap();
    run(Command::new("gcc").args(["-O1", "-pthread", "-o"]).arg(&program).arg(&source));
    Some(program)
}

fn recorded(program: &Path, folder: &Path) -> PathBuf {
    let output = run(Command::new("eztrace").args(["-t", "pthread", "-o"]).arg(folder).arg(program));
    let anchor = folder.join("waits_trace/eztrace_log.otf2");
    assert!(anchor.is_file(), "no trace was written: {}", output_text(&output));
    anchor
}

fn totals(anchor: &Path) -> serde_json::Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lotse"));
    let output = run(command.args(["trace", "analyze", "--json"]).arg(anchor));
    let mut answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    answer["totals"].take()
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
