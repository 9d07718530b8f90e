//! `lotse bench replay`: repeats a packed measurement and says whether it gives the same result.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use clap::Parser as _;
use lotse_bench::answer::{Answer, ProgramAnswer};
use lotse_bench::options::{Options, ProgramSpec};
use lotse_bench::package::{self, CHECKSUM, FILES, MANIFEST, Manifest, RESULT, ReplayOutcome, SCHEMA};
use lotse_host::Scratch;
use lotse_model::unit::Unit;

use super::pack::needed;
use super::report;
use super::run::{measure_silently, plan};
use crate::args::{BenchVerb, Cli, Command, ReplayArgs, RunArgs};
use crate::exit::{Exit, Failure};
use crate::screen;

/// Unpacks the package, checks it, measures again, and compares the two results; the exit status is the outcome.
pub(crate) fn run(args: &ReplayArgs) -> Result<Exit, Failure> {
    let scratch;
    let folder = match &args.dir {
        Some(folder) if folder.exists() => {
            return Err(Failure::usage(format!("`{}` exists already: name a new folder", folder.display())));
        }
        Some(folder) => folder.clone(),
        None => {
            scratch = Scratch::create().map_err(|error| Failure::new(Exit::Missing, &error))?;
            scratch.path().join("package")
        }
    };
    lotse_host::package::unpack(&args.package, &folder).map_err(|error| {
        // A part of a package is useless. If it cannot be removed, the next attempt fails because the folder exists.
        drop(fs::remove_dir_all(&folder));
        Failure::new(Exit::Unreadable, &error)
    })?;
    let folder = folder.canonicalize().map_err(|error| unreadable(args, &error.to_string()))?;
    let manifest = manifest(args, &folder)?;
    if args.list {
        return list(&manifest);
    }
    let packed = report::answer_from_file(&folder.join(RESULT))?;
    let here = lotse_host::fingerprint(env!("CARGO_PKG_VERSION"));
    let differences = manifest.differences(&here);
    let mut call = packed_arguments(&manifest)?;
    // Only the comparison is printed, not the summary of the new measurement.
    call.show.quiet = true;
    call.keep.no_keep = true;
    enter(&folder, &manifest)?;
    screen::remark(&format!("running: lotse bench {}", manifest.arguments));
    let planned = plan(&call)?;
    check_commands(args, &planned.options, &packed)?;
    let measured = measure_silently(planned)?;
    let answer = package::compare(&packed, &measured.finished.answer, differences);
    if args.json {
        screen::json(&answer)?;
    } else {
        let metric = answer.times.first().map(|times| times.metric.clone());
        let known = packed.metrics.iter().find(|known| Some(&known.name) == metric.as_ref());
        let unit = known.map_or(Unit::Number, |metric| metric.unit);
        screen::document(&package::replayed(&answer, unit))?;
    }
    Ok(match (measured.exit, answer.outcome) {
        (Exit::Interrupted | Exit::Missing | Exit::ProgramFailed, _) => measured.exit,
        (_, ReplayOutcome::Failed) => Exit::ProgramFailed,
        (_, ReplayOutcome::Differs) => Exit::No,
        (_, ReplayOutcome::Undecided) => Exit::Undecided,
        (_, ReplayOutcome::Reproduces) => Exit::Done,
    })
}

fn unreadable(args: &ReplayArgs, problem: &str) -> Failure {
    Failure { exit: Exit::Unreadable, message: format!("{}: {problem}", args.package.display()) }
}

