//! Calls of which only the times were recorded.

use lotse_model::Rule;
use lotse_model::finding::{Finding, Level};
use lotse_model::site::Site;

use super::{Context, Extent, FindingDraft, PRIOR};
use crate::report::left_out::left_out;
use crate::unrecorded::{GapKind, Hidden};

pub(super) static RULE: Rule = Rule {
    id: "trace-unrecorded",
    version: 1,
    title: "the recorder left out what calls do",
    meaning: "Something must have happened of which the trace has no record: the messages of a call, the receives of \
              messages, the calls that synchronise a window. What is waited for there is not known: waits are lower \
              bounds, efficiencies may be too high, causes and gains are unknown.",
    computation: "Fires, over the whole trace, when no call of a name that sends, receives or is collective has a \
                  record; when one message in 100, or all of a communicator, lack their receive or their send; when \
                  a process that others communicate with has no events; when of several threads nothing, or only the \
                  start and the end, is recorded, unless these are threads beside those that use MPI, which are left \
                  out; when one-sided operations occur but no \
                  call that synchronises windows; when requests complete \
                  outside every recorded call of MPI; and when threads idle although tasks of OpenMP have been \
                  created that do not begin, or go on when the last of their tasks has ended without a recorded call \
                  that waits for it (1 % of the time). Not where only a part of the events of a location was lost, which \
                  trace-incomplete reports.",
    picture: "",
    example: "EZTrace 2.0 writes no messages for MPI_Sendrecv, no receives that MPI_Waitall completes, and no \
              MPI_Win_fence: what a program waits for that exchanges its halo so has no cause in the trace.",
    advice: "Record with a tool that writes these records (Score-P), or replace the calls by ones that this recorder \
             writes down, such as MPI_Send, MPI_Recv and MPI_Wait.",
    thresholds: &[],
    prior: PRIOR,
    references: &[],
};

/// One finding if kinds of records are missing; events that a cut-off file lost are reported by another rule.
pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    let (rows, gaps) = (&context.facts.unrecorded, &context.facts.gaps);
    let shares = rows.iter().map(|row| row.share).chain(gaps.iter().map(|gap| gap.share));
    let share: f64 = shares.sum::<f64>().min(1.0);
    // Silent threads count nowhere, so nothing is wrong without them; a remark says that they were left out.
    if rows.is_empty() && gaps.iter().all(|gap| gap.kind == GapKind::SilentThreads) {
        return Vec::new();
    }
    let Some(text) = left_out(context.facts) else { return Vec::new() };
    let draft = FindingDraft {
        rule: &RULE,
        level: if context.facts.hidden == Hidden::Nothing { Level::Note } else { Level::Warning },
        sites: vec![Site::Machine],
        extent: Extent::Run(share, "of the whole run"),
        certainty: 1.0,
        text: first_lower(text.trim_end_matches('.')),
        data: vec![("share", share)],
        recommendation: RULE.advice.to_owned(),
        verification: Some(context.command("info", &[])),
    };
    vec![draft.finish()]
}

/// Makes the first letter lower case, as in all findings.
fn first_lower(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use lotse_model::id::CommunicatorId;
    use lotse_model::trace::{Event, EventKind};
    use lotse_model::work::Sequential;

    use crate::analyze::{Options, analyze};
    use crate::fixture::Script;

    /// A thread of a library beside two processes that meet at a barrier.
    #[test]
    fn silent_threads_alone_are_no_finding() {
        let mut script = Script::processes(3);
        script.definitions.locations[2].process = script.definitions.locations[0].process;
        for rank in [0, 1] {
            script.enter(rank, 0, "Working").barrier(rank, 400, 410).leave(rank, 500, "Working");
        }
        let event = Event::ThreadBegin { team: CommunicatorId(0), count: 1 };
        script.event(2, 10, EventKind::ThreadBegin, event).call(2, 10, 490, "Working");
        let answer = analyze(script.trace(), &Options::usual("a trace"), &Sequential).unwrap();
        assert_eq!(answer.facts.gaps.len(), 1);
        assert!(answer.findings.iter().all(|it| it.rule.id != super::RULE.id), "{:?}", answer.findings);
    }
}
