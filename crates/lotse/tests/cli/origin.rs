//! Which state of the sources a result belongs to: the one before anything was measured.

use crate::session::{Session, WORK};
use crate::tools::git;

/// A repository with one commit, and a program that is not tracked.
fn repository(program: &str) -> Session {
    let session = Session::new();
    git(&session, &["init", "--quiet", "--initial-branch=main"]);
    session.write("main.c", "int main(void) { return 0; }\n").script("app", program);
    git(&session, &["add", "main.c"]);
    git(&session, &["commit", "--quiet", "-m", "one"]);
    git(&session, &["tag", "first"]);
    session
}

/// The commit of the newest result, with `+` where the sources differed from it.
fn commit_of_newest(session: &Session) -> String {
    let history = session.lotse(&["bench", "history", "--json"]).exits(0).json();
    let point = history["series"][0]["points"].as_array().unwrap().last().unwrap().clone();
    let mark = if point["changed"] == true { "+" } else { "" };
    format!("{}{mark}", point["commit"].as_str().unwrap())
}

fn first(session: &Session) -> String {
    session.read(".git/refs/tags/first").trim().to_owned()
}

#[test]
fn a_commit_while_measuring_does_not_get_the_result() {
    let commit = "git -c user.name=t -c user.email=t@example.org commit --quiet --allow-empty -m more";
    let session = repository(&format!("{commit} 2> err; echo work: 100"));
    session.lotse(&[&["bench", "-q", "--runs", "3", "--keep", "./app"][..], &WORK].concat()).exits(0);
    assert_eq!(commit_of_newest(&session), first(&session));
    let packed = ["bench", "pack", "-a", "p.tar.gz", "--runs", "2", "--no-keep", "./app"];
    git(&session, &["reset", "--quiet", "--soft", "first"]);
    session.lotse(&[&packed[..], &WORK].concat());
    let listed = session.lotse(&["bench", "replay", "p.tar.gz", "--list"]).exits(0).stdout;
    assert!(listed.contains(&format!("commit: {}\n", first(&session))), "{listed}");
}

#[test]
fn sources_that_are_not_tracked_are_a_change() {
    let session = repository("echo work: 100");
    let keep = || {
        session.lotse(&[&["bench", "-q", "--runs", "3", "--keep", "./app"][..], &WORK].concat()).exits(0);
        commit_of_newest(&session)
    };
    assert_eq!(keep(), first(&session));
    session.write("notes.txt", "");
    assert_eq!(keep(), first(&session));
    session.write("src/new.c", "");
    assert_eq!(keep(), format!("{}+", first(&session)));
}
