//! Projects: whether `lotse bench build` builds what others wrote, unchanged, in layouts that all differ and that all pass its tests.

use std::path::PathBuf;
use std::process::ExitCode;

use benchmarks::lotse::Lotse;
use benchmarks::projects::trial::{self, Outcome, Plan};
use benchmarks::projects::{PROJECTS, Project, fetch};
use benchmarks::table::{self, percent_or_dash};
use benchmarks::workshop::Workshop;
use benchmarks::{Error, finish};
use clap::Parser;

/// Builds published projects in C, C++ and Rust several times, and runs their own tests with each build.
#[derive(Parser)]
struct Args {
    /// Keep what is downloaded in this folder, and take it from there [default: a temporary folder]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Builds of each program
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(2..=100))]
    builds: u32,
    /// Only these projects
    names: Vec<String>,
    /// Lotse [default: beside this program]
    #[arg(long, value_name = "PATH")]
    lotse: Option<PathBuf>,
}

const TITLES: [&str; 10] = [
    "project",
    "language",
    "tool",
    "method",
    "programs",
    "builds",
    "all differ",
    "functions moved",
    "tests x builds passed",
    "s to link",
];

fn main() -> ExitCode {
    finish(run(&Args::parse()))
}

fn run(args: &Args) -> Result<(), Error> {
    let lotse = Lotse::find(args.lotse.as_deref())?;
    let mut workshop = Workshop::open()?;
    let folder = args.dir.clone().unwrap_or_else(|| workshop.path("sources"));
    std::fs::create_dir_all(&folder).map_err(Error::file("make", &folder))?;
    let folder = std::fs::canonicalize(&folder).map_err(Error::file("find", &folder))?;
    let is_wanted =
        |project: &Project| args.names.is_empty() || args.names.iter().any(|it| it == project.name);
    let wanted: Vec<Project> = PROJECTS.into_iter().filter(is_wanted).collect();
    let (mut rows, mut wrong) = (Vec::new(), Vec::new());
    for (project, sources) in fetch(&mut workshop, &folder, &wanted)? {
        for method in ["sections"].iter().chain(project.methods) {
            let plan = Plan {
                project: &project,
                sources: &sources,
                method,
                count: args.builds,
                lotse: lotse.path(),
            };
            match trial::run(&mut workshop, plan) {
                Ok(outcome) => {
                    let row = row(plan, &outcome);
                    progress(&row.join(" "));
                    wrong.extend(complaint(plan, &outcome));
                    rows.push(row);
                }
                Err(error @ Error::Tool { .. }) => {
                    let what = format!("{} {method}: {error}", project.name);
                    progress(&what);
                    wrong.push(what);
                }
                Err(error) => return Err(error),
            }
        }
    }
    table::print("Projects of others, built unchanged", &TITLES, &rows)?;
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Error::Answer {
        tool: "lotse bench build",
        what: format!("layouts that all work: {}", wrong.join("; ")),
    })
}

#[expect(clippy::print_stderr, reason = "an hour without a word would look like a hang")]
fn progress(line: &str) {
    eprintln!("{line}");
}

/// What is wrong about an outcome. Fewer layouts than asked for are wrong only where sections are moved: a program of two objects
/// has two orders.
fn complaint(plan: Plan, outcome: &Outcome) -> Option<String> {
    let wanted = outcome.programs * plan.count as usize;
    let what = if plan.method == "sections" && outcome.builds != wanted {
        format!("{} builds instead of {wanted}", outcome.builds)
    } else if outcome.distinct != outcome.programs {
        format!("layouts of {} programs are the same", outcome.programs - outcome.distinct)
    } else {
        outcome.failure.clone()?
    };
    Some(format!("{} {}: {what}", plan.project.name, plan.method))
}

fn row(plan: Plan, outcome: &Outcome) -> Vec<String> {
    let Project { name, language, tool, .. } = plan.project;
    vec![
        (*name).to_owned(),
        (*language).to_owned(),
        (*tool).to_owned(),
        plan.method.to_owned(),
        outcome.programs.to_string(),
        outcome.builds.to_string(),
        format!("{} of {}", outcome.distinct, outcome.programs),
        percent_or_dash(outcome.moved),
        format!("{} x {} of {}", outcome.tests, outcome.passed, outcome.tested),
        format!("{:.1}", outcome.seconds),
    ]
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Outcome, PROJECTS, Plan, complaint, row};

    fn outcome() -> Outcome {
        Outcome {
            programs: 2,
            builds: 20,
            distinct: 2,
            moved: Some(0.959),
            tests: 7,
            passed: 10,
            tested: 10,
            seconds: 0.44,
            failure: None,
        }
    }

    fn plan(method: &str) -> Plan<'_> {
        Plan {
            project: &PROJECTS[0],
            sources: Path::new("src"),
            method,
            count: 10,
            lotse: Path::new("lotse"),
        }
    }

    #[test]
    fn a_row_says_what_was_done() {
        let expected =
            ["bzip2", "C", "make", "sections", "2", "20", "2 of 2", "95.90 %", "7 x 10 of 10", "0.4"];
        assert_eq!(row(plan("sections"), &outcome()), expected);
        assert_eq!(complaint(plan("sections"), &outcome()), None);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let check = |method: &str, outcome: Outcome, expected: Option<&str>| {
            assert_eq!(complaint(plan(method), &outcome).as_deref(), expected);
        };
        let fewer = Outcome { builds: 12, ..outcome() };
        check("sections", fewer.clone(), Some("bzip2 sections: 12 builds instead of 20"));
        check("objects", fewer, None);
        let same = Outcome { distinct: 1, ..outcome() };
        check("padding", same, Some("bzip2 padding: layouts of 1 programs are the same"));
        let failed = Outcome { passed: 9, failure: Some("build 3: exit 1".to_owned()), ..outcome() };
        check("objects", failed, Some("bzip2 objects: build 3: exit 1"));
    }
}
