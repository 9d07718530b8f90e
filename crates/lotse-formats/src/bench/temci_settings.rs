//! temci's settings file (`temci.yaml`): what its command line can say too, in the blocks `build`, `run`, `report` and `stats`.
//!
//! Such a file often holds every key with its default, as `temci init settings` writes it. A key that Lotse does not follow
//! is therefore named only where its value differs from temci's default; a key that temci does not have is a note.

mod keys;
mod plugins;
mod time;

use std::collections::BTreeMap;
use std::time::Duration;

use lotse_model::bytes::Source;

use super::codespeed::Codespeed;
use super::temci_keys::Notes;
use crate::error::FormatError;
use crate::reading::Reading;
use crate::text;
use crate::yaml::{self, Key, Node};

use plugins::Plugins;

/// The settings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TemciSettings {
    /// The file with the programs to build.
    pub build_input: Option<String>,
    /// The run configuration that building writes.
    pub build_output: Option<String>,
    /// About measuring.
    pub run: RunSettings,
    /// About reporting.
    pub report: ReportSettings,
    /// Things that Lotse understands but does not do, each said once, by the block they stand in (`run`, `report`, …).
    pub ignored: BTreeMap<String, Vec<String>>,
}

/// What the file says about measuring.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunSettings {
    /// The suite.
    pub input: Option<String>,
    /// Where results go, in temci's form.
    pub output: Option<String>,
    /// How often programs run.
    pub counts: RunCounts,
    /// How often programs with a tag run.
    pub per_tag: BTreeMap<String, RunCounts>,
    /// Names, tags, numbers or patterns of the programs to measure; all where there are none.
    pub included: Vec<String>,
    /// Time for the whole measurement.
    pub max_time: Option<Duration>,
    /// Time for one run.
    pub max_run_time: Option<Duration>,
    /// Whether results are added to those of an earlier measurement.
    pub append: bool,
    /// Every how many blocks the figures so far are shown, where they are.
    pub watch: Option<u32>,
    /// Whether programs are measured without building them.
    pub no_build: bool,
    /// The runner.
    pub runner: Option<String>,
    /// What is to be done to the machine, in the words of `--separate`.
    pub separation: Vec<String>,
}

/// Numbers of runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunCounts {
    /// Exactly so many.
    pub runs: Option<u32>,
    /// At least.
    pub min_runs: Option<u32>,
    /// At most.
    pub max_runs: Option<u32>,
    /// Runs that are not measured, before the others.
    pub discarded: Option<u32>,
}

/// What the file says about reports.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReportSettings {
    /// The result files.
    pub inputs: Vec<String>,
    /// Names, tags or patterns of the programs to report on; all where there are none.
    pub included: Vec<String>,
    /// Properties that are not shown, by temci's names.
    pub excluded_properties: Vec<String>,
    /// Properties to show, by temci's names; all where there are none.
    pub properties: Vec<String>,
    /// Which reporter.
    pub reporter: Option<String>,
    /// Columns of a CSV table.
    pub columns: Vec<String>,
    /// Where the report of the chosen reporter goes.
    pub output: Option<String>,
    /// What codespeed shall know.
    pub codespeed: Codespeed,
}

/// Reads the settings.
pub fn read(source: &dyn Source) -> Result<Reading<TemciSettings>, FormatError> {
    let (text, flaw) = text::decode(source.bytes());
    if let Some(flaw) = flaw {
        return Err(flaw.of(source.name()));
    }
    let document = yaml::document(text).map_err(|flaw| flaw.of(source.name()))?;
    let mut walk = Walk::default();
    for (key, node) in walk.notes.mapping(&document, "expected a mapping (`run`, `report`, …)") {
        walk.one("", key, node);
        if key.name == "run" {
            let plugins = std::mem::take(&mut walk.plugins);
            plugins.finish(&mut walk.settings.run, &mut walk.notes);
        }
        let said = std::mem::take(&mut walk.notes.ignored);
        walk.settings.ignored.entry(key.name.clone()).or_default().extend(said);
    }
    let Walk { settings, notes, .. } = walk;
    Ok(Reading { value: settings, format_id: "temci-settings", diagnostics: notes.diagnostics })
}

/// The file as far as it was read.
#[derive(Default)]
struct Walk {
    settings: TemciSettings,
    plugins: Plugins,
    notes: Notes,
}

