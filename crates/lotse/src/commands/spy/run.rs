//! `lotse spy run`: builds and runs a program and records it; then runs it once more without recording, for its time.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Child;
use std::process::ExitStatus;
use std::time::Instant;

use lotse_formats::history::{RecordedCrate, RecordingEnd, StoredSamples};
use lotse_host::spy::{
    CommandEnd, RecordedBuild, SpyError, SpySession, Toolchain, program_runs, wait_for_command,
};
use lotse_host::{Interrupt, Scratch};

use lotse_spy::decode::Selection;

use super::{collecting, samples};
use crate::args::spy::SpyRunArgs;
use crate::exit::{Exit, Failure};
use crate::screen;

/// Records a command, measures it once more without recording, and prints the findings. The history is kept even if the command
/// fails or is interrupted.
pub(crate) fn run(args: &SpyRunArgs) -> Result<Exit, Failure> {
    Selection::new(&args.structure, args.min_bytes).map_err(|error| Failure::usage(error.to_string()))?;
    let toolchain = Toolchain::query(chosen_toolchain(&args.command)).map_err(failure)?;
    let compiler = toolchain.version.clone();
    let session = SpySession::prepare(toolchain, build(args)).map_err(failure)?;
    // Ctrl-C also reaches the command; Lotse waits for its end and keeps what was recorded.
    let interrupt = Interrupt::install().map_err(|error| Failure::new(Exit::Missing, &error))?;
    let mut collector = collecting::start(&session, args, compiler)?;
    let started = Instant::now();
    let child = session.start(&args.command, collector.id());
    let ended = child.and_then(|child| wait(child, &args.command, &interrupt, || collector.look()));
    let mut end = RecordingEnd {
        crates: session.crates().into_iter().map(recorded).collect(),
        seconds: started.elapsed().as_secs_f64(),
        ..RecordingEnd::default()
    };
    if let Ok(ended) = &ended {
        end.seconds = ended.at.duration_since(started).as_secs_f64();
        (end.status, end.signal) = (ended.status.code(), ended.status.signal());
    }
    let problem = collecting::end(&mut collector, &session, &mut end, &args.out)?;
    let status = ended.map_err(failure)?.status;
    // A status other than 0 may be normal for a program; `unrecorded` checks that it is the same in the second run.
    if status.code().is_some() && !args.no_second_run && !interrupt.is_set() {
        let (seconds, samples) = unrecorded(&session, args, &interrupt, status)?;
        collecting::append_unrecorded(&args.out, seconds, &samples)?;
    }
    screen::remark(&format!("history: {}", args.out.display()));
    if interrupt.is_set() {
        screen::remark("interrupted: `lotse spy analyze` says what the history tells so far");
        return Ok(Exit::Interrupted);
    }
    drop(session);
    // Nothing is left to clean up, so a signal may end Lotse from here on.
    interrupt.let_signals_end_lotse().map_err(|error| Failure::new(Exit::Missing, &error))?;
    super::analyze::show(
        &args.out,
        super::analyze::ShowOptions {
            limit: 10,
            json: false,
            sarif: None,
            reading: &args.reading,
            call: &args.call,
        },
    )?;
    Ok(match (status.success(), problem) {
        (false, _) => Exit::ProgramFailed,
        (true, true) => Exit::Missing,
        (true, false) => Exit::Done,
    })
}

fn build(args: &SpyRunArgs) -> RecordedBuild {
    RecordedBuild {
        only: args.only.clone(),
        exclude: args.exclude.clone(),
        target: args.target_dir.clone(),
        drop: args.drop,
    }
}

pub(super) fn failure(error: SpyError) -> Failure {
    Failure::new(Exit::Missing, &error)
}

fn recorded(compiled: lotse_host::spy::CompiledCrate) -> RecordedCrate {
    RecordedCrate { name: compiled.name, own: compiled.own, level: compiled.level }
}

/// What follows `+` in `cargo +nightly run`.
fn chosen_toolchain(command: &[OsString]) -> Option<&str> {
    command.get(1)?.to_str()?.strip_prefix('+')
}

fn wait(
    child: Child,
    command: &[OsString],
    interrupt: &Interrupt,
    look: impl FnMut(),
) -> Result<CommandEnd, SpyError> {
    let program = || command.iter().take(1).map(|program| program.to_string_lossy()).collect::<String>();
    wait_for_command(child, interrupt, look).map_err(|source| SpyError::Start { program: program(), source })
}

/// Runs the command once more without recording, and gives the sum of the times of its programs and their samples; no time if
/// the command ends with another status.
fn unrecorded(
    session: &SpySession,
    args: &SpyRunArgs,
    interrupt: &Interrupt,
    recorded: ExitStatus,
) -> Result<(Option<f64>, StoredSamples), Failure> {
    let what = if session.has_unrecorded_build() { "running" } else { "building and running" };
    screen::remark(&format!(
        "{what} the command once more without recording, for its time and the shares of its loops and calls \
         (--no-second-run leaves this out)"
    ));
    let scratch = Scratch::create().map_err(|error| Failure::new(Exit::Missing, &error))?;
    let child = session.start_unrecorded(&args.command, scratch.path()).map_err(failure)?;
    let status = wait(child, &args.command, interrupt, || {}).map_err(failure)?.status;
    if status != recorded {
        screen::remark(&format!(
            "the command ended with {status} without recording and with {recorded} before: its time is not used"
        ));
        return Ok((None, StoredSamples::default()));
    }
    let runs = program_runs(scratch.path()).map_err(|error| Failure::new(Exit::Missing, &error))?;
    let samples = samples::read(scratch.path())?;
    for reason in &samples.missing {
        screen::remark(&format!(
            "shares of loops are those of the recorded run, and those of calls are by a model: {reason}"
        ));
    }
    Ok(((!runs.is_empty()).then(|| runs.iter().map(|run| run.seconds).sum()), samples))
}
