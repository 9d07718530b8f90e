//! What a recorder leaves out, in recordings of Debian's EZTrace: it writes no receives that `MPI_Waitall` completes and
//! no `MPI_Win_fence`. Answers then say so before anything else, give bounds, and predict nothing.
//!
//! Where MPI or EZTrace is missing the test is skipped with a note, and so are cases of which a later EZTrace records everything.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Rank 1 works longer than rank 0 before each exchange.
const PROGRAM: &str = r#"
#include <mpi.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **arguments) {
    int rank, mine = 1, theirs = 0;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win window = MPI_WIN_NULL;
    int one_sided = count > 1 && !strcmp(arguments[1], "put");
    if (one_sided)
        MPI_Win_create(&theirs, sizeof theirs, sizeof theirs, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (int i = 0; i < 5; i++) {
        usleep(rank ? 40000 : 5000);
        if (one_sided) {
            MPI_Win_fence(0, window);
            MPI_Put(&mine, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window);
            MPI_Win_fence(0, window);
        } else {
            MPI_Request requests[2];
            MPI_Irecv(&theirs, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
            MPI_Isend(&mine, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
    }
    if (one_sided)
        MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
"#;

/// The mode of the program, the call whose records are missing, the kind of the gap, and what it hides.
const CASES: [(&str, &str, &str, &str); 2] =
    [("wait", "MPI_Waitall", "receives", "causes"), ("put", "MPI_Put", "synchronisation", "waits")];

#[test]
fn missing_records_are_reported_first_and_other_numbers_are_bounds() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = built(folder.path()) else { return };
    for (mode, call, kind, hidden) in CASES {
        let trace = recorded(&program, &folder.path().join(mode), mode);
        let info = json("info", &trace);
        if info["visits"].get("MPI_Win_fence").is_some() || info["event_kinds"].get("MPI_IRECV").is_some() {
            test_support::skip_here(format!("this EZTrace records {call} in full"));
            continue;
        }
        let answer = json("analyze", &trace);
        assert_eq!(answer["hidden"], hidden, "{mode}");
        let gap = &answer["gaps"][0];
        assert_eq!((&gap["kind"], &gap["calls"][0]), (&kind.into(), &call.into()), "{gap}");
        let losses = answer["losses"].as_array().unwrap();
        assert!(losses.iter().all(|loss| loss["gain"].is_null()), "{losses:?}");
        check_text(&text(&["trace", "analyze"], &trace), call);
        let first = text(&["trace", "what-if", "--zero", "Working@1"], &trace);
        assert!(first.starts_with("This answer cannot be relied on."), "{first}");
        if hidden == "waits" {
            assert!(answer["pop"]["load_balance"].is_null(), "{}", answer["pop"]);
            let efficiency = text(&["trace", "efficiency"], &trace);
            assert!(efficiency.starts_with("Parallel efficiency is at most"), "{efficiency}");
        }
    }
}

/// The paragraph under the headline names the call, and nothing promises a gain or advises to let the program end.
fn check_text(text: &str, call: &str) {
    let mut paragraphs = text.split("\n\n").map(|it| it.split_whitespace().collect::<Vec<_>>().join(" "));
    let (headline, second) = (paragraphs.next().unwrap(), paragraphs.next().unwrap());
    assert!(headline.starts_with("At least ") || headline.starts_with("How long"), "{headline}");
    assert!(!headline.contains("shorter"), "{headline}");
    assert!(second.starts_with("The recorder wrote") && second.contains(call), "{second}");
    assert!(second.contains("lower bounds") && second.contains("gains are not known"), "{second}");
    assert!(!text.contains("end by itself"), "{text}");
}

/// Builds the program; `None` if a tool to build or record it is missing.
fn built(folder: &Path) -> Option<PathBuf> {
    for tool in ["mpicc", "mpirun", "eztrace"] {
        if Command::new(tool).arg("--version").output().is_err() {
            test_support::skip_missing(format!("{tool} is not installed"));
            return None;
        }
    }
    let (source, program) = (folder.join("program.c"), folder.join("program"));
    std::fs::write(&source, PROGRAM).unwrap();
    run(Command::new("mpicc").args(["-O1", "-o"]).arg(&program).arg(&source));
    Some(program)
}

fn recorded(program: &Path, folder: &Path, mode: &str) -> PathBuf {
    let mut command = Command::new("mpirun");
    command.args(["--allow-run-as-root", "--oversubscribe", "-np", "2", "eztrace", "-t", "openmpi", "-o"]);
    let output = run(command.arg(folder).arg(program).arg(mode));
    let anchor = folder.join("program_trace/eztrace_log.otf2");
    assert!(anchor.is_file(), "no trace was written: {}", printed(&output));
    anchor
}

fn json(verb: &str, trace: &Path) -> serde_json::Value {
    serde_json::from_str(&text(&["trace", verb, "--json"], trace)).unwrap()
}

fn text(words: &[&str], trace: &Path) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lotse"));
    let output = run(command.args(words).arg(trace));
    String::from_utf8(output.stdout).unwrap()
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
