//! temci's settings file (`temci.yaml`): the options of its command line, in the blocks `build`, `run`, `report` and `stats`.
//!
//! Such a file often holds all keys with their defaults, as `temci init settings` writes it. So a key that Lotse does not
//! support is reported only if its value differs from temci's default. A key that temci does not have is a note.

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
use crate::yaml::{self, YamlKey, YamlNode};

use plugins::Plugins;

/// The contents of a settings file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TemciSettings {
    /// The file with the programs to build.
    pub build_input: Option<String>,
    /// The file for the run configuration that a build writes.
    pub build_output: Option<String>,
    pub run: RunSettings,
    pub report: ReportSettings,
    /// Sentences about settings that Lotse does not support, each once, by their block (`run`, `report`, …).
    pub ignored: BTreeMap<String, Vec<String>>,
}

/// Settings for measuring.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunSettings {
    /// The file with the suite.
    pub input: Option<String>,
    /// The result file, in temci's format.
    pub output: Option<String>,
    pub counts: RunCounts,
    /// For programs with a tag.
    pub per_tag: BTreeMap<String, RunCounts>,
    /// Names, tags, numbers or patterns of the programs to measure; all programs if empty.
    pub included: Vec<String>,
    /// Limit for the whole measurement.
    pub max_time: Option<Duration>,
    /// Limit for one run.
    pub max_run_time: Option<Duration>,
    /// Whether results are added to those of an earlier measurement.
    pub append: bool,
    /// After how many blocks the figures so far are shown each time; `None` for never.
    pub watch: Option<u32>,
    /// Whether programs are measured without building them.
    pub no_build: bool,
    pub runner: Option<String>,
    /// What is to be done to the machine, as arguments of `--separate`.
    pub separation: Vec<String>,
}

/// How often programs are run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunCounts {
    /// The exact number.
    pub runs: Option<u32>,
    pub min_runs: Option<u32>,
    pub max_runs: Option<u32>,
    /// Warm-up runs, which are not measured.
    pub discarded: Option<u32>,
}

/// Settings for reports.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReportSettings {
    /// The result files.
    pub inputs: Vec<String>,
    /// Names, tags or patterns of the programs to report on; all programs if empty.
    pub included: Vec<String>,
    /// Properties that are not shown, by temci's names.
    pub excluded_properties: Vec<String>,
    /// Properties to show, by temci's names; all properties if empty.
    pub properties: Vec<String>,
    pub reporter: Option<String>,
    /// Columns of a CSV table.
    pub columns: Vec<String>,
    /// The file for the report.
    pub output: Option<String>,
    pub codespeed: Codespeed,
}

/// Reads a settings file.
pub fn read(source: &dyn Source) -> Result<Reading<TemciSettings>, FormatError> {
    let (text, flaw) = text::decode(source.bytes());
    if let Some(flaw) = flaw {
        return Err(flaw.into_error(source.name()));
    }
    let document = yaml::document(text).map_err(|flaw| flaw.into_error(source.name()))?;
    let mut reader = SettingsReader { notes: Notes::new(text), ..SettingsReader::default() };
    for (key, node) in reader.notes.mapping(&document, "expected a mapping (`run`, `report`, …)") {
        reader.read_entry("", key, node);
        if key.name == "run" {
            let plugins = std::mem::take(&mut reader.plugins);
            plugins.finish(&mut reader.settings.run, &mut reader.notes);
        }
        let ignored = std::mem::take(&mut reader.notes.ignored);
        reader.settings.ignored.entry(key.name.clone()).or_default().extend(ignored);
    }
    let SettingsReader { settings, notes, .. } = reader;
    Ok(Reading { value: settings, format_id: "temci-settings", diagnostics: notes.diagnostics })
}

/// Reads the keys of a settings file.
#[derive(Default)]
struct SettingsReader<'s> {
    settings: TemciSettings,
    plugins: Plugins,
    notes: Notes<'s>,
}