impl Walk {
    fn one(&mut self, prefix: &str, key: &Key, node: &Node) {
        let path = if prefix.is_empty() { key.name.clone() } else { format!("{prefix}/{}", key.name) };
        if self.key(&path, node) {
            return;
        }
        match (keys::not_followed(&path), node.entries()) {
            (Some(known), _) => known.judge(node, &mut self.notes),
            (None, Some(entries)) => entries.iter().for_each(|(key, node)| self.one(&path, key, node)),
            (None, None) => self.notes.unknown(key, "temci's settings"),
        }
    }

    /// Follows one key; `false` where there is none such to follow.
    fn key(&mut self, path: &str, node: &Node) -> bool {
        if let Some(path) = path.strip_prefix("run/") {
            return self.run_key(path, node);
        }
        let (settings, notes) = (&mut self.settings, &mut self.notes);
        let report = &mut settings.report;
        match path {
            "build/in" => settings.build_input = notes.word(node),
            "build/out" => settings.build_output = notes.word(node),
            "report/in" => report.inputs = notes.texts(node),
            "report/included_blocks" => report.included = included(notes.texts(node)),
            "report/excluded_properties" => report.excluded_properties = notes.texts(node),
            "report/reporter" => report.reporter = notes.word(node),
            "report/csv_misc/columns" => report.columns = notes.texts(node),
            "report/csv_misc/out" | "report/console_misc/out" => {
                report.output = notes.word(node).filter(|out| out != "-").or(report.output.take());
            }
            "report/codespeed_misc/project" => report.codespeed.project = notes.word(node),
            "report/codespeed_misc/executable" => report.codespeed.executable = notes.word(node),
            "report/codespeed_misc/environment" => report.codespeed.environment = notes.word(node),
            "report/codespeed_misc/branch" => report.codespeed.branch = notes.word(node),
            "report/codespeed_misc/commit_id" => report.codespeed.commit = notes.word(node),
            "stats/properties" => report.properties = included(notes.texts(node)),
            _ => return false,
        }
        true
    }

    fn run_key(&mut self, path: &str, node: &Node) -> bool {
        let (run, notes) = (&mut self.settings.run, &mut self.notes);
        match path {
            "in" => run.input = notes.word(node),
            "out" => run.output = notes.word(node),
            "runs" => run.counts.runs = notes.count(node, "runs"),
            "min_runs" => run.counts.min_runs = notes.count(node, "runs"),
            "max_runs" => run.counts.max_runs = notes.count(node, "runs"),
            "discarded_runs" => run.counts.discarded = notes.count(node, "runs"),
            "runs_per_tag" => per_tag(run, notes, node, |counts| &mut counts.runs),
            "min_runs_per_tag" => per_tag(run, notes, node, |counts| &mut counts.min_runs),
            "max_runs_per_tag" => per_tag(run, notes, node, |counts| &mut counts.max_runs),
            "included_blocks" => run.included = included(notes.texts(node)),
            "max_time" => run.max_time = time::span(node, notes),
            "max_block_time" => run.max_run_time = time::span(node, notes),
            "append" => run.append = notes.flag(node).unwrap_or(false),
            "watch" => run.watch = notes.flag(node).filter(|on| *on).map(|_| run.watch.unwrap_or(1)),
            "watch_every" => run.watch = run.watch.and(notes.count(node, "blocks")),
            "no_build" => run.no_build = notes.flag(node).unwrap_or(false),
            "exec_misc/runner" => run.runner = notes.word(node),
            "exec_misc/preset" => self.plugins.preset = notes.word(node),
            "disable_hyper_threading" => self.plugins.set("disable_ht", notes.flag(node)),
            "cpuset/active" => self.plugins.set("cpuset", notes.flag(node)),
            _ => {
                return path
                    .strip_prefix("exec_plugins/")
                    .is_some_and(|key| self.plugins.key(key, node, notes));
            }
        }
        true
    }
}

/// The query of blocks; `all` stands for no query.
fn included(texts: Vec<String>) -> Vec<String> {
    if texts == ["all"] { Vec::new() } else { texts }
}

fn per_tag(
    run: &mut RunSettings,
    notes: &mut Notes,
    node: &Node,
    field: fn(&mut RunCounts) -> &mut Option<u32>,
) {
    for (tag, node) in notes.mapping(node, "expected a mapping from tags to numbers") {
        let count = notes.count(node, "runs");
        *field(run.per_tag.entry(tag.name.clone()).or_default()) = count;
    }
}
