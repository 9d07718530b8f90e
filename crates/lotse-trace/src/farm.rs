//! Dynamic distribution of work: a master gives a task to the first worker that asks.
//!
//! Re-timing keeps the order of messages and therefore which worker got which task. With dynamic distribution a faster
//! worker would get more tasks, so that a re-timed run gains too little.
//!
//! ```text
//! master     ┤Recv 1├┤Send 1├─┤Recv 3├┤Send 3├┤Recv 1├┤Send 1├   each request is answered before the next
//! ```

use std::collections::BTreeMap;

use lotse_model::id::LocationId;
use lotse_model::trace::EventKind;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::matching::{is_receive, is_send};
use crate::polls::is_blocking_probe;
use crate::store::{OpRef, Trace};

/// A master that gives tasks to the workers that ask for them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FarmAnswer {
    /// The location that gives tasks.
    pub master: u32,
    /// The locations that ask for them.
    pub workers: Vec<u32>,
    /// How many requests were answered.
    pub tasks: usize,
}

/// At least 1 of this many messages that a master receives is answered before it receives the next.
const ANSWERED: usize = 2;
/// At least this many of 10 messages that a worker receives come from its master.
const FROM_MASTER: u64 = 9;
/// At least one worker gets this many answers.
const FEWEST: usize = 2;

/// The masters of a trace.
pub(crate) fn farms(trace: &Trace) -> Vec<FarmAnswer> {
    trace.cpu_locations().filter_map(|location| farm(trace, location)).collect()
}

/// The farm of a master, if the location is one: it answers most of the messages that it receives at once, has several
/// workers that receive nearly all of their messages from it, and either receives from any worker or answers in no fixed
/// order.
fn farm(trace: &Trace, master: LocationId) -> Option<FarmAnswer> {
    let messages: Vec<(LocationId, bool)> = messages(trace, master).collect();
    let received_count = messages.iter().filter(|(_, sends)| !sends).count();
    let answers = messages.windows(2).filter(|pair| !pair[0].1 && pair[1] == (pair[0].0, true));
    let order: Vec<LocationId> = answers.map(|pair| pair[0].0).collect();
    let mut counts: BTreeMap<LocationId, usize> = BTreeMap::new();
    order.iter().for_each(|&worker| *counts.entry(worker).or_default() += 1);
    let from_master = |worker: LocationId| messages.iter().filter(|&&it| it == (worker, true)).count() as u64;
    let listens_to_master =
        |worker: LocationId| 10 * from_master(worker) >= FROM_MASTER * received(trace, worker);
    let is_farm = counts.len() > 1
        && counts.values().any(|&count| count >= FEWEST)
        && order.len() * ANSWERED >= received_count
        && counts.keys().all(|&worker| listens_to_master(worker))
        && (takes_any(trace, master) || !is_round_robin(&order, counts.len()));
    is_farm.then(|| FarmAnswer {
        master: master.0,
        workers: counts.keys().map(|worker| worker.0).collect(),
        tasks: order.len(),
    })
}

/// The messages of a location with other processes: the peer, and whether the location sends.
fn messages(trace: &Trace, location: LocationId) -> impl Iterator<Item = (LocationId, bool)> + '_ {
    let process = |location| trace.location(location).process;
    let ends = trace.timeline(location).ops.with_shape(|event| is_send(event) || is_receive(event));
    let peer_messages = ends.filter_map(move |(op, record)| {
        let sends = is_send(record.shape());
        Some((trace.links.partner(OpRef { location, op })?.location, sends))
    });
    peer_messages.filter(move |(peer, _)| process(*peer) != process(location))
}

fn received(trace: &Trace, location: LocationId) -> u64 {
    let kinds = trace.timeline(location).kinds.seen();
    let receives = kinds.filter(|(kind, _)| matches!(kind, EventKind::MpiRecv | EventKind::MpiIrecv));
    receives.map(|(_, count)| count).sum()
}

/// Whether a location receives from any sender, by a probe or by waiting for any of several requests.
fn takes_any(trace: &Trace, location: LocationId) -> bool {
    let receives_any = |name: &str| is_blocking_probe(name) || matches!(name, "mpi_waitany" | "mpi_waitsome");
    let uses = trace.uses[location.index()].iter();
    uses.map(|used| &trace.classes[trace.paths.region(used.path).index()].name).any(|name| receives_any(name))
}

/// Whether workers are served in a fixed order.
fn is_round_robin(order: &[LocationId], workers: usize) -> bool {
    order.iter().zip(&order[workers.min(order.len())..]).all(|(one, next)| one == next)
}

#[cfg(test)]
mod tests {
    use super::farms;
    use crate::fixture::Script;

    /// A master that serves workers in some order.
    fn served(order: &[u32]) -> Script {
        let mut script = Script::processes(4);
        for (&worker, at) in order.iter().zip((100..).step_by(100)) {
            script.send(worker as usize, at, at + 5, 0, 0).recv(0, at, at + 10, worker, 0);
            script.send(0, at + 20, at + 25, worker, 1).recv(worker as usize, at + 10, at + 30, 0, 1);
        }
        script
    }

    #[test]
    fn a_location_that_answers_in_the_order_of_requests_is_a_master() {
        let found = farms(&served(&[1, 2, 3, 1, 1, 2, 1]).trace());
        let [farm] = &found[..] else { panic!("{found:?}") };
        assert_eq!((farm.master, &farm.workers[..], farm.tasks), (0, &[1, 2, 3][..], 7));
    }

    #[test]
    fn serving_all_in_turn_is_not_dynamic_distribution() {
        assert_eq!(farms(&served(&[1, 2, 3, 1, 2, 3, 1]).trace()), []);
        assert_eq!(farms(&served(&[2, 2, 2]).trace()), [], "one worker");
    }
}
