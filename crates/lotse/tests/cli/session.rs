//! A shell session: a directory of its own, settings of its own, and `lotse` run in it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// The tool under test.
pub(crate) const LOTSE: &str = env!("CARGO_BIN_EXE_lotse");

/// Measure what a [`Session::worker`] prints.
pub(crate) const WORK: [&str; 4] = ["--runner", "output", "--metric", "work"];

/// A directory in which files are made and commands are run. No setting of the user reaches it.
pub(crate) struct Session {
    directory: TempDir,
}

/// The output of a command, and its exit status.
pub(crate) struct Answer {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Session {
    pub(crate) fn new() -> Self {
        let session = Self { directory: TempDir::with_prefix("lotse-cli-").unwrap() };
        fs::create_dir(session.path("home")).unwrap();
        fs::create_dir(session.path("work")).unwrap();
        session
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The path of a file in the working directory.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path("work").join(name)
    }

    /// Writes a file.
    pub(crate) fn write(&self, name: &str, content: &str) -> &Self {
        let path = self.file(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    /// The directory of the user's cache, which need not exist.
    pub(crate) fn cache(&self) -> PathBuf {
        self.path("home/.cache/lotse")
    }

    /// Writes a file of the user's configuration directory.
    pub(crate) fn write_config(&self, name: &str, content: &str) -> &Self {
        let path = self.path("home/.config").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    /// Writes an executable shell script.
    pub(crate) fn script(&self, name: &str, body: &str) -> &Self {
        self.write(name, &format!("#!/bin/sh\n{body}\n"));
        fs::set_permissions(self.file(name), fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// Writes a program that prints these numbers in turn as its `work`, whatever the machine does.
    pub(crate) fn worker(&self, name: &str, work: &[u32]) -> &Self {
        let values: Vec<String> = work.iter().map(u32::to_string).collect();
        let body = format!(
            "echo x >> {name}.count\nrun=$(wc -l < {name}.count)\nset -- {}\n\
             shift $(((run - 1) % $#))\necho \"work: $1\"",
            values.join(" ")
        );
        self.script(name, &body)
    }

    /// The content of a file.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The lines of a file that scripts append to; none if it does not exist.
    pub(crate) fn lines(&self, name: &str) -> Vec<String> {
        let text = fs::read_to_string(self.file(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// The content of a JSON file.
    pub(crate) fn read_json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// `lotse` with these arguments, ready to be started.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(LOTSE);
        command.args(args).current_dir(self.path("work")).stdin(Stdio::null());
        command.env("HOME", self.path("home")).env("TERM", "dumb");
        for name in
            ["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "NO_COLOR", "CLICOLOR_FORCE", "COLUMNS"]
        {
            command.env_remove(name);
        }
        // Builds come from the session's own home, not from stores and servers of the user.
        for name in ["DEBUGINFOD_URLS", "DEBUGINFOD_CACHE_PATH", "PERF_BUILDID_DIR", "XDG_CACHE_HOME"] {
            command.env_remove(name);
        }
        command
    }

    /// Runs `lotse` to its end.
    pub(crate) fn lotse(&self, args: &[&str]) -> Answer {
        Answer::from_output(self.command(args).output().unwrap())
    }

    /// Runs `lotse bench --json` and gives what it printed, whatever its status was.
    pub(crate) fn bench(&self, args: &[&str]) -> Value {
        let answer = self.lotse(&[&["bench", "--json"], args].concat());
        answer.json()
    }

    /// Starts `lotse` and does not wait for it.
    pub(crate) fn start(&self, args: &[&str]) -> Child {
        self.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }
}

impl Answer {
    pub(crate) fn from_output(output: Output) -> Self {
        Self {
            // Without a status, a signal ended the process; no test expects -1.
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Checks the exit status; on failure shows all output.
    #[track_caller]
    pub(crate) fn exits(self, status: i32) -> Self {
        assert_eq!(self.status, status, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Checks that standard output contains a text.
    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        assert!(
            self.stdout.contains(text),
            "no '{text}' in stdout:\n{}\nstderr:\n{}",
            self.stdout,
            self.stderr
        );
        self
    }

    /// Checks that standard error contains a text.
    #[track_caller]
    pub(crate) fn complains(self, text: &str) -> Self {
        assert!(self.stderr.contains(text), "no '{text}' in stderr:\n{}", self.stderr);
        self
    }

    /// Standard output as one JSON value.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| {
            panic!("{error}; status {}, stdout:\n{}\nstderr:\n{}", self.status, self.stdout, self.stderr)
        })
    }
}

/// The elements of a JSON list.
#[track_caller]
pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

/// The numbers of a JSON list.
#[track_caller]
pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    list(value)
        .iter()
        .map(|number| number.as_f64().unwrap_or_else(|| panic!("no number: {number}")))
        .collect()
}

/// The texts under one key of every element of a list.
#[track_caller]
pub(crate) fn texts<'a>(value: &'a Value, key: &str) -> Vec<&'a str> {
    list(value)
        .iter()
        .map(|element| element[key].as_str().unwrap_or_else(|| panic!("no {key}: {element}")))
        .collect()
}

/// A file of the repository's fixtures.
pub(crate) fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/bench").join(name);
    path.canonicalize().unwrap_or_else(|error| panic!("{}: {error}", path.display())).display().to_string()
}

/// Whether a program is installed; prints a note if not, since the test is then skipped.
pub(crate) fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        test_support::skip_here(format!("{program} does not run here"));
    }
    found
}

/// Waits until a condition holds, with a generous time limit for slow machines.
#[track_caller]
pub(crate) fn eventually(what: &str, mut happened: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !happened() {
        assert!(begin.elapsed() < Duration::from_secs(30), "{what} did not happen");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Whether a process with this word on its command line is alive.
pub(crate) fn is_running(word: &str) -> bool {
    let alive = |process: PathBuf| {
        let line = fs::read(process.join("cmdline")).unwrap_or_default();
        line.split(|&byte| byte == 0).any(|argument| argument == word.as_bytes())
    };
    fs::read_dir("/proc").unwrap().any(|entry| alive(entry.unwrap().path()))
}
