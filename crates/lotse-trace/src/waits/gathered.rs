//! When the members of a collective arrived and left: computed once, used by many patterns.

use lotse_model::Workers;
use lotse_model::id::LocationId;
use lotse_model::trace::{CollectiveOp, Event, Ticks};
use lotse_model::work;

use super::{Scene, Wait};
use crate::matching::{Collective, Link};
use crate::metric::Metric;
use crate::patterns::is_test;
use crate::store::{CallRef, OpRef, Trace};

/// The arrival of a location at a collective operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrival {
    pub at: Ticks,
    pub location: LocationId,
}

/// The arrivals and exits of one collective; none if no member qualifies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gathered {
    /// The last of all members.
    pub last: Option<Arrival>,
    /// The last of the members that send data.
    pub last_sender: Option<Arrival>,
    /// The first of the members that send data, without the root.
    pub first_sender: Option<Arrival>,
    /// The last of the members that send data, without the root.
    pub last_other: Option<Arrival>,
    pub root: Option<Arrival>,
    /// When the first member left.
    pub first_exit: Option<Ticks>,
    /// For a scan, by member: the last of the members with the same or a lower rank.
    pub not_higher: Vec<Option<Arrival>>,
}

/// A member of a collective, as input of patterns.
#[derive(Debug, Clone, Copy)]
pub struct Member<'a> {
    pub collective: &'a Collective,
    pub gathered: &'a Gathered,
    /// The call in which this member waits.
    pub call: CallRef,
    /// The operation according to the member's own record.
    pub op: CollectiveOp,
    /// Bytes it sends.
    pub sent: u64,
    /// Bytes it receives.
    pub received: u64,
    pub is_root: bool,
}

impl Member<'_> {
    /// Its time in the collective after all had arrived and the first had left.
    pub fn completion(&self, trace: &Trace, metric: &'static Metric) -> Option<Wait> {
        let all_came = self.gathered.last?.at.max(self.gathered.first_exit?);
        let (begin, end) = (all_came.max(trace.enter(self.call)), trace.exit(self.call));
        Some(Wait {
            metric: Some(metric),
            call: self.call,
            begin,
            end,
            cause: None,
            causal: false,
            is_overlapped: false,
        })
    }
}

impl<'a> Scene<'a> {
    /// The member of the collective that a record ends; none for collectives of windows, and none if the member only tested
    /// for completion and so never waited.
    pub fn member(&self, record: OpRef) -> Option<Member<'a>> {
        let Link::Collective(number) = self.trace.links.remote(record) else { return None };
        let collective = &self.trace.links.collectives[number as usize];
        let (Event::CollectiveEnd { op, .. } | Event::CollectiveComplete { op, .. }) =
            self.trace.op(record).event()
        else {
            return None;
        };
        let (sent, received) = bytes(self.trace, record);
        let is_root = collective.root == Some(record.location);
        let call = self.trace.call_of(record).filter(|&call| !is_test(&self.trace.class(call).name))?;
        let gathered = &self.gathered[number as usize];
        Some(Member { collective, gathered, call, op, sent, received, is_root })
    }

    /// The last arrival at a call that processes make together: by its record, else by counting calls.
    pub fn last_to_meet(&self, call: CallRef) -> Option<Arrival> {
        let location = call.location;
        for (op, _) in self.trace.timeline(location).ops_of(call.call) {
            if let Link::Collective(number) = self.trace.links.remote(OpRef { location, op }) {
                let one_sided = self.trace.links.collectives[number as usize].one_sided;
                return self.gathered[number as usize].last.filter(|_| !one_sided);
            }
        }
        self.rounds.last(call)
    }
}

/// The call in which a member waits, and its arrival. A non-blocking collective arrives with its posting, which may be of
/// another thread of the process.
pub(crate) fn arrival(trace: &Trace, op: OpRef) -> Option<(CallRef, Arrival)> {
    let call = trace.call_of(op)?;
    let posted = match trace.shape(op) {
        Event::CollectiveComplete { .. } => trace.links.other_half(op).and_then(|post| trace.call_of(post)),
        _ => None,
    };
    let arriving_call = posted.unwrap_or(call);
    Some((call, Arrival { at: trace.enter(arriving_call), location: arriving_call.location }))
}

/// Bytes that a member sent and received.
pub(crate) fn bytes(trace: &Trace, op: OpRef) -> (u64, u64) {
    match trace.op(op).event() {
        Event::CollectiveEnd { sent, received, .. }
        | Event::CollectiveComplete { sent, received, .. }
        | Event::RmaCollectiveEnd { sent, received, .. } => (sent, received),
        _ => (0, 0),
    }
}

/// Computes the arrivals and exits of all collectives.
pub(super) fn gather(trace: &Trace, workers: &dyn Workers) -> Vec<Gathered> {
    const CHUNK: usize = 256;
    let all = &trace.links.collectives;
    let chunks = work::map(workers, all.len().div_ceil(CHUNK), |chunk| {
        let end = ((chunk + 1) * CHUNK).min(all.len());
        all[chunk * CHUNK..end].iter().map(|collective| gather_one(trace, collective)).collect::<Vec<_>>()
    });
    chunks.into_iter().flatten().collect()
}

/// Computes the arrivals and exits of one collective, in a single pass over its members.
fn gather_one(trace: &Trace, collective: &Collective) -> Gathered {
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
    if matches!(collective.op, CollectiveOp::Scan | CollectiveOp::Exscan) {
        gathered.not_higher = not_higher(trace, collective);
    }
    gathered
}

/// By member of a scan: the last arrival among its rank and all lower ranks.
fn not_higher(trace: &Trace, collective: &Collective) -> Vec<Option<Arrival>> {
    let mut last_to_come = vec![None; collective.members.len()];
    let mut last = None;
    for op in collective.by_rank(&trace.definitions) {
        if let Some((_, arrival)) = arrival(trace, op) {
            later(&mut last, arrival);
        }
        if let Ok(place) = collective.members.binary_search(&op) {
            last_to_come[place] = last;
        }
    }
    last_to_come
}

/// Replaces an arrival by a later one; of equal times the first stays.
fn later(last: &mut Option<Arrival>, arrival: Arrival) {
    if last.is_none_or(|last| arrival.at > last.at) {
        *last = Some(arrival);
    }
}
