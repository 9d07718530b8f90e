//! Reads the programs of a suite, selects and builds them, and adds the options of the command line.

use std::collections::BTreeMap;
use std::path::Path;

use lotse_bench::builds;
use lotse_bench::command::Shell;
use lotse_bench::options::ProgramSpec;
use lotse_bench::select::{Candidate, Selection};
use lotse_bench::suite::{self, SuiteSettings};
use lotse_formats::bench::temci_settings::RunSettings;
use lotse_formats::{FormatError, Reading};
use lotse_host::FileSource;
use lotse_model::Suite;
use lotse_model::suite::{BuildPlan, SuiteProgram};

use super::build;
use super::programs::{RunConditions, input, run_conditions};
use crate::args::{RunArgs, SelectArgs};
use crate::exit::{Exit, Failure};
use crate::screen;

/// The folder for builds of a suite.
const BUILDS: &str = "lotse-builds";

/// The programs of a suite and its settings.
#[derive(Default)]
pub(crate) struct SuiteParts {
    pub(crate) specs: Vec<ProgramSpec>,
    pub(crate) settings: SuiteSettings,
    pub(crate) separation: Vec<String>,
    pub(crate) remarks: Vec<String>,
}

/// Reads, selects and builds the programs of a suite.
///
/// The settings of temci's file apply first, then the options of the command line; a time limit for all is divided by the
/// number of programs.
pub(crate) fn programs(
    args: &RunArgs,
    settings: &RunSettings,
    path: &Path,
    shell: &Shell,
) -> Result<SuiteParts, Failure> {
    let Reading { value: mut suite, diagnostics, .. } = read(path)?;
    choose(&args.select, &mut suite)?;
    suite::with_settings(&mut suite, settings);
    let mut remarks: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    for (number, program) in suite.programs.iter_mut().enumerate() {
        if args.no_build {
            use_existing_builds(number, program)?;
        } else {
            let built = build(number, program, Path::new(BUILDS))?;
            remarks.extend(built.map_or(Vec::new(), |built| built.remarks));
        }
    }
    let (mut specs, mut of_suite) = suite::programs(&suite, shell).map_err(|error| {
        // What is ignored in the suite may be the reason for the error.
        remarks.iter().chain(&suite.ignored).for_each(|remark| screen::remark(remark));
        Failure::new(Exit::Unreadable, &error)
    })?;
    let count = specs.len();
    for (index, spec) in specs.iter_mut().enumerate() {
        complete(args, spec, run_conditions(args, index, count, &BTreeMap::new())?);
        if let Some(name) = args.start.names.get(index) {
            spec.program.name.clone_from(name);
        }
    }
    of_suite.budget = settings.max_time.map(|time| time / u32::try_from(count).unwrap_or(u32::MAX).max(1));
    remarks.extend(suite.ignored.iter().chain(&of_suite.remarks).cloned());
    Ok(SuiteParts { specs, settings: of_suite, separation: suite.separation, remarks })
}

/// Reads a suite from a YAML file.
pub(crate) fn read(path: &Path) -> Result<Reading<Suite>, Failure> {
    let source = FileSource::open(path).map_err(|error| Failure::new(Exit::Unreadable, &error))?;
    let unreadable = |error: FormatError| match error {
        FormatError::Unrecognised { name, .. } => {
            let message =
                format!("{name} is no suite: a suite is a YAML list of programs, each with a run_config");
            Failure { exit: Exit::Unreadable, message }
        }
        error => Failure::new(Exit::Unreadable, &error),
    };
    lotse_formats::read_suite(&source, None).map_err(unreadable)
}

