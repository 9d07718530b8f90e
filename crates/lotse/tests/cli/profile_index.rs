//! The index beside a big profile: it changes how fast an answer comes, never the answer.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::session::Session;

/// A chain of functions, each with a cost of its own, in a file of more than 16 MiB, most of it comments.
fn big(step: u32) -> String {
    let comment = format!("# {}\n", "x".repeat(1021)).repeat(430);
    let function = |number: u32| {
        let (cost, next) = (number * step + 1, number + 1);
        format!("fn=f{number:02}\n{next} {cost}\ncfn=f{next:02}\ncalls=1 1\n1 5\n{comment}")
    };
    let chain: String = (0..40).map(function).collect();
    format!("# callgrind format\nversion: 1\nevents: Ir\n\nfl=big.c\n{chain}fn=f40\n1 5\n")
}

fn session() -> Session {
    let session = Session::new();
    session.write("big.out", &big(1));
    session
}

fn index(session: &Session) -> PathBuf {
    session.file("big.out.lotse-index")
}

const JSON: [&str; 5] = ["profile", "top", "big.out", "--json", "--limit=0"];

/// What is said without an index.
fn plain(session: &Session, args: &[&str]) -> String {
    session.lotse(&[args, &["--no-index"]].concat()).exits(0).stdout
}

#[test]
fn the_second_opening_says_the_same() {
    let session = session();
    let first = session.lotse(&JSON).exits(0);
    assert!(index(&session).is_file());
    let (stamp, second) = (fs::read(index(&session)).unwrap(), session.lotse(&JSON).exits(0));
    assert_eq!(first.stdout, second.stdout);
    assert_eq!(second.stdout, plain(&session, &JSON));
    assert_eq!(fs::read(index(&session)).unwrap(), stamp);
    // Nobody watches: no progress, no word.
    assert_eq!(first.stderr + &second.stderr, "");
}

#[test]
fn every_verb_says_the_same() {
    let session = session();
    session.lotse(&JSON).exits(0);
    for args in [
        &["top", "big.out"][..],
        &["top", "big.out", "-n", "3", "--sort", "name", "--csv"],
        &["top", "big.out", "--filter", "/f1./", "--sort", "calls"],
        &["top", "big.out", "--group", "file", "--json"],
        &["top", "big.out", "--cycles", "raw", "--json"],
        &["callers", "big.out", "f17", "--all", "--json"],
        &["callees", "big.out", "f17", "--csv"],
        &["tree", "big.out", "--depth", "3"],
        &["annotate", "big.out", "f20"],
        &["parts", "big.out", "--json"],
        &["events", "big.out", "--json"],
        &["convert", "big.out", "--to", "collapsed"],
        &["diff", "big.out", "big.out", "--json"],
    ] {
        let line = [&["profile"], args].concat();
        assert_eq!(session.lotse(&line).exits(0).stdout, plain(&session, &line), "{args:?}");
    }
}

#[test]
fn a_file_that_changed_is_read_again() {
    let session = session();
    let before = session.lotse(&JSON).exits(0).json();
    session.write("big.out", &big(2));
    let after = session.lotse(&JSON).exits(0);
    assert_eq!(after.stdout, plain(&session, &JSON));
    assert_eq!(
        (&before["events"][0]["total"], &after.json()["events"][0]["total"]),
        (&825.into(), &1605.into())
    );
    // The index is now that of the new file.
    assert_eq!(session.lotse(&JSON).exits(0).stdout, after.stdout);
}

#[test]
fn without_index_nothing_is_left() {
    let session = session();
    plain(&session, &JSON);
    let left: Vec<_> = fs::read_dir(session.file("")).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(left, ["big.out"]);
}

#[test]
fn a_small_file_needs_none() {
    let session = Session::new();
    session.write("big.out", crate::profile_forms::CALLS);
    session.lotse(&JSON).exits(0);
    assert!(!index(&session).exists());
}

#[test]
fn a_directory_that_cannot_be_written_is_no_failure() {
    let session = session();
    let expected = plain(&session, &JSON);
    fs::set_permissions(session.file(""), Permissions::from_mode(0o555)).unwrap();
    let bound = fs::write(session.file("probe"), "").is_err();
    let answer = session.lotse(&JSON);
    fs::set_permissions(session.file(""), Permissions::from_mode(0o755)).unwrap();
    if !bound {
        println!("skipped: permissions do not bind this user");
        return;
    }
    let answer = answer.exits(0);
    assert_eq!((answer.stdout, answer.stderr), (expected, String::new()));
    assert!(!index(&session).exists());
}

/// Cut or overwritten, an index is passed over, or the way out is named; no number is ever wrong.
#[test]
fn a_damaged_index_is_passed_over_or_told() {
    let session = session();
    let expected = session.lotse(&JSON).exits(0).stdout;
    let whole = fs::read(index(&session)).unwrap();
    let mut damaged: Vec<Vec<u8>> =
        [0, 7, 40, 100, whole.len() / 2, whole.len() - 1].map(|size| whole[..size].to_vec()).into();
    damaged.push(b"this is no index".to_vec());
    damaged.push(vec![0xff; whole.len()]);
    for bytes in damaged {
        fs::write(index(&session), &bytes).unwrap();
        let answer = session.lotse(&JSON);
        match answer.status {
            0 => assert_eq!(answer.stdout, expected, "cut to {}", bytes.len()),
            status => {
                assert_eq!(status, 6, "{}", answer.stderr);
                assert!(answer.stderr.contains("--no-index reads the profile itself"), "{}", answer.stderr);
            }
        }
    }
}
