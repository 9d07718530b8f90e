//! `lotse bench build`, `--rev` and `--layouts`: several builds and layouts of a program.

use crate::session::{Answer, Session, eventually};
use crate::tools::{git, has_build_tools};

/// A program in C of some files, in a repository with the revisions `main` and `slower`.
fn repository() -> Session {
    let session = Session::new();
    let functions: String = (0..30).map(|it| format!("int f{it}(int x) {{ return x + {it}; }}\n")).collect();
    session
        .write("functions.c", &functions)
        .write("main.c", "int f3(int);\nint main(void) { volatile int n = 0; for (int i = 0; i < ROUNDS; i++) n = f3(n); return 0; }\n")
        .write("Makefile", "prog: main.o functions.o\n\t$(CC) -o $@ main.o functions.o\nmain.o: main.c\n\t$(CC) -O1 -DROUNDS=100000 -c main.c\nfunctions.o: functions.c\n\t$(CC) -O1 -c functions.c\n");
    git(&session, &["init", "--quiet", "--initial-branch=main"]);
    git(&session, &["add", "."]);
    git(&session, &["commit", "--quiet", "-m", "one"]);
    git(&session, &["checkout", "--quiet", "-b", "slower"]);
    let makefile = std::fs::read_to_string(session.file("Makefile")).unwrap();
    session.write("Makefile", &makefile.replace("ROUNDS=100000", "ROUNDS=30000000"));
    git(&session, &["commit", "--quiet", "-a", "-m", "two"]);
    git(&session, &["checkout", "--quiet", "main"]);
    session
}

#[test]
fn a_folder_of_builds_is_a_program() {
    if !has_build_tools() {
        return;
    }
    let session = repository();
    let built = session.lotse(&["bench", "build", "-n", "8", "--", "make"]);
    assert_eq!(built.status, 0, "{}", built.stderr);
    assert!(built.stdout.contains("Measure them: lotse bench 'lotse-builds/prog'"), "{}", built.stdout);
    let measured = session.lotse(&["bench", "lotse-builds/prog", "./prog", "--runs", "16", "--json"]);
    let answer = measured.json();
    let builds: Vec<u64> = answer["runs"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|run| run["program"] == "lotse-builds/prog")
        .map(|run| run["build"].as_u64().unwrap())
        .collect();
    assert_eq!(builds, (0..16).map(|block| block % 8).collect::<Vec<u64>>());
    assert_eq!(answer["comparisons"][0]["units"]["level"], "build");
    assert_eq!(answer["comparisons"][0]["units"]["count"], 8);
    let again = session.lotse(&["bench", "build", "-n", "8", "--", "make"]);
    assert!(again.stderr.contains("linked no program; was everything built already"), "{}", again.stderr);
}

/// Each method of linking can be chosen by name and is recorded, also for a program in a subfolder.
#[test]
fn methods_are_chosen_by_name() {
    if !has_build_tools() {
        return;
    }
    let session = repository();
    let functions: String = (0..4).map(|it| format!("int g{it}(int x) {{ return x + {it}; }}\n")).collect();
    session.write("sub/more.c", &functions).write("sub/main.c", "int main(void) { return 0; }\n").write(
        "sub/Makefile",
        "app:\n\t$(CC) -c main.c more.c ../functions.c\n\t$(CC) -o $@ main.o more.o functions.o\n",
    );
    for method in ["objects", "padding"] {
        let line =
            ["bench", "build", "-n", "4", "--method", method, "-o", method, "--", "make", "-B", "-C", "sub"];
        let built = session.lotse(&line);
        assert_eq!(built.status, 0, "{}", built.stderr);
        let text = std::fs::read_to_string(session.file(&format!("{method}/app/builds.json"))).unwrap();
        let record: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(record["method"], method);
        assert_eq!(record["files"].as_array().unwrap().len(), 4, "{text}");
        assert!(record["output"].as_str().unwrap().ends_with("sub/app"), "{text}");
        let measured =
            session.lotse(&["bench", &format!("{method}/app"), "sub/app", "--runs", "8", "--json"]);
        assert_eq!(measured.json()["comparisons"][0]["units"]["count"], 4);
    }
    let wrong = session.lotse(&["bench", "build", "--method", "magic", "--", "make"]);
    assert!(wrong.stderr.contains("[possible values: sections, objects, padding]"), "{}", wrong.stderr);
}

