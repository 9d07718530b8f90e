//! Build, run and report with files in temci's forms.

use crate::session::{Session, list};
use crate::tools::{git, has_build_tools};

/// Builds of two revisions of a program in C, and a program that is no build at all.
const BUILDS: &str = "\
- attributes: {description: before, tags: [c, old], author: ours}
  build_config:
    cmd: make
    working_dir: src
    revision: HEAD~1
    number: 3
    randomization: {file_structure: true, rodata: true, heap: 4096, header: true, dust: true}
  run_config: {run_cmd: ./prog, env: {LEVEL: 1}}
- attributes: {description: after, tags: [c]}
  build_config: {build_cmd: make, base_dir: ., working_dir: src, number: 3}
  run_config: {run_cmd: ./prog}
";

/// A program with a file of data, with two revisions: `old`, then `new`.
fn repository() -> Session {
    let session = Session::new();
    let functions: String = (0..30).map(|it| format!("int f{it}(int x) {{ return x + {it}; }}\n")).collect();
    let main = "#include <stdio.h>\nint f3(int);\nint main(void) { int c = f3(0) * 0; FILE *f = fopen(\"word\", \"r\"); \
                if (!f) return 3; while ((c = fgetc(f)) != EOF) putchar(c); return 0; }\n";
    session
        .write("src/functions.c", &functions)
        .write("src/main.c", main)
        .write("src/word", "old\n")
        .write(
            "src/Makefile",
            "prog: main.o functions.o\n\tcc -o $@ main.o functions.o\n%.o: %.c\n\tcc -O1 -c $<\n",
        )
        .write("build.yaml", BUILDS);
    git(&session, &["init", "--quiet", "--initial-branch=main"]);
    git(&session, &["add", "src"]);
    git(&session, &["commit", "--quiet", "-m", "one"]);
    session.write("src/word", "new\n");
    git(&session, &["commit", "--quiet", "-a", "-m", "two"]);
    session
}

/// Each step reads the file of the step before: a build file gives a suite, the suite a result, the result a report.
#[test]
fn a_build_file_is_built_run_and_reported() {
    if !has_build_tools() {
        return;
    }
    let session = repository();
    let built = session.lotse(&["bench", "build", "-f", "build.yaml"]).exits(0);
    for remark in
        ["\"dust\" is no key of `randomization`", "`randomization: heap`", "`randomization: header`"]
    {
        assert!(built.stderr.contains(remark), "{remark}: {}", built.stderr);
    }
    assert!(built.stdout.contains("Measure them: lotse bench -f 'run.exec.yaml'"), "{}", built.stdout);
    let programs = |name: &str| -> Vec<Vec<u8>> {
        let file = |build: u32| session.file(&format!("lotse-builds/{name}/{build}/src/prog"));
        (0..3).map(|build| std::fs::read(file(build)).unwrap()).collect()
    };
    for name in ["before", "after"] {
        let mut different = programs(name);
        different.sort();
        different.dedup();
        assert_eq!(different.len(), 3, "{name}: every build is another one");
    }
    assert!(!session.file("src/prog").exists(), "the working folder is not built in");
    assert_eq!(session.read("lotse-builds/before/2/src/word"), "old\n");

    let run = [
        "bench",
        "-f",
        "run.exec.yaml",
        "--runs",
        "12",
        "--out",
        "log",
        "--export-temci",
        "out.yaml",
        "--json",
    ];
    let measured = session.lotse(&run);
    let answer = measured.json();
    assert_eq!(answer["programs"][0]["tags"], serde_json::json!(["c", "old"]));
    assert_eq!(answer["programs"][0]["attributes"]["author"], "ours");
    let builds: Vec<u64> = list(&answer["runs"])
        .iter()
        .filter(|run| run["program"] == "after")
        .map(|run| run["build"].as_u64().unwrap())
        .collect();
    assert_eq!(builds, (0..12).map(|block| block % 3).collect::<Vec<u64>>());
    assert!(list(&answer["runs"]).iter().all(|run| run["status"] == "ok"), "every build finds its data");

    let text = session.lotse(&["bench", "report", "log"]).stdout;
    assert!(text.contains("before: tags c, old; author ours"), "{text}");
    let html = session.lotse(&["bench", "report", "out.yaml", "--to", "html"]).stdout;
    assert!(html.contains("author = ours"), "attributes are in the HTML report");
    let kept = session.lotse(&["bench", "report", "out.yaml", "--without-tag", "old", "--json"]).json();
    assert_eq!(list(&kept["programs"]).len(), 1);
}

