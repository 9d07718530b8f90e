//! A temporary folder in which the measured programs are built and everything is run.
//!
//! All tools run through Lotse's launcher process: it accounts for the CPU seconds of process trees, and no process survives if a
//! benchmark is killed.

use std::fs;
use std::path::{Path, PathBuf};

use lotse_host::{Captured, End, Interrupt, Job, Launcher, LauncherOptions, Output};

use crate::error::Error;

/// Enough for the JSON of some hundred thousand runs.
const OUTPUT_LIMIT: usize = 256 << 20;

/// A temporary folder, deleted when dropped, and a launcher.
#[derive(Debug)]
pub struct Workshop {
    folder: tempfile::TempDir,
    launcher: Launcher,
}

/// The result of a successful run of a tool.
#[derive(Debug)]
pub struct Finished {
    pub stdout: String,
    pub stderr: String,
    /// Wall seconds from its start to its end.
    pub seconds: f64,
    /// CPU seconds of it and of everything it waited for.
    pub cpu_seconds: f64,
}

impl Workshop {
    /// An empty workshop, once per process. From now on Ctrl-C ends the running tool, so that the folder is deleted.
    pub fn open() -> Result<Self, Error> {
        let folder = tempfile::Builder::new().prefix("lotse-benchmarks-").tempdir();
        let folder = folder.map_err(Error::file("make a folder in", std::env::temp_dir()))?;
        let interrupt = Interrupt::install().map_err(Error::Signals)?;
        let options = LauncherOptions { interrupt: Some(interrupt), ..LauncherOptions::default() };
        Ok(Self { folder, launcher: Launcher::start(&options)? })
    }

    /// The path of a file in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The launcher, for runs that need no output.
    pub fn launcher(&mut self) -> &mut Launcher {
        &mut self.launcher
    }

    /// Runs a tool in the folder; an exit status that is not among `accepted` is an error.
    pub fn run(&mut self, tool: &'static str, argv: &[String], accepted: &[i32]) -> Result<Finished, Error> {
        let folder = self.folder.path().to_owned();
        self.run_in(&folder, tool, argv, accepted)
    }

    /// Runs a tool in another folder.
    pub fn run_in(
        &mut self,
        folder: &Path,
        tool: &'static str,
        argv: &[String],
        accepted: &[i32],
    ) -> Result<Finished, Error> {
        let capture = Output::Capture { limit: OUTPUT_LIMIT };
        let directory = Some(folder.to_owned());
        let job = Job { directory, stdout: capture.clone(), stderr: capture, ..Job::new(argv) };
        let report = self.launcher.run(&job)?;
        let output = text(&report.stderr);
        match report.end {
            End::Exited(status) if accepted.contains(&status) => Ok(Finished {
                stdout: text(&report.stdout),
                stderr: output,
                seconds: report.wall_ns as f64 / 1e9,
                cpu_seconds: (report.usage.user_ns + report.usage.system_ns) as f64 / 1e9,
            }),
            end => Err(Error::Tool { tool, end, output: output.trim().to_owned() }),
        }
    }

    /// Builds a C program with `gcc -O2` and more flags. Returns its path.
    pub fn compile(&mut self, name: &str, source: &str, flags: &[&str]) -> Result<PathBuf, Error> {
        let file = format!("{name}.c");
        let path = self.path(&file);
        fs::write(&path, source).map_err(Error::file("write", &path))?;
        let argv = [&["gcc", "-O2", "-o", name, &file], flags].concat();
        self.compiler(&argv.into_iter().map(str::to_owned).collect::<Vec<_>>())?;
        Ok(self.path(name))
    }

    /// The first line of `gcc --version`.
    pub fn compiler_version(&mut self) -> Result<String, Error> {
        let output = self.compiler(&["gcc".to_owned(), "--version".to_owned()])?.stdout;
        Ok(output.lines().next().unwrap_or("gcc of unknown version").to_owned())
    }

    fn compiler(&mut self, argv: &[String]) -> Result<Finished, Error> {
        self.run("gcc", argv, &[0]).map_err(|error| match error {
            Error::Tool { end: end @ End::NotStarted(_), .. } => Error::NoCompiler(end),
            error => error,
        })
    }

    /// Copies a file of the folder, byte for byte, its permissions included.
    pub fn copy(&self, from: &Path, name: &str) -> Result<PathBuf, Error> {
        let path = self.path(name);
        fs::copy(from, &path).map_err(Error::file("write", &path))?;
        Ok(path)
    }
}

fn text(captured: &Captured) -> String {
    String::from_utf8_lossy(&captured.bytes).into_owned()
}