/// Reads the manifest, and checks by their digests that all files are as they were packed.
fn manifest(args: &ReplayArgs, folder: &Path) -> Result<Manifest, Failure> {
    let text = fs::read_to_string(folder.join(MANIFEST))
        .map_err(|_| unreadable(args, &format!("it has no {MANIFEST}, so it is no package of Lotse")))?;
    match fs::read_to_string(folder.join(CHECKSUM)) {
        Ok(sum) if sum != package::checksum(&text) => {
            return Err(unreadable(args, &format!("{MANIFEST} is not the one that was packed")));
        }
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(unreadable(args, &format!("{CHECKSUM}: {error}")));
        }
        // Packages of earlier versions have no checksum.
        _ => {}
    }
    let manifest: Manifest =
        serde_json::from_str(&text).map_err(|error| unreadable(args, &format!("{MANIFEST}: {error}")))?;
    if manifest.schema != SCHEMA {
        let problem = format!("it is of version {}; this Lotse knows {SCHEMA}", manifest.schema);
        return Err(unreadable(args, &problem));
    }
    let result =
        fs::read(folder.join(RESULT)).map_err(|_| unreadable(args, &format!("it has no {RESULT}")))?;
    if lotse_host::package::digest(&result) != manifest.result_sha256 {
        return Err(unreadable(args, &format!("{RESULT} is not the one that was packed")));
    }
    match manifest.damaged(&folder.join(FILES)).first() {
        Some(problem) => Err(unreadable(args, problem)),
        None => Ok(manifest),
    }
}

/// Refuses a package whose manifest names other commands than its result. Of a program with several commands the results of
/// earlier versions have only the first.
fn check_commands(args: &ReplayArgs, options: &Options, packed: &Answer) -> Result<(), Failure> {
    let (planned, packed) = (&options.programs, &packed.programs);
    let differs = |(spec, packed): (&ProgramSpec, &ProgramAnswer)| {
        spec.alternatives.len() == 1 && spec.program.command != packed.command
    };
    if planned.len() == packed.len() && !planned.iter().zip(packed).any(differs) {
        return Ok(());
    }
    Err(unreadable(args, &format!("the commands of {MANIFEST} are not those of {RESULT}")))
}

/// The arguments of the packed measurement.
fn packed_arguments(manifest: &Manifest) -> Result<Box<RunArgs>, Failure> {
    let words = shell_words::split(&manifest.arguments)
        .map_err(|error| Failure { exit: Exit::Unreadable, message: format!("its arguments: {error}") })?;
    let line = ["lotse", "bench", "run"].into_iter().map(str::to_owned).chain(words);
    let cli = Cli::try_parse_from(line).map_err(|error| Failure {
        exit: Exit::Unreadable,
        message: format!("its arguments are not known to this Lotse: {}", error.render()),
    })?;
    match cli.command {
        Some(Command::Bench(bench)) => match bench.verb {
            Some(BenchVerb::Run(run)) => Ok(run),
            _ => Err(Failure {
                exit: Exit::Unreadable,
                message: "its arguments are no measurement".to_owned(),
            }),
        },
        _ => Err(Failure { exit: Exit::Unreadable, message: "its arguments are no measurement".to_owned() }),
    }
}

/// Changes the current directory to the files of the package, and writes the settings of the package there.
fn enter(folder: &Path, manifest: &Manifest) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure { exit: Exit::Missing, message: error.to_string() };
    let files = folder.join(FILES);
    fs::create_dir_all(&files).map_err(failed)?;
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let line = |(key, value): (&String, &String)| {
        Some(format!("{} = {}\n", key.strip_prefix("bench.")?, quoted(value)))
    };
    let lines: String = manifest.settings.iter().filter_map(line).collect();
    fs::write(files.join("lotse.toml"), format!("[bench]\n{lines}")).map_err(failed)?;
    std::env::set_current_dir(&files).map_err(failed)
}

/// Prints what is in the package.
fn list(manifest: &Manifest) -> Result<Exit, Failure> {
    let machine = manifest.machine.as_ref().map_or_else(|| "unknown".to_owned(), |machine| machine.summary());
    let mut lines = vec![
        format!("made by Lotse {} on {}", manifest.lotse, manifest.date),
        format!("machine: {machine}"),
        format!("runs: lotse bench {}", manifest.arguments),
        format!("needs of the system: {}", needed(manifest)),
        "files:".to_owned(),
    ];
    lines.extend(manifest.commit.iter().map(|commit| format!("commit: {commit}")));
    lines.extend(manifest.files.iter().map(|file| format!("  {} ({} bytes)", file.path, file.bytes)));
    screen::write(|out| lines.iter().try_for_each(|line| writeln!(out, "{line}")))
}
