//! How much of the loops of published sources `lotse predict` understands: nests analysed, bounded and refused, with the reasons.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use benchmarks::predict::listing::drawn;
use benchmarks::predict::sources::{Headers, Package, fetch, files};
use benchmarks::predict::survey::Survey;
use benchmarks::workshop::Workshop;
use benchmarks::{Error, finish, table};
use clap::Parser;
use lotse_predict::machine::{Cache, Machine, MachineError};
use lotse_predict::question::Language;

/// Reads C and Rust files of published sources.
#[derive(Parser)]
struct Args {
    /// Folders with sources, or files; the headers of a C file are looked for in the folder that is given
    #[arg(required_unless_present = "fetch")]
    paths: Vec<PathBuf>,
    /// Download a fixed list of Debian packages and crates into this folder, if they are not there yet, and read them
    #[arg(long, value_name = "DIR")]
    fetch: Option<PathBuf>,
    /// Only files with at least so many loops that look numeric
    #[arg(long, default_value_t = 1)]
    loops: usize,
    /// Reasons that are printed
    #[arg(long, default_value_t = 15)]
    reasons: usize,
    /// Print so many nests that were analysed, drawn at random, as they were understood
    #[arg(long, default_value_t = 0)]
    nests: usize,
    /// The seed that they are drawn by
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn main() -> ExitCode {
    finish(run(&Args::parse()))
}

fn run(args: &Args) -> Result<(), Error> {
    let wrong = |error: MachineError| Error::Answer { tool: "predict", what: error.to_string() };
    let machine = machine().map_err(wrong)?;
    let mut packages: Vec<Package> = args.paths.iter().map(|path| given(path)).collect();
    if let Some(folder) = &args.fetch {
        packages.extend(fetch(&mut Workshop::open()?, folder)?);
    }
    let mut plain = Reading::new("C, as it is");
    let mut headers = Reading::new("C, with headers");
    let mut rust = Reading::new("Rust");
    for package in &packages {
        let c = numeric(package, "c", args.loops)?;
        let found = if c.is_empty() { None } else { Some(Headers::new(package)?) };
        for (path, text) in c {
            let own = plain.add(&path, (Language::C, &text), &machine);
            let is_refused = own.refused > 0 || !own.unreadable.is_empty();
            let read =
                found.as_ref().filter(|_| is_refused).map(|found| found.preprocess(&path)).transpose()?;
            match read {
                Some(Some(text)) => drop(headers.add(&path, (Language::C, &text), &machine)),
                Some(None) => {
                    headers.without_headers += 1;
                    headers.survey.merge(&own);
                }
                None => headers.survey.merge(&own),
            }
        }
        for (path, text) in numeric(package, "rs", args.loops)? {
            rust.add(&path, (Language::Rust, &text), &machine);
        }
    }
    let readings = [plain, headers, rust];
    let readings: Vec<&Reading> = readings.iter().filter(|reading| reading.survey.files > 0).collect();
    print_readings(&readings)?;
    readings.iter().try_for_each(|reading| print_reasons(reading, args.reasons))?;
    readings.iter().for_each(|reading| print_nests(reading, args));
    Ok(())
}

/// What became of all files of a language.
struct Reading {
    name: &'static str,
    survey: Survey,
    /// The file that took longest, with the seconds.
    longest: (f64, String),
    /// Files that the preprocessor refuses.
    without_headers: usize,
}

impl Reading {
    fn new(name: &'static str) -> Self {
        Self { name, survey: Survey::default(), longest: (0.0, String::new()), without_headers: 0 }
    }

