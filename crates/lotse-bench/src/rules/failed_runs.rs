//! Runs that did not end as expected.

use lotse_model::Rule;
use lotse_model::finding::{Finding, Level, Severity};
use lotse_model::results::{Run, Status};
use lotse_model::unit::Share;

use super::{Context, Draft, FindingExt, PRIOR, program_site};
use crate::session::ERROR_OUTPUT;

pub(super) const RULE: Rule = Rule {
    id: "bench-failed-runs",
    version: 1,
    title: "some runs did not end as expected",
    meaning: "Runs that end with an unexpected code, by a signal, after their time, with wrong output or not at all are \
              kept apart: they are in the record but in no sample. A program that fails may well be fast.",
    computation: "Runs of a program whose status is not `ok`, with the first problem seen. From its first failure on, what a \
                  program writes to standard error is kept, and the last lines of the next failed run are shown.",
    example: "3 of 40 runs ended by signal 11.",
    picture: "",
    advice: "Run the command by hand. If other exit codes are fine, say so with --ignore-failure or --expect-code.",
    thresholds: &[],
    prior: PRIOR,
    references: &[],
};

pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    let failures = |(id, name, _): (_, &str, Vec<f64>)| {
        let runs: Vec<&Run> = context.set.runs.iter().filter(|run| run.program == id).collect();
        let failed: Vec<&&Run> = runs.iter().filter(|run| run.outcome.status != Status::Ok).collect();
        let explained =
            |run: &&&&Run| run.outcome.problem.as_ref().is_some_and(|it| it.contains(ERROR_OUTPUT));
        let shown = failed.iter().find(explained).or(failed.first())?;
        Some(finding(context, name, runs.len(), failed.len(), shown))
    };
    context.samples().into_iter().filter_map(failures).collect()
}

fn finding(context: &Context<'_>, name: &str, runs: usize, failed: usize, shown: &Run) -> Finding {
    let problem = shown.outcome.problem.clone().unwrap_or_else(|| "failed".to_owned());
    let share = failed as f64 / runs as f64;
    let draft = Draft {
        rule: &RULE,
        level: Level::Error,
        site: program_site(name),
        certainty: 1.0,
        text: format!("{failed} of {runs} runs failed: {problem}"),
        data: vec![("failed", failed as f64), ("runs", runs as f64)],
        recommendation: "run the command by hand; --show-output shows what it prints".to_owned(),
    };
    let severity = Severity { share: Share::clamped(share), of: "of the runs".to_owned() };
    let command = context.verify(&["--show-output", "--runs 1"], &[]);
    Finding { severity: Some(severity), ..draft.finish().verification(command) }
}

#[cfg(test)]
mod tests {
    use crate::rules::fixture::{Fixture, noise};

    #[test]
    fn failures_are_counted_with_the_first_problem() {
        let mut fixture = Fixture::paired(&[("a", &noise(20, 0.01, 21)), ("b", &noise(20, 0.01, 22))]);
        assert!(fixture.findings("bench-failed-runs").is_empty());
        fixture.fail("b", 2, "ended with exit code 3");
        let findings = fixture.findings("bench-failed-runs");
        assert_eq!(findings[0].reason.text, "2 of 20 runs failed: ended with exit code 3");
        assert_eq!(fixture.answer().programs[1].samples["wall"].len(), 18);
    }
}
