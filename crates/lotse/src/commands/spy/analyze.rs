//! `lotse spy analyze`: findings.

use std::path::Path;
use std::sync::Arc;

use lotse_formats::history::History;
use lotse_host::FileSink;
use lotse_model::Finding;
use lotse_model::bytes::{Sink as _, Source as _};
use lotse_spy::decode::{Coverage, Decoded};
use lotse_spy::report::{self, Recording};
use lotse_spy::{Analyses, Outcome, RunTime, Settings as SpySettings, Thresholds};
use serde::Serialize;

use super::input;
use crate::args::spy::SpyAnalyzeArgs;
use crate::commands::bench_export::sarif;
use crate::exit::{Exit, Failure};
use crate::screen;
use crate::settings::Settings;

pub(crate) fn run(args: &SpyAnalyzeArgs) -> Result<Exit, Failure> {
    show(&args.history, Show { limit: args.limit, json: args.json, sarif: args.export_sarif.as_deref() })
}

/// How to show findings.
pub(super) struct Show<'a> {
    pub(super) limit: usize,
    pub(super) json: bool,
    pub(super) sarif: Option<&'a Path>,
}

/// A history that was decoded and analysed.
pub(super) struct Analysed {
    pub(super) decoded: Decoded,
    pub(super) analyses: Analyses,
}

pub(super) fn analysed(history: &History<'_>) -> Result<Analysed, Failure> {
    let thresholds = Thresholds::from_rules(&Settings::load()?.thresholds());
    let settings = Arc::new(SpySettings { thresholds, ..SpySettings::default() });
    let mut analyses = Analyses::new(&settings);
    let decoded = input::decode_history(history, &mut analyses);
    Ok(Analysed { decoded, analyses })
}

/// The answer as JSON has it.
#[derive(Debug, Serialize)]
struct AnalyzeAnswer<'a> {
    schema: &'static str,
    command: &'a [String],
    run_time: RunTime,
    events: u64,
    #[serde(flatten)]
    outcome: &'a Outcome,
    coverage: &'a Coverage,
}

pub(super) fn show(path: &Path, how: Show<'_>) -> Result<Exit, Failure> {
    let source = input::open(path)?;
    let history = input::read(&source)?;
    let Analysed { decoded, analyses } = analysed(&history)?;
    let end = history.end.clone().unwrap_or_default();
    let time = RunTime {
        unrecorded: end.unrecorded_seconds,
        recorded: history.end.is_some().then_some(end.seconds),
    };
    let outcome = analyses.program.findings(decoded.codes(), time);
    let command = history.start.as_ref().map_or(&[][..], |start| start.command.as_slice());
    let findings: Vec<Finding> = outcome.findings.iter().map(|found| found.finding.clone()).collect();
    if let Some(file) = how.sarif {
        let bytes = sarif(&findings)?;
        FileSink::new(file).put(&bytes).map_err(|error| Failure::new(Exit::Missing, &error))?;
    }
    if how.json {
        let (events, coverage) = (analyses.events, &decoded.coverage);
        let schema = "lotse.spy.analyze/1";
        return screen::json(&AnalyzeAnswer {
            schema,
            command,
            run_time: time,
            events,
            outcome: &outcome,
            coverage,
        });
    }
    let recording = Recording {
        command: command.join(" "),
        events: analyses.events,
        instances: analyses.program.sites().iter().map(|site| site.instances).sum(),
        unoptimised: end.crates.iter().any(|compiled| compiled.own && compiled.level == "0"),
        unrecorded: end.unrecorded_seconds,
    };
    screen::document(&report::analyze(&recording, &outcome, &decoded.coverage))?;
    let shown = if how.limit == 0 { findings.len() } else { how.limit.min(findings.len()) };
    screen::findings(&findings[..shown], None)
}
