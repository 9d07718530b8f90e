//! Divides the events of a location at a border.

use lotse_model::trace::Ticks;

use crate::store::{NO_CALL, Op, Paths, Timeline, Trace};

/// The first step and the first record after a border.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BorderSplit {
    pub(super) step: usize,
    pub(super) op: usize,
}

/// Divides a location's events. In the tick of the border the first leaves are before it, and so are the records of the
/// calls that they leave: a call that ends at the border is not cut by it.
pub(super) fn split(trace: &Trace, timeline: &Timeline, border: Ticks) -> BorderSplit {
    let mut step = timeline.at.partition_point(|&at| at < border);
    let first_op = timeline.ops.before(border);
    let leaves = |step: usize| {
        let before = timeline.path[step - 1];
        before != Paths::ROOT && timeline.path[step] == trace.paths.parent(before)
    };
    // Nothing can be left at the first step.
    while step > 0 && timeline.at.get(step) == Some(&border) && leaves(step) {
        step += 1;
    }
    let is_over = |op: &Op| {
        op.at == border && op.call != NO_CALL && (timeline.calls[op.call as usize].exit as usize) < step
    };
    BorderSplit { step, op: first_op + timeline.ops.from(first_op).take_while(is_over).count() }
}

#[cfg(test)]
mod tests {
    use super::{BorderSplit, split};
    use crate::fixture::Script;

    /// Steps: outside, main, and two for each barrier; each barrier has a record at its begin and one at its end.
    #[test]
    fn calls_that_end_at_a_border_are_before_it_and_calls_that_begin_there_after_it() {
        let mut script = Script::processes(1);
        script.enter(0, 0, "main").barrier(0, 100, 200).barrier(0, 200, 300).leave(0, 400, "main");
        let trace = script.trace();
        let at = |border| split(&trace, &trace.timelines[0], border);
        assert_eq!(at(0), BorderSplit { step: 0, op: 0 });
        assert_eq!(at(150), BorderSplit { step: 3, op: 1 });
        assert_eq!(at(200), BorderSplit { step: 4, op: 2 });
        assert_eq!(at(201), BorderSplit { step: 5, op: 3 });
        assert_eq!(at(400), BorderSplit { step: 7, op: 4 });
    }
}