/// A program whose object files are missing does not prevent the others from being built.
#[test]
fn what_cannot_be_linked_again_is_named() {
    if !has_build_tools() {
        return;
    }
    let session = repository();
    session.write(
        "Makefile",
        "all:\n\t$(CC) -c functions.c -o f.o\n\techo 'int main(void) { return 0; }' > made.c\n\t$(CC) made.c -o gone\n\tcp made.c kept.c\n\trm made.c\n\t$(CC) kept.c f.o -o good\n",
    );
    let built = session.lotse(&["bench", "build", "-n", "2", "--", "make"]);
    assert_eq!(built.status, 0, "{}", built.stderr);
    let output = flat(&built.stderr);
    assert!(output.contains("gone could not be linked again") && output.contains("made.c"), "{output}");
    assert!(session.file("lotse-builds/good/builds.json").exists());
    assert!(!session.file("lotse-builds/gone/builds.json").exists());
}

/// Is the branch faster? The working tree is neither used nor changed, and the second time nothing is built.
#[test]
fn revisions_are_built_and_compared() {
    if !has_build_tools() {
        return;
    }
    let session = repository();
    session.write("main.c", "this is not C\n");
    let ask = || {
        session
            .lotse(&["bench", "--rev", "main", "--rev", "slower", "--builds", "12", "--runs", "24", "./prog"])
    };
    let first = ask();
    assert_eq!(first.status, 0, "{}{}", first.stdout, first.stderr);
    let output = flat(&first.stdout);
    assert!(output.contains("slower is ") && output.contains("times slower than main"), "{output}");
    assert!(output.contains("12 builds, as asked"), "{output}");
    assert!(first.stderr.contains("-DROUNDS=100000"), "{}", first.stderr);
    let second = ask();
    assert!(!second.stderr.contains("-DROUNDS"), "builds of the same commit are kept: {}", second.stderr);
    assert!(!session.file("prog").exists() && !session.file("lotse-builds").exists());
    let worktrees = std::process::Command::new("git")
        .current_dir(session.file(""))
        .args(["worktree", "list"])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(worktrees.stdout).unwrap().lines().count(), 1);
}

/// `--quiet` shows the output of a build only if it fails.
#[test]
fn quiet_builds_print_nothing_unless_they_fail() {
    if !has_build_tools() {
        return;
    }
    let session = repository();
    let ask = |build: &str| {
        session.lotse(&["bench", "-q", "--rev", "main", "--build", build, "--runs", "10", "./prog"])
    };
    let good = ask("make");
    assert_eq!(good.status, 0, "{}", good.stderr);
    assert!(!good.stderr.contains("-DROUNDS") && !good.stderr.contains("building"), "{}", good.stderr);
    let bad = ask("sh -c 'echo deep trouble; exit 3'");
    assert_eq!(bad.status, 3, "{}", bad.stderr);
    assert!(
        bad.stderr.starts_with("deep trouble\n") && bad.stderr.contains("exit status: 3"),
        "{}",
        bad.stderr
    );
}

