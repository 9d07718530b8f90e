//! Semaphores, reader-writer locks and conditions against reality: a program is recorded by Debian's EZTrace, changed and recorded
//! again. The second run takes as long as `lotse trace what-if` predicts from the first, and the slow thread is
//! named as the cause.
//!
//! Without a compiler and EZTrace the test is skipped with a note. Sleeping takes the time asked for or, on a busy
//! machine, longer, never shorter. So of several recordings of one program the shortest counts, and more are made only
//! while prediction and reality are too far apart.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The arguments are what to do, and the milliseconds of the first, the second and the third thread.
const PROGRAM: &str = r#"
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 6 };
static sem_t items;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t round_end;
static int duration[3];

static void milliseconds(int count) { usleep(count * 1000); }

static void *producer(void *unused) {
    for (int i = 0; i < ROUNDS; i++) {
        milliseconds(duration[0]);
        sem_post(&items);
    }
    return unused;
}

static void *consumer(void *unused) {
    for (int i = 0; i < ROUNDS; i++) {
        sem_wait(&items);
        milliseconds(duration[1]);
    }
    return unused;
}

/* The first thread has the lock at the begin of each round, the others ask for it while it has it. */
static void *first_writer(void *unused) {
    for (int i = 0; i < ROUNDS; i++) {
        pthread_rwlock_wrlock(&lock);
        milliseconds(duration[0]);
        pthread_rwlock_unlock(&lock);
        pthread_barrier_wait(&round_end);
    }
    return unused;
}

static void *first_reader(void *unused) {
    for (int i = 0; i < ROUNDS; i++) {
        pthread_rwlock_rdlock(&lock);
        milliseconds(duration[0]);
        pthread_rwlock_unlock(&lock);
        pthread_barrier_wait(&round_end);
    }
    return unused;
}

static void *later_reader(void *number) {
    for (int i = 0; i < ROUNDS; i++) {
        milliseconds(8);
        pthread_rwlock_rdlock(&lock);
        milliseconds(duration[(long)number]);
        pthread_rwlock_unlock(&lock);
        pthread_barrier_wait(&round_end);
    }
    return number;
}

static void *later_writer(void *number) {
    for (int i = 0; i < ROUNDS; i++) {
        milliseconds(8);
        pthread_rwlock_wrlock(&lock);
        milliseconds(duration[(long)number]);
        pthread_rwlock_unlock(&lock);
        pthread_barrier_wait(&round_end);
    }
    return number;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int arrived, generation;

/* A barrier made of a counter: who comes last wakes the others. */
static void meet(void) {
    pthread_mutex_lock(&mutex);
    int mine = generation;
    if (++arrived == 3) {
        arrived = 0;
        generation++;
        pthread_cond_broadcast(&condition);
    } else {
        while (mine == generation)
            pthread_cond_wait(&condition, &mutex);
    }
    pthread_mutex_unlock(&mutex);
}

/* The second and the third thread change places in every round. */
static void *member(void *number) {
    for (int i = 0; i < ROUNDS; i++) {
        long which = (long)number;
        milliseconds(duration[which && i % 2 ? 3 - which : which]);
        meet();
    }
    return number;
}

/* Waits until the main thread lets all begin. */
static void *beginner(void *number) {
    pthread_mutex_lock(&mutex);
    while (!generation)
        pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    milliseconds(duration[(long)number]);
    return number;
}

static void let_begin(void) {
    milliseconds(duration[0]);
    pthread_mutex_lock(&mutex);
    generation = 1;
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&mutex);
}

/* The recorder numbers threads in the order in which they begin, so each begins before the next is made. */
static void *(*next_body)(void *);
static void *next_argument;
static int begun;

static void *started(void *unused) {
    (void)unused;
    void *(*body)(void *) = next_body;
    void *argument = next_argument;
    __atomic_store_n(&begun, 1, __ATOMIC_SEQ_CST);
    return body(argument);
}

