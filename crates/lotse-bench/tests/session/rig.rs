//! A temporary directory, programs that run in it, and their measurement.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use lotse_bench::command::Shell;
use lotse_bench::log::Log;
use lotse_bench::options::{
    Hooks, Input, Options, Output, ProgramSpec, RunnerChoice, SelfCheckChoice, Stopping,
};
use lotse_bench::session::{SessionContext, SessionError};
use lotse_bench::{Finished, bench};
use lotse_host::Interrupt;
use lotse_model::Fingerprint;
use lotse_model::progress::{NoProgress, Progress};
use lotse_model::results::{Design, Program};
use lotse_model::rule::Thresholds;
use lotse_model::suite::Expected;
use tempfile::TempDir;

pub(crate) struct Rig {
    directory: TempDir,
}

impl Rig {
    pub(crate) fn new() -> Self {
        Self { directory: TempDir::with_prefix("lotse-session-").unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The lines of a file that programs append to; empty if there are none.
    pub(crate) fn lines(&self, name: &str) -> Vec<String> {
        let text = fs::read_to_string(self.path(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// A shell script as a program, in the rig's directory.
    pub(crate) fn program(&self, name: &str, body: &str) -> ProgramSpec {
        self.one_of(name, &[body])
    }

    /// A program with several bodies, one of which is drawn at random for each run.
    pub(crate) fn one_of(&self, name: &str, bodies: &[&str]) -> ProgramSpec {
        let words = |body: &&str| ["sh", "-c", body].map(OsString::from).into();
        ProgramSpec {
            directories: Vec::new(),
            program: Program { name: name.to_owned(), command: bodies[0].to_owned(), ..Program::default() },
            alternatives: bodies.iter().map(words).collect(),
            environment: vec![],
            directory: Some(self.directory.path().to_owned()),
            input: Input::Null,
            output: Output::Null,
            hooks: Hooks::default(),
            expected: Expected::default(),
            any_exit_code: false,
            timeout: None,
            are_builds: false,
        }
    }

    /// Measures without a log and without interruption.
    pub(crate) fn bench(&self, options: &Options) -> Finished {
        self.watched(options, Log::none(), Interrupt::new().unwrap(), &mut NoProgress).unwrap()
    }

    /// Measures and keeps the runs in the file `log`.
    pub(crate) fn logged(&self, options: &Options) -> Finished {
        let log = Log::create(&self.path("log"), false).unwrap();
        self.watched(options, log, Interrupt::new().unwrap(), &mut NoProgress).unwrap()
    }

    /// Measures and reports progress.
    pub(crate) fn watched(
        &self,
        options: &Options,
        log: Log,
        interrupt: Interrupt,
        progress: &mut dyn Progress,
    ) -> Result<Finished, SessionError> {
        bench(options, SessionContext { machine: Fingerprint::default(), interrupt, log, progress })
    }
}

/// Options for exactly this many blocks of these programs.
pub(crate) fn options(programs: Vec<ProgramSpec>, blocks: u32) -> Options {
    Options {
        earlier: None,
        programs,
        reference: 0,
        design: Design::Blocks,
        design_note: None,
        separation: None,
        seed: 77,
        stopping: Stopping { fixed: true, max_blocks: Some(blocks), ..Stopping::default() },
        primary: "wall".to_owned(),
        metrics: vec![],
        warmup: 0,
        runner: RunnerChoice::default(),
        shell: Shell::None,
        self_check: SelfCheckChoice::Off,
        thresholds: Thresholds::default(),
        layouts: None,
        invocation: lotse_model::Invocation::default(),
    }
}

/// The program with a command before every run.
pub(crate) fn prepared(program: ProgramSpec, prepare: &str) -> ProgramSpec {
    let hooks = Hooks { prepare: Some(prepare.to_owned()), ..program.hooks };
    ProgramSpec { hooks, ..program }
}
