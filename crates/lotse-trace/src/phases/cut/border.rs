//! Which events lie before a border and which behind it.

use lotse_model::trace::Ticks;

use crate::store::{NO_CALL, Op, Paths, Timeline, Trace};

/// The first step and the first record behind a border.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Split {
    pub(super) step: usize,
    pub(super) op: usize,
}

/// Divides a location's events. Of those at the very tick of the border the first leaves are before it, and so are
/// the records of calls that are left by them: a call that ends at the border is not cut by it.
pub(super) fn split(trace: &Trace, timeline: &Timeline, border: Ticks) -> Split {
    let mut step = timeline.at.partition_point(|&at| at < border);
    let first_op = timeline.ops.before(border);
    let leaves = |step: usize| {
        let before = timeline.path[step - 1];
        before != Paths::ROOT && timeline.path[step] == trace.paths.parent(before)
    };
    // Nothing was entered before the first step.
    while step > 0 && timeline.at.get(step) == Some(&border) && leaves(step) {
        step += 1;
    }
    let is_over = |op: &Op| {
        op.at == border && op.call != NO_CALL && (timeline.calls[op.call as usize].exit as usize) < step
    };
    Split { step, op: first_op + timeline.ops.from(first_op).take_while(is_over).count() }
}

#[cfg(test)]
mod tests {
    use super::{Split, split};
    use crate::fixture::Script;

    /// Steps: outside, main, and two for each barrier; each barrier has a record at its begin and one at its end.
    #[test]
    fn what_ends_at_a_border_is_before_it_and_what_begins_there_behind_it() {
        let mut script = Script::processes(1);
        script.enter(0, 0, "main").barrier(0, 100, 200).barrier(0, 200, 300).leave(0, 400, "main");
        let trace = script.trace();
        let at = |border| split(&trace, &trace.timelines[0], border);
        assert_eq!(at(0), Split { step: 0, op: 0 });
        assert_eq!(at(150), Split { step: 3, op: 1 });
        assert_eq!(at(200), Split { step: 4, op: 2 });
        assert_eq!(at(201), Split { step: 5, op: 3 });
        assert_eq!(at(400), Split { step: 7, op: 4 });
    }
}
