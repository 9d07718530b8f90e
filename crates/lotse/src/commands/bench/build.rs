//! `lotse bench build`, and measured commands whose program is a folder of builds or is built from a revision.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use lotse_bench::builds::{self, BuildProduct, BuildProducts, BuildRequest, BuildsError};
use lotse_bench::options::ProgramSpec;
use lotse_host::build::{BuildError, Builds, Method};
use lotse_report::{Block, Cell, Column, Document, Inline, Table};

use super::build_file;
use crate::args::{BuildArgs, RunArgs};
use crate::exit::{Exit, Failure};
use crate::screen;

pub(crate) fn run(args: &BuildArgs) -> Result<Exit, Failure> {
    if args.file.is_some() || args.select.settings.is_some() {
        return build_file::run(args);
    }
    let folder = here()?;
    let command = if args.command.is_empty() {
        builds::usual_command(&folder).map_err(failure)?
    } else {
        args.command.clone()
    };
    let method = args.method.map(Into::into);
    let request = BuildRequest {
        folder,
        command,
        count: args.count,
        seed: args.seed,
        method,
        align: args.align,
        quiet: false,
    };
    let mut products = BuildProducts::default();
    let mut add = |more: BuildProducts| {
        products.good.extend(more.good);
        products.failed.extend(more.failed);
    };
    if args.git.is_empty() {
        add(builds::build_folder(&request, &args.out).map_err(failure)?);
    }
    for revision in &args.git {
        // The linker runs in a copy of the repository, where a relative path would mean another folder.
        let out = here()?.join(&args.out).join(revision.replace('/', "-"));
        add(builds::build_revision(&request, revision, &out).map_err(failure)?);
    }
    for error in &products.failed {
        screen::remark(&error.to_string());
    }
    screen::document(&document(&products.good, args.count))
}

/// A table of the builds, notes about what they do not vary, and the command that measures them.
fn document(products: &[BuildProduct], wanted: u32) -> Document {
    let mut document = Document::new();
    let columns = ["program", "method", "folder"].map(Column::left);
    let mut table =
        Table::new(String::new(), [&columns[..1], &[Column::right("builds")], &columns[1..]].concat());
    for BuildProduct { folder, builds } in products {
        table.rows.push(vec![
            Cell::text(builds.name.clone()),
            Cell::text(builds.files.len().to_string()),
            Cell::text(builds.method.clone()),
            Cell::text(folder.display().to_string()),
        ]);
    }
    document.push(Block::Table(table));
    if products.iter().any(|product| product.builds.files.len() < wanted as usize) {
        let text = "Some programs have fewer layouts than builds were asked for: all that differ are there. Another --method may give more.";
        document.push(Block::Paragraph(vec![Inline::Text(text.to_owned())]));
    }
    let notes: BTreeSet<String> = products.iter().flat_map(|product| notes(&product.builds)).collect();
    document.blocks.extend(notes.into_iter().map(|text| Block::Paragraph(vec![Inline::Text(text)])));
    let names: Vec<String> = products.iter().take(2).map(|it| format!("'{}'", it.folder.display())).collect();
    let text = format!("Measure them: lotse bench {}", names.join(" "));
    document.push(Block::Paragraph(vec![Inline::Text(text)]));
    document
}

/// Sentences about what builds do not vary, or vary besides the layout: shared libraries of the build, which are the same in all builds
/// although the time may be spent in them, those that the program may open from anywhere, and link-time optimisation.
fn notes(builds: &Builds) -> Vec<String> {
    let (name, used, opened) = (&builds.name, builds.libraries.join(", "), builds.opened.join(", "));
    let used = (!used.is_empty()).then(|| {
        format!("Not varied: {used}, which the build made as shared; link statically to vary what is in it.")
    });
    let opened = (!opened.is_empty()).then(|| {
        format!("{name} opens libraries while it runs; {opened}, which the build made, may be one of them and is not kept with {name}.")
    });
    let is_generated = builds.optimised_at_link && builds.method == Method::Objects.word();
    let generated = is_generated.then(|| {
        format!("{name} is optimised when it is linked, so that another order of objects changes its instructions, too; --method padding does not.")
    });
    [used, opened, generated].into_iter().flatten().collect()
}

