//! Programs from a suite file.

use std::path::PathBuf;
use std::time::Duration;

use lotse_formats::bench::temci_settings::{RunCounts, RunSettings};
use lotse_model::results::Program;
use lotse_model::suite::{Suite, SuiteProgram};

use crate::command::{CommandError, Shell};
use crate::options::{Hooks, Input, Options, Output, ProgramSpec};
use crate::runner;

/// Settings of a suite for the whole measurement.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SuiteSettings {
    /// The runner all programs name, if they agree on one.
    pub runner: Option<String>,
    /// Metrics named by any program.
    pub metrics: Vec<String>,
    /// Exact number of runs: the largest one named.
    pub runs: Option<u32>,
    /// Least number of runs: the largest named.
    pub min_runs: Option<u32>,
    /// Greatest number of runs: the largest named.
    pub max_runs: Option<u32>,
    /// Warm-up runs: the largest number named.
    pub discarded_runs: Option<u32>,
    /// Time for each program.
    pub budget: Option<Duration>,
    /// Remarks where programs name different numbers.
    pub remarks: Vec<String>,
}

/// A suite that cannot be measured as a whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SuiteError {
    /// There is nothing in it.
    #[error("the suite holds no program")]
    Empty,
    /// A program has no command.
    #[error("program {number} of the suite ({name}) has no command: give it a run_cmd")]
    NoCommand {
        /// From 1.
        number: usize,
        name: String,
    },
    /// Commands and directories do not fit together.
    #[error(
        "{name} has {commands} commands and {directories} directories: give one directory for all, or one for each"
    )]
    Directories { name: String, commands: usize, directories: usize },
    /// Interleaved programs share one runner.
    #[error("the programs of the suite name different runners ({one}, {other}): measure them in two suites")]
    Runners { one: String, other: String },
    /// A command is not well formed.
    #[error(transparent)]
    Command(#[from] CommandError),
}

/// The programs of a suite and its settings. The shell reads the commands.
pub fn programs(suite: &Suite, shell: &Shell) -> Result<(Vec<ProgramSpec>, SuiteSettings), SuiteError> {
    if suite.programs.is_empty() {
        return Err(SuiteError::Empty);
    }
    let mut specs = Vec::new();
    for (index, program) in suite.programs.iter().enumerate() {
        specs.push(spec(index, program, shell)?);
    }
    make_names_distinct(&mut specs);
    Ok((specs, settings(suite)?))
}

/// One program of a suite. One command with several directories means several builds; several commands are alternatives, each
/// in its own directory or all in the same one.
fn spec(index: usize, program: &SuiteProgram, shell: &Shell) -> Result<ProgramSpec, SuiteError> {
    let command = program.commands.first().cloned();
    let name =
        program.name.clone().or_else(|| command.clone()).unwrap_or_else(|| format!("program {}", index + 1));
    let Some(command) = command else { return Err(SuiteError::NoCommand { number: index + 1, name }) };
    let directories = program.directories.iter().map(PathBuf::from).collect::<Vec<_>>();
    let (commands, are_builds) = match (program.commands.as_slice(), directories.len()) {
        ([single], builds) if builds > 1 => (vec![single; builds], true),
        (commands, places) if places <= 1 || places == commands.len() => (commands.iter().collect(), false),
        (commands, directories) => {
            let commands = commands.len();
            return Err(SuiteError::Directories { name, commands, directories });
        }
    };
    let alternatives = commands.into_iter().map(|command| shell.argv(command)).collect::<Result<_, _>>()?;
    Ok(ProgramSpec {
        program: Program {
            name,
            command,
            commands: if program.commands.len() > 1 { program.commands.clone() } else { Vec::new() },
            tags: program.tags.clone(),
            attributes: program.attributes.clone(),
            ..Program::default()
        },
        alternatives,
        are_builds,
        environment: program.environment.clone().into_iter().collect(),
        directory: directories.first().cloned(),
        directories: if directories.len() > 1 { directories } else { Vec::new() },
        input: Input::Null,
        output: Output::Null,
        hooks: Hooks::default(),
        expected: program.expected.clone(),
        any_exit_code: false,
        timeout: None,
    })
}

/// The programs of a measurement as a suite.
pub fn from_options(options: &Options) -> Suite {
    let program = |spec: &ProgramSpec| SuiteProgram {
        name: Some(spec.program.name.clone()),
        tags: spec.program.tags.clone(),
        attributes: spec.program.attributes.clone(),
        commands: commands(&spec.program),
        environment: spec.environment.iter().cloned().collect(),
        directories: directories(spec),
        runs: options.stopping.max_blocks.filter(|_| options.stopping.fixed),
        min_runs: Some(options.stopping.min_blocks).filter(|_| !options.stopping.fixed),
        discarded_runs: Some(options.warmup).filter(|warmup| *warmup > 0),
        expected: spec.expected.clone(),
        ..SuiteProgram::default()
    };
    Suite { programs: options.programs.iter().map(program).collect(), ..Suite::default() }
}