/// A signal sent to Lotse only, as supervisors do, also ends the build.
#[cfg(target_os = "linux")]
#[test]
fn a_build_ends_with_lotse() {
    let session = Session::new();
    session.write("build.sh", "trap 'touch ended; exit 1' TERM\ntouch begun\nwhile :; do sleep 0.01; done\n");
    let mut child = session.start(&["bench", "build", "--", "sh", "build.sh"]);
    eventually("the build begins", || session.file("begun").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    eventually("the build ends", || session.file("ended").exists());
}

/// The folder in which Lotse is called may not exist at the revision.
#[test]
fn a_folder_that_a_revision_lacks_is_named() {
    if !has_build_tools() {
        return;
    }
    let session = repository();
    session.write("new/Makefile", "prog:\n\ttrue\n");
    let mut command = session.command(&["bench", "--rev", "main", "./prog"]);
    let refused = Answer::from_output(command.current_dir(session.file("new")).output().unwrap());
    assert_eq!(refused.status, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("revision main: it has no folder new/"), "{}", refused.stderr);
}

#[test]
fn what_cannot_be_built_is_refused() {
    if !has_build_tools() {
        return;
    }
    let session = repository();
    let refused = |words: &[&str], expected: &str| {
        let answer = session.lotse(&[&["bench"], words].concat());
        assert_ne!(answer.status, 0, "{words:?}");
        assert!(answer.stderr.contains(expected), "{words:?}: {}", answer.stderr);
    };
    refused(&["--rev", "none", "./prog"], "git revision none: there is none of that name");
    refused(&["--rev", "main", "./other"], "./other was not linked by the build; it linked prog");
    refused(
        &["--rev", "main", "--build", "false", "./prog"],
        "the build command `false` failed: exit status: 1",
    );
    refused(&["--rev", "main", "-S", "./prog"], "leave out the shell");
    refused(&["build", "--align", "48", "--", "make"], "48 is no power of two");
    refused(&["--layouts", "10", "--order", "sequential", "./a", "./b"], "use --order blocks");
    refused(&["--layouts", "3", "./a", "./b"], "3 is not in 8..");
    refused(&["--layouts", "8", "--layout-parts", "pile", "./a"], "the parts are environment, name, heap");
    refused(&["--layout-parts", "heap", "./a"], "--layouts <NUM>");
}

/// The text on one line, so that sentences are found although they were wrapped.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_report_names_the_layouts() {
    let session = Session::new();
    let answer = session.lotse(&["bench", "--layouts", "8", "--runs", "16", "/bin/true", "/bin/false", "-i"]);
    let output = flat(&answer.stdout);
    assert!(output.contains("between 8 layouts"), "{output}{}", answer.stderr);
    assert!(output.contains("8 layouts, as asked"), "{output}");
    assert!(output.contains("8 layouts, which vary: environment, name, heap"), "{output}");
}

/// Fewer runs than layouts.
#[test]
fn layouts_that_were_not_run_are_not_counted() {
    let session = Session::new();
    let answer = session.lotse(&["bench", "--layouts", "20", "--runs", "10", "/bin/true", "/bin/true"]);
    let output = flat(&answer.stdout);
    assert!(output.contains("10 of 20 layouts, which vary"), "{output}{}", answer.stderr);
}

/// The report names a program whose heap cannot be moved; with `--quiet`, standard error does.
#[test]
fn a_heap_that_cannot_be_moved_is_named() {
    let session = Session::new();
    session.write("program.c", "int main(void) { return 0; }");
    let built = std::process::Command::new("gcc")
        .args(["-static", "program.c", "-o", "program"])
        .current_dir(session.file("."))
        .status();
    if !built.is_ok_and(|status| status.success()) {
        return;
    }
    let expected = "the heap of ./program is the same in all layouts: it is linked statically";
    let layouts = ["bench", "--layouts", "8", "--runs", "8", "./program"];
    let answer = session.lotse(&layouts);
    assert!(flat(&answer.stdout).contains(expected), "{}{}", answer.stdout, answer.stderr);
    let quiet = session.lotse(&[&layouts[..], &["--quiet"]].concat());
    assert!(flat(&quiet.stderr).contains(expected), "{}", quiet.stderr);
    let without = session.lotse(&[&layouts[..], &["--layout-parts", "name,environment"]].concat());
    assert!(!without.stdout.contains("the heap of"), "{}", without.stdout);
}