/// Removes the programs that `--include` and `--exclude` do not select.
pub(crate) fn choose(args: &SelectArgs, suite: &mut Suite) -> Result<(), Failure> {
    let selection = Selection::new(&args.include, &args.exclude);
    let name = |program: &SuiteProgram| program.name.clone().or_else(|| program.commands.first().cloned());
    let names: Vec<String> =
        suite.programs.iter().map(|program| name(program).unwrap_or_else(|| "unnamed".to_owned())).collect();
    let programs = suite.programs.iter().zip(&names).enumerate();
    let candidates: Vec<Candidate<'_>> = programs
        .map(|(number, (program, name))| Candidate { name, tags: &program.tags, number: Some(number) })
        .collect();
    selection.check(&candidates).map_err(|error| Failure::new(Exit::Usage, &error))?;
    let mut kept =
        candidates.iter().map(|candidate| selection.keeps(*candidate)).collect::<Vec<_>>().into_iter();
    suite.programs.retain(|_| kept.next().unwrap_or(true));
    Ok(())
}

/// The commands of the command line that `--include` and `--exclude` select. With a suite, these options select its programs
/// and all commands stay.
pub(crate) fn selected(args: &RunArgs, specs: Vec<ProgramSpec>) -> Result<Vec<ProgramSpec>, Failure> {
    let selection = Selection::new(&args.select.include, &args.select.exclude);
    if args.suite.is_some() {
        return Ok(specs);
    }
    let mut candidates = Vec::with_capacity(specs.len());
    for (number, spec) in specs.iter().enumerate() {
        let program = &spec.program;
        candidates.push(Candidate { name: &program.name, tags: &program.tags, number: Some(number) });
    }
    selection.check(&candidates).map_err(|error| Failure::new(Exit::Usage, &error))?;
    let kept: Vec<bool> = candidates.iter().map(|candidate| selection.keeps(*candidate)).collect();
    Ok(specs.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(spec, _)| spec).collect())
}

/// Builds a program if the suite says how; it then runs in the folders of its builds.
pub(crate) fn build(
    number: usize,
    program: &mut SuiteProgram,
    out: &Path,
) -> Result<Option<builds::BlockBuild>, Failure> {
    let Some((plan, name)) = build_plan(number, program) else { return Ok(None) };
    if let Some(command) = &plan.command {
        screen::remark(&format!("building {name}: {command}"));
    }
    let built = builds::build_block(&plan, &name, out).map_err(build::failure)?;
    program.directories = built.folders.iter().map(|folder| folder.display().to_string()).collect();
    Ok(Some(built))
}

/// Lets a program run in the folders of the builds that were made earlier.
fn use_existing_builds(number: usize, program: &mut SuiteProgram) -> Result<(), Failure> {
    if let Some((plan, name)) = build_plan(number, program) {
        let folders = builds::existing_builds(&plan, &name, Path::new(BUILDS)).map_err(build::failure)?;
        program.directories = folders.iter().map(|folder| folder.display().to_string()).collect();
    }
    Ok(())
}

/// Takes the build plan of a program, and gives the name of its builds.
fn build_plan(number: usize, program: &mut SuiteProgram) -> Option<(BuildPlan, String)> {
    let mut plan = program.build.take()?;
    let name = program.name.clone().unwrap_or_else(|| format!("program {}", number + 1));
    if plan.folder.is_none() && plan.base.is_none() {
        plan.folder = program.directories.first().cloned();
    }
    Some((plan, name))
}

/// Adds the options of the command line to a program of a suite; lists such as environment and tags are extended.
fn complete(args: &RunArgs, spec: &mut ProgramSpec, run_conditions: RunConditions) {
    spec.timeout = run_conditions.timeout;
    spec.hooks = run_conditions.hooks;
    spec.any_exit_code = run_conditions.any_exit_code;
    spec.environment.extend(run_conditions.environment);
    spec.output = run_conditions.output;
    spec.input = input(args);
    spec.directory = spec.directory.take().or_else(|| args.start.cwd.clone());
    spec.program.tags.extend(args.start.tag.iter().cloned());
    spec.expected.exit_codes.extend(run_conditions.expected.exit_codes);
    spec.expected.output = run_conditions.expected.output.or_else(|| spec.expected.output.take());
    spec.expected.output_contains.extend(run_conditions.expected.output_contains);
    spec.expected.output_lacks.extend(run_conditions.expected.output_lacks);
}