/// What a suite builds is built before it is measured; a single build without a revision stays where it is.
#[test]
fn a_suite_builds_what_it_measures() {
    let session = Session::new();
    let block = "- attributes: {description: made}\n  build_config: {cmd: 'echo \"echo work: 4\" > made'}\n  \
                 run_config: {run_cmd: sh made, runner: output}\n";
    session.write("suite.yaml", block);
    let run = ["bench", "-f", "suite.yaml", "--metric", "work", "--runs", "3", "--json"];
    let answer = session.lotse(&run).json();
    assert_eq!(answer["programs"][0]["samples"]["work"], serde_json::json!([4.0, 4.0, 4.0]));
    assert!(session.file("made").exists());
    std::fs::remove_file(session.file("made")).unwrap();
    let refused = session.lotse(&[&run[..], &["--no-build"]].concat());
    assert_ne!(refused.status, 0, "{}", refused.stdout);
}

/// A command that links nothing runs in each copy; a folder that is not ours is left alone.
#[test]
fn builds_without_a_linker_are_made_one_by_one() {
    let session = Session::new();
    let block = "- attributes: {description: text}\n  build_config: {cmd: 'echo $$ > made', number: 3}\n  \
                 run_config: {run_cmd: cat made}\n";
    session.write("build.yaml", block);
    let built = session.lotse(&["bench", "build", "-f", "build.yaml"]).exits(0);
    assert!(built.stderr.contains("so the build command ran 3 times"), "{}", built.stderr);
    assert_eq!((0..3).filter(|it| session.file(&format!("lotse-builds/text/{it}/made")).exists()).count(), 3);
    assert!(!session.file("lotse-builds/text/0/lotse-builds").exists(), "builds are not copied into builds");
    let again = session.lotse(&["bench", "build", "-f", "build.yaml"]).exits(2);
    assert!(again.stderr.contains("run.exec.yaml` exists already: add --force"), "{}", again.stderr);
    session.write("other/text/precious", "");
    let refused = session.lotse(&["bench", "build", "-f", "build.yaml", "--force", "-o", "other"]).exits(2);
    assert!(refused.stderr.contains("was not made by Lotse"), "{}", refused.stderr);
    assert!(session.file("other/text/precious").exists());
}

#[test]
fn builds_that_cannot_be_made_say_why() {
    let session = Session::new();
    for (config, expected) in [
        ("{cmd: 'exit 3'}", "the build command `"),
        ("{number: 2}", "no build command is known for"),
        ("{cmd: make, revision: nowhere}", "git"),
    ] {
        let block = format!("- build_config: {config}\n  run_config: {{run_cmd: 'true'}}\n");
        session.write("build.yaml", &block);
        let answer = session.lotse(&["bench", "build", "-f", "build.yaml", "--force"]);
        assert!(answer.status != 0 && answer.stderr.contains(expected), "{config}: {}", answer.stderr);
    }
}

/// Two builds that print what the build command wrote, and a file of the same name beside that prints something else.
#[test]
fn existing_builds_are_measured_and_not_files_beside() {
    let session = Session::new();
    let block = "- attributes: {description: made}\n  build_config: {cmd: 'echo \"echo work: 4\" > made', number: 2}\n  \
                 run_config: {run_cmd: sh made, runner: output}\n";
    session.write("suite.yaml", block);
    let run = ["bench", "-f", "suite.yaml", "--metric", "work", "--runs", "2", "--json", "--no-build"];
    session.write("made", "echo work: 9\n");
    session.lotse(&run).exits(4).complains("there are no builds of made in lotse-builds/made");
    session.lotse(&["bench", "build", "-f", "suite.yaml"]).exits(0);
    assert_eq!(session.lotse(&run).json()["programs"][0]["samples"]["work"], serde_json::json!([4.0, 4.0]));
    // Builds that were not finished are not measured.
    std::fs::create_dir(session.file("lotse-builds/made/source")).unwrap();
    session.lotse(&run).exits(4);
}

