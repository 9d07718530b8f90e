//! Work that is distributed while the program runs: a master answers whoever asks first.
//!
//! A replay keeps who got which task, as the order of messages is kept. Where tasks go to those who are free, a faster
//! worker would get more of them, so that such a replay gains too little.
//!
//! ```text
//! master     ┤Recv 1├┤Send 1├─┤Recv 3├┤Send 3├┤Recv 1├┤Send 1├   each request is answered before the next
//! ```

use std::collections::BTreeMap;

use lotse_model::id::LocationId;
use lotse_model::trace::{Event, EventKind};
use schemars::JsonSchema;
use serde::Serialize;

use crate::polls::is_blocking_probe;
use crate::store::{OpRef, Trace};

/// A master that gives tasks to those who ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FarmAnswer {
    /// Who gives tasks.
    pub master: u32,
    /// Who asks for them.
    pub workers: Vec<u32>,
    /// How many requests were answered.
    pub tasks: usize,
}

/// Of the messages that a master receives, at least one of so many is answered before the next comes.
const ANSWERED: usize = 2;
/// Of the messages that a worker receives, at least so many of ten come from its master.
const DEVOTED: u64 = 9;
/// Fewer answers to a worker show no habit.
const FEWEST: usize = 2;

/// The masters of a trace.
pub(crate) fn farms(trace: &Trace) -> Vec<FarmAnswer> {
    trace.cpu_locations().filter_map(|location| farm(trace, location)).collect()
}

fn farm(trace: &Trace, master: LocationId) -> Option<FarmAnswer> {
    let talk: Vec<(LocationId, bool)> = talk(trace, master).collect();
    let asked = talk.iter().filter(|(_, sends)| !sends).count();
    let answers = talk.windows(2).filter(|pair| !pair[0].1 && pair[1] == (pair[0].0, true));
    let order: Vec<LocationId> = answers.map(|pair| pair[0].0).collect();
    let mut counts: BTreeMap<LocationId, usize> = BTreeMap::new();
    order.iter().for_each(|&worker| *counts.entry(worker).or_default() += 1);
    let from_master = |worker: LocationId| talk.iter().filter(|&&it| it == (worker, true)).count() as u64;
    let devoted = |worker: LocationId| 10 * from_master(worker) >= DEVOTED * received(trace, worker);
    let is_farm = counts.len() > 1
        && counts.values().any(|&count| count >= FEWEST)
        && order.len() * ANSWERED >= asked
        && counts.keys().all(|&worker| devoted(worker))
        && (takes_any(trace, master) || !is_in_turn(&order, counts.len()));
    is_farm.then(|| FarmAnswer {
        master: master.0,
        workers: counts.keys().map(|worker| worker.0).collect(),
        tasks: order.len(),
    })
}

/// The messages of a location with other processes: with whom, and whether it sends.
fn talk(trace: &Trace, location: LocationId) -> impl Iterator<Item = (LocationId, bool)> + '_ {
    let process = |location| trace.location(location).process;
    let ops = (0..).zip(&trace.timeline(location).ops);
    let said = ops.filter_map(move |(op, record)| {
        let sends = match record.event() {
            Event::MpiSend { .. } | Event::MpiIsend { .. } => true,
            Event::MpiRecv { .. } | Event::MpiIrecv { .. } => false,
            _ => return None,
        };
        Some((trace.links.partner(OpRef { location, op })?.location, sends))
    });
    said.filter(move |said| process(said.0) != process(location))
}

fn received(trace: &Trace, location: LocationId) -> u64 {
    let kinds = trace.timeline(location).kinds.seen();
    let receives = kinds.filter(|(kind, _)| matches!(kind, EventKind::MpiRecv | EventKind::MpiIrecv));
    receives.map(|(_, count)| count).sum()
}

/// Whether a location asks which message comes first.
fn takes_any(trace: &Trace, location: LocationId) -> bool {
    let asks = |name: &str| is_blocking_probe(name) || matches!(name, "mpi_waitany" | "mpi_waitsome");
    let uses = trace.uses[location.index()].iter();
    uses.map(|used| &trace.classes[trace.paths.region(used.path).index()].name).any(|name| asks(name))
}

/// Whether workers are served in a fixed order.
fn is_in_turn(order: &[LocationId], workers: usize) -> bool {
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
    fn who_answers_whoever_asks_is_a_master() {
        let found = farms(&served(&[1, 2, 3, 1, 1, 2, 1]).trace());
        let [farm] = &found[..] else { panic!("{found:?}") };
        assert_eq!((farm.master, &farm.workers[..], farm.tasks), (0, &[1, 2, 3][..], 7));
    }

    #[test]
    fn who_serves_all_in_turn_decides_itself() {
        assert_eq!(farms(&served(&[1, 2, 3, 1, 2, 3, 1]).trace()), []);
        assert_eq!(farms(&served(&[2, 2, 2]).trace()), [], "one worker");
    }
}
