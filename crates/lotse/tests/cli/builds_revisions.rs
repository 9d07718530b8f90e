//! Builds of revisions are those of the revision: not of the working tree, not of another environment, with their own libraries.

use std::collections::BTreeMap;
use std::process::Command;

use crate::session::{Answer, Session};
use crate::tools::{git, has_build_tools};

/// A program that prints the number in `number.c`, in a repository with the tags `one` and `two`; the working tree has number 3.
fn repository(makefile: &str) -> Session {
    let session = Session::new();
    session
        .write("main.c", "#include <stdio.h>\nint number(void);\nint main(void) { printf(\"%d\\n\", number()); return 0; }\n")
        .write("Makefile", makefile);
    git(&session, &["init", "--quiet", "--initial-branch=main"]);
    for (number, name) in [(1, "one"), (2, "two")] {
        session.write("number.c", &format!("int number(void) {{ return {number}; }}\n"));
        git(&session, &["add", "."]);
        git(&session, &["commit", "--quiet", "-m", name]);
        git(&session, &["tag", name]);
    }
    session.write("number.c", "int number(void) { return 3; }\n");
    session
}

const PLAIN: &str = "app: main.c number.c\n\t$(CC) $(OPT) -o $@ main.c number.c\n";

/// Two builds of each revision, measured.
const REVISIONS: [&str; 8] = ["bench", "--rev", "one", "--rev", "two", "--builds", "2", "--runs=4"];

fn compare(session: &Session, more: &[&str], change: impl Fn(&mut Command)) -> Answer {
    let mut command = session.command(&[&REVISIONS[..], more].concat());
    change(&mut command);
    Answer::from_output(command.output().unwrap())
}

/// Two builds decide nothing, which is status 5.
fn check_measured(answer: &Answer) {
    assert!([0, 5].contains(&answer.status), "{} {}", answer.status, answer.stderr);
}

/// What the first build of each folder in the cache prints, by the commit's place in the history.
fn printed(session: &Session, change: impl Fn(&mut Command)) -> Vec<String> {
    let mut all = BTreeMap::new();
    for (number, name) in ["one", "two"].into_iter().enumerate() {
        let commit =
            Command::new("git").args(["rev-parse", name]).current_dir(session.file("")).output().unwrap();
        all.insert(String::from_utf8(commit.stdout).unwrap()[..12].to_owned(), number);
    }
    let mut printed = Vec::new();
    for entry in std::fs::read_dir(session.cache().join("builds")).unwrap() {
        let place = entry.unwrap().path();
        let commit = place.file_name().unwrap().to_str().unwrap()[..12].to_owned();
        let mut command = Command::new(place.join("builds/0/app"));
        command.current_dir(session.file(""));
        change(&mut command);
        let output = command.output().unwrap();
        printed.push((all[&commit], String::from_utf8(output.stdout).unwrap().trim().to_owned()));
    }
    printed.sort();
    printed.into_iter().map(|(_, text)| text).collect()
}

fn unchanged(_: &mut Command) {}

/// `$(PWD)` of a Makefile is an environment variable, which must refer to the copy of the repository.
#[test]
fn the_working_tree_is_not_compiled_instead_of_a_revision() {
    if !has_build_tools() {
        return;
    }
    let session = repository("SRC=$(PWD)\napp:\n\t$(CC) -o $(SRC)/app $(SRC)/main.c $(SRC)/number.c\n");
    let from_here = |command: &mut Command| {
        command.env("PWD", session.file("")).env("OLDPWD", session.file(""));
    };
    let answer = compare(&session, &["./app"], from_here);
    check_measured(&answer);
    assert_eq!(printed(&session, unchanged), ["1", "2"]);
    assert!(!session.file("app").exists(), "the working tree is not changed");
}

/// Hooks of git have `GIT_DIR` and others in their environment.
#[test]
fn variables_of_git_do_not_lead_to_the_user_s_repository() {
    if !has_build_tools() {
        return;
    }
    let session = repository(
        "app:\n\tgit rev-parse HEAD > commit\n\tenv > variables\n\t! grep ^GIT_DIR variables\n\t$(CC) -o app main.c number.c\n",
    );
    let hook = |command: &mut Command| {
        let own = session.file(".git");
        command.env("GIT_DIR", &own).env("GIT_INDEX_FILE", own.join("index")).env("GIT_PREFIX", "");
    };
    let answer = compare(&session, &["./app"], hook);
    check_measured(&answer);
    assert_eq!(printed(&session, unchanged), ["1", "2"]);
    assert_eq!(session.read(".git/HEAD"), "ref: refs/heads/main\n");
    assert!(session.read("number.c").contains("return 3"));
    let with_tree = |command: &mut Command| {
        hook(command);
        command.env("GIT_WORK_TREE", session.file(""));
    };
    check_measured(&compare(&session, &["./app"], with_tree));
    let other = repository(PLAIN);
    let answer = compare(&session, &["./app"], |command| {
        command.env("GIT_DIR", other.file(".git"));
    });
    assert_eq!(answer.status, 2, "{}", answer.stderr);
    assert!(answer.stderr.contains("unset GIT_DIR"), "{}", answer.stderr);
}

