//! `lotse`, started in a directory where no setting reaches it, and the repository's own files.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const LOTSE: &str = env!("CARGO_BIN_EXE_lotse");

/// The tool under test, for a directory that has it on its path.
pub(crate) fn executable() -> &'static Path {
    Path::new(LOTSE)
}

/// Variables of the user that would change what `lotse` prints.
const CLEARED: &[&str] = &["XDG_CONFIG_HOME", "NO_COLOR", "CLICOLOR_FORCE", "COLUMNS"];

/// Starts a command in a directory, without the user's settings.
pub(crate) fn in_directory(mut command: Command, directory: &Path) -> Output {
    for name in CLEARED {
        command.env_remove(name);
    }
    // Cargo and its toolchains are found by the user's home directory.
    for (name, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
        if let (None, Some(home)) = (std::env::var_os(name), std::env::var_os("HOME")) {
            command.env(name, Path::new(&home).join(folder));
        }
    }
    command.current_dir(directory).env("HOME", directory).env("TERM", "dumb").stdin(Stdio::null());
    command.output().unwrap()
}

/// What `lotse` answers in an empty directory.
pub(crate) fn lotse(args: &[&str]) -> Output {
    let empty = tempfile::tempdir().unwrap();
    let mut command = Command::new(LOTSE);
    command.args(args);
    in_directory(command, empty.path())
}

/// What `lotse` prints when all goes well.
pub(crate) fn stdout(args: &[&str]) -> String {
    let output = lotse(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The JSON that `lotse` prints.
pub(crate) fn json(args: &[&str]) -> Value {
    serde_json::from_str(&stdout(args)).unwrap()
}

/// The text under a key.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("no text under {key} in {value}"))
}

/// The entries under a key.
pub(crate) fn entries<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().unwrap_or_else(|| panic!("no list under {key} in {value}"))
}

/// A file of the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}
