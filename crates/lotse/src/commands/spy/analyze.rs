//! `lotse spy analyze`: prints the findings of a recording.

use std::path::Path;

use lotse_formats::history::RingStacks;
use lotse_host::FileSink;
use lotse_model::bytes::Sink as _;
use lotse_model::finding::shell_word;
use lotse_model::{Finding, Invocation};
use lotse_spy::answer::AnalyzeAnswer;
use lotse_spy::decode::processes;
use lotse_spy::report::{self, Recording};
use lotse_spy::{Digest, Outcome, RunTime};

use super::digest::digest;
use super::input;
use crate::args::spy::{ReadingArgs, SpyAnalyzeArgs};
use crate::exit::{Exit, Failure};
use crate::export::sarif;
use crate::screen;

pub(crate) fn run(args: &SpyAnalyzeArgs) -> Result<Exit, Failure> {
    let sarif = args.export_sarif.as_deref();
    let (reading, call) = (&args.reading, &args.call);
    show(&args.history, ShowOptions { limit: args.limit, json: args.json, sarif, reading, call })
}

/// How findings are shown.
pub(super) struct ShowOptions<'a> {
    pub(super) limit: usize,
    pub(super) json: bool,
    pub(super) sarif: Option<&'a Path>,
    pub(super) reading: &'a ReadingArgs,
    pub(super) call: &'a Invocation,
}

/// Analyses a history and prints its findings, with a summary of the recording before them.
pub(super) fn show(path: &Path, options: ShowOptions<'_>) -> Result<Exit, Failure> {
    let HistoryAnalysis { digest, outcome, time, command, recording } = analysed(path, options.reading)?;
    let findings: Vec<Finding> = outcome.findings.iter().map(|found| found.finding.clone()).collect();
    if let Some(file) = options.sarif {
        let bytes = sarif(&findings)?;
        FileSink::new(file).put(&bytes).map_err(|error| Failure::new(Exit::Missing, &error))?;
    }
    if options.json {
        let answer = AnalyzeAnswer::new(
            &command,
            time,
            &recording.incomplete,
            digest.events,
            &outcome,
            &digest.coverage,
        );
        return screen::json(&answer);
    }
    screen::document(&report::analyze(&recording, &outcome, &digest.coverage))?;
    let shown = if options.limit == 0 { findings.len() } else { options.limit.min(findings.len()) };
    screen::findings(&findings[..shown], None)?;
    if let Some(command) = picture_command(path, options.call, &outcome, &digest) {
        screen::remark(&format!("the structure of the first finding as a picture: {command}"));
    }
    Ok(Exit::Done)
}

/// A history with its findings.
pub(crate) struct HistoryAnalysis {
    pub(crate) digest: Digest,
    pub(crate) outcome: Outcome,
    time: RunTime,
    command: Vec<String>,
    pub(crate) recording: Recording,
}

/// Reads a history and applies all rules.
pub(crate) fn analysed(path: &Path, reading: &ReadingArgs) -> Result<HistoryAnalysis, Failure> {
    let source = input::open(path)?;
    let history = input::read(&source)?;
    let mut digest = digest(&source, &history, reading)?;
    if let Some(samples) = &history.samples {
        digest.codes.set_samples(samples);
    }
    let end = history.end.as_ref();
    let time = RunTime {
        unrecorded: end.and_then(|end| end.unrecorded_seconds),
        // The time of the command is not used here: it includes compiling the program.
        recorded: (digest.recorded_ns > 0).then(|| digest.recorded_ns as f64 / 1e9),
    };
    let incomplete = input::incomplete(&history, digest.coverage.lost);
    let outcome = digest.program.findings(&digest.codes, time);
    let command = history.start.as_ref().map_or_else(Vec::new, |start| start.command.clone());
    let recording = Recording {
        command: command.join(" "),
        processes: processes(&history, &RingStacks::default()).len(),
        events: digest.events,
        instances: digest.program.sites().iter().map(|site| site.instances).sum(),
        unoptimised: end
            .is_some_and(|end| end.crates.iter().any(|compiled| compiled.own && compiled.level == "0")),
        unrecorded: time.unrecorded,
        unexamined: digest.program.unexamined(&digest.codes),
        samples: history.samples.iter().flat_map(|all| &all.stacks).map(|stack| stack.samples).sum(),
        incomplete,
    };
    Ok(HistoryAnalysis { digest, outcome, time, command, recording })
}

/// The command that draws the structure of the first finding.
fn picture_command(path: &Path, call: &Invocation, outcome: &Outcome, digest: &Digest) -> Option<String> {
    let instance = outcome.findings.first()?.instance;
    let mut protocols = digest.program.sites().iter().flat_map(|site| &site.protocols);
    let site = protocols.find(|protocol| protocol.instance.id == instance)?.instance.site;
    let (file, place) =
        (shell_word(&path.display().to_string()), shell_word(&report::short_place(&digest.codes, site)));
    let options = call.options_for("history", &[]);
    Some(format!("lotse spy history {file} {place} --instance {} --svg picture.svg{options}", instance.0))
}
