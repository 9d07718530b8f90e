//! When the members of a collective came and went: worked out once, asked by many patterns.

use lotse_model::Workers;
use lotse_model::id::LocationId;
use lotse_model::trace::{Event, Ticks};
use lotse_model::work;

use crate::matching::Collective;
use crate::store::{CallRef, OpRef, Trace};

/// Who came when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrival {
    /// When.
    pub at: Ticks,
    /// Who.
    pub location: LocationId,
}

/// The times of one collective. Absent where nobody qualifies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Gathered {
    /// The last to come.
    pub last: Option<Arrival>,
    /// The last to come of those who send something.
    pub last_sender: Option<Arrival>,
    /// The first to come of those who send something and are not the root.
    pub first_sender: Option<Arrival>,
    /// The last to come of those who send something and are not the root.
    pub last_other: Option<Arrival>,
    /// The root.
    pub root: Option<Arrival>,
    /// When the first left.
    pub first_exit: Option<Ticks>,
}

/// The call in which a member waits, and when it came: at the posting where the operation does not block.
pub fn arrival(trace: &Trace, op: OpRef) -> Option<(CallRef, Arrival)> {
    let call = trace.call_of(op)?;
    let posted = match trace.op(op).event {
        Event::CollectiveComplete { .. } => trace.links.other_half(op).and_then(|post| trace.call_of(post)),
        _ => None,
    };
    let at = trace.enter(posted.unwrap_or(call));
    Some((call, Arrival { at, location: op.location }))
}

/// Bytes that a member sent and received.
pub fn bytes(trace: &Trace, op: OpRef) -> (u64, u64) {
    match trace.op(op).event {
        Event::CollectiveEnd { sent, received, .. }
        | Event::CollectiveComplete { sent, received, .. }
        | Event::RmaCollectiveEnd { sent, received, .. } => (sent, received),
        _ => (0, 0),
    }
}

/// Works it out for all collectives.
pub(super) fn gather(trace: &Trace, workers: &dyn Workers) -> Vec<Gathered> {
    const PIECE: usize = 4096;
    let all = &trace.links.collectives;
    let pieces = work::map(workers, all.len().div_ceil(PIECE), |piece| {
        let end = ((piece + 1) * PIECE).min(all.len());
        all[piece * PIECE..end].iter().map(|collective| one(trace, collective)).collect::<Vec<_>>()
    });
    pieces.into_iter().flatten().collect()
}

fn one(trace: &Trace, collective: &Collective) -> Gathered {
    let mut gathered = Gathered::default();
    for &op in &collective.members {
        let Some((call, arrival)) = arrival(trace, op) else { continue };
        let exit = trace.exit(call);
        gathered.first_exit = Some(gathered.first_exit.map_or(exit, |first| first.min(exit)));
        later(&mut gathered.last, arrival);
        let is_root = collective.root == Some(op.location);
        if is_root {
            gathered.root = Some(arrival);
        }
        if bytes(trace, op).0 > 0 {
            later(&mut gathered.last_sender, arrival);
            if !is_root {
                later(&mut gathered.last_other, arrival);
                let first = gathered.first_sender.map_or(arrival, |first| first.min(arrival));
                gathered.first_sender = Some(first);
            }
        }
    }
    gathered
}

/// Of equals the first stays.
fn later(last: &mut Option<Arrival>, arrival: Arrival) {
    if last.is_none_or(|last| arrival.at > last.at) {
        *last = Some(arrival);
    }
}
