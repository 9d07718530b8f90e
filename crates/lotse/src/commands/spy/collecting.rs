//! `lotse spy run` starts and ends the collector process, and completes the history if the collector failed.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;

use lotse_formats::history::{self, History, RecordingEnd, RecordingStart, StoredSamples};
use lotse_host::FileSource;
use lotse_host::spy::{CollectorEnd, CollectorProcess, GrowingFile, SpySession};
use lotse_model::bytes::Source as _;

use super::run::failure;
use crate::args::spy::SpyRunArgs;
use crate::exit::{Exit, Failure};
use crate::screen;

/// Starts the collector process, with the description of the recording as an argument.
pub(super) fn start(
    session: &SpySession,
    args: &SpyRunArgs,
    compiler: String,
) -> Result<CollectorProcess, Failure> {
    let start = RecordingStart {
        lotse: env!("CARGO_PKG_VERSION").to_owned(),
        recorder: "compile".to_owned(),
        command: args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        directory: std::env::current_dir().map_err(|error| missing(&error))?.display().to_string(),
        compiler: Some(compiler),
        structures: args.structure.clone(),
        min_bytes: args.min_bytes,
    };
    let start = serde_json::to_string(&start).map_err(|error| missing(&error))?;
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
    session.start_collector(&arguments).map_err(failure)
}

/// Tells the collector that the command has ended, and waits until the history is written. Returns whether the recording is
/// incomplete because of the collector; the history then states the reason.
pub(super) fn end(
    collector: &mut CollectorProcess,
    session: &SpySession,
    end: &mut RecordingEnd,
    out: &Path,
) -> Result<bool, Failure> {
    if session.is_stopped() {
        end.incomplete.push(STOPPED.to_owned());
    }
    let message = serde_json::to_vec(end).map_err(|error| missing(&error))?;
    let reason = match collector.finish(message, out).map_err(|error| missing(&error))? {
        CollectorEnd::Complete => return Ok(session.is_stopped()),
        CollectorEnd::Stalled => "the collector made no progress for 10 s and was ended".to_owned(),
        CollectorEnd::Died(status) => match status.signal() {
            Some(signal) => format!("the collector was ended by signal {signal}"),
            None => format!("the collector ended early, with {status}"),
        },
    };
    screen::remark(&format!("{reason}: the history has only what it wrote before"));
    end.incomplete.insert(0, reason);
    repair(out, end)?;
    Ok(true)
}

const STOPPED: &str = "the collector did not read for 10 s, and the program went on unrecorded";

/// Cuts off a chunk that the collector did not complete, and writes how the recording ended.
fn repair(out: &Path, end: &RecordingEnd) -> Result<(), Failure> {
    let source = FileSource::open(out).map_err(|error| missing(&error))?;
    let complete_length = history::complete_length(source.bytes()).ok_or_else(|| Failure {
        exit: Exit::Missing,
        message: format!("nothing was recorded: {}", end.incomplete.join("; ")),
    })?;
    // The collector may have written the end before it failed.
    let is_ended = History::read("", source.bytes()).is_ok_and(|reading| reading.value.end.is_some());
    drop(source);
    let mut file = GrowingFile::open(out).map_err(|error| missing(&error))?;
    file.shorten(complete_length).map_err(|error| missing(&error))?;
    if !is_ended && let Err(error) = file.write(&history::end_chunk(end)) {
        screen::remark(&format!("the history lacks its end: {error}"));
    }
    Ok(())
}

/// Appends the time and the samples of the run without recording to a history.
pub(super) fn append_unrecorded(
    out: &Path,
    seconds: Option<f64>,
    samples: &StoredSamples,
) -> Result<(), Failure> {
    let source = FileSource::open(out).map_err(|error| missing(&error))?;
    let reading =
        History::read(&out.display().to_string(), source.bytes()).map_err(|error| missing(&error))?;
    let Some(end) = reading.value.end else { return Ok(()) };
    let mut file = GrowingFile::open(out).map_err(|error| missing(&error))?;
    file.write(&history::samples_chunk(samples)).map_err(|error| missing(&error))?;
    file.write(&history::end_chunk(&RecordingEnd { unrecorded_seconds: seconds, ..end }))
        .map_err(|error| missing(&error))
}

fn missing(error: &dyn std::error::Error) -> Failure {
    Failure::new(Exit::Missing, error)
}
