//! A measurement in a session of its own, with processes that stand for those of other users.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// The tool under test.
const LOTSE: &str = env!("CARGO_BIN_EXE_lotse");

/// All actions that most machines allow and that affect only processes of the test.
pub(crate) const ACTIONS: &str = "nice,ionice,fifo,affinity,cpuset,aslr,nice-others,stop-others,sync,pause=1";

/// A home directory, and two processes that stand for those of other users, each in a session of its own.
pub(crate) struct Scene {
    home: TempDir,
    others: Vec<Child>,
}

/// A measurement that runs.
pub(crate) struct Measurement {
    pub(crate) lotse: Child,
    /// A process of Lotse's session that outlives it, and so keeps the session's autogroup.
    pub(crate) anchor: u32,
}

/// What separation changes about a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProcessState {
    pub(crate) stopped: bool,
    pub(crate) nice: String,
    pub(crate) policy: String,
    pub(crate) autogroup_nice: String,
    pub(crate) cpuset: String,
    pub(crate) cpus: String,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let sleep = || own_session(Command::new("sleep").arg("600")).spawn().unwrap();
        Self { home: TempDir::with_prefix("lotse-separation-").unwrap(), others: vec![sleep(), sleep()] }
    }

    pub(crate) fn pids(&self) -> Vec<u32> {
        self.others.iter().map(Child::id).collect()
    }

    /// Whether an action works for the user who runs the tests; prints a note if not, since the test is then skipped.
    pub(crate) fn offers(&self, action: &str) -> bool {
        let doctor: serde_json::Value =
            serde_json::from_slice(&self.lotse(&["doctor", "--json"]).stdout).unwrap();
        let actions = doctor["separation"].as_array().unwrap();
        let found = actions.iter().find(|it| it["name"] == action).unwrap();
        if found["works"] != true {
            test_support::skip_here(format!("{action}: {}", found["detail"]));
        }
        found["works"] == true
    }

    /// The present state of the two other processes and of `anchor`.
    pub(crate) fn states(&self, anchor: u32) -> Vec<ProcessState> {
        self.pids().into_iter().chain([anchor]).map(ProcessState::from_pid).collect()
    }

    fn only(&self) -> String {
        let pids: Vec<String> = self.pids().iter().map(u32::to_string).collect();
        format!("--separate-only={}", pids.join(","))
    }

    fn journals(&self) -> PathBuf {
        self.home.path().join(".local/state/lotse/separation")
    }

    /// The files in which changes are written down, with their lines.
    pub(crate) fn journal(&self) -> Vec<String> {
        let entries = fs::read_dir(self.journals()).into_iter().flatten();
        let paths = entries.map(|entry| entry.unwrap().path());
        // A file that is removed meanwhile counts as empty.
        let texts = paths.map(|path| fs::read_to_string(path).unwrap_or_default());
        texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
    }

    pub(crate) fn has_journal(&self) -> bool {
        fs::read_dir(self.journals()).is_ok_and(|entries| {
            entries.into_iter().any(|entry| entry.unwrap().path().extension().is_some_and(|it| it == "jsonl"))
        })
    }

    /// The watchdog of a measurement of this scene.
    pub(crate) fn watchdog(&self) -> Option<u32> {
        let journals = self.journals();
        let is_ours = |pid: &u32| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).into_owned();
            line.contains("\0watchdog\0") && line.contains(journals.to_str().unwrap())
        };
        let entries = fs::read_dir("/proc").unwrap();
        let pids = entries.filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
        pids.into_iter().find(is_ours)
    }

    fn environment<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.env("HOME", self.home.path()).env("TERM", "dumb").current_dir(self.home.path());
        for name in ["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"] {
            command.env_remove(name);
        }
        command.stdin(Stdio::null())
    }

    /// Runs `lotse` without separation.
    pub(crate) fn lotse(&self, arguments: &[&str]) -> Output {
        self.environment(Command::new(LOTSE).args(arguments)).output().unwrap()
    }

    /// Runs `lotse bench --separate` to its end.
    pub(crate) fn separated(&self, actions: &str, arguments: &[&str]) -> Output {
        let mut command = Command::new(LOTSE);
        command.args(["bench", "--separate", actions, &self.only()]).args(arguments);
        own_session(self.environment(&mut command)).output().unwrap()
    }

    /// Starts `lotse bench --separate` in a session with a process that outlives it.
    pub(crate) fn start(&self, actions: &str, arguments: &[&str]) -> Measurement {
        let script = "sleep 600 >/dev/null 2>&1 & echo $!; exec \"$0\" \"$@\"";
        let mut command = Command::new("sh");
        command.args(["-c", script, LOTSE, "bench", "--json", "--separate", actions, &self.only()]);
        self.environment(command.args(arguments)).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut lotse = own_session(&mut command).spawn().unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(lotse.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        // The rest of the answer is not larger than a pipe.
        lotse.stdout = Some(output.into_inner());
        Measurement { lotse, anchor: line.trim().parse().unwrap() }
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        for child in &mut self.others {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}

impl Drop for Measurement {
    fn drop(&mut self) {
        // The test started both processes; Lotse may have ended.
        drop(self.lotse.kill());
        self.lotse.wait().unwrap();
        kill(self.anchor);
    }
}

impl ProcessState {
    pub(crate) fn from_pid(pid: u32) -> Self {
        let read = |name: &str| fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap();
        let stat = read("stat");
        let fields: Vec<String> =
            stat.rsplit_once(')').unwrap().1.split_whitespace().map(str::to_owned).collect();
        let line = |text: &str, mark: &str| {
            let line = text.lines().find(|line| line.contains(mark)).unwrap_or("");
            line.rsplit(':').next().unwrap_or("").trim().to_owned()
        };
        Self {
            stopped: fields[0] == "T",
            nice: fields[16].clone(),
            policy: fields[38].clone(),
            autogroup_nice: fs::read_to_string(format!("/proc/{pid}/autogroup")).map_or_else(
                |_| String::new(),
                |text| text.split_whitespace().last().unwrap_or("").to_owned(),
            ),
            cpuset: line(&read("cgroup"), ":cpuset:"),
            cpus: line(&read("status"), "Cpus_allowed_list"),
        }
    }
}

/// Kills a process that the test or its Lotse started.
pub(crate) fn kill(pid: u32) {
    match kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), Signal::KILL) {
        // It may have ended by itself.
        Ok(()) | Err(rustix::io::Errno::SRCH) => {}
        Err(errno) => panic!("cannot kill {pid}: {errno}"),
    }
}

fn own_session(command: &mut Command) -> &mut Command {
    // SAFETY: between fork and exec it makes one system call.
    unsafe { command.pre_exec(|| rustix::process::setsid().map(|_| ()).map_err(Into::into)) }
}

/// Waits until a condition holds, with a generous time limit for slow machines.
#[track_caller]
pub(crate) fn eventually(what: &str, mut happened: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !happened() {
        assert!(begin.elapsed() < Duration::from_secs(30), "{what} did not happen");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Control groups that a process of Lotse made.
pub(crate) fn groups_of(lotse: u32) -> Vec<PathBuf> {
    let roots = ["/sys/fs/cgroup/cpuset", "/sys/fs/cgroup"].map(Path::new);
    let entries = roots.iter().filter_map(|root| fs::read_dir(root).ok()).flatten();
    let paths = entries.map(|entry| entry.unwrap().path());
    let prefix = format!("lotse-{lotse}-");
    paths.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with(&prefix)).collect()
}