/// Every revision loads the library that its own build made, whatever the environment says.
#[test]
fn shared_libraries_stay_with_their_builds() {
    if !has_build_tools() {
        return;
    }
    let named = "app:\n\t$(CC) -fPIC -shared -Wl,-soname,libnumber.so.1 -o libnumber.so.1.2 number.c\n\t$(CC) -o app main.c libnumber.so.1.2\n";
    let found = "app:\n\t$(CC) -fPIC -shared -o libnumber.so number.c\n\t$(CC) -o app main.c -L. -lnumber -Wl,-rpath,'$$ORIGIN'\n";
    // The first library finds the second by a path of its own, which leads to the copy of the repository.
    let indirect = "app:\n\t$(CC) -fPIC -shared -o libnumber.so number.c\n\techo 'int number(void); int other(void) { return number(); }' > other.c\n\t$(CC) -fPIC -shared -o libother.so other.c -L. -lnumber -Wl,-rpath,$(CURDIR)\n\techo '#include <stdio.h>' > m.c\n\techo 'int other(void); int main(void) { printf(\"%d\", other()); return 0; }' >> m.c\n\t$(CC) -o app m.c -L. -lother -Wl,-rpath-link,.\n";
    for makefile in [named, found, indirect] {
        let session = repository(makefile);
        assert!(Command::new("make").current_dir(session.file("")).output().unwrap().status.success());
        let path = |command: &mut Command| {
            command.env("LD_LIBRARY_PATH", session.file(""));
        };
        let answer = compare(&session, &["./app"], path);
        check_measured(&answer);
        assert!(answer.stderr.contains("Not varied: libnumber.so"), "{}", answer.stderr);
        assert_eq!(printed(&session, path), ["1", "2"], "{makefile}");
    }
}

/// A library that the program looks for in the folder where it runs is the same for all revisions.
#[test]
fn a_library_that_cannot_be_kept_is_a_reason_to_refuse() {
    if !has_build_tools() {
        return;
    }
    let session = repository(
        "app:\n\t$(CC) -fPIC -shared -o libnumber.so number.c\n\t$(CC) -o app main.c ./libnumber.so\n",
    );
    let answer = compare(&session, &["./app"], unchanged);
    assert_eq!(answer.status, 2, "{}", answer.stderr);
    assert!(answer.stderr.contains("app was linked with ./libnumber.so"), "{}", answer.stderr);
}

/// Builds from before are used only if the environment and the files of the command are the same.
#[test]
fn another_environment_gives_another_build() {
    if !has_build_tools() {
        return;
    }
    let session = repository(PLAIN);
    let with = |name: &str, value: &str| {
        let answer = compare(&session, &["./app"], |command| {
            command.env(name, value);
        });
        check_measured(&answer);
        answer.stderr.contains("using builds made before")
    };
    assert!(!with("OPT", "-O1"));
    assert!(with("OPT", "-O1"));
    assert!(!with("OPT", "-O2"));
    assert!(!with("COLUMNS", "100"), "without OPT");
    assert!(with("SSH_TTY", "/dev/pts/7"), "harmless");
    let own = session.file("../build.sh").display().to_string();
    let ask = |text: &str| {
        session.write("../build.sh", text);
        let answer = compare(&session, &["--build", &format!("sh {own}"), "./app"], unchanged);
        check_measured(&answer);
        answer.stderr.contains("using builds made before")
    };
    assert!(!ask("make OPT=-O1\n"));
    assert!(ask("make OPT=-O1\n"));
    assert!(!ask("make OPT=-O2\n"));
}

/// Two at once: one builds, the other waits for it. Nothing is left of a build that fails.
#[test]
fn two_at_once_build_once() {
    if !has_build_tools() {
        return;
    }
    let session = repository(PLAIN);
    let both = [0, 1].map(|_| session.start(&[&REVISIONS[..], &["./app"]].concat()));
    for child in both {
        let answer = Answer::from_output(child.wait_with_output().unwrap());
        check_measured(&answer);
    }
    assert_eq!(printed(&session, unchanged), ["1", "2"]);
    let failed = compare(&session, &["--build", "false", "./app"], unchanged);
    assert_eq!(failed.status, 3, "{}", failed.stderr);
    assert_eq!(printed(&session, unchanged).len(), 2, "there are no further folders");
}

/// The layouts of builds are drawn from the seed of the user.
#[test]
fn the_seed_reaches_the_builds() {
    if !has_build_tools() {
        return;
    }
    let session = repository(PLAIN);
    check_measured(&compare(&session, &["--seed", "77", "./app"], unchanged));
    for entry in std::fs::read_dir(session.cache().join("builds")).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path().join("builds/builds.json")).unwrap();
        let record: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(record["seed"], 77);
    }
}

/// The Makefile may be above the folder of the call, and the program elsewhere than expected.
#[test]
fn a_build_command_and_programs_are_found_elsewhere() {
    if !has_build_tools() {
        return;
    }
    let session = repository(PLAIN);
    session.write("sub/data", "");
    git(&session, &["add", "sub"]);
    git(&session, &["commit", "--quiet", "-m", "sub"]);
    let ask = |words: &[&str]| {
        let mut command =
            session.command(&[&["bench", "--rev", "main", "--builds", "2", "--runs=4"], words].concat());
        Answer::from_output(command.current_dir(session.file("sub")).output().unwrap())
    };
    let answer = ask(&["../app"]);
    check_measured(&answer);
    assert!(answer.stderr.contains("building main: make -C .."), "{}", answer.stderr);
    let elsewhere = session.file("../elsewhere").display().to_string();
    let build = format!("sh -c 'mkdir -p {elsewhere}; cc -o {elsewhere}/app ../main.c ../number.c'");
    let answer = ask(&["--build", &build, "./app"]);
    let said = answer.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("elsewhere/app (outside of the copy of the repository)"), "{said}");
}
