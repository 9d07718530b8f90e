//! Master and workers: a worker waits for a master that is busy with others.

use hashbrown::HashMap;
use lotse_model::Rule;
use lotse_model::id::LocationId;
use lotse_model::rule::Threshold;
use lotse_model::trace::{Event, EventKind, Ticks};

use super::late_sender::{LATE_SENDER, last_send};
use super::{PRIOR, Pattern, Search, WOLF_2003};
use crate::matching::{is_receive, is_send};
use crate::metric::{Bound, Metric};
use crate::store::{OpRef, Trace};
use crate::waits::{Scene, WaitCollector};

pub(super) const PATTERN: Pattern =
    Pattern { rule: &RULE, metrics: &[&MASTER_WORKER], search: Search::Locations(search) };

/// Waiting for a master that serves others.
static MASTER_WORKER: Metric =
    Metric::part("master_worker", "wait for a busy master", &LATE_SENDER, Bound::Exact);

static RULE: Rule = Rule {
    id: "master_worker",
    version: 1,
    title: "wait for a busy master: workers wait for a master that serves others",
    meaning: "One process hands out work, or answers questions, to most of the others. While it serves one of them, \
              the others wait: the master is the bottleneck.",
    computation: "A worker of M is a location that sends to M and gets at least `devotion` of its messages from M. M \
                  is a master if it has at least `workers` of them, at least `share` of the other processes, and its \
                  messages to them are on average no longer than `reply_bytes`. Counted for a receive r of a worker \
                  that waits for a message of its master: min(B, E(send), X(r)) - E(r), where B is the end of the \
                  master's last call before the send that communicated with another process. Part of late_sender, \
                  exact.",
    picture: "master    ──┤Recv 1├─┤Send 1├┤Recv 2├─┤Send 2├──
worker 1  ─┤Recv─────────────├──────────────────
worker 2  ─┤Recv▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒──────────────├─
            ↑E(r)               ↑B          ↑E(send)",
    example: "A worker waits from 0.110 s on; until 0.151 s the master answers another, at 0.250 s it sends: 0.041 s \
              because of others, of 0.14 s of late sender.",
    advice: "Hand out larger pieces of work, or several ahead, so that workers ask less often. Let the master only \
             hand out and not compute; have several masters, or none, where workers can find out themselves what \
             is theirs.",
    thresholds: &[
        Threshold { name: "workers", default: 2.0, meaning: "workers that make a master" },
        Threshold {
            name: "share",
            default: 0.5,
            meaning: "share of the other processes that are its workers",
        },
        Threshold {
            name: "devotion",
            default: 0.9,
            meaning: "share of a worker's messages that come from it",
        },
        Threshold {
            name: "reply_bytes",
            default: 65_536.0,
            meaning: "mean bytes of its messages to workers",
        },
    ],
    prior: PRIOR,
    references: &[WOLF_2003],
};

/// Checks whether a process is a master: its workers are the peers that receive most of their messages from it. If there
/// are enough workers and its messages are short, the waits of its workers are searched.
fn search(scene: &Scene<'_>, location: LocationId, collector: &mut WaitCollector) {
    let trace = scene.trace;
    let threads = &scene.led[location.index()];
    let mut peers: HashMap<LocationId, Exchange> = HashMap::new();
    let message_ends = || threads.iter().flat_map(|&thread| message_ends(trace, thread));
    message_ends().for_each(|end| peers.entry(end.peer).or_default().count(&end));
    let limit = |name| scene.thresholds.get(&RULE, name);
    let devotion = limit("devotion");
    peers.retain(|&peer, exchange| {
        let own = trace.location(peer).process == trace.location(location).process;
        !own && exchange.received > 0 && exchange.sent as f64 >= devotion * receives(trace, peer) as f64
    });
    if (peers.len() as f64) < limit("workers") || mean_bytes(&peers) > limit("reply_bytes") {
        return;
    }
    let others = scene.led.iter().filter(|threads| !threads.is_empty()).count() - 1;
    if peers.len() as f64 >= limit("share") * others as f64 {
        let mut ends: Vec<MessageEnd> = message_ends().collect();
        if threads.len() > 1 {
            ends.sort_by_key(|end| (trace.op(end.op).at, end.op));
        }
        ends.retain(|end| trace.location(end.peer).process != trace.location(location).process);
        add_waits(trace, &ends, &peers, collector);
    }
}

/// Counts of the messages between a process and a location.
#[derive(Debug, Default)]
struct Exchange {
    sent: u64,
    received: u64,
    bytes: u64,
}