static void begin(pthread_t *thread, void *(*body)(void *), void *argument) {
    next_body = body;
    next_argument = argument;
    __atomic_store_n(&begun, 0, __ATOMIC_SEQ_CST);
    pthread_create(thread, 0, started, 0);
    while (!__atomic_load_n(&begun, __ATOMIC_SEQ_CST))
        milliseconds(1);
}

int main(int count, char **arguments) {
    pthread_t threads[3];
    int made = 0;
    for (int i = 0; i < 3 && i + 2 < count; i++)
        duration[i] = atoi(arguments[i + 2]);
    sem_init(&items, 0, 0);
    pthread_barrier_init(&round_end, 0, 3);
    if (!strcmp(arguments[1], "semaphore")) {
        begin(&threads[made++], producer, 0);
        begin(&threads[made++], consumer, 0);
    } else if (!strcmp(arguments[1], "writer")) {
        begin(&threads[made++], first_writer, 0);
        begin(&threads[made++], later_reader, (void *)1);
        begin(&threads[made++], later_reader, (void *)2);
    } else if (!strcmp(arguments[1], "condition")) {
        for (long i = 0; i < 3; i++)
            begin(&threads[made++], member, (void *)i);
    } else if (!strcmp(arguments[1], "gate")) {
        for (long i = 1; i < 3; i++)
            begin(&threads[made++], beginner, (void *)i);
        let_begin();
    } else {
        begin(&threads[made++], first_reader, 0);
        begin(&threads[made++], later_reader, (void *)1);
        begin(&threads[made++], later_writer, (void *)2);
    }
    for (int i = 0; i < made; i++)
        pthread_join(threads[i], 0);
    return 0;
}
"#;

/// A program, a change for what-if, and the program after that change.
struct Case {
    original: [&'static str; 4],
    change: &'static str,
    changed: [&'static str; 4],
    /// The largest kind of wait, and the thread that causes it.
    metric: &'static str,
    blamed: &'static str,
}

const CASES: [Case; 4] = [
    // 6 x 60 + 20 ms become 6 x 30 + 20 ms.
    Case {
        original: ["semaphore", "60", "20", "0"],
        change: "Working@0.1=0.5",
        changed: ["semaphore", "30", "20", "0"],
        metric: "semaphore_wait",
        blamed: "thread 1",
    },
    // Readers wait for the writer, then read together: 6 x (70 + 20) ms become 6 x (35 + 20) ms.
    Case {
        original: ["writer", "70", "20", "20"],
        change: "Working@0.1=0.5",
        changed: ["writer", "35", "20", "20"],
        metric: "rwlock_wait_to_read",
        blamed: "thread 1",
    },
    // The writer waits for the first reader: 6 x (80 + 20) ms become 6 x (40 + 20) ms.
    Case {
        original: ["reader", "80", "10", "20"],
        change: "Working@0.1=0.5",
        changed: ["reader", "40", "10", "20"],
        metric: "rwlock_wait_to_write",
        blamed: "thread 1",
    },
    // A barrier made of a condition: 6 x 60 ms become 6 x 40 ms, for then another thread comes last in every round.
    Case {
        original: ["condition", "60", "40", "10"],
        change: "Working@0.1=0.25",
        changed: ["condition", "15", "40", "10"],
        metric: "condition_wait",
        blamed: "thread 1",
    },
];

const MAX_RECORDINGS: usize = 8;
/// The tolerance, as a share of the gain.
const MAX_ERROR: f64 = 0.10;

#[test]
fn the_changed_program_takes_the_time_predicted() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = built(folder.path()) else { return };
    for (number, case) in CASES.iter().enumerate() {
        let folder = folder.path().join(number.to_string());
        let mut original =
            Recordings { program: &program, folder: folder.join("a"), shortest: None, made: 0 };
        let mut changed = Recordings { program: &program, folder: folder.join("b"), shortest: None, made: 0 };
        let mut error = f64::INFINITY;
        while error.abs() >= MAX_ERROR && original.made < MAX_RECORDINGS {
            let (before, trace) = original.again(case.original);
            let (after, _) = changed.again(case.changed);
            let gain = json("what-if", &trace, &["--scale", case.change])["gain"].as_f64().unwrap();
            error = gain / (before - after) - 1.0;
            println!("{}: gain {gain:.4} predicted, {:.4} real", case.change, before - after);
        }
        assert!(error.abs() < MAX_ERROR, "{:?}: wrong by {:.1} %", case.original, error * 100.0);
        check_blame(case, &original.shortest.as_ref().unwrap().1);
    }
}

/// A broadcast that lets other threads begin once is not a barrier: what-if keeps it, and the answer mentions that.
#[test]
fn a_broadcast_that_is_no_barrier_is_kept_and_mentioned() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = built(folder.path()) else { return };
    let mut recordings =
        Recordings { program: &program, folder: folder.path().join("gate"), shortest: None, made: 0 };
    let (_, trace) = recordings.again(["gate", "40", "20", "20"]);
    let answer = json("what-if", &trace, &["--scale", "Working@0.0=0.5"]);
    assert_eq!(answer["condition_barriers"], serde_json::json!([]));
    assert_eq!(answer["kept_broadcasts"]["count"], 1, "{answer}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lotse"));
    let text = run(command.args(["trace", "what-if", "--scale", "Working@0.0=0.5"]).arg(&trace));
    let text = String::from_utf8_lossy(&text.stdout).replace('\n', " ");
    assert!(text.contains("One broadcast of a condition is made by the same thread"), "{text}");
}