    /// Reads a file; gives back what became of it alone.
    fn add(&mut self, path: &Path, (language, text): (Language, &str), machine: &Machine) -> Survey {
        let name = path.display().to_string();
        let start = Instant::now();
        let mut own = Survey::default();
        own.add(&name, language, text, machine);
        let seconds = start.elapsed().as_secs_f64();
        if seconds > self.longest.0 {
            self.longest = (seconds, name);
        }
        self.survey.merge(&own);
        own
    }
}

fn given(path: &Path) -> Package {
    Package { name: path.display().to_string(), folder: path.to_owned() }
}

/// Files of a package whose names end so and that have enough loops that look numeric.
fn numeric(package: &Package, ending: &str, loops: usize) -> Result<Vec<(PathBuf, String)>, Error> {
    let mut found = Vec::new();
    for path in files(&package.folder, &[ending])? {
        if path.extension().is_none_or(|it| it != ending) {
            continue;
        }
        let bytes = fs::read(&path).map_err(Error::file("read", &path))?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if numeric_loops(&text) >= loops {
            found.push((path, text));
        }
    }
    Ok(found)
}

fn print_readings(readings: &[&Reading]) -> Result<(), Error> {
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
    let rows: Vec<Vec<String>> = readings.iter().map(|reading| row(reading)).collect();
    let failed: usize = readings.iter().map(|reading| reading.without_headers).sum();
    let caption = format!(
        "Nests of published sources; the preprocessor refuses {failed} files, which count as they are"
    );
    table::print(&caption, &titles, &rows)
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

fn row(reading: &Reading) -> Vec<String> {
    let Reading { name, survey, longest, .. } = reading;
    let share =
        |count: usize| format!("{count} ({:.0} %)", 100.0 * count as f64 / survey.nests().max(1) as f64);
    vec![
        (*name).to_owned(),
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

fn print_reasons(reading: &Reading, count: usize) -> Result<(), Error> {
    let mut reasons: Vec<(&String, &usize)> = reading.survey.reasons.iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let row = |(reason, count): &(&String, &usize)| vec![(*reason).clone(), count.to_string()];
    let rows: Vec<Vec<String>> = reasons.iter().take(count).map(row).collect();
    table::print(&format!("Reasons, {}", reading.name), &["reason", "nests"], &rows)
}

#[expect(clippy::print_stdout, reason = "nests are printed beside the tables")]
fn print_nests(reading: &Reading, args: &Args) {
    for nest in drawn(&reading.survey.listed, args.nests, args.seed) {
        println!("{}: {}:{}, {}\n{}\n", reading.name, nest.file, nest.line, nest.function, nest.text);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Reading, given, machine, numeric, numeric_loops};
    use lotse_predict::question::Language;

    const SUM: &str = "double f(int n, double *a) {\n  double s = 0;\n  for (int i = 0; i < n; i++)\n    s += a[i];\n  \
        return s;\n}\n";

    #[test]
    fn loops_near_a_subscript_look_numeric() {
        assert_eq!(numeric_loops(SUM), 1);
        assert_eq!(numeric_loops("for (;;)\n  wait();\n"), 0);
        assert_eq!(numeric_loops("for x in v { y += w[x]; }\n"), 1);
    }

    #[test]
    fn files_with_too_few_loops_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("sum.c"), SUM).unwrap();
        std::fs::write(folder.path().join("none.c"), "int x;\n").unwrap();
        std::fs::write(folder.path().join("other.rs"), "fn f() {}\n").unwrap();
        let names = |loops| {
            let found = numeric(&given(folder.path()), "c", loops).unwrap();
            found.iter().map(|(path, _)| path.file_name().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names(1), ["sum.c"]);
        assert_eq!(names(0), ["none.c", "sum.c"]);
        assert_eq!(names(2).len(), 0);
    }

    #[test]
    fn a_reading_sums_up_files_and_names_the_slowest() {
        let mut reading = Reading::new("C");
        let own = reading.add(Path::new("sum.c"), (Language::C, SUM), &machine().unwrap());
        reading.add(Path::new("sum.c"), (Language::C, SUM), &machine().unwrap());
        assert_eq!((own.analysed, reading.survey.analysed, reading.survey.files), (1, 2, 2));
        assert_eq!(reading.longest.1, "sum.c");
        assert!(reading.longest.0 > 0.0);
    }
}
