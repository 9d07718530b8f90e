//! The programs of a suite: chosen, built where it says how, and completed by the command line.

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
use lotse_model::suite::SuiteProgram;

use super::bench_build;
use super::bench_programs::{Common, common, input};
use crate::args::{RunArgs, SelectArgs};
use crate::exit::{Exit, Failure};
use crate::screen;

/// Where builds of a suite go.
const BUILDS: &str = "lotse-builds";

/// What a suite brings to a measurement.
#[derive(Default)]
pub(crate) struct SuiteParts {
    pub(crate) specs: Vec<ProgramSpec>,
    pub(crate) settings: SuiteSettings,
    pub(crate) separation: Vec<String>,
    pub(crate) remarks: Vec<String>,
}

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
    if !args.no_build {
        for (number, program) in suite.programs.iter_mut().enumerate() {
            remarks
                .extend(build(number, program, Path::new(BUILDS))?.map_or(Vec::new(), |built| built.remarks));
        }
    }
    let (mut specs, mut of_suite) = suite::programs(&suite, shell).map_err(|error| {
        // What is not done may be the reason.
        remarks.iter().chain(&suite.ignored).for_each(|remark| screen::remark(remark));
        Failure::new(Exit::Unreadable, &error)
    })?;
    let count = specs.len();
    for (index, spec) in specs.iter_mut().enumerate() {
        complete(args, spec, common(args, index, count, &BTreeMap::new())?);
        if let Some(name) = args.start.names.get(index) {
            spec.program.name.clone_from(name);
        }
    }
    of_suite.budget = settings.max_time.map(|time| time / u32::try_from(count).unwrap_or(u32::MAX).max(1));
    remarks.extend(suite.ignored.iter().chain(&of_suite.remarks).cloned());
    Ok(SuiteParts { specs, settings: of_suite, separation: suite.separation, remarks })
}

/// Reads a suite.
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

/// Leaves the programs that are meant.
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

/// Commands of the command line that are meant.
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

/// Builds a program where the suite says how, after which it runs in the folders of its builds.
pub(crate) fn build(
    number: usize,
    program: &mut SuiteProgram,
    out: &Path,
) -> Result<Option<builds::BlockBuild>, Failure> {
    let Some(mut plan) = program.build.take() else { return Ok(None) };
    let name = program.name.clone().unwrap_or_else(|| format!("program {}", number + 1));
    if plan.folder.is_none() && plan.base.is_none() {
        plan.folder = program.directories.first().cloned();
    }
    if let Some(command) = &plan.command {
        screen::remark(&format!("building {name}: {command}"));
    }
    let built = builds::build_block(&plan, &name, out).map_err(bench_build::failure)?;
    program.directories = built.folders.iter().map(|folder| folder.display().to_string()).collect();
    Ok(Some(built))
}

/// Adds what the command line says to a program of a suite; what the suite says of itself stays.
fn complete(args: &RunArgs, spec: &mut ProgramSpec, common: Common) {
    spec.timeout = common.timeout;
    spec.hooks = common.hooks;
    spec.any_exit_code = common.any_exit_code;
    spec.environment.extend(common.environment);
    spec.output = common.output;
    spec.input = input(args);
    spec.directory = spec.directory.take().or_else(|| args.start.cwd.clone());
    spec.program.tags.extend(args.start.tag.iter().cloned());
    spec.expected.exit_codes.extend(common.expected.exit_codes);
    spec.expected.output = common.expected.output.or_else(|| spec.expected.output.take());
    spec.expected.output_contains.extend(common.expected.output_contains);
    spec.expected.output_lacks.extend(common.expected.output_lacks);
}
