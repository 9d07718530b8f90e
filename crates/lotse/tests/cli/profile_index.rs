//! The index of a big profile in the user's cache: it makes answers faster and never changes them.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::session::{Answer, Session, texts};

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

/// All files in the cache.
fn cached(session: &Session) -> Vec<PathBuf> {
    let listing = fs::read_dir(session.cache()).into_iter().flatten();
    let mut files: Vec<PathBuf> = listing.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// The only index there is.
#[track_caller]
fn index(session: &Session) -> PathBuf {
    let [index] = cached(session).try_into().unwrap();
    index
}

/// The files in the working directory.
fn working_files(session: &Session) -> Vec<String> {
    let listing = fs::read_dir(session.file("")).unwrap();
    listing.map(|it| it.unwrap().file_name().into_string().unwrap()).collect()
}

const JSON: [&str; 5] = ["profile", "top", "big.out", "--json", "--limit=0"];

/// The answer without an index.
fn plain(session: &Session, args: &[&str]) -> String {
    session.lotse(&[args, &["--no-index"]].concat()).exits(0).stdout
}

#[test]
fn the_second_answer_is_the_same() {
    let session = session();
    let first = session.lotse(&JSON).exits(0);
    assert!(index(&session).is_file());
    assert_eq!(working_files(&session), ["big.out"]);
    let (stamp, second) = (fs::read(index(&session)).unwrap(), session.lotse(&JSON).exits(0));
    assert_eq!(first.stdout, second.stdout);
    assert_eq!(second.stdout, plain(&session, &JSON));
    assert_eq!(fs::read(index(&session)).unwrap(), stamp);
    // Standard error is no terminal: no progress is shown.
    assert_eq!(first.stderr + &second.stderr, "");
}

#[test]
fn every_verb_gives_the_same_answer() {
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

/// Rules need the stacks of all functions, whereas the front of the index has the costliest functions only.
#[test]
fn the_second_opening_of_stacks_says_the_same() {
    let session = Session::new();
    let functions: String = (1..=500).map(|it| format!("main;function_{it} {it}\n")).collect();
    let padding = format!("# {}\n", "x".repeat(1000)).repeat(17_000);
    session.write("big.collapsed", &format!("main;hot 9000000\n{functions}{padding}"));
    for args in [&["profile", "top", "big.collapsed"][..], &["profile", "top", "big.collapsed", "--json"]] {
        let expected = plain(&session, args);
        assert_eq!(session.lotse(args).exits(0).stdout, expected);
        assert!(index(&session).is_file());
        assert_eq!(session.lotse(args).exits(0).stdout, expected);
    }
}

#[test]
fn without_index_nothing_is_left() {
    let session = session();
    plain(&session, &JSON);
    assert_eq!((working_files(&session), cached(&session)), (vec!["big.out".to_owned()], vec![]));
}

#[test]
fn a_small_file_has_no_index() {
    let session = Session::new();
    session.write("big.out", crate::profile_forms::CALLS);
    session.lotse(&JSON).exits(0);
    assert_eq!(cached(&session), Vec::<PathBuf>::new());
}

#[test]
fn a_cache_that_cannot_be_written_is_no_failure() {
    let session = session();
    let expected = plain(&session, &JSON);
    let cache = session.cache();
    fs::create_dir_all(&cache).unwrap();
    fs::set_permissions(&cache, Permissions::from_mode(0o555)).unwrap();
    let bound = fs::write(cache.join("probe"), "").is_err();
    let answer = session.lotse(&JSON);
    fs::set_permissions(&cache, Permissions::from_mode(0o755)).unwrap();
    if !bound {
        test_support::skip_here("permissions do not bind this user");
        return;
    }
    let answer = answer.exits(0);
    assert_eq!((answer.stdout, answer.stderr), (expected, String::new()));
    assert_eq!(cached(&session), Vec::<PathBuf>::new());
}

#[test]
fn without_a_home_nothing_is_kept_and_there_is_no_error() {
    let session = session();
    let output = session.command(&JSON).env_remove("HOME").output().unwrap();
    let answer = Answer::from_output(output).exits(0);
    assert_eq!((answer.stdout, answer.stderr), (plain(&session, &JSON), String::new()));
    assert_eq!(working_files(&session), ["big.out"]);
}

#[test]
fn a_cache_that_is_no_directory_is_named() {
    let session = session();
    let blocked = session.file("blocked");
    fs::write(&blocked, "").unwrap();
    let output = session.command(&JSON).env("XDG_CACHE_HOME", &blocked).output().unwrap();
    Answer::from_output(output).exits(0).complains("the index was not kept");
}

#[test]
fn the_cache_may_be_elsewhere_and_is_shown_and_cleared() {
    let session = session();
    let elsewhere = session.file("elsewhere");
    let run = |args: &[&str]| {
        let output = session.command(args).env("XDG_CACHE_HOME", &elsewhere).output().unwrap();
        Answer::from_output(output).exits(0)
    };
    run(&["config", "cache"]).says("no index is kept");
    run(&JSON);
    let shown = run(&["config", "cache", "--json"]).json();
    let profile = session.file("big.out").canonicalize().unwrap();
    assert_eq!(shown["entries"][0]["profile"], profile.display().to_string());
    assert_eq!((&shown["size"], &shown["limit"]), (&shown["entries"][0]["size"], &(2_u64 << 30).into()));
    run(&["config", "cache"]).says("1 index in").says("of at most").says("just now").says("big.out");
    run(&["config", "cache", "--clear"]).says("1 index");
    assert_eq!(run(&["config", "cache", "--json"]).json()["entries"], serde_json::json!([]));
}

#[test]
fn the_limit_is_kept_and_the_last_used_stays() {
    let session = session();
    let json = |name: &str| session.lotse(&["profile", "top", name, "--json", "--limit=0"]).exits(0);
    json("big.out");
    let size = fs::metadata(index(&session)).unwrap().len();
    for name in ["two.out", "three.out"] {
        session.write(name, &big(3));
    }
    session.write("lotse.toml", &format!("[profile]\ncache = {}\n", size * 5 / 2));
    json("two.out");
    json("big.out");
    json("three.out");
    let kept = session.lotse(&["config", "cache", "--json"]).exits(0).json();
    let mut names: Vec<String> = texts(&kept["entries"], "profile")
        .iter()
        .map(|path| path.rsplit('/').next().unwrap().to_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["big.out", "three.out"]);
    session.write("lotse.toml", "[profile]\ncache = \"0\"\n");
    session.lotse(&["config", "cache", "--clear"]).exits(0);
    json("big.out");
    assert_eq!(cached(&session), Vec::<PathBuf>::new());
    session.write("lotse.toml", "[profile]\ncache = \"a lot\"\n");
    session.lotse(&JSON).exits(6).complains("profile.cache: 'a lot' is not a unit of size");
}

#[test]
fn two_processes_at_once_write_one_complete_index() {
    let session = session();
    let expected = plain(&session, &JSON);
    let running: Vec<_> = (0..4).map(|_| session.start(&JSON)).collect();
    for child in running {
        assert_eq!(Answer::from_output(child.wait_with_output().unwrap()).exits(0).stdout, expected);
    }
    assert_eq!(session.lotse(&JSON).exits(0).stdout, expected);
    assert!(index(&session).is_file());
}

/// A cut or overwritten index is ignored, or the error names --no-index; no number is ever wrong.
#[test]
fn a_damaged_index_is_ignored_or_reported() {
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
