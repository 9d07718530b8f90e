//! The programs to measure: commands with their parameters filled in, and the programs of a suite.

use std::collections::BTreeMap;

use lotse_bench::command::Shell;
use lotse_bench::history::COMMIT;
use lotse_bench::options::{Hooks, Input, Output, ProgramSpec};
use lotse_bench::parameters::{self, Parameter};
use lotse_bench::suite::{SuiteSettings, make_names_distinct};
use lotse_formats::bench::temci_settings::RunSettings;
use lotse_host::FileSource;
use lotse_model::results::Program;
use lotse_model::suite::Expected;

use super::build;
use super::suite::{self, SuiteParts};
use crate::args::RunArgs;
use crate::exit::{Exit, Failure};

/// The programs to measure, and what a suite says about measuring them.
pub(crate) struct Programs {
    pub(crate) specs: Vec<ProgramSpec>,
    pub(crate) reference: usize,
    pub(crate) suite: SuiteSettings,
    /// The actions of `--separate` that the suite asks for.
    pub(crate) separation: Vec<String>,
    pub(crate) remarks: Vec<String>,
}

/// The programs of the suite, if there is one, followed by those of the command line.
pub(crate) fn programs(args: &RunArgs, settings: &RunSettings, shell: &Shell) -> Result<Programs, Failure> {
    check_paths(args)?;
    check_ignore_failure(args)?;
    let SuiteParts { mut specs, settings: suite, separation, mut remarks } = match &args.suite {
        Some(path) => {
            if !(args.design.parameter_scan.is_empty() && args.design.parameter_list.is_empty()) {
                return Err(Failure::usage(
                    "parameters are for commands on the command line, not for a suite",
                ));
            }
            suite::programs(args, settings, path, shell)?
        }
        None => SuiteParts::default(),
    };
    let commands = if args.revisions.rev.is_empty() {
        from_commands(args, shell)?
    } else {
        from_revisions(args, shell)?
    };
    specs.extend(suite::selected(args, commands)?);
    build::check_counts(&specs)?;
    remarks.extend(unused_parameter_remarks(args, &parameters_given(args)?));
    make_names_distinct(&mut specs);
    let reference = reference(args, &mut specs, shell)?;
    Ok(Programs { specs, reference, suite, separation, remarks })
}

/// Refuses files and directories of the command line that do not exist, so that no program seems to fail because of them.
fn check_paths(args: &RunArgs) -> Result<(), Failure> {
    if let Some(directory) = args.start.cwd.as_deref().filter(|directory| !directory.is_dir()) {
        return Err(Failure::usage(format!("--cwd: there is no directory `{}`", directory.display())));
    }
    let input = &args.start.input;
    if input != "null" {
        FileSource::open(input).map_err(|error| Failure::new(Exit::Unreadable, &error))?;
    }
    for place in
        args.start.output.iter().filter(|place| !["null", "pipe", "inherit"].contains(&place.as_str()))
    {
        let directory =
            std::path::Path::new(place).parent().filter(|parent| *parent != std::path::Path::new(""));
        if let Some(directory) = directory.filter(|directory| !directory.is_dir() && !place.contains('{')) {
            return Err(Failure::usage(format!("--output: there is no directory `{}`", directory.display())));
        }
    }
    Ok(())
}

/// Remarks about parameters that no command uses: all programs for their values are the same.
fn unused_parameter_remarks(args: &RunArgs, parameters: &[Parameter]) -> Vec<String> {
    let (hooks, start) = (&args.hooks, &args.start);
    let texts = || {
        let lists = [&args.commands, &hooks.prepare, &hooks.conclude, &start.env, &start.output];
        let single = hooks.setup.iter().chain(&hooks.cleanup).chain(&args.expect.expect_output);
        lists.into_iter().flatten().chain(single)
    };
    let is_used = |parameter: &Parameter| {
        let place = format!("{{{}}}", parameter.name);
        texts().any(|text| text.contains(&place))
    };
    let remark = |parameter: &Parameter| {
        let Parameter { name, values } = parameter;
        format!("no command has {{{name}}}: the programs for its {} values are the same", values.len())
    };
    parameters.iter().filter(|parameter| !is_used(parameter)).map(remark).collect()
}

/// Refuses `-i 3 CMD`, which would measure a program called 3; `-i=3 CMD` is meant.
fn check_ignore_failure(args: &RunArgs) -> Result<(), Failure> {
    let all = args.expect.ignore_failure.as_deref() == Some("all-non-zero");
    let is_codes = |text: &&String| text.split(',').all(|code| code.parse::<i32>().is_ok());
    match args.commands.iter().find(is_codes).filter(|_| all) {
        Some(codes) => Err(Failure::usage(format!(
            "'{codes}' is taken as a command; exit codes are joined by an equals sign: -i={codes}"
        ))),
        None => Ok(()),
    }
}

pub(super) fn input(args: &RunArgs) -> Input {
    if args.start.input == "null" { Input::Null } else { Input::File(args.start.input.clone().into()) }
}

