//! `cargo xtask test`: the complete test of the repository, which `.ci/run` calls.
//!
//! Steps run in order, each with its title and duration; the first failure ends the test.

mod launcher;
mod packages;
mod page;
mod programs;
mod skips;

use std::path::Path;
use std::time::{Duration, Instant};

use xtask::programs::repository_root;

pub(super) use self::programs::some;
use super::{Command, expect_none, fuzz};
use crate::failure::Failure;
use crate::shell;

pub(super) const COMMAND: Command = Command {
    name: "test",
    arguments: "",
    about: "the whole test: what it needs, lints, build, tests, the page, docs, fuzz",
    run,
};

/// The time for building and fuzzing all targets together: enough to find a parser that panics on simple damage.
const FUZZ_TIME: Duration = Duration::from_secs(300);

/// What the crates' own tests switch on. Without it all crates would be checked again; the documentation is made without it.
const SCHEMAS: &str =
    "lotse-bench/schema,lotse-predict/schema,lotse-profile/schema,lotse-spy/schema,lotse-trace/schema";

struct Step {
    title: &'static str,
    action: Action,
}

/// What a step does.
enum Action {
    /// Runs a command line.
    Line(&'static [&'static str]),
    /// Runs a command line with environment variables.
    LineWith(&'static [(&'static str, &'static str)], &'static [&'static str]),
    /// Calls a function.
    Call(fn(&Path) -> Result<(), Failure>),
}

/// The steps, quick ones first.
#[rustfmt::skip]
const STEPS: &[Step] = &[
    step("programs that tests use", Action::Call(packages::install_missing)),
    step("format", Action::Line(&["cargo", "fmt", "--all", "--check"])),
    step("the launcher's program", Action::Call(launcher::check)),
    step("lints", Action::Line(
        &["cargo", "clippy", "--workspace", "--features", "lotse/parquet", "--all-targets", "--locked", "--", "-D", "warnings"],
    )),
    step("lints without the feature parquet", Action::Line(
        &["cargo", "clippy", "--workspace", "--features", SCHEMAS, "--locked", "--", "-D", "warnings"],
    )),
    step("tests", Action::Call(skips::run_tests)),
    step("the page", Action::Call(page::check)),
    step("documentation", Action::LineWith(
        &[("RUSTDOCFLAGS", "-Dwarnings")],
        &["cargo", "doc", "--workspace", "--no-deps", "--locked"],
    )),
    step("fuzzing", Action::Call(|root| fuzz::fuzz_all(root, FUZZ_TIME))),
    step("skipped tests", Action::Call(skips::report)),
];

const fn step(title: &'static str, action: Action) -> Step {
    Step { title, action }
}

fn run(arguments: &[String]) -> Result<(), Failure> {
    expect_none(arguments)?;
    let root = repository_root()?;
    let start = Instant::now();
    STEPS.iter().try_for_each(|step| perform(step, &root))?;
    println!("== all {} steps passed in {:.1} s", STEPS.len(), start.elapsed().as_secs_f64());
    Ok(())
}

fn perform(step: &Step, root: &Path) -> Result<(), Failure> {
    println!("== {}", step.title);
    let start = Instant::now();
    let result = match &step.action {
        Action::Line(line) => shell::run(root, &[], line),
        Action::LineWith(environment, line) => shell::run(root, environment, line),
        Action::Call(function) => function(root),
    };
    let verdict = if result.is_ok() { "passed" } else { "FAILED" };
    println!("== {}: {verdict} after {:.1} s", step.title, start.elapsed().as_secs_f64());
    result
}

#[cfg(test)]
mod tests {
    use super::{Action, STEPS, perform, step};
    use crate::failure::Failure;
    use std::path::Path;

    #[test]
    fn a_failed_step_is_a_failure() {
        assert!(perform(&step("made up", Action::Line(&["true"])), Path::new("/")).is_ok());
        let failed = perform(&step("made up", Action::Line(&["false"])), Path::new("/"));
        assert!(matches!(failed, Err(Failure::Step { line, .. }) if line == "false"));
    }

    #[test]
    fn the_environment_reaches_the_step() {
        let action = Action::LineWith(&[("LOTSE_X", "1")], &["sh", "-c", "test $LOTSE_X = 1"]);
        assert!(perform(&step("made up", action), Path::new("/")).is_ok());
    }

    #[test]
    fn what_is_built_is_what_was_locked() {
        for step in STEPS {
            if let Action::Line(line @ ["cargo", "clippy" | "build" | "test" | "doc", ..]) = step.action {
                assert!(line.contains(&"--locked"), "{}", step.title);
            }
        }
    }
}
