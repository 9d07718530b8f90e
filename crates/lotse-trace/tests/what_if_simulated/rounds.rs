//! Random programs: rounds that all ranks go through together.

use lotse_model::trace::{CollectiveOp, Ticks};
use proptest::prelude::*;

use crate::program::{Costs, Program, Sending, Step};

/// Functions whose time can be changed.
pub(crate) const FUNCTIONS: [&str; 3] = ["prepare", "solve", "finish"];

/// Times for any location; even numbers, so that their halves are whole ticks.
type Times = Vec<Ticks>;

/// A round of all ranks.
#[derive(Debug, Clone)]
enum Round {
    Compute(&'static str, Times),
    /// Each rank sends to the next and receives from the previous one.
    Ring,
    /// The same with the receive posted before some work.
    PostedRing(&'static str, Times),
    /// Even ranks send to the next odd ones.
    Pairs(Sending),
    Meet(CollectiveOp, u32),
    /// Each rank creates its threads, which work and acquire a lock in turn.
    Threads(Times, bool),
}

/// A program in which all ranks work equally long in each round, but for one rank that has more to do in some rounds. Also
/// gives this rank and what it does more.
pub(crate) fn with_one_culprit() -> impl Strategy<Value = (Program, u32, Ticks)> {
    let op = prop::sample::select(vec![
        CollectiveOp::Bcast,
        CollectiveOp::Reduce,
        CollectiveOp::Scan,
        CollectiveOp::Allreduce,
    ]);
    let meetings = prop::collection::vec((op, 0_u32..5), 1..4);
    let round = (50_u64..100, prop_oneof![Just(0_u64), 1000_u64..2000], meetings);
    let rounds = (prop::collection::vec(round, 1..8), 1000_u64..2000);
    (2_u32..6, 0_u32..6, rounds).prop_map(|(ranks, culprit, (rounds, last))| {
        let (mut program, culprit) = (Program::new(ranks, 0), culprit % ranks);
        let more = |rank: u32, ticks: Ticks| if rank == culprit { ticks } else { 0 };
        for rank in 0..ranks {
            program.then(rank, Step::Meet(CollectiveOp::Barrier, 0));
            for (work, extra, meetings) in &rounds {
                program.then(rank, Step::Compute("solve", *work));
                program.then(rank, Step::Compute("finish", more(rank, *extra)));
                meetings.iter().for_each(|&(op, root)| program.then(rank, Step::Meet(op, root % ranks)));
            }
            program.then(rank, Step::Compute("finish", more(rank, last)));
            program.then(rank, Step::Meet(CollectiveOp::Barrier, 0));
        }
        (program, culprit, last + rounds.iter().map(|(_, extra, _)| extra).sum::<Ticks>())
    })
}

fn times() -> impl Strategy<Value = Times> {
    prop::collection::vec((0_u64..300).prop_map(|half| 2 * half), 12)
}

fn round() -> impl Strategy<Value = Round> {
    let function = || prop::sample::select(&FUNCTIONS[..]);
    let sending = prop::sample::select(vec![Sending::Buffered, Sending::Large, Sending::Synchronous]);
    let op = prop::sample::select(vec![
        CollectiveOp::Barrier,
        CollectiveOp::Allreduce,
        CollectiveOp::Bcast,
        CollectiveOp::Reduce,
        CollectiveOp::Scan,
    ]);
    prop_oneof![
        4 => (function(), times()).prop_map(|(name, times)| Round::Compute(name, times)),
        1 => Just(Round::Ring),
        1 => (function(), times()).prop_map(|(name, times)| Round::PostedRing(name, times)),
        1 => sending.prop_map(Round::Pairs),
        2 => (op, 0_u32..4).prop_map(|(op, root)| Round::Meet(op, root)),
        1 => (times(), any::<bool>()).prop_map(|(times, reversed)| Round::Threads(times, reversed)),
    ]
}

/// Any costs, including 0 as with a clock too coarse to measure calls. Messages always take some time: a receive without
/// duration does not show a transfer.
pub(crate) fn costs() -> impl Strategy<Value = Costs> {
    (0_u64..4, 1_u64..30, [0_u64..4, 0_u64..4, 0_u64..4, 0_u64..4]).prop_map(
        |(send, transfer, [collective, create, join, lock])| Costs {
            send,
            transfer,
            flight: 0,
            collective,
            create,
            join,
            lock,
        },
    )
}

/// Any program without a deadlock.
pub(crate) fn program() -> impl Strategy<Value = Program> {
    (2_u32..5, 0_u32..3, prop::collection::vec(round(), 1..12)).prop_map(|(ranks, threads, rounds)| {
        let mut program = Program::new(ranks, threads);
        show_how_messages_are_sent(&mut program);
        for (number, round) in rounds.iter().enumerate() {
            add(&mut program, number as u64, round);
        }
        program
    })
}

/// Adds steps from which the prediction can learn the behaviour of messages: that small messages are buffered and large
/// ones are not shows only if a receive is late, the duration of a receive only if it comes after the message, and the
/// time of a message in the network only if a receiver waits for it.
fn show_how_messages_are_sent(program: &mut Program) {
    let ranks = program.ranks;
    let work = Step::Compute("start", 100);
    for rank in 0..ranks {
        let (send, receive) =
            (Step::Send(Sending::Buffered, (rank + 1) % ranks), Step::Recv((rank + ranks - 1) % ranks));
        // First all receives are late; then all sends are late, one after the other.
        let late_sends = if rank == 0 { [work, send, receive] } else { [receive, work, send] };
        let steps = [send, work, receive].into_iter().chain(late_sends);
        steps.chain([Step::Meet(CollectiveOp::Barrier, 0)]).for_each(|step| program.then(rank, step));
    }
    for rank in (0..ranks - 1).step_by(2) {
        let send = Step::Send(Sending::Large, rank + 1);
        [send, work, send].into_iter().for_each(|step| program.then(rank, step));
        let receive = Step::Recv(rank);
        [work, receive, receive].into_iter().for_each(|step| program.then(rank + 1, step));
    }
}

fn add(program: &mut Program, number: u64, round: &Round) {
    let ranks = program.ranks;
    for rank in 0..ranks {
        let (next, before) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
        let steps = match round {
            Round::Compute(name, times) => vec![Step::Compute(name, times[rank as usize])],
            Round::Ring => vec![Step::Send(Sending::Buffered, next), Step::Recv(before)],
            Round::PostedRing(name, times) => {
                let work = Step::Compute(name, times[rank as usize]);
                vec![Step::Post(before), work, Step::Send(Sending::Buffered, next), Step::Wait]
            }
            Round::Pairs(sending) if rank % 2 == 0 && rank + 1 < ranks => vec![Step::Send(*sending, next)],
            Round::Pairs(_) if rank % 2 == 1 => vec![Step::Recv(before)],
            Round::Pairs(_) => Vec::new(),
            Round::Meet(op, root) => vec![Step::Meet(*op, root % ranks)],
            Round::Threads(times, reversed) => threads(program, number, rank, times, *reversed),
        };
        steps.into_iter().for_each(|step| program.then(rank, step));
    }
}

/// Adds the steps of a rank's threads to the program; gives those of its main thread.
fn threads(program: &mut Program, round: u64, rank: u32, times: &Times, reversed: bool) -> Vec<Step> {
    let count = program.threads;
    let name = |thread: u32| round * 100 + u64::from(rank * 10 + thread);
    let main = program.main_of(rank);
    let held = program.steps[main + count.min(1) as usize].iter();
    let turns = count * held.filter(|step| matches!(step, Step::Hold(..))).count() as u32;
    for thread in 0..count {
        let turn = turns + 1 + if reversed { count - 1 - thread } else { thread };
        let (work, hold) = (times[(rank * 2 + thread) as usize], times[(rank + thread * 4) as usize]);
        let steps = [
            Step::Begin(name(thread)),
            Step::Compute("solve", work),
            Step::Hold(turn, hold),
            Step::Compute("finish", work),
            Step::End(name(thread)),
        ];
        program.steps[main + 1 + thread as usize].extend(steps);
    }
    let creates = (0..count).map(|thread| Step::Create(name(thread)));
    let own = std::iter::once(Step::Compute("prepare", times[11]));
    creates.chain(own).chain((0..count).map(|thread| Step::Join(name(thread)))).collect()
}
