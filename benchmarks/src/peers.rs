//! Programs that read profiles, each run once on a file and measured from outside.
//!
//! CPU seconds and peak resident memory are the kernel's, by `wait4`; the peak of anonymous memory is the largest
//! value seen in `/proc` every few milliseconds, so that pages of a mapped file do not count. KCachegrind never
//! ends by itself: it is done when it no longer uses the CPU.

mod figures;
mod process;
mod show;
mod subject;
pub(crate) mod watch;

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use lotse_host::{End, Environment, Job, Output};
use serde::{Deserialize, Serialize};

pub use figures::{Record, Summary};
pub use show::show;
pub use subject::{FileKind, Goal, Subject};
use watch::Watch;

use crate::error::Error;
use crate::lotse::Lotse;
use crate::workshop::Workshop;

/// A program with its mode of operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Peer {
    /// `wc -l`: the least that reading the file costs.
    Lines,
    /// `lotse profile top` on the file alone.
    Lotse,
    /// The same, the first time it may keep an index.
    LotseFirst,
    /// The same with the index that is there.
    LotseAgain,
    /// KCachegrind until it is idle.
    KCachegrind,
    /// `callgrind_annotate`.
    Annotate,
}

/// The resources that reading a file took.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ReaderUsage {
    /// User and system time of the process.
    pub cpu_seconds: f64,
    /// From its start to its end, or until it was idle.
    pub wall_seconds: f64,
    /// Peak resident set in bytes, pages of mapped files included.
    pub resident_bytes: f64,
    /// Peak anonymous memory in bytes.
    pub anonymous_bytes: f64,
}

impl Peer {
    /// All of them, in the order they are shown.
    pub const ALL: [Self; 6] =
        [Self::Lotse, Self::LotseFirst, Self::LotseAgain, Self::KCachegrind, Self::Annotate, Self::Lines];

    /// What the tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lines => "wc -l",
            Self::Lotse => "lotse profile top --no-index",
            Self::LotseFirst => "lotse profile top, first time",
            Self::LotseAgain => "lotse profile top, again",
            Self::KCachegrind => "KCachegrind",
            Self::Annotate => "callgrind_annotate",
        }
    }

    /// Runs it on a file.
    pub fn measure(self, workshop: &mut Workshop, lotse: &Lotse, file: &Path) -> Result<ReaderUsage, Error> {
        let job = self.job(workshop, lotse, file)?;
        let is_window = self == Self::KCachegrind;
        let watch = if is_window { Watch::until_idle(process::KCACHEGRIND) } else { Watch::to_the_end() };
        let (report, seen) = watch.during(|| workshop.launcher().run(&job));
        let report = report?;
        let is_stopped = is_window && seen.idle_after.is_some();
        if !report.end.is_success() && !is_stopped {
            return Err(self.failed(report.end, &report.stderr.bytes));
        }
        Ok(ReaderUsage {
            cpu_seconds: (report.usage.user_ns + report.usage.system_ns) as f64 / 1e9,
            wall_seconds: seen.idle_after.map_or(report.wall_ns as f64 / 1e9, |it| it.as_secs_f64()),
            resident_bytes: report.usage.max_resident_bytes as f64,
            anonymous_bytes: seen.peak_anonymous as f64,
        })
    }

    fn job(self, workshop: &Workshop, lotse: &Lotse, file: &Path) -> Result<Job, Error> {
        let capture = Output::Capture { limit: 1 << 16 };
        let timeout = Some(Duration::from_secs(1800));
        let job = Job { stderr: capture, timeout, ..Job::new(self.command(lotse, file)) };
        match self {
            Self::LotseFirst => touch(file).map_err(Error::file("touch", file))?,
            Self::KCachegrind => return Ok(Job { environment: scratch_home(workshop)?, ..job }),
            _ => {}
        }
        Ok(job)
    }

    fn command(self, lotse: &Lotse, file: &Path) -> Vec<OsString> {
        let top = |more: &[&'static str]| {
            let fixed = [lotse.path().as_os_str(), "profile".as_ref(), "top".as_ref(), file.as_os_str()];
            let words = fixed.into_iter().map(OsString::from);
            words.chain(["--limit", "20"].iter().chain(more).map(OsString::from)).collect()
        };
        let with_file = |words: &[&str]| words.iter().map(OsString::from).chain([file.into()]).collect();
        match self {
            Self::Lines => with_file(&["wc", "-l"]),
            Self::Lotse => top(&["--no-index"]),
            Self::LotseFirst | Self::LotseAgain => top(&[]),
            // Without a session bus KCachegrind ends at once.
            Self::KCachegrind => with_file(&["dbus-run-session", "--", process::KCACHEGRIND]),
            Self::Annotate => with_file(&["callgrind_annotate"]),
        }
    }

    fn failed(self, end: End, stderr: &[u8]) -> Error {
        let output = String::from_utf8_lossy(stderr);
        Error::Tool { tool: self.name(), end, output: output.trim().to_owned() }
    }
}

/// Changes the modification time of a file, which invalidates an existing index.
fn touch(file: &Path) -> io::Result<()> {
    File::options().append(true).open(file)?.set_modified(SystemTime::now())
}

/// An environment for a window without a screen that does not use the settings of the user.
fn scratch_home(workshop: &Workshop) -> Result<Environment, Error> {
    let home = workshop.path("home");
    fs::create_dir_all(&home).map_err(Error::file("make", &home))?;
    let mut environment = Environment::default();
    environment.set("QT_QPA_PLATFORM", "offscreen").set("HOME", &home).set("XDG_RUNTIME_DIR", &home);
    Ok(environment)
}
