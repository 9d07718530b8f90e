//! `lotse spy analyze`: findings.

use std::path::Path;
use std::sync::Arc;

use lotse_formats::history::{History, Stacks};
use lotse_host::FileSink;
use lotse_model::bytes::Sink as _;
use lotse_model::finding::shell_word;
use lotse_model::{Finding, Invocation};
use lotse_spy::answer::AnalyzeAnswer;
use lotse_spy::decode::{Consumer, Decoded, processes};
use lotse_spy::report::{self, Recording};
use lotse_spy::{
    AccessRun, Analysed, Analyses, CodeId, CodeTable, Instance, InstanceId, Outcome, RunTime,
    Settings as SpySettings, Thresholds,
};

use super::input;
use crate::args::spy::{SpyAnalyzeArgs, ThresholdArgs};
use crate::commands::bench_export::sarif;
use crate::exit::{Exit, Failure};
use crate::screen;
use crate::settings::Settings;

pub(crate) fn run(args: &SpyAnalyzeArgs) -> Result<Exit, Failure> {
    let sarif = args.export_sarif.as_deref();
    let (thresholds, call) = (&args.thresholds, &args.call);
    show(&args.history, Show { limit: args.limit, json: args.json, sarif, thresholds, call })
}

/// How to show findings.
pub(super) struct Show<'a> {
    pub(super) limit: usize,
    pub(super) json: bool,
    pub(super) sarif: Option<&'a Path>,
    pub(super) thresholds: &'a ThresholdArgs,
    pub(super) call: &'a Invocation,
}

/// Decodes and analyses a history.
pub(super) fn analysed(
    history: &History<'_>,
    changed: &ThresholdArgs,
) -> Result<(Decoded, Analysed), Failure> {
    let mut analyses = analyses(changed)?;
    let decoded = input::decode_history(history, &mut analyses);
    let analysed = analyses.finish(decoded.codes());
    Ok((decoded, analysed))
}

/// The same, with another consumer of the same accesses.
pub(super) fn analysed_beside(
    history: &History<'_>,
    changed: &ThresholdArgs,
    other: &mut dyn Consumer,
) -> Result<(Decoded, Analysed), Failure> {
    let mut both = Both { analyses: analyses(changed)?, other };
    let decoded = input::decode_history(history, &mut both);
    let analysed = both.analyses.finish(decoded.codes());
    Ok((decoded, analysed))
}

fn analyses(changed: &ThresholdArgs) -> Result<Analyses, Failure> {
    let thresholds = Thresholds::from_rules(&changed.over(Settings::load()?.thresholds()));
    let settings = Arc::new(SpySettings { thresholds, ..SpySettings::default() });
    // One thread decodes; the analyses of its events take about half as long.
    let threads = std::thread::available_parallelism().map_or(0, |all| (all.get() - 1).min(2));
    Ok(Analyses::new(&settings, threads))
}

/// Gives everything to the analyses and to another consumer.
struct Both<'a> {
    analyses: Analyses,
    other: &'a mut dyn Consumer,
}

impl Consumer for Both<'_> {
    fn created(&mut self, instance: Instance) {
        self.analyses.created(instance);
        self.other.created(instance);
    }

    fn access(&mut self, id: InstanceId, run: AccessRun) {
        self.analyses.access(id, run);
        self.other.access(id, run);
    }

    fn grown(&mut self, id: InstanceId, old: u64, new: u64, code: CodeId) {
        self.analyses.grown(id, old, new, code);
        self.other.grown(id, old, new, code);
    }

    fn dropped(&mut self, id: InstanceId, codes: &CodeTable) {
        self.analyses.dropped(id, codes);
        self.other.dropped(id, codes);
    }
}

pub(super) fn show(path: &Path, how: Show<'_>) -> Result<Exit, Failure> {
    let source = input::open(path)?;
    let history = input::read(&source)?;
    let (decoded, analysed) = analysed(&history, how.thresholds)?;
    let end = history.end.as_ref();
    let time = RunTime {
        unrecorded: end.and_then(|end| end.unrecorded_seconds),
        // The command as a whole also compiled the program.
        recorded: (decoded.recorded_ns > 0).then(|| decoded.recorded_ns as f64 / 1e9),
    };
    let incomplete = input::incomplete(&history, decoded.coverage.lost);
    let outcome = analysed.program.findings(decoded.codes(), time);
    let command = history.start.as_ref().map_or(&[][..], |start| start.command.as_slice());
    let findings: Vec<Finding> = outcome.findings.iter().map(|found| found.finding.clone()).collect();
    if let Some(file) = how.sarif {
        let bytes = sarif(&findings)?;
        FileSink::new(file).put(&bytes).map_err(|error| Failure::new(Exit::Missing, &error))?;
    }
    if how.json {
        let answer =
            AnalyzeAnswer::new(command, time, &incomplete, analysed.events, &outcome, &decoded.coverage);
        return screen::json(&answer);
    }
    let recording = Recording {
        command: command.join(" "),
        processes: processes(&history, &Stacks::default()).len(),
        events: analysed.events,
        instances: analysed.program.sites().iter().map(|site| site.instances).sum(),
        unoptimised: end
            .is_some_and(|end| end.crates.iter().any(|compiled| compiled.own && compiled.level == "0")),
        unrecorded: time.unrecorded,
        incomplete,
    };
    screen::document(&report::analyze(&recording, &outcome, &decoded.coverage))?;
    let shown = if how.limit == 0 { findings.len() } else { how.limit.min(findings.len()) };
    screen::findings(&findings[..shown], None)?;
    if let Some(command) = picture_command(path, how.call, &outcome, &analysed, decoded.codes()) {
        screen::remark(&format!("the structure of the first finding as a picture: {command}"));
    }
    Ok(Exit::Done)
}

/// The command that draws the structure that the first finding is about.
fn picture_command(
    path: &Path,
    call: &Invocation,
    outcome: &Outcome,
    analysed: &Analysed,
    codes: &CodeTable,
) -> Option<String> {
    let instance = outcome.findings.first()?.instance;
    let mut protocols = analysed.program.sites().iter().flat_map(|site| &site.protocols);
    let site = protocols.find(|protocol| protocol.instance.id == instance)?.instance.site;
    let (file, place) =
        (shell_word(&path.display().to_string()), shell_word(&report::short_place(codes, site)));
    let options = call.options_for("history", &[]);
    Some(format!("lotse spy history {file} {place} --instance {} --svg picture.svg{options}", instance.0))
}