/// If the program of a command is a folder of builds: these builds, and the command for each of them.
pub(crate) fn alternatives(
    argv: &[OsString],
    directory: Option<&Path>,
) -> Option<(Builds, Vec<Vec<OsString>>)> {
    let (program, arguments) = argv.split_first()?;
    let folder = directory.unwrap_or(Path::new("")).join(program);
    let builds = Builds::read(&folder)?;
    let base = std::env::current_dir().ok()?.join(&folder);
    let commands = commands(&builds, &base, arguments);
    Some((builds, commands))
}

/// The command for each build.
pub(crate) fn commands(builds: &Builds, folder: &Path, arguments: &[OsString]) -> Vec<Vec<OsString>> {
    let command = |path: PathBuf| [&[path.into_os_string()], arguments].concat();
    builds.paths(folder).into_iter().map(command).collect()
}

/// Builds the program of a command at a revision, as often as asked for; existing builds are used again.
pub(crate) fn build_revision(run: &RunArgs, revision: &str, program: &str) -> Result<BuildProduct, Failure> {
    let (args, quiet) = (&run.revisions, run.show.quiet);
    let folder = here()?;
    let command = match &args.build {
        Some(line) => lotse_bench::command::split(line).map_err(|error| Failure::new(Exit::Usage, &error))?,
        None => builds::usual_command(&folder).map_err(failure)?,
    };
    let method = args.method.map(Into::into);
    let count = args.builds(run.stopping.level);
    let request = BuildRequest { folder, command, count, seed: seed(run), method, align: args.align, quiet };
    let doing = if builds::is_built(&request, revision, program) {
        "using builds made before of"
    } else {
        "building"
    };
    if !quiet {
        screen::remark(&format!("{doing} {revision}: {}", request.command.join(" ")));
    }
    let product = builds::build_program(&request, revision, program).map_err(failure)?;
    notes(&product.builds).iter().for_each(|text| screen::remark(text));
    let builds = product.builds.files.len();
    if builds < count as usize {
        screen::remark(&format!(
            "{revision} has {builds} builds that differ, of {count} asked for; {}",
            match method {
                Some(method) => format!("--method {} gives no more, another one may", method.word()),
                None => "no method gives more".to_owned(),
            }
        ));
    }
    Ok(product)
}

/// What layouts of builds are drawn from: the seed of the user, else always the same, so that builds from before can be used.
fn seed(run: &RunArgs) -> u32 {
    run.design.seed.map_or(1, |seed| (seed ^ (seed >> 32)) as u32)
}

/// Refuses a revision that does not exist.
pub(crate) fn check_revision(revision: &str) -> Result<(), Failure> {
    let found = lotse_host::build::resolve(&here()?, revision);
    found.map(|_| ()).map_err(|error| Failure::new(Exit::Usage, &error))
}

/// Refuses different numbers of builds: builds are compared pairwise, so every program must have the same number, or one.
pub(crate) fn check_counts(specs: &[ProgramSpec]) -> Result<(), Failure> {
    let counts: BTreeSet<usize> =
        specs.iter().map(|spec| if spec.are_builds { spec.alternatives.len() } else { 1 }).collect();
    match counts.iter().filter(|count| **count > 1).count() {
        0 | 1 => Ok(()),
        _ => {
            let counts: Vec<String> = counts.iter().map(ToString::to_string).collect();
            Err(Failure::usage(format!(
                "the programs have {} builds: build all of them equally often, or choose one with --include",
                counts.join(" and ")
            )))
        }
    }
}

fn here() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| Failure::new(Exit::Missing, &error))
}

/// The exit status depends on what failed: the build command, the start of a tool, or what the user asked for.
pub(crate) fn failure(error: BuildsError) -> Failure {
    let exit = match &error {
        BuildsError::Build(BuildError::Failed { .. } | BuildError::Relink { .. }) => Exit::ProgramFailed,
        BuildsError::Build(BuildError::Start { .. }) | BuildsError::NoBuilds { .. } => Exit::Missing,
        _ => Exit::Usage,
    };
    Failure::new(exit, &error)
}