impl SettingsReader<'_> {
    /// Reads an entry below the path `prefix`; if its key is not known, the entries inside it.
    fn read_entry(&mut self, prefix: &str, key: &YamlKey, node: &YamlNode) {
        let path = if prefix.is_empty() { key.name.clone() } else { format!("{prefix}/{}", key.name) };
        if self.read_key(&path, node) {
            return;
        }
        match (keys::unsupported(&path), node.entries()) {
            (Some(known), _) => known.report_unless_default(node, &mut self.notes),
            (None, Some(entries)) => entries.iter().for_each(|(key, node)| self.read_entry(&path, key, node)),
            (None, None) => self.notes.unknown_key(key, "temci's settings"),
        }
    }

    /// Reads a key that Lotse supports; `false` for any other.
    fn read_key(&mut self, path: &str, node: &YamlNode) -> bool {
        if let Some(path) = path.strip_prefix("run/") {
            return self.read_run_key(path, node);
        }
        let (settings, notes) = (&mut self.settings, &mut self.notes);
        let report = &mut settings.report;
        match path {
            "build/in" => settings.build_input = notes.non_empty_text(node),
            "build/out" => settings.build_output = notes.non_empty_text(node),
            "report/in" => report.inputs = notes.texts(node),
            "report/included_blocks" => report.included = included(notes.texts(node)),
            "report/excluded_properties" => report.excluded_properties = notes.texts(node),
            "report/reporter" => report.reporter = notes.non_empty_text(node),
            "report/csv_misc/columns" => report.columns = notes.texts(node),
            "report/csv_misc/out" | "report/console_misc/out" => {
                report.output = notes.non_empty_text(node).filter(|out| out != "-").or(report.output.take());
            }
            "report/codespeed_misc/project" => report.codespeed.project = notes.non_empty_text(node),
            "report/codespeed_misc/executable" => report.codespeed.executable = notes.non_empty_text(node),
            "report/codespeed_misc/environment" => report.codespeed.environment = notes.non_empty_text(node),
            "report/codespeed_misc/branch" => report.codespeed.branch = notes.non_empty_text(node),
            "report/codespeed_misc/commit_id" => report.codespeed.commit = notes.non_empty_text(node),
            "stats/properties" => report.properties = included(notes.texts(node)),
            _ => return false,
        }
        true
    }

    /// Reads a key below `run` that Lotse supports; `false` for any other.
    fn read_run_key(&mut self, path: &str, node: &YamlNode) -> bool {
        let (run, notes) = (&mut self.settings.run, &mut self.notes);
        match path {
            "in" => run.input = notes.non_empty_text(node),
            "out" => run.output = notes.non_empty_text(node),
            "runs" => run.counts.runs = notes.count(node, "runs"),
            "min_runs" => run.counts.min_runs = notes.count(node, "runs"),
            "max_runs" => run.counts.max_runs = notes.count(node, "runs"),
            "discarded_runs" => run.counts.discarded = notes.count(node, "runs"),
            "runs_per_tag" => per_tag(run, notes, node, |counts| &mut counts.runs),
            "min_runs_per_tag" => per_tag(run, notes, node, |counts| &mut counts.min_runs),
            "max_runs_per_tag" => per_tag(run, notes, node, |counts| &mut counts.max_runs),
            "included_blocks" => run.included = included(notes.texts(node)),
            "max_time" => run.max_time = time::duration(node, notes),
            "max_block_time" => run.max_run_time = time::duration(node, notes),
            "append" => run.append = notes.flag(node).unwrap_or(false),
            "watch" => run.watch = notes.flag(node).filter(|on| *on).map(|_| run.watch.unwrap_or(1)),
            "watch_every" => run.watch = run.watch.and(notes.count(node, "blocks")),
            "no_build" => run.no_build = notes.flag(node).unwrap_or(false),
            "exec_misc/runner" => run.runner = notes.non_empty_text(node),
            "exec_misc/preset" => self.plugins.preset = notes.non_empty_text(node),
            "disable_hyper_threading" => self.plugins.set("disable_ht", notes.flag(node)),
            "cpuset/active" => self.plugins.set("cpuset", notes.flag(node)),
            _ => {
                return path
                    .strip_prefix("exec_plugins/")
                    .is_some_and(|key| self.plugins.read_key(key, node, notes));
            }
        }
        true
    }
}

/// The selection of blocks; empty for `all`.
fn included(texts: Vec<String>) -> Vec<String> {
    if texts == ["all"] { Vec::new() } else { texts }
}

/// Reads a mapping from tags to numbers of runs into one field of the counts per tag.
fn per_tag(
    run: &mut RunSettings,
    notes: &mut Notes<'_>,
    node: &YamlNode,
    field: fn(&mut RunCounts) -> &mut Option<u32>,
) {
    for (tag, node) in notes.mapping(node, "expected a mapping from tags to numbers") {
        let count = notes.count(node, "runs");
        *field(run.per_tag.entry(tag.name.clone()).or_default()) = count;
    }
}