#[test]
fn a_failed_build_leaves_nothing() {
    let session = Session::new();
    let block = |name: &str, command: &str| {
        format!(
            "- attributes: {{description: {name}}}\n  build_config: {{cmd: '{command}', number: 2}}\n  run_config: {{run_cmd: sh made}}\n"
        )
    };
    session.write("build.yaml", &block("fails", "touch made; exit 3"));
    session.lotse(&["bench", "build", "-f", "build.yaml"]).exits(3);
    assert!(!session.file("lotse-builds").exists());
    session.write("build.yaml", &(block("works", "touch made") + &block("fails", "exit 3")));
    session.lotse(&["bench", "build", "-f", "build.yaml"]).exits(3);
    assert!(
        session.file("lotse-builds/works/1/made").exists() && !session.file("lotse-builds/fails").exists()
    );
}

/// The advice after building can be followed.
#[test]
fn different_numbers_of_builds_are_measured_one_by_one() {
    let session = Session::new();
    let block = |name: &str, number: u32| {
        format!(
            "- attributes: {{description: {name}}}\n  build_config: {{cmd: touch made, number: {number}}}\n  run_config: {{run_cmd: cat made}}\n"
        )
    };
    session.write("build.yaml", &(block("two", 2) + &block("three", 3)));
    session
        .lotse(&["bench", "build", "-f", "build.yaml"])
        .exits(0)
        .says("Measure each alone: lotse bench -f 'run.exec.yaml' --include 'two'");
    session.lotse(&["bench", "-f", "run.exec.yaml", "--include", "two", "--runs", "2"]).exits(0);
    session
        .lotse(&["bench", "-f", "run.exec.yaml", "--runs", "2"])
        .exits(2)
        .complains("choose one with --include");
    session.write("build.yaml", &(block("two", 2) + &block("three", 2)));
    session
        .lotse(&["bench", "build", "-f", "build.yaml", "--force"])
        .exits(0)
        .says("Measure them: lotse bench -f 'run.exec.yaml'");
}

/// Names that YAML reads as numbers or truth values, and a program of which every run draws one of two commands.
#[test]
fn names_and_commands_of_a_suite_are_written_as_they_were_read() {
    let session = Session::new();
    session.write(
        "suite.yaml",
        "- {attributes: {description: y, tags: [n, on, 1.0]}, run_config: {run_cmd: ['true 1', 'true 2']}}\n\
         - {attributes: {description: 1.10}, run_config: {run_cmd: 'true'}}\n\
         - {attributes: {description: 1.1}, run_config: {run_cmd: 'true'}}\n",
    );
    let words = [
        "bench",
        "-f",
        "suite.yaml",
        "--runs",
        "2",
        "--out",
        "log",
        "--export-suite",
        "again.yaml",
        "--json",
    ];
    let answer = session.lotse(&words).json();
    assert_eq!(crate::session::texts(&answer["programs"], "name"), ["y", "1.10", "1.1"]);
    let both = serde_json::json!(["true 1", "true 2"]);
    assert_eq!(answer["programs"][0]["tags"], serde_json::json!(["n", "on", "1.0"]));
    assert_eq!(answer["programs"][0]["commands"], both);
    let again = ["bench", "-f", "again.yaml", "--runs", "2", "--export-temci", "result.yaml", "--json"];
    let again = session.lotse(&again).json();
    assert_eq!(crate::session::texts(&again["programs"], "name"), ["y", "1.10", "1.1"]);
    for file in ["log", "result.yaml"] {
        let read = session.lotse(&["bench", "report", file, "--json"]).json();
        assert_eq!(read["programs"][0]["commands"], both, "{file}");
        assert_eq!(crate::session::texts(&read["programs"], "name"), ["y", "1.10", "1.1"]);
    }
}
