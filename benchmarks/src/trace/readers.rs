//! Programs that read traces, each run on an archive and measured from outside.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lotse_host::{Job, Output};
use serde::{Deserialize, Serialize};

use super::checksum::Checksum;
use crate::error::Error;
use crate::lotse::Lotse;
use crate::peers::ReaderUsage;
use crate::peers::watch::Watch;
use crate::workshop::Workshop;

const SOURCE: &str = include_str!("../../programs/otf2_read.c");
const SCRIPT: &str = "
import sys, otf2
with otf2.reader.open(sys.argv[1]) as trace:
    count = 0
    for location, event in trace.events:
        count += 1
    print(count, 0)
";

/// A program with its mode of operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reader {
    /// Lotse's reader on one thread, adding up all fields.
    Lotse,
    /// libotf2, the same.
    Library,
    /// `otf2-print`, its output thrown away.
    Print,
    /// python3-otf2, counting.
    Python,
    /// `lotse trace analyze --quick` on one thread: patterns, critical path, delays.
    Quick,
    /// The same on two threads.
    QuickOnTwo,
    /// `lotse trace analyze` on one thread.
    Analysis,
    /// The same on two.
    AnalysisOnTwo,
}

/// Where the programs are.
#[derive(Debug)]
pub struct Readers {
    /// The path of this benchmark, which can compute a checksum.
    ours: PathBuf,
    library: PathBuf,
    lotse: PathBuf,
}

impl Reader {
    /// All of them, in the order they are shown.
    pub const ALL: [Self; 8] = [
        Self::Lotse,
        Self::Library,
        Self::Print,
        Self::Python,
        Self::Quick,
        Self::QuickOnTwo,
        Self::Analysis,
        Self::AnalysisOnTwo,
    ];

    /// What the tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lotse => "Lotse, reading",
            Self::Library => "libotf2, reading",
            Self::Print => "otf2-print",
            Self::Python => "python3-otf2, counting",
            Self::Quick => "lotse trace analyze --quick, 1 thread",
            Self::QuickOnTwo => "lotse trace analyze --quick, 2 threads",
            Self::Analysis => "lotse trace analyze, 1 thread",
            Self::AnalysisOnTwo => "lotse trace analyze, 2 threads",
        }
    }

    /// Whether it prints a checksum.
    fn counts(self) -> bool {
        matches!(self, Self::Lotse | Self::Library | Self::Python)
    }
}

impl Readers {
    /// Finds and builds them.
    pub fn prepare(workshop: &mut Workshop, lotse: &Lotse) -> Result<Self, Error> {
        let ours = std::env::current_exe().map_err(Error::file("find", "this program"))?;
        let words = ["pkg-config", "--cflags", "--libs", "otf2"].map(str::to_owned);
        let flags =
            workshop.run("pkg-config (Debian: apt install libopen-trace-format2-dev)", &words, &[0])?;
        let flags: Vec<_> = flags.stdout.split_ascii_whitespace().collect();
        let library = workshop.compile("otf2_read", SOURCE, &flags)?;
        Ok(Self { ours, library, lotse: lotse.path().to_owned() })
    }

    /// Runs a reader on an archive. Returns its costs, and its checksum if it prints one.
    pub fn measure(
        &self,
        reader: Reader,
        anchor: &Path,
        workshop: &mut Workshop,
    ) -> Result<(ReaderUsage, Option<Checksum>), Error> {
        let job = self.job(reader, anchor);
        let (report, seen) = Watch::to_the_end().during(|| workshop.launcher().run(&job));
        let report = report?;
        if !report.end.is_success() {
            let output = String::from_utf8_lossy(&report.stderr.bytes).trim().to_owned();
            return Err(Error::Tool { tool: reader.name(), end: report.end, output });
        }
        let measured = ReaderUsage {
            cpu_seconds: (report.usage.user_ns + report.usage.system_ns) as f64 / 1e9,
            wall_seconds: report.wall_ns as f64 / 1e9,
            resident_bytes: report.usage.max_resident_bytes as f64,
            anonymous_bytes: seen.peak_anonymous as f64,
        };
        let output = String::from_utf8_lossy(&report.stdout.bytes).into_owned();
        Ok((measured, reader.counts().then(|| counted(reader, &output)).transpose()?))
    }

    fn job(&self, reader: Reader, anchor: &Path) -> Job {
        let words = |program: &Path, before: &[&str], after: &[&str]| -> Vec<OsString> {
            let before = before.iter().map(OsString::from);
            let after = after.iter().map(OsString::from);
            [program.into()].into_iter().chain(before).chain([anchor.into()]).chain(after).collect()
        };
        let analysis = |after: &[&str]| words(&self.lotse, &["trace", "analyze"], after);
        let argv = match reader {
            Reader::Lotse => words(&self.ours, &["--checksum"], &[]),
            Reader::Library => words(&self.library, &[], &[]),
            Reader::Print => words("otf2-print".as_ref(), &[], &[]),
            // The bindings belong to the system's Python, not to another one that may come first.
            Reader::Python => words("/usr/bin/python3".as_ref(), &["-c", SCRIPT], &[]),
            Reader::Quick => analysis(&["--quick", "--json", "--threads", "1"]),
            Reader::QuickOnTwo => analysis(&["--quick", "--json", "--threads", "2"]),
            Reader::Analysis => analysis(&["--json", "--threads", "1"]),
            Reader::AnalysisOnTwo => analysis(&["--json", "--threads", "2"]),
        };
        let capture = Output::Capture { limit: 1 << 12 };
        let stdout = if reader.counts() { capture.clone() } else { Output::Null };
        Job { stdout, stderr: capture, timeout: Some(Duration::from_secs(1800)), ..Job::new(argv) }
    }
}

fn counted(reader: Reader, output: &str) -> Result<Checksum, Error> {
    output.parse().map_err(|_| Error::Answer { tool: reader.name(), what: "checksum".to_owned() })
}

#[cfg(test)]
mod tests {
    use super::{Reader, Readers};
    use std::path::Path;

    #[test]
    fn commands_are_what_a_user_would_type() {
        let readers = Readers { ours: "b".into(), library: "l".into(), lotse: "lotse".into() };
        let shown = |reader| {
            let job = readers.job(reader, Path::new("t.otf2"));
            job.argv.iter().map(|it| it.to_str().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(shown(Reader::AnalysisOnTwo), "lotse trace analyze t.otf2 --json --threads 2");
        assert_eq!(shown(Reader::Lotse), "b --checksum t.otf2");
        assert_eq!(shown(Reader::Print), "otf2-print t.otf2");
    }
}
