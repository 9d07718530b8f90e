//! Runs that ended with an exit code other than 0 and are counted nevertheless.

use std::collections::BTreeMap;

use lotse_model::Rule;
use lotse_model::finding::{Finding, Level, Severity};
use lotse_model::results::{Run, Status};
use lotse_model::unit::Share;

use super::{Context, Draft, FindingExt, PRIOR, program_site};

pub(super) const RULE: Rule = Rule {
    id: "bench-ignored-failures",
    version: 1,
    title: "runs with an exit code other than 0 are counted",
    meaning: "With --ignore-failure or --expect-code, and in files of others, runs that end with an exit code other than 0 \
              are in the samples. A run that fails may end early, so the program looks faster than it is.",
    computation: "Runs of a program whose status is `ok` and whose exit code is not 0. A warning where the exit codes of a \
                  program differ between its runs, a note where all runs end with the same one.",
    example: "Every fourth run ends with 3, after a tenth of the time of the others.",
    picture: "",
    advice: "Find out why the runs fail. Without --ignore-failure, or with --expect-code and the codes that are fine, runs \
             with other codes are in no sample.",
    thresholds: &[],
    prior: PRIOR,
    references: &[],
};

pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    let ignored = |(id, name, _): (_, &str, Vec<f64>)| {
        let counted = |run: &&Run| run.program == id && run.outcome.status == Status::Ok;
        let mut codes: BTreeMap<i32, usize> = BTreeMap::new();
        for code in context.set.runs.iter().filter(counted).filter_map(|run| run.outcome.exit_code) {
            *codes.entry(code).or_insert(0) += 1;
        }
        let runs = context.set.runs.iter().filter(counted).count();
        let failed: usize = codes.iter().filter(|(code, _)| **code != 0).map(|(_, count)| count).sum();
        (failed > 0).then(|| finding(context, name, &codes, (failed, runs)))
    };
    context.samples().into_iter().filter_map(ignored).collect()
}

/// The finding about a program, with how often each exit code occurred.
fn finding(
    context: &Context<'_>,
    name: &str,
    codes: &BTreeMap<i32, usize>,
    (failed, runs): (usize, usize),
) -> Finding {
    let others = codes.iter().filter(|(code, _)| **code != 0);
    let times = |count: usize| match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{more} times"),
    };
    let listed: Vec<String> = others.map(|(code, &count)| format!("code {code} {}", times(count))).collect();
    let share = failed as f64 / runs.max(1) as f64;
    let draft = Draft {
        rule: &RULE,
        level: if codes.len() > 1 { Level::Warning } else { Level::Note },
        site: program_site(name),
        certainty: 1.0,
        text: format!(
            "{failed} of {runs} runs ended with an exit code other than 0 and are counted ({})",
            listed.join(", ")
        ),
        data: vec![("failed", failed as f64), ("runs", runs as f64)],
        recommendation: "run the command by hand; without --ignore-failure such runs are not counted"
            .to_owned(),
    };
    let severity = Severity { share: Share::clamped(share), of: "of the runs".to_owned() };
    let command = context.verify(&["--show-output", "--runs 1"], &[]);
    Finding { severity: Some(severity), ..draft.finish().verification(command) }
}

#[cfg(test)]
mod tests {
    use lotse_model::finding::Level;
    use lotse_model::id::ProgramId;

    use crate::rules::fixture::{Fixture, noise};

    #[test]
    fn exit_codes_of_counted_runs_are_listed() {
        let mut fixture = Fixture::paired(&[("a", &noise(8, 0.01, 21)), ("b", &noise(8, 0.01, 22))]);
        assert!(fixture.findings("bench-ignored-failures").is_empty());
        let runs = fixture.set.runs.iter_mut().filter(|run| run.program == ProgramId(1));
        for (number, run) in runs.enumerate() {
            run.outcome.exit_code = Some([0, 0, 0, 3, 0, 1, 0, 3][number]);
        }
        let findings = fixture.findings("bench-ignored-failures");
        let text =
            "3 of 8 runs ended with an exit code other than 0 and are counted (code 1 once, code 3 twice)";
        assert_eq!((findings.len(), findings[0].reason.text.as_str()), (1, text));
        assert_eq!(findings[0].level, Level::Warning);
    }

    #[test]
    fn one_exit_code_of_all_runs_is_a_note() {
        let mut fixture = Fixture::paired(&[("a", &noise(8, 0.01, 21))]);
        fixture.set.runs.iter_mut().for_each(|run| run.outcome.exit_code = Some(1));
        let findings = fixture.findings("bench-ignored-failures");
        assert_eq!((findings.len(), findings[0].level), (1, Level::Note));
    }
}
