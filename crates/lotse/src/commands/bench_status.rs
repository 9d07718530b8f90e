//! How an answer of bench ends: its exit status, and the reasons on standard error for those who do not see the answer.

use lotse_bench::answer::{Answer, Comparison, Verdict};
use lotse_bench::report;
use lotse_model::Finding;

use crate::exit::Exit;
use crate::screen;

/// The findings behind a status other than 0: failed runs, and a precision that was not reached.
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

/// Everything that makes the status other than 0, a line each, on standard error: for answers that go to a file, to
/// another program, or are left out. `verdicts_seen`: the terminal shows the verdicts already.
pub(crate) fn complain(answer: &Answer, verdicts_seen: bool) {
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