/// A program for each command and each combination of the values of parameters.
fn from_commands(args: &RunArgs, shell: &Shell) -> Result<Vec<ProgramSpec>, Failure> {
    let combinations = parameters::combinations(&parameters_given(args)?);
    let total = args.commands.len() * combinations.len();
    let mut specs = Vec::new();
    for (index, command) in args.commands.iter().enumerate() {
        for values in &combinations {
            let run_conditions = run_conditions(args, index, args.commands.len(), values)?;
            let name = name(args, total, index, specs.len(), values);
            specs.push(spec(args, shell, command, name, values, run_conditions)?);
        }
    }
    let names = args.start.names.len();
    if args.suite.is_none() && names > total {
        return Err(Failure::usage(format!(
            "{names} names for {total} programs: give at most one name for each"
        )));
    }
    Ok(specs)
}

/// The command built at every revision.
fn from_revisions(args: &RunArgs, shell: &Shell) -> Result<Vec<ProgramSpec>, Failure> {
    if *shell != Shell::None {
        return Err(Failure::usage(
            "--rev finds the program to build by the first word of the command: leave out the shell",
        ));
    }
    let commands = from_commands(args, shell)?;
    if commands.len() > 1 {
        // Every program is compared with the first, which would be a different command.
        return Err(Failure::usage(
            "--rev compares revisions of one command: measure each command by itself",
        ));
    }
    let mut specs = Vec::new();
    for spec in commands {
        let [argv] = &spec.alternatives[..] else {
            return Err(Failure::usage(format!(
                "{} is a folder of builds: leave out --rev",
                spec.program.command
            )));
        };
        let (program, arguments) = argv.split_first().ok_or_else(|| Failure::usage("a command is empty"))?;
        // All revisions are looked up before the first is built.
        args.revisions.rev.iter().try_for_each(|revision| build::check_revision(revision))?;
        for revision in &args.revisions.rev {
            let product = build::build_revision(args, revision, &program.to_string_lossy())?;
            let mut built = spec.clone();
            built.program.name.clone_from(revision);
            built.alternatives = build::commands(&product.builds, &product.folder, arguments);
            if let Some(commit) = &product.builds.commit {
                built.program.attributes.insert(COMMIT.to_owned(), commit.clone().into());
            }
            built.are_builds = true;
            built.program.build_seconds = product.builds.seconds;
            specs.push(built);
        }
    }
    Ok(specs)
}

/// The name given for a program. Names are given one for each program, or one for each command (for all values of its
/// parameters), or as one pattern with parameters in it for all programs.
fn name(
    args: &RunArgs,
    total: usize,
    command: usize,
    program: usize,
    values: &BTreeMap<String, String>,
) -> Option<String> {
    let names = &args.start.names;
    let name = match names.as_slice() {
        all if all.len() == total => all.get(program),
        each if each.len() == args.commands.len() => each.get(command),
        [pattern] if parameters::is_pattern(pattern, values) => Some(pattern),
        some => some.get(program),
    };
    name.map(|name| parameters::fill(name, values))
}

/// The parameters of `--parameter-scan` and `--parameter-list`, each with all its values.
fn parameters_given(args: &RunArgs) -> Result<Vec<Parameter>, Failure> {
    let steps = &args.design.parameter_step_size;
    let scans = args.design.parameter_scan.chunks(3);
    if steps.len() > 1 && steps.len() != scans.len() {
        return Err(Failure::usage("give --parameter-step-size once for all scans, or once for each"));
    }
    let mut parameters = Vec::new();
    for (index, scan) in scans.enumerate() {
        let step = if steps.len() > 1 { steps.get(index) } else { steps.first() };
        let parameter = Parameter::scan(&scan[0], &scan[1], &scan[2], step.map(String::as_str));
        parameters.push(parameter.map_err(|error| Failure::new(Exit::Usage, &error))?);
    }
    parameters.extend(args.design.parameter_list.chunks(2).map(|pair| Parameter::list(&pair[0], &pair[1])));
    let mut names: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Failure::usage(format!("the parameter {} is given twice", pair[0]))),
        None => Ok(parameters),
    }
}

/// How the runs of a program are made and checked, apart from its command.
pub(super) struct RunConditions {
    pub(super) hooks: Hooks,
    pub(super) environment: Vec<(String, String)>,
    pub(super) output: Output,
    pub(super) any_exit_code: bool,
    pub(super) expected: Expected,
    pub(super) timeout: Option<std::time::Duration>,
}