fn commands(program: &Program) -> Vec<String> {
    if program.commands.is_empty() { vec![program.command.clone()] } else { program.commands.clone() }
}

fn directories(spec: &ProgramSpec) -> Vec<String> {
    let single = spec.directory.iter().filter(|_| spec.directories.is_empty());
    single.chain(&spec.directories).map(|directory| directory.display().to_string()).collect()
}

/// Makes names distinct: programs of the same name get their parameters added, and then numbers.
pub fn make_names_distinct(specs: &mut [ProgramSpec]) {
    show_parameters(specs);
    for index in 1..specs.len() {
        let taken =
            |name: &str, specs: &[ProgramSpec]| specs[..index].iter().any(|spec| spec.program.name == name);
        let base = specs[index].program.name.clone();
        let mut name = base.clone();
        let mut number = 2;
        while taken(&name, specs) {
            name = format!("{base} #{number}");
            number += 1;
        }
        specs[index].program.name = name;
    }
}

/// Adds the parameters to names that several programs have.
fn show_parameters(specs: &mut [ProgramSpec]) {
    let shared: Vec<bool> = specs
        .iter()
        .map(|spec| specs.iter().filter(|other| other.program.name == spec.program.name).count() > 1)
        .collect();
    for (spec, _) in specs.iter_mut().zip(shared).filter(|(_, shared)| *shared) {
        let parameters = spec.program.parameters.iter().map(|(name, value)| format!("{name} = {value}"));
        let parameters: Vec<String> = parameters.collect();
        if !parameters.is_empty() {
            spec.program.name = format!("{} ({})", spec.program.name, parameters.join(", "));
        }
    }
}

/// Applies settings of temci to a suite. Numbers of runs that a program names itself are kept; the runner applies to all.
pub fn with_settings(suite: &mut Suite, settings: &RunSettings) {
    for program in &mut suite.programs {
        let of_tags: Vec<&RunCounts> =
            program.tags.iter().filter_map(|tag| settings.per_tag.get(tag)).collect();
        let most =
            |field: fn(&RunCounts) -> Option<u32>| of_tags.iter().filter_map(|counts| field(counts)).max();
        let runs = most(|counts| counts.runs).max(settings.counts.runs);
        let min_runs = most(|counts| counts.min_runs).max(settings.counts.min_runs);
        let least_of_most =
            of_tags.iter().filter_map(|counts| counts.max_runs).chain(settings.counts.max_runs).min();
        program.runs = program.runs.or(runs);
        program.min_runs = program.min_runs.or(min_runs);
        program.max_runs = program.max_runs.or(least_of_most);
        program.discarded_runs = program.discarded_runs.or(settings.counts.discarded);
        program.runner = settings.runner.clone().or(program.runner.take());
    }
    for action in &settings.separation {
        if !suite.separation.contains(action) {
            suite.separation.push(action.clone());
        }
    }
}

/// Collects the settings of all programs, with the largest number of each kind, since all programs run equally often.
fn settings(suite: &Suite) -> Result<SuiteSettings, SuiteError> {
    let mut settings = SuiteSettings::default();
    for program in &suite.programs {
        match (&settings.runner, program.runner.as_deref().map(runner::from_temci)) {
            (Some(one), Some(other)) if one != other => {
                return Err(SuiteError::Runners { one: one.clone(), other: other.to_owned() });
            }
            (None, Some(runner)) => settings.runner = Some(runner.to_owned()),
            _ => {}
        }
        settings.metrics.extend(program.metrics.iter().cloned());
        settings.runs = settings.runs.max(program.runs);
        settings.min_runs = settings.min_runs.max(program.min_runs);
        settings.max_runs = settings.max_runs.max(program.max_runs);
        settings.discarded_runs = settings.discarded_runs.max(program.discarded_runs);
    }
    let named = |number: fn(&SuiteProgram) -> Option<u32>| suite.programs.iter().map(number).collect();
    let keys: [(&str, Vec<Option<u32>>); 4] = [
        ("runs", named(|program| program.runs)),
        ("min_runs", named(|program| program.min_runs)),
        ("max_runs", named(|program| program.max_runs)),
        ("discarded_runs", named(|program| program.discarded_runs)),
    ];
    settings.remarks = keys.iter().filter_map(|(key, named)| differing(key, named)).collect();
    Ok(settings)
}

/// The remark about a setting for which programs name different numbers; `None` if they agree.
fn differing(key: &str, named: &[Option<u32>]) -> Option<String> {
    let most = named.iter().flatten().max()?;
    if named.iter().all(|number| number.as_ref() == Some(most)) {
        return None;
    }
    let number = |number: &Option<u32>| number.map_or("none".to_owned(), |number| number.to_string());
    let all: Vec<String> = named.iter().map(number).collect();
    Some(format!(
        "the programs of the suite name different numbers of {key} ({}): all of them get {most}, for every block runs \
         every program once",
        all.join(", ")
    ))
}

#[cfg(test)]
mod tests;
