//! How much of the loops of published sources `lotse predict` understands: nests analysed, bounded and refused, with the reasons.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use benchmarks::predict::survey::Survey;
use benchmarks::{Error, finish, table};
use clap::Parser;
use lotse_predict::machine::{Cache, Machine, MachineError};
use lotse_predict::question::Language;

/// Reads all C and Rust files below some folders.
#[derive(Parser)]
struct Args {
    /// Folders with sources, or files
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Only files with at least so many loops that look numeric
    #[arg(long, default_value_t = 1)]
    loops: usize,
    /// Reasons that are printed
    #[arg(long, default_value_t = 15)]
    reasons: usize,
}

fn main() -> ExitCode {
    finish(run(&Args::parse()))
}

fn run(args: &Args) -> Result<(), Error> {
    let mut files = Vec::new();
    args.paths.iter().try_for_each(|path| collect(path, &mut files))?;
    files.sort();
    let wrong = |error: MachineError| Error::Answer { tool: "predict", what: error.to_string() };
    let machine = machine().map_err(wrong)?;
    let mut rows = Vec::new();
    let mut all_reasons = Vec::new();
    for (language, name) in [(Language::C, "C"), (Language::Rust, "Rust")] {
        let mut survey = Survey::default();
        let mut longest = (0.0, String::new());
        for path in
            files.iter().filter(|path| Language::of_file(&path.display().to_string()) == Some(language))
        {
            let text = fs::read(path).map_err(Error::file("read", path))?;
            let text = String::from_utf8_lossy(&text);
            if numeric_loops(&text) < args.loops {
                continue;
            }
            let start = Instant::now();
            survey.add(&path.display().to_string(), language, &text, &machine);
            let seconds = start.elapsed().as_secs_f64();
            if seconds > longest.0 {
                longest = (seconds, path.display().to_string());
            }
        }
        rows.push(row(name, &survey, &longest));
        all_reasons.push((name, survey));
    }
    let titles = [
        "language",
        "files",
        "unreadable",
        "functions",
        "nests",
        "analysed",
        "bounded",
        "refused",
        "no time",
        "longest s",
    ];
    table::print("Nests of published sources", &titles, &rows)?;
    all_reasons.iter().try_for_each(|(name, survey)| print_reasons(name, survey, args.reasons))
}

fn machine() -> Result<Machine, MachineError> {
    let cache = |name: &str, capacity, ways| Cache { name: name.to_owned(), capacity, line: 64, ways };
    Machine::typical(
        "typical",
        vec![cache("L1", 32768, 8), cache("L2", 1 << 20, 16), cache("L3", 32 << 20, 16)],
    )
}

/// Loops with a subscript soon after them.
fn numeric_loops(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let begins = |line: &str| {
        let line = line.trim_start();
        (line.starts_with("for ") || line.starts_with("for(")) && !line.contains(" impl ")
    };
    let near = |at: usize| {
        lines[at..lines.len().min(at + 6)].iter().any(|line| line.contains('[') && line.contains(']'))
    };
    (0..lines.len()).filter(|at| begins(lines[*at]) && near(*at)).count()
}

fn row(name: &str, survey: &Survey, longest: &(f64, String)) -> Vec<String> {
    let share =
        |count: usize| format!("{count} ({:.0} %)", 100.0 * count as f64 / survey.nests().max(1) as f64);
    vec![
        name.to_owned(),
        survey.files.to_string(),
        survey.unreadable.len().to_string(),
        survey.functions.to_string(),
        survey.nests().to_string(),
        share(survey.analysed),
        share(survey.bounded),
        share(survey.refused),
        survey.without_time.to_string(),
        format!("{:.2} {}", longest.0, longest.1.rsplit('/').next().unwrap_or(&longest.1)),
    ]
}

fn print_reasons(name: &str, survey: &Survey, count: usize) -> Result<(), Error> {
    let mut reasons: Vec<(&String, &usize)> = survey.reasons.iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let row = |(reason, count): &(&String, &usize)| vec![(*reason).clone(), count.to_string()];
    let rows: Vec<Vec<String>> = reasons.iter().take(count).map(row).collect();
    table::print(&format!("Reasons, {name}"), &["reason", "nests"], &rows)
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(path).map_err(Error::file("read", path))? {
        let inner = entry.map_err(Error::file("read", path))?.path();
        let known = matches!(inner.extension().and_then(|it| it.to_str()), Some("c" | "rs"));
        if inner.is_dir() && !inner.is_symlink() || known {
            collect(&inner, files)?;
        }
    }
    Ok(())
}