impl Exchange {
    fn count(&mut self, end: &MessageEnd) {
        match end.sent_bytes {
            Some(bytes) => (self.sent, self.bytes) = (self.sent + 1, self.bytes.saturating_add(bytes)),
            None => self.received += 1,
        }
    }
}

/// One end of a message whose other end is known.
#[derive(Debug, Clone, Copy)]
struct MessageEnd {
    op: OpRef,
    peer: LocationId,
    /// The number of bytes of a send; none for a receive.
    sent_bytes: Option<u64>,
}

fn message_ends(trace: &Trace, location: LocationId) -> impl Iterator<Item = MessageEnd> + '_ {
    let is_end = |event: &Event| is_send(event) || is_receive(event);
    trace.timeline(location).ops.with_shape(is_end).filter_map(move |(op, record)| {
        let sent_bytes = record.message_length().filter(|_| is_send(record.shape()));
        let op = OpRef { location, op };
        Some(MessageEnd { op, peer: trace.links.partner(op)?.location, sent_bytes })
    })
}

fn receives(trace: &Trace, location: LocationId) -> u64 {
    let kinds = trace.timeline(location).kinds.seen();
    let receives = kinds.filter(|(kind, _)| matches!(kind, EventKind::MpiRecv | EventKind::MpiIrecv));
    receives.map(|(_, count)| count).sum()
}

fn mean_bytes(workers: &HashMap<LocationId, Exchange>) -> f64 {
    let sent: u64 = workers.values().map(|it| it.sent).sum();
    let bytes = workers.values().fold(0_u64, |sum, it| sum.saturating_add(it.bytes));
    bytes as f64 / sent.max(1) as f64
}

/// Visits the messages of a master in the order of time and attributes the time in which a worker waited while the master
/// communicated with others.
fn add_waits(
    trace: &Trace,
    ends: &[MessageEnd],
    workers: &HashMap<LocationId, Exchange>,
    collector: &mut WaitCollector,
) {
    let mut peer: Option<LocationId> = None;
    let (mut latest, mut before) = (0, 0);
    for end in ends {
        if peer != Some(end.peer) {
            (peer, before) = (Some(end.peer), latest);
        }
        if end.sent_bytes.is_some() && workers.contains_key(&end.peer) {
            add_wait(trace, end.op, before, collector);
        }
        latest = trace.call_of(end.op).map_or(trace.op(end.op).at, |call| trace.exit(call));
    }
}

/// Attributes the wait of a worker for a send of its master, which communicated with others until `busy`.
fn add_wait(trace: &Trace, send: OpRef, busy: Ticks, collector: &mut WaitCollector) {
    let Some(call) = trace.links.partner(send).and_then(|receive| trace.call_of(receive)) else { return };
    if let Some((until, awaited)) = last_send(trace, call)
        && awaited == send
    {
        let end = busy.min(until).min(trace.exit(call));
        collector.add_interval(&MASTER_WORKER, call.location, trace.path(call), (trace.enter(call), end));
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::Script;
    use crate::patterns::amounts;

    #[test]
    fn a_worker_waits_while_the_master_serves_another() {
        let mut script = Script::processes(3);
        script.recv(0, 90, 105, 1, 0).send(0, 150, 151, 1, 1).recv(0, 155, 156, 2, 0).send(0, 250, 251, 2, 1);
        script.send(1, 100, 101, 0, 0).recv(1, 110, 152, 0, 1);
        script.send(2, 100, 101, 0, 0).recv(2, 110, 252, 0, 1);
        let late = [(1, "MPI_Recv".to_owned(), 40), (2, "MPI_Recv".to_owned(), 140)];
        assert_eq!(amounts(&script, "late_sender")[1..], late);
        assert_eq!(amounts(&script, "master_worker"), [(2, "MPI_Recv".to_owned(), 41)]);
    }

    #[test]
    fn neighbours_have_no_master() {
        let mut script = Script::processes(4);
        for rank in 0..4_u32 {
            let (left, right, at) = ((rank + 3) % 4, (rank + 1) % 4, u64::from(rank) * 10);
            let me = rank as usize;
            script.send(me, 100 + at, 101 + at, left, 0).send(me, 102 + at, 103 + at, right, 0);
            script.recv(me, 104 + at, 200, left, 0).recv(me, 201, 210, right, 0);
        }
        assert_eq!(amounts(&script, "master_worker"), []);
    }

    #[test]
    fn a_process_that_only_sends_is_no_master() {
        let mut script = Script::processes(3);
        script.send(0, 100, 110, 1, 0).send(0, 120, 130, 2, 0);
        script.recv(1, 0, 110, 0, 0).recv(2, 0, 130, 0, 0);
        assert_eq!(amounts(&script, "master_worker"), []);
    }
}
