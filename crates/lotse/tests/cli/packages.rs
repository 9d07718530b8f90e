//! `lotse bench pack` and `lotse bench replay`.

use crate::session::{Session, WORK};

/// A package of two programs, of which the second needs 10 % more work.
fn packed() -> Session {
    let session = Session::new();
    session.script("old", "cat data/old.txt").script("new", "cat data/new.txt");
    session.write("data/old.txt", "work: 100\n").write("data/new.txt", "work: 110\n");
    let words = ["bench", "pack", "-a", "p.tar.gz", "--runs", "12", "--add", "data", "./old", "./new"];
    let answer = session.lotse(&[&words[..], &WORK].concat());
    assert_eq!(answer.status, 0, "{}", answer.stderr);
    assert!(answer.stderr.contains("packed 4 files and the result into p.tar.gz"), "{}", answer.stderr);
    session
}

/// A new session that has only the package.
fn elsewhere(session: &Session) -> Session {
    let other = Session::new();
    std::fs::copy(session.file("p.tar.gz"), other.file("p.tar.gz")).unwrap();
    other
}

#[test]
fn a_package_is_repeated_in_a_clean_folder() {
    let other = elsewhere(&packed());
    let answer = other.lotse(&["bench", "replay", "p.tar.gz"]);
    assert_eq!(answer.status, 0, "{}{}", answer.stdout, answer.stderr);
    assert!(
        answer.stdout.starts_with("reproduces: ./new against ./old, work: packed +10.0 %"),
        "{}",
        answer.stdout
    );
    // Nothing is left beside the package.
    assert_eq!(std::fs::read_dir(other.file("")).unwrap().count(), 1);
    let answer = other.lotse(&["bench", "replay", "p.tar.gz", "--json", "--dir", "kept"]).json();
    assert_eq!((&answer["outcome"], &answer["same_machine"]), (&"reproduces".into(), &true.into()));
    assert!(other.file("kept/files/data/new.txt").exists());
}

#[test]
fn the_list_runs_nothing() {
    let other = elsewhere(&packed());
    let answer = other.lotse(&["bench", "replay", "p.tar.gz", "--list"]);
    assert_eq!(answer.status, 0, "{}", answer.stderr);
    assert!(
        answer.stdout.contains("--runs 12") && answer.stdout.contains("data/new.txt"),
        "{}",
        answer.stdout
    );
    assert!(!answer.stdout.contains("reproduces"));
}

/// Unpacks a package, changes it and packs it again with tar.
fn changed(session: &Session, change: impl Fn(&std::path::Path)) {
    let folder = session.file("unpacked");
    std::fs::create_dir(&folder).unwrap();
    let tar = |words: &[&str]| {
        let status = std::process::Command::new("tar").current_dir(&folder).args(words).status();
        assert!(status.unwrap().success(), "{words:?}");
    };
    tar(&["xzf", "../p.tar.gz"]);
    change(&folder);
    let names = [
        "manifest.json",
        "manifest.sha256",
        "result.jsonl",
        "files/old",
        "files/new",
        "files/data/old.txt",
        "files/data/new.txt",
    ];
    tar(&[&["czf", "../p.tar.gz"], &names[..]].concat());
}

/// What `sha256sum` says about a file.
fn checksum(path: &std::path::Path) -> String {
    let (folder, name) = (path.parent().unwrap(), path.file_name().unwrap());
    let sum = std::process::Command::new("sha256sum").current_dir(folder).arg(name).output().unwrap().stdout;
    String::from_utf8(sum).unwrap()
}

#[test]
fn a_file_that_was_changed_is_refused() {
    let session = packed();
    changed(&session, |folder| std::fs::write(folder.join("files/data/new.txt"), "work: 90\n").unwrap());
    let answer = session.lotse(&["bench", "replay", "p.tar.gz"]);
    assert_eq!(answer.status, 6, "{}", answer.stdout);
    assert!(answer.stderr.contains("data/new.txt is not the file that was packed"), "{}", answer.stderr);
}

#[test]
fn a_result_that_was_changed_is_refused() {
    let session = packed();
    changed(&session, |folder| {
        let path = folder.join("result.jsonl");
        let text = std::fs::read_to_string(&path).unwrap().replace("110.0", "120.0");
        std::fs::write(path, text).unwrap();
    });
    let answer = session.lotse(&["bench", "replay", "p.tar.gz"]);
    assert_eq!(answer.status, 6, "{}", answer.stdout);
    assert!(answer.stderr.contains("result.jsonl is not the one that was packed"), "{}", answer.stderr);
}

#[test]
fn a_replay_with_another_result_says_so() {
    let session = packed();
    // The packed result claims 20 % where the programs show 10 %.
    changed(&session, |folder| {
        let path = folder.join("result.jsonl");
        let text = std::fs::read_to_string(&path).unwrap().replace("110.0", "120.0");
        std::fs::write(&path, &text).unwrap();
        let sum = checksum(&path).split(' ').next().unwrap().to_owned();
        let manifest = std::fs::read_to_string(folder.join("manifest.json")).unwrap();
        let mut manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
        manifest["result_sha256"] = sum.into();
        std::fs::write(folder.join("manifest.json"), manifest.to_string()).unwrap();
        std::fs::write(folder.join("manifest.sha256"), checksum(&folder.join("manifest.json"))).unwrap();
    });
    let answer = session.lotse(&["bench", "replay", "p.tar.gz"]);
    assert_eq!(answer.status, 1, "{}{}", answer.stdout, answer.stderr);
    assert!(answer.stdout.starts_with("differs: ./new against ./old"), "{}", answer.stdout);
}

#[test]
fn what_cannot_be_packed_or_replayed_is_refused() {
    let session = packed();
    let again = session.lotse(&["bench", "pack", "-a", "p.tar.gz", "--runs", "2", "./old"]);
    assert_eq!(again.status, 2, "{}", again.stderr);
    let absolute = session.file("old").canonicalize().unwrap().display().to_string();
    let answer =
        session.lotse(&[&["bench", "pack", "-a", "q.tar.gz", "--runs", "2", &absolute][..], &WORK].concat());
    assert_eq!(answer.status, 2, "{}", answer.stderr);
    assert!(answer.stderr.contains("name it relative to the folder"), "{}", answer.stderr);
    let rev = session.lotse(&["bench", "pack", "--rev", "HEAD", "./old"]);
    assert!(rev.stderr.contains("lotse bench build --git REV"), "{}", rev.stderr);
    session.write("no.tar.gz", "no archive");
    assert_eq!(session.lotse(&["bench", "replay", "no.tar.gz"]).status, 6);
}
