//! Programs from a suite file, completed by what the command line says for all of them.

use std::path::PathBuf;

use lotse_model::results::Program;
use lotse_model::suite::{Suite, SuiteProgram};

use crate::command::{CommandError, Shell};
use crate::options::{Hooks, Input, Options, Output, ProgramSpec};

/// What a suite says about the whole measurement.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SuiteSettings {
    /// The runner all programs name, if they agree on one.
    pub runner: Option<String>,
    /// Metrics named by any program.
    pub metrics: Vec<String>,
    /// Exactly so many runs: the largest number named.
    pub runs: Option<u32>,
    /// Least number of runs: the largest named.
    pub min_runs: Option<u32>,
    /// Greatest number of runs: the largest named.
    pub max_runs: Option<u32>,
    /// Warm-up runs: the largest number named.
    pub discarded_runs: Option<u32>,
    /// Where programs name different numbers: what is done instead.
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
        /// Which, from 1.
        number: usize,
        /// Its name.
        name: String,
    },
    /// Interleaved programs share one runner.
    #[error("the programs of the suite name different runners ({one}, {other}): measure them in two suites")]
    Runners {
        /// One of them.
        one: String,
        /// The other.
        other: String,
    },
    /// A command is not well formed.
    #[error(transparent)]
    Command(#[from] CommandError),
}

/// The programs and what the suite says about all of them. The shell reads their commands.
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

fn spec(index: usize, program: &SuiteProgram, shell: &Shell) -> Result<ProgramSpec, SuiteError> {
    let command = program.commands.first().cloned();
    let name =
        program.name.clone().or_else(|| command.clone()).unwrap_or_else(|| format!("program {}", index + 1));
    let Some(command) = command else { return Err(SuiteError::NoCommand { number: index + 1, name }) };
    let alternatives =
        program.commands.iter().map(|command| shell.argv(command)).collect::<Result<_, _>>()?;
    Ok(ProgramSpec {
        program: Program {
            name,
            command,
            tags: program.tags.clone(),
            attributes: program.attributes.clone(),
            ..Program::default()
        },
        alternatives,
        are_builds: false,
        environment: program.environment.clone().into_iter().collect(),
        directory: program.directory.clone().map(PathBuf::from),
        input: Input::Null,
        output: Output::Null,
        hooks: Hooks::default(),
        expected: program.expected.clone(),
        any_exit_code: false,
        timeout: None,
    })
}

/// The programs of a measurement as a suite.
pub fn of(options: &Options) -> Suite {
    let program = |spec: &ProgramSpec| SuiteProgram {
        name: Some(spec.program.name.clone()),
        tags: spec.program.tags.clone(),
        attributes: spec.program.attributes.clone(),
        commands: vec![spec.program.command.clone()],
        environment: spec.environment.iter().cloned().collect(),
        directory: spec.directory.as_ref().map(|directory| directory.display().to_string()),
        runs: options.stopping.max_blocks.filter(|_| options.stopping.fixed),
        min_runs: Some(options.stopping.min_blocks).filter(|_| !options.stopping.fixed),
        discarded_runs: Some(options.warmup).filter(|warmup| *warmup > 0),
        expected: spec.expected.clone(),
        ..SuiteProgram::default()
    };
    Suite { programs: options.programs.iter().map(program).collect(), ignored: Vec::new() }
}

/// Programs of one name show their parameters; those that still have a name taken before are numbered.
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

/// Our runner for one of temci's; others keep their name and are looked up in the list.
fn own_runner(name: &str) -> &str {
    match name {
        "time" | "rusage" => "rusage",
        "perf_stat" => "perf-stat",
        other => other,
    }
}

