//! The waits of a phase: the parts of the whole trace's waits within it.

use lotse_model::trace::Ticks;

use crate::retime::WholeTraceSends;
use crate::store::{CallRef, Trace};
use crate::waits::{Cause, Wait, Waits};

/// Keeps the parts of waits within a span. `numbers` has, by location, the old numbers of the calls that were kept.
pub(super) fn narrow(trace: &Trace, whole: Waits, span: (Ticks, Ticks), numbers: &[Vec<u32>]) -> Waits {
    let by_location = whole.by_location.into_iter().map(|waits| {
        let mut kept: Vec<Wait> = waits.into_iter().filter_map(|wait| cut(wait, span, numbers)).collect();
        kept.sort_by_key(|wait| (wait.end, wait.call, wait.begin));
        kept
    });
    let of_phase = Some(WholeTraceSends::new(trace, |call| renumbered(call, numbers)));
    Waits { by_location: by_location.collect(), cube: whole.cube, of_phase }
}

/// A call with its number in the phase, if it was kept.
fn renumbered(call: CallRef, numbers: &[Vec<u32>]) -> Option<CallRef> {
    let number = numbers[call.location.index()].binary_search(&call.call);
    number.map_or(None, |at| Some(CallRef { call: at as u32, ..call }))
}

/// The part of a wait within the span. A wait that ends after the span keeps the location that ends it as its cause.
fn cut(wait: Wait, (begin, until): (Ticks, Ticks), numbers: &[Vec<u32>]) -> Option<Wait> {
    let (from, to) = (wait.begin.max(begin), wait.end.min(until));
    let call = renumbered(wait.call, numbers)?;
    let cause = wait.cause.map(|cause| Cause { at: cause.at.clamp(begin, until), ..cause });
    (from < to).then_some(Wait { call, begin: from, end: to, cause, ..wait })
}
