//! The exit status of an answer of bench, and its reasons on standard error when the answer itself is not on the terminal.

use lotse_bench::answer::{Answer, Comparison, Verdict};
use lotse_bench::report;
use lotse_model::Finding;

use crate::exit::Exit;
use crate::screen;

/// The rules whose findings make the status other than 0: failed runs, and a precision that was not reached.
const FAILURES: [&str; 2] = ["bench-failed-runs", "bench-until-missed"];

/// The status of an answer.
pub(crate) fn exit(answer: &Answer) -> Exit {
    if answer.failed_runs().next().is_some() {
        return Exit::ProgramFailed;
    }
    let undecided = answer.primary().any(|comparison| comparison.verdict == Verdict::Undecided);
    let imprecise = answer.precision.is_some_and(|precision| !precision.met);
    if undecided || imprecise { Exit::Undecided } else { Exit::Done }
}

/// Prints each reason for a status other than 0 on standard error, for answers that go to a file or to another program, or
/// are not printed. `verdicts_seen`: the terminal shows the verdicts already.
pub(crate) fn report_problems(answer: &Answer, verdicts_seen: bool) {
    let is_failure = |finding: &&Finding| FAILURES.contains(&finding.rule.id.as_str());
    for finding in answer.findings.iter().filter(is_failure) {
        let places: Vec<String> = finding.sites.iter().map(ToString::to_string).collect();
        screen::error(&format!("{}: {}", places.join(", "), finding.reason.text));
    }
    let open = |it: &&Comparison| it.verdict == Verdict::Undecided && !verdicts_seen;
    for comparison in answer.primary().filter(open) {
        screen::remark(&report::sentence(comparison).1);
    }
}
