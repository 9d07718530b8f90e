//! Completions and manual pages.

use std::fs;
use std::process::Command;

use crate::session::{Session, has};

/// Lets a shell check the syntax of what was written for it.
fn check_syntax(shell: &str, option: &str) {
    let session = Session::new();
    let script = session.lotse(&["completions", shell]).exits(0).says("bench").stdout;
    session.write("completion", &script);
    if has(shell) {
        let checked = Command::new(shell).arg(option).arg(session.file("completion")).output().unwrap();
        assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    }
}

#[test]
fn completions_for_bash() {
    check_syntax("bash", "-n");
}

#[test]
fn completions_for_zsh() {
    check_syntax("zsh", "-n");
}

#[test]
fn completions_for_fish() {
    check_syntax("fish", "--no-execute");
}

#[test]
fn completions_for_an_unknown_shell() {
    Session::new().lotse(&["completions", "tcsh"]).exits(2).complains("bash, zsh, fish");
}

#[test]
fn bash_completes_commands() {
    let session = Session::new();
    let script = session.lotse(&["completions", "bash"]).exits(0).stdout;
    session.write("completion", &script);
    if !has("bash") {
        return;
    }
    let ask = ". ./completion; COMP_WORDS=(lotse do); COMP_CWORD=1; _lotse lotse do lotse; echo \"${COMPREPLY[@]}\"";
    let asked = Command::new("bash").args(["-c", ask]).current_dir(session.file("")).output().unwrap();
    assert_eq!(String::from_utf8(asked.stdout).unwrap().trim(), "doctor");
}

#[test]
fn the_manual_page_on_standard_output() {
    Session::new().lotse(&["man"]).exits(0).says(".TH lotse 1").says("bench");
}

#[test]
fn a_manual_page_for_every_command() {
    let session = Session::new();
    assert_eq!(session.lotse(&["man", "--out", "pages/man1"]).exits(0).stdout, "");
    for name in
        ["lotse", "lotse-bench", "lotse-bench-run", "lotse-bench-report", "lotse-explain", "lotse-man"]
    {
        let page = session.read(&format!("pages/man1/{name}.1"));
        assert!(page.contains(&format!(".TH {name} 1")), "{name}: {}", &page[..page.len().min(200)]);
    }
    let pages = fs::read_dir(session.file("pages/man1")).unwrap();
    assert!(pages.count() >= 9);
}
