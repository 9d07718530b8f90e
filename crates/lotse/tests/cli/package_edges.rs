//! Damaged packages, and packages of measurements with all kinds of files and options.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use crate::predict_schemas::check;
use crate::session::{Answer, Session, WORK, texts};

/// Packs a measurement, and returns a new session that has only the package.
fn sent(session: &Session, words: &[&str]) -> Session {
    let packed = session.lotse(&[&["bench", "pack", "-a", "p.tar.gz", "--runs", "12"], words].concat());
    assert!([0, 5].contains(&packed.status), "{}{}", packed.stdout, packed.stderr);
    let other = Session::new();
    std::fs::copy(session.file("p.tar.gz"), other.file("p.tar.gz")).unwrap();
    other
}

fn replayed(session: &Session) -> Answer {
    session.lotse(&["bench", "replay", "p.tar.gz"])
}

/// Packs two programs that each read their work from a file, and returns a new session with the package.
fn two() -> Session {
    let session = Session::new();
    session.script("old", "cat data/old.txt").script("new", "cat data/new.txt");
    session.write("data/old.txt", "work: 100\n").write("data/new.txt", "work: 110\n");
    sent(&session, &[&["--add", "data", "./old", "./new"], &WORK[..]].concat())
}

/// Unpacks the package, changes it and packs all of it again. The checksum of the manifest is made anew.
fn changed(session: &Session, change: impl Fn(&Path)) {
    repacked(session, |folder| {
        change(folder);
        let line = "test ! -e manifest.json || sha256sum manifest.json > manifest.sha256";
        assert!(Command::new("sh").current_dir(folder).args(["-c", line]).status().unwrap().success());
    });
}

/// Unpacks the package, changes it and packs all of it again.
fn repacked(session: &Session, change: impl Fn(&Path)) {
    let folder = session.file("unpacked");
    std::fs::create_dir(&folder).unwrap();
    let shell = |line: &str| {
        let status = Command::new("sh").current_dir(&folder).args(["-c", line]).status();
        assert!(status.unwrap().success(), "{line}");
    };
    shell("tar xzf ../p.tar.gz");
    change(&folder);
    shell("find . -type f | sed 's|^./||' | sort | tar czf ../p.tar.gz -T -");
    std::fs::remove_dir_all(folder).unwrap();
}

fn edit(path: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{text}");
    std::fs::write(path, text.replace(from, to)).unwrap();
}

#[test]
fn an_archive_that_was_cut_off_is_refused() {
    let session = two();
    let whole = std::fs::read(session.file("p.tar.gz")).unwrap();
    let length = whole.len();
    for kept in [0, 10, length / 4, length / 2, length * 9 / 10, length - 8, length - 1] {
        std::fs::write(session.file("p.tar.gz"), &whole[..kept]).unwrap();
        replayed(&session).exits(6).complains("p.tar.gz");
        // No incomplete folder is left where the package should have been unpacked.
        session.lotse(&["bench", "replay", "p.tar.gz", "--dir", "out"]).exits(6);
        assert!(!session.file("out").exists(), "{kept} bytes");
    }
}

#[test]
fn packages_with_missing_files_are_refused() {
    let session = two();
    changed(&session, |folder| std::fs::remove_file(folder.join("manifest.json")).unwrap());
    replayed(&session).exits(6).complains("no manifest.json");
    let session = two();
    changed(&session, |folder| std::fs::remove_file(folder.join("result.jsonl")).unwrap());
    replayed(&session).exits(6).complains("result.jsonl");
    let session = two();
    changed(&session, |folder| std::fs::remove_file(folder.join("files/data/old.txt")).unwrap());
    replayed(&session).exits(6).complains("data/old.txt is missing");
}

#[test]
fn manifests_that_this_lotse_does_not_know_are_refused() {
    let cases = [
        ("lotse.package/1", "lotse.package/2", "it is of version lotse.package/2"),
        ("--runs 12", "--no-such-option 12", "not known to this Lotse"),
        ("--runs 12", "--runs 'open", "its arguments"),
        ("\"files\": [", "\"fils\": [", "manifest.json"),
    ];
    for (from, to, complaint) in cases {
        let session = two();
        changed(&session, |folder| edit(&folder.join("manifest.json"), from, to));
        replayed(&session).exits(6).complains(complaint);
    }
}