/// The conditions for the program at `index` of `commands`, with the values of parameters filled in.
pub(super) fn run_conditions(
    args: &RunArgs,
    index: usize,
    commands: usize,
    values: &BTreeMap<String, String>,
) -> Result<RunConditions, Failure> {
    let fill = |text: &String| parameters::fill(text, values);
    let hooks = &args.hooks;
    let (any_exit_code, exit_codes) = exit_codes(args)?;
    let output = match once_or_each("--output", &args.start.output, index, commands)? {
        _ if args.start.show_output => Output::Inherit,
        None => Output::Null,
        Some(place) => output(&fill(place)),
    };
    Ok(RunConditions {
        hooks: Hooks {
            setup: hooks.setup.as_ref().map(fill),
            prepare: once_or_each("--prepare", &hooks.prepare, index, commands)?.map(fill),
            conclude: once_or_each("--conclude", &hooks.conclude, index, commands)?.map(fill),
            cleanup: hooks.cleanup.as_ref().map(fill),
        },
        environment: match once_or_each("--env", &args.start.env, index, commands)? {
            None => Vec::new(),
            Some(assignments) => environment(&fill(assignments))?,
        },
        output,
        any_exit_code,
        expected: Expected {
            exit_codes,
            output: args.expect.expect_output.clone(),
            output_contains: args.expect.expect_contains.clone(),
            output_lacks: args.expect.expect_lacks.clone(),
            ..Expected::default()
        },
        timeout: args.start.timeout,
    })
}

/// The value for one program of an option that may be given once for all programs or once for each.
fn once_or_each<'a>(
    option: &str,
    given: &'a [String],
    index: usize,
    commands: usize,
) -> Result<Option<&'a String>, Failure> {
    match given.len() {
        0 | 1 => Ok(given.first()),
        count if count == commands => Ok(given.get(index)),
        count => Err(Failure::usage(format!(
            "{option} is given {count} times for {commands} commands: give it once, or once for each"
        ))),
    }
}

fn output(place: &str) -> Output {
    match place {
        "null" => Output::Null,
        "pipe" => Output::Pipe,
        "inherit" => Output::Inherit,
        path => Output::File(path.into()),
    }
}

/// The variables of `--env`: words of the form NAME=VALUE.
fn environment(assignments: &str) -> Result<Vec<(String, String)>, Failure> {
    let words =
        lotse_bench::command::split(assignments).map_err(|error| Failure::new(Exit::Usage, &error))?;
    let pair = |word: String| match word.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(Failure::usage(format!("--env: '{word}' is not of the form NAME=VALUE"))),
    };
    words.into_iter().map(pair).collect()
}

/// Whether any exit code is good, and the good codes if not; empty means 0.
fn exit_codes(args: &RunArgs) -> Result<(bool, Vec<i32>), Failure> {
    let expected = args.expect.expect_code.clone();
    match args.expect.ignore_failure.as_deref() {
        None => Ok((false, expected)),
        Some("all-non-zero") => Ok((true, expected)),
        Some(codes) => {
            let code = |text: &str| text.trim().parse::<i32>();
            let parsed: Result<Vec<i32>, _> = codes.split(',').map(code).collect();
            let mut ignored = parsed.map_err(|_| {
                Failure::usage(format!(
                    "--ignore-failure: '{codes}' is neither all-non-zero nor a list of exit codes"
                ))
            })?;
            ignored.push(0);
            ignored.extend(expected);
            Ok((false, ignored))
        }
    }
}

/// The program of a command, with the values of parameters filled in; a folder of builds gives an alternative for each build.
fn spec(
    args: &RunArgs,
    shell: &Shell,
    command: &str,
    name: Option<String>,
    values: &BTreeMap<String, String>,
    run_conditions: RunConditions,
) -> Result<ProgramSpec, Failure> {
    let command = parameters::fill(command, values);
    let argv = shell.argv(&command).map_err(|error| Failure::new(Exit::Usage, &error))?;
    let (builds, alternatives) = build::alternatives(&argv, args.start.cwd.as_deref()).unzip();
    Ok(ProgramSpec {
        program: Program {
            name: name.unwrap_or_else(|| command.clone()),
            command,
            parameters: values.clone(),
            tags: args.start.tag.clone(),
            build_seconds: builds.as_ref().and_then(|builds| builds.seconds),
            ..Program::default()
        },
        are_builds: builds.is_some(),
        alternatives: alternatives.unwrap_or_else(|| vec![argv]),
        environment: run_conditions.environment,
        directory: args.start.cwd.clone(),
        directories: Vec::new(),
        input: input(args),
        output: run_conditions.output,
        hooks: run_conditions.hooks,
        expected: run_conditions.expected,
        any_exit_code: run_conditions.any_exit_code,
        timeout: run_conditions.timeout,
    })
}

/// The index of the reference: the first program, the one with a name or command, or a further command, added as the first.
fn reference(args: &RunArgs, specs: &mut Vec<ProgramSpec>, shell: &Shell) -> Result<usize, Failure> {
    let Some(wanted) = &args.design.reference else { return Ok(0) };
    let known = specs.iter().position(|spec| spec.program.name == *wanted || spec.program.command == *wanted);
    if let Some(index) = known {
        return Ok(index);
    }
    let values = BTreeMap::new();
    let name = args.design.reference_name.clone();
    let own = spec(args, shell, wanted, name, &values, run_conditions(args, 0, 1, &values)?)?;
    specs.insert(0, own);
    make_names_distinct(specs);
    Ok(0)
}
