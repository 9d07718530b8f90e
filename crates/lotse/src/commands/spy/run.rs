//! `lotse spy run`: builds, runs and records; then runs once more without recording, for the time.

use std::ffi::OsString;
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::time::Instant;

use lotse_formats::history::{self, End, RecordedCrate, Start};
use lotse_host::spy::{Build, GrowingFile, SpyError, SpySession, Toolchain, program_runs};
use lotse_host::{Interrupt, Scratch};

use crate::args::spy::SpyRunArgs;
use crate::exit::{Exit, Failure};
use crate::screen;

pub(crate) fn run(args: &SpyRunArgs) -> Result<Exit, Failure> {
    let toolchain = Toolchain::ask(chosen_toolchain(&args.command)).map_err(failure)?;
    let compiler = toolchain.version.clone();
    let session = SpySession::prepare(toolchain, build(args)).map_err(failure)?;
    // Ctrl-C reaches the command, too; Lotse waits for its end and keeps what was recorded.
    let interrupt = Interrupt::install().map_err(|error| Failure::new(Exit::Missing, &error))?;
    let mut collector = Collector::start(&session, args, compiler)?;
    let started = Instant::now();
    let status =
        session.start(&args.command, collector.child.id()).and_then(|child| wait(child, &args.command));
    let mut end = End {
        seconds: started.elapsed().as_secs_f64(),
        crates: session.crates().into_iter().map(recorded).collect(),
        ..End::default()
    };
    let status = match status {
        Ok(status) => status,
        Err(error) => {
            collector.end(&end)?;
            return Err(failure(error));
        }
    };
    (end.status, end.signal) = (status.code(), status.signal());
    collector.end(&end)?;
    if !status.success() {
        screen::remark(&format!("the command ended with {status}; what was recorded until then is kept"));
    } else if !args.no_second_run && !interrupt.is_set() {
        end.unrecorded_seconds = unrecorded_seconds(&session, args)?;
        append_end(&args.out, &end)?;
    }
    screen::remark(&format!("history: {}", args.out.display()));
    if interrupt.is_set() {
        screen::remark("interrupted: `lotse spy analyze` says what the history tells so far");
        return Ok(Exit::Interrupted);
    }
    super::analyze::show(
        &args.out,
        super::analyze::Show {
            limit: 10,
            json: false,
            sarif: None,
            thresholds: &args.thresholds,
            call: &args.call,
        },
    )?;
    Ok(if status.success() { Exit::Done } else { Exit::ProgramFailed })
}

fn build(args: &SpyRunArgs) -> Build {
    Build {
        only: args.only.clone(),
        exclude: args.exclude.clone(),
        target: args.target_dir.clone(),
        drop: args.drop,
    }
}

fn failure(error: SpyError) -> Failure {
    Failure::new(Exit::Missing, &error)
}

fn recorded(compiled: lotse_host::spy::CompiledCrate) -> RecordedCrate {
    RecordedCrate { name: compiled.name, own: compiled.own, level: compiled.level }
}

/// What follows `+` in `cargo +nightly run`.
fn chosen_toolchain(command: &[OsString]) -> Option<&str> {
    command.get(1)?.to_str()?.strip_prefix('+')
}

fn wait(mut child: Child, command: &[OsString]) -> Result<ExitStatus, SpyError> {
    let program = || command.iter().take(1).map(|program| program.to_string_lossy()).collect::<String>();
    child.wait().map_err(|source| SpyError::Start { program: program(), source })
}

/// The process that writes the history.
struct Collector {
    child: Child,
}

impl Collector {
    fn start(session: &SpySession, args: &SpyRunArgs, compiler: String) -> Result<Self, Failure> {
        let start = Start {
            lotse: env!("CARGO_PKG_VERSION").to_owned(),
            recorder: "compile".to_owned(),
            command: args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
            directory: std::env::current_dir()
                .map_err(|error| Failure::new(Exit::Missing, &error))?
                .display()
                .to_string(),
            compiler: Some(compiler),
        };
        let start = serde_json::to_string(&start).map_err(|error| Failure::new(Exit::Missing, &error))?;
        let arguments: [OsString; 8] = [
            "spy".into(),
            "collect".into(),
            "--rings".into(),
            session.rings().into(),
            "--out".into(),
            args.out.clone().into(),
            "--start".into(),
            start.into(),
        ];
        Ok(Self { child: session.start_collector(&arguments).map_err(failure)? })
    }

    /// Says that the command has ended and waits until the history is written.
    fn end(&mut self, end: &End) -> Result<(), Failure> {
        let word = serde_json::to_vec(end).map_err(|error| Failure::new(Exit::Missing, &error))?;
        let told = self.child.stdin.take().map(|mut pipe| pipe.write_all(&word));
        let status = self.child.wait().map_err(|error| Failure::new(Exit::Missing, &error))?;
        if status.success() && matches!(told, Some(Ok(()))) {
            return Ok(());
        }
        let message = format!("the collector ended with {status}: the history has only what it wrote before");
        Err(Failure { exit: Exit::Missing, message })
    }
}

/// Runs the command once more without recording: the sum of the times of its programs.
fn unrecorded_seconds(session: &SpySession, args: &SpyRunArgs) -> Result<Option<f64>, Failure> {
    screen::remark(
        "running the command once more without recording, for its time (--no-second-run leaves this out)",
    );
    let scratch = Scratch::create().map_err(|error| Failure::new(Exit::Missing, &error))?;
    let child = session.start_unrecorded(&args.command, scratch.path()).map_err(failure)?;
    let status = wait(child, &args.command).map_err(failure)?;
    if !status.success() {
        screen::remark(&format!("without recording the command ended with {status}: its time is not used"));
        return Ok(None);
    }
    let runs = program_runs(scratch.path()).map_err(|error| Failure::new(Exit::Missing, &error))?;
    Ok((!runs.is_empty()).then(|| runs.iter().map(|run| run.seconds).sum()))
}

fn append_end(out: &Path, end: &End) -> Result<(), Failure> {
    let mut file = GrowingFile::open(out).map_err(|error| Failure::new(Exit::Missing, &error))?;
    file.write(&history::end(end)).map_err(|error| Failure::new(Exit::Missing, &error))
}