#[test]
fn a_manifest_that_was_changed_is_refused() {
    let session = two();
    repacked(&session, |folder| edit(&folder.join("manifest.json"), "--runs 12", "--runs 10"));
    replayed(&session).exits(6).complains("manifest.json is not the one that was packed");
    session.lotse(&["bench", "replay", "p.tar.gz", "--list"]).exits(6).complains("manifest.json is not");
    // A package of an earlier version has no checksum, and its result has the commands.
    let session = two();
    let without_checksum = |folder: &Path| std::fs::remove_file(folder.join("manifest.sha256")).unwrap();
    repacked(&session, without_checksum);
    replayed(&session).exits(0).says("reproduces");
    repacked(&session, |folder| edit(&folder.join("manifest.json"), "./old ./new", "./old './new --fast'"));
    replayed(&session).exits(6).complains("the commands of manifest.json are not those of result.jsonl");
}

#[test]
fn files_are_packed_as_they_were_before_the_runs() {
    let session = Session::new();
    session
        .script("app", "echo line >> \"$1\"; wc -l < \"$1\" > out.txt; echo work: 100")
        .write("log.txt", "");
    let words = [
        "--setup",
        "touch made.txt",
        "-n",
        "a",
        "-n",
        "b",
        "./app log.txt out.txt",
        "./app log.txt made.txt",
    ];
    let packed = session
        .lotse(&[&["bench", "pack", "-a", "p.tar.gz", "--runs", "12"], &words[..], &WORK].concat())
        .exits(0);
    packed
        .complains("changed by the runs, packed as before the first run: log.txt")
        .complains("made by the runs, not packed: made.txt, out.txt");
    let shown = session.lotse(&["bench", "replay", "p.tar.gz", "--list"]).exits(0).stdout;
    assert!(shown.contains("log.txt (0 bytes)") && !shown.contains("out.txt ("), "{shown}");
    replayed(&session).exits(0).says("reproduces: b against a");
}

#[test]
fn files_that_were_not_packed_are_refused() {
    let session = two();
    changed(&session, |folder| std::fs::write(folder.join("files/data/more.txt"), "x").unwrap());
    replayed(&session).exits(6).complains("data/more.txt was not packed");
    let session = two();
    changed(&session, |folder| {
        let plain = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(folder.join("files/new"), plain).unwrap();
    });
    replayed(&session).exits(6).complains("new may not be executed any more");
}

#[test]
fn a_package_with_links_is_refused() {
    let session = Session::new();
    let line = "mkdir f && ln -s /etc/passwd f/link && tar czf p.tar.gz f/link";
    let status = Command::new("sh").current_dir(session.file("")).args(["-c", line]).status();
    assert!(status.unwrap().success());
    replayed(&session).exits(6).complains("is no plain file");
}

#[test]
fn links_are_packed_under_the_names_that_commands_use() {
    let session = Session::new();
    session.script("bin/app-1", "cat data/in.txt").write("real/in.txt", "work: 100\n");
    symlink("bin/app-1", session.file("app")).unwrap();
    symlink("real", session.file("data")).unwrap();
    let other =
        sent(&session, &[&["--add", "data", "-n", "a", "-n", "b", "./app", "./app x"], &WORK[..]].concat());
    replayed(&other).exits(0).says("reproduces: b against a");
}

#[test]
fn a_folder_with_a_link_to_itself_is_packed_once() {
    let session = Session::new();
    session.script("app", "cat data/in.txt").write("data/in.txt", "work: 100\n");
    for name in ["one", "two", "three"] {
        symlink(".", session.file("data").join(name)).unwrap();
    }
    let other =
        sent(&session, &[&["--add", "data", "-n", "a", "-n", "b", "./app", "./app x"], &WORK[..]].concat());
    let shown = other.lotse(&["bench", "replay", "p.tar.gz", "--list"]).exits(0).stdout;
    assert_eq!(shown.matches("in.txt").count(), 1, "{shown}");
}