fn settings(suite: &Suite) -> Result<SuiteSettings, SuiteError> {
    let mut settings = SuiteSettings::default();
    for program in &suite.programs {
        match (&settings.runner, program.runner.as_deref().map(own_runner)) {
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

/// What is done where programs name different numbers, for all programs run equally often.
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
mod tests {
    use lotse_model::suite::{Suite, SuiteProgram};

    use super::{Shell, SuiteError, programs};

    fn program(name: &str, runner: Option<&str>, min_runs: u32) -> SuiteProgram {
        SuiteProgram {
            name: Some(name.into()),
            commands: vec!["sleep 0.01 | cat".into()],
            runner: runner.map(str::to_owned),
            min_runs: Some(min_runs),
            ..SuiteProgram::default()
        }
    }

    #[test]
    fn programs_go_through_a_shell_under_distinct_names() {
        let suite = Suite {
            programs: vec![program("a", None, 5), program("a", Some("time"), 20)],
            ..Suite::default()
        };
        let (specs, settings) = programs(&suite, &Shell::system()).unwrap();
        assert_eq!(specs[0].alternatives[0], ["sh", "-c", "sleep 0.01 | cat"]);
        assert_eq!(specs[1].program.name, "a #2");
        assert_eq!((settings.min_runs, settings.runner.as_deref()), (Some(20), Some("rusage")));
    }

    #[test]
    fn unusable_suites_say_why() {
        assert!(matches!(programs(&Suite::default(), &Shell::system()), Err(SuiteError::Empty)));
        let mixed = Suite {
            programs: vec![program("a", Some("rusage"), 1), program("b", Some("valgrind"), 1)],
            ..Suite::default()
        };
        let error = programs(&mixed, &Shell::system()).err().unwrap();
        assert!(error.to_string().contains("rusage, valgrind"), "{error}");
        let silent = SuiteProgram { commands: vec![], ..program("quiet", None, 1) };
        let error =
            programs(&Suite { programs: vec![silent], ..Suite::default() }, &Shell::system()).err().unwrap();
        assert_eq!(error.to_string(), "program 1 of the suite (quiet) has no command: give it a run_cmd");
    }

    #[test]
    fn everything_a_program_says_reaches_its_runs() {
        let said = SuiteProgram {
            name: None,
            commands: vec!["a | b".into(), "c".into()],
            environment: [("X".to_owned(), "1".to_owned())].into(),
            directory: Some("sub".into()),
            tags: vec!["fast".into()],
            ..SuiteProgram::default()
        };
        let (specs, _) =
            programs(&Suite { programs: vec![said], ..Suite::default() }, &Shell::system()).unwrap();
        let spec = &specs[0];
        assert_eq!((spec.program.name.as_str(), spec.program.command.as_str()), ("a | b", "a | b"));
        assert_eq!(spec.alternatives, [["sh", "-c", "a | b"], ["sh", "-c", "c"]]);
        assert_eq!(spec.environment, [("X".to_owned(), "1".to_owned())]);
        assert_eq!(spec.directory.as_deref(), Some("sub".as_ref()));
        assert_eq!(spec.program.tags, ["fast"]);
    }

    #[test]
    fn the_most_demanding_program_sets_the_numbers() {
        let demand = |runs, discarded, metrics: &[&str]| SuiteProgram {
            max_runs: runs,
            runs,
            discarded_runs: discarded,
            metrics: metrics.iter().map(|&name| name.to_owned()).collect(),
            ..program("a", None, 3)
        };
        let suite = Suite {
            programs: vec![
                demand(None, Some(2), &["wall"]),
                demand(Some(9), None, &["cpu"]),
                demand(Some(4), Some(1), &[]),
            ],
            ..Suite::default()
        };
        let (_, settings) = programs(&suite, &Shell::system()).unwrap();
        assert_eq!((settings.runs, settings.max_runs, settings.discarded_runs), (Some(9), Some(9), Some(2)));
        assert_eq!((settings.min_runs, settings.runner), (Some(3), None));
        assert_eq!(settings.metrics, ["wall", "cpu"]);
        let remarks: Vec<&str> =
            settings.remarks.iter().map(|text| text.split(':').next().unwrap()).collect();
        let different = |key: &str, numbers: &str| {
            format!("the programs of the suite name different numbers of {key} ({numbers})")
        };
        let expected = [("runs", "none, 9, 4"), ("max_runs", "none, 9, 4"), ("discarded_runs", "2, none, 1")]
            .map(|(key, numbers)| different(key, numbers));
        assert_eq!(remarks, expected);
    }

    #[test]
    fn temci_s_names_of_runners_are_ours() {
        for (theirs, ours) in
            [("time", "rusage"), ("rusage", "rusage"), ("perf_stat", "perf-stat"), ("output", "output")]
        {
            let suite = Suite { programs: vec![program("a", Some(theirs), 1)], ..Suite::default() };
            assert_eq!(programs(&suite, &Shell::system()).unwrap().1.runner.as_deref(), Some(ours));
        }
    }

    #[test]
    fn a_number_that_is_taken_is_skipped() {
        let names = ["a", "a #2", "a", "a", "b"];
        let suite = Suite { programs: names.map(|name| program(name, None, 1)).into(), ..Suite::default() };
        let (specs, _) = programs(&suite, &Shell::system()).unwrap();
        let distinct: Vec<&str> = specs.iter().map(|spec| spec.program.name.as_str()).collect();
        assert_eq!(distinct, ["a", "a #2", "a #3", "a #4", "b"]);
    }
}
