//! Programs that end before their children do.

use lotse_model::Rule;
use lotse_model::finding::{Finding, Level};
use lotse_model::results::{Run, Status};

use super::{Context, Draft, PRIOR, program_site};

/// The problem recorded for a good run that left processes behind.
pub(crate) const PROBLEM: &str = "left processes running, which were stopped";

pub(super) const RULE: Rule = Rule {
    id: "bench-left-behind",
    version: 1,
    title: "the program left processes running",
    meaning: "When the program ended, processes it had started were still there. Their work was not measured, and would \
              have disturbed the next run; Lotse stopped them.",
    computation: "Processes of the run's process group, or orphans of it, alive after the run's first process ended.",
    example: "A command that starts a server in the background and returns.",
    picture: "",
    advice: "Let the command wait for what it starts, or start servers in --prepare and stop them in --conclude.",
    thresholds: &[],
    prior: PRIOR,
    references: &[],
};

/// Fires for every program with good runs that left processes behind.
pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    let judge = |(id, name, _): (_, &str, Vec<f64>)| {
        let left = |run: &&Run| {
            run.program == id
                && run.outcome.status == Status::Ok
                && run.outcome.problem.as_deref() == Some(PROBLEM)
        };
        let count = context.set.runs.iter().filter(left).count();
        let draft = || Draft {
            rule: &RULE,
            level: Level::Warning,
            site: program_site(name),
            certainty: 1.0,
            text: format!("{count} runs {PROBLEM}"),
            data: vec![("runs", count as f64)],
            recommendation: "let the command wait for what it starts".to_owned(),
        };
        (count > 0).then(|| draft().finish())
    };
    context.samples().into_iter().filter_map(judge).collect()
}