/// Checks which thread is blamed for most waiting, and that the expected kind of wait is among the losses.
fn check_blame(case: &Case, trace: &Path) {
    let answer = json("analyze", trace, &[]);
    assert_eq!(answer["blame"][0]["who"], case.blamed, "{}", answer["blame"]);
    let waits = answer["losses"].as_array().unwrap().iter().map(|loss| loss["metric"].as_str().unwrap());
    assert!(waits.clone().any(|metric| metric == case.metric), "{:?}", waits.collect::<Vec<_>>());
}

/// Recordings of a program, of which the shortest counts.
struct Recordings<'a> {
    program: &'a Path,
    folder: PathBuf,
    shortest: Option<(f64, PathBuf)>,
    made: usize,
}

impl Recordings<'_> {
    /// Records once more; the shortest run time so far, and its trace.
    fn again(&mut self, arguments: [&str; 4]) -> (f64, PathBuf) {
        self.made += 1;
        let folder = self.folder.join(self.made.to_string());
        std::fs::create_dir_all(&folder).unwrap();
        let mut command = Command::new("eztrace");
        let output =
            run(command.args(["-t", "pthread", "-o"]).arg(&folder).arg(self.program).args(arguments));
        let anchor = folder.join("program_trace/eztrace_log.otf2");
        assert!(anchor.is_file(), "no trace was written: {}", printed(&output));
        let runtime = json("info", &anchor, &[])["runtime"].as_f64().unwrap();
        let known = self.shortest.take().filter(|known| known.0 <= runtime);
        self.shortest.insert(known.unwrap_or((runtime, anchor))).clone()
    }
}

/// Builds the program; `None` if a tool to build or record it is missing.
fn built(folder: &Path) -> Option<PathBuf> {
    for tool in ["gcc", "eztrace"] {
        if Command::new(tool).arg("--version").output().is_err() {
            test_support::skip_missing(format!("{tool} is not installed"));
            return None;
        }
    }
    let (source, program) = (folder.join("program.c"), folder.join("program"));
    std::fs::write(&source, PROGRAM).unwrap();
    run(Command::new("gcc").args(["-O1", "-pthread", "-o"]).arg(&program).arg(&source));
    Some(program)
}

fn json(verb: &str, trace: &Path, options: &[&str]) -> serde_json::Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lotse"));
    let output = run(command.args(["trace", verb, "--json"]).arg(trace).args(options));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", printed(&output));
    output
}

fn printed(output: &Output) -> String {
    let [out, err] =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    format!("{}\n{out}\n{err}", output.status)
}