#[test]
fn files_with_unusual_names_are_packed() {
    let session = Session::new();
    session.script("it's an app", "cat \"$1\"");
    session.write("my data/\"in\" ü.txt", "work: 100\n").write("my data/b $x;.txt", "work: 110\n");
    let old = "\"./it's an app\" 'my data/\"in\" ü.txt'";
    let new = "\"./it's an app\" 'my data/b $x;.txt'";
    let other = sent(&session, &[&["-n", "old", "-n", "new", old, new], &WORK[..]].concat());
    replayed(&other).exits(0).says("reproduces: new against old, work: packed +10.0 %");
}

#[test]
fn hooks_inputs_and_shells_are_packed() {
    let session = Session::new();
    session.script("make-it", "cp data/src.txt made.txt").script("app", "cat; cat made.txt");
    session.write("data/src.txt", "work: 100\n").write("in.txt", "note: 1\n");
    let words = ["--setup", "./make-it", "--add", "data", "--input", "in.txt", "-S"];
    let programs = ["-n", "a", "-n", "b", "./app < in.txt", "cat in.txt | ./app"];
    let other = sent(&session, &[&words[..], &programs, &WORK].concat());
    replayed(&other).exits(0).says("reproduces: b against a");
    let kept = other.lotse(&["bench", "replay", "p.tar.gz", "--list"]).exits(0).stdout;
    assert!(kept.contains("in.txt") && kept.contains("make-it") && kept.contains("data/src.txt"), "{kept}");
}

#[test]
fn a_suite_is_packed() {
    let session = Session::new();
    session.script("old", "echo work: 100").script("new", "echo work: 110");
    session.write("suite.yaml", "- run_config: {cmd: ./old}\n  attributes: {description: old}\n- run_config: {cmd: ./new}\n  attributes: {description: new}\n");
    let other = sent(&session, &[&["-f", "suite.yaml"], &WORK[..]].concat());
    replayed(&other).exits(0).says("reproduces: new against old, work: packed +10.0 %");
}

#[test]
fn programs_that_fail_elsewhere_are_no_difference() {
    let session = Session::new();
    // Reads a file that the command line does not name, so that it is not packed.
    session.script("app", "cat hidden.txt").write("hidden.txt", "work: 100\n");
    let other = sent(&session, &[&["-n", "a", "-n", "b", "./app", "./app x"], &WORK[..]].concat());
    replayed(&other).exits(3);
}

#[test]
fn the_answer_is_as_its_schema_says() {
    let path = format!("{}/../../docs/schema/lotse.bench.replay-1.json", env!("CARGO_MANIFEST_DIR"));
    let schema = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let answer = two().lotse(&["bench", "replay", "p.tar.gz", "--json"]).exits(0).json();
    check(&answer, &schema, &schema, "replay");
    assert_eq!(
        (answer["times"][1]["packed"].as_f64(), answer["times"][1]["here"].as_f64()),
        (Some(110.0), Some(110.0))
    );
}

#[test]
fn a_replay_keeps_no_result_and_ignores_local_settings() {
    let packed = Session::new();
    packed.script("app", "echo x >> count\necho work: 100");
    let session = sent(&packed, &[&["-n", "a", "-n", "b", "./app", "./app x"], &WORK[..]].concat());
    session.write("lotse.toml", "[bench]\nwarmup = 50\n");
    session.write_config("lotse/config.toml", "[bench]\nwarmup = 50\n");
    session.lotse(&["bench", "--runs", "2", "-q", "--keep", "--warmup", "0", "true"]).exits(0);
    session.lotse(&["bench", "replay", "p.tar.gz", "--dir", "kept"]).exits(0);
    assert_eq!(session.lines("kept/files/count").len(), packed.lines("count").len());
    let kept = session.lotse(&["bench", "history", "--json"]).json();
    assert_eq!(texts(&kept["series"], "program"), ["true"]);
}
