//! Which files are packed, which are named and which are refused.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use lotse_model::results::Program;

use super::super::{FileChanges, Snapshot};
use super::{CollectError, Collected};
use crate::options::{Hooks, Input, Output, ProgramSpec};

fn spec(words: &[&str]) -> ProgramSpec {
    ProgramSpec {
        program: Program { name: words.join(" "), ..Program::default() },
        alternatives: vec![words.iter().map(OsString::from).collect()],
        are_builds: false,
        environment: Vec::new(),
        directory: None,
        directories: Vec::new(),
        input: Input::Null,
        output: Output::Null,
        hooks: Hooks::default(),
        expected: lotse_model::suite::Expected::default(),
        any_exit_code: false,
        timeout: None,
    }
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("data/deep")).unwrap();
    fs::write(at("app"), "#!/bin/sh\ntrue\n").unwrap();
    fs::set_permissions(at("app"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(at("data/one.txt"), "1").unwrap();
    fs::write(at("data/deep/two.txt"), "2").unwrap();
    fs::write(at("gen.py"), "").unwrap();
    folder
}

fn collected(base: &Path, spec: ProgramSpec, added: &[&str]) -> Result<Collected, CollectError> {
    let added: Vec<PathBuf> = added.iter().map(|path| base.join(path)).collect();
    Snapshot::take(&[spec], base, &added).map(|snapshot| snapshot.collected)
}

fn names(collected: &Collected) -> Vec<&str> {
    collected.files.iter().map(|file| file.path.as_str()).collect()
}

#[test]
fn files_that_words_name_are_packed() {
    let folder = folder();
    let mut app = spec(&["./app", "--in=data", "other"]);
    app.hooks.prepare = Some("sort < data/one.txt; python3 gen.py && true".to_owned());
    let found = collected(folder.path(), app, &[]).unwrap();
    assert_eq!(names(&found), ["app", "data/deep/two.txt", "data/one.txt", "gen.py"]);
    // The interpreter of the script and the tool of the hook are needed, and are not packed.
    let needed = |end: &str| found.needs.iter().any(|need| need.path.ends_with(end));
    assert!(needed("/sh") && needed("/sort"), "{:?}", found.needs);
}

#[test]
fn files_in_a_shell_command_are_found() {
    let folder = folder();
    let found = collected(folder.path(), spec(&["/bin/sh", "-c", "cat data/one.txt | ./app"]), &[]).unwrap();
    assert_eq!(names(&found), ["app", "data/one.txt"]);
}

#[test]
fn paths_that_cannot_be_packed_are_refused() {
    let folder = folder();
    let absolute = folder.path().canonicalize().unwrap().join("data/one.txt");
    let error = collected(folder.path(), spec(&["./app", &absolute.display().to_string()]), &[]).unwrap_err();
    assert!(matches!(error, CollectError::Absolute { .. }), "{error}");
    let deep = folder.path().join("data");
    let error = collected(&deep, spec(&["../app"]), &[]).unwrap_err();
    assert!(matches!(error, CollectError::Outside { .. }), "{error}");
    let error = Snapshot::take(&[], folder.path(), &["no-such".into()]).unwrap_err();
    assert!(matches!(error, CollectError::Absent { .. }), "{error}");
}

#[test]
fn inputs_and_working_directories_count() {
    let folder = folder();
    let mut app = spec(&["../app", "deep/two.txt"]);
    app.directory = Some("data".into());
    app.input = Input::File("data/one.txt".into());
    // `../app` leaves `data`, and stays in the folder that is packed.
    let found = collected(folder.path(), app, &["gen.py"]).unwrap();
    assert_eq!(names(&found), ["app", "data/deep/two.txt", "data/one.txt", "gen.py"]);
}

#[test]
fn links_keep_the_names_that_words_use() {
    use std::os::unix::fs::symlink;
    let folder = folder();
    symlink("app", folder.path().join("newest")).unwrap();
    symlink("data/deep", folder.path().join("link")).unwrap();
    let found = collected(folder.path(), spec(&["./newest", "link/two.txt", "data/../gen.py"]), &[]).unwrap();
    assert_eq!(names(&found), ["gen.py", "link/two.txt", "newest"]);
    assert!(found.files[2].executable);
    // `..` after a link is the parent of the folder that the link leads to.
    let found = collected(folder.path(), spec(&["cat", "link/../one.txt"]), &[]).unwrap();
    assert_eq!(names(&found), ["data/one.txt"]);
    // A link to a file outside of the folder is packed as a file.
    symlink("/etc/hostname", folder.path().join("out")).unwrap();
    if Path::new("/etc/hostname").is_file() {
        assert_eq!(names(&collected(folder.path(), spec(&["cat", "out"]), &[]).unwrap()), ["out"]);
    }
}

#[test]
fn a_link_to_an_enclosing_folder_is_not_followed() {
    use std::os::unix::fs::symlink;
    let folder = folder();
    for (name, to) in [("a", "."), ("b", ".."), ("deep/c", ".."), ("deep/d", "../deep")] {
        symlink(to, folder.path().join("data").join(name)).unwrap();
    }
    let found = collected(folder.path(), spec(&["./app"]), &["data"]).unwrap();
    // `b` is a link to the parent of `data`, the folder that is being collected.
    let expected = ["app", "data/b/app", "data/b/gen.py", "data/deep/two.txt", "data/one.txt"];
    assert_eq!(names(&found), expected);
}

#[test]
fn files_are_kept_as_they_were_and_changes_are_found() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let programs = [spec(&["./app", "data/one.txt", "gen.py", "out.txt"])];
    let snapshot = Snapshot::take(&programs, folder.path(), &[]).unwrap();
    assert_eq!(snapshot.changes(&programs, folder.path(), &[]).unwrap(), FileChanges::default());
    fs::write(at("data/one.txt"), "a run wrote this").unwrap();
    fs::write(at("out.txt"), "new").unwrap();
    fs::remove_file(at("gen.py")).unwrap();
    let changes = snapshot.changes(&programs, folder.path(), &[]).unwrap();
    assert_eq!(
        (changes.changed, changes.made),
        (vec!["data/one.txt".to_owned(), "gen.py".to_owned()], vec!["out.txt".to_owned()])
    );
    assert_eq!(fs::read_to_string(snapshot.folder().join("data/one.txt")).unwrap(), "1");
    assert_eq!(snapshot.collected.files.iter().find(|file| file.path == "data/one.txt").unwrap().bytes, 1);
}
