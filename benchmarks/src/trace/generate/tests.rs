//! What makes a simulated trace one of a real program.

use super::{Shape, Simulated, Workload};
use lotse_model::trace::{Event, EventKind, EventSink, Ticks};
use std::collections::{HashMap, VecDeque};

const SHAPE: Shape = Shape { workload: Workload::Computing, locations: 6, steps: 64, seed: 3 };
const MESSAGES: Shape = Shape { workload: Workload::Messages, ..SHAPE };
const LOCKS: Shape = Shape { workload: Workload::Locks, ..SHAPE };

#[derive(Default)]
struct List(Vec<(Ticks, EventKind, Event)>);

impl EventSink for List {
    fn event(&mut self, at: Ticks, kind: EventKind, event: Event) {
        self.0.push((at, kind, event));
    }
}

fn simulated(shape: Shape) -> (Simulated, Vec<List>) {
    let mut lists: Vec<_> = (0..shape.locations).map(|_| List::default()).collect();
    let simulated = shape.simulate(&mut lists).unwrap();
    (simulated, lists)
}

#[test]
fn times_never_go_back_and_calls_nest() {
    [SHAPE, MESSAGES, LOCKS].into_iter().for_each(check_times_and_nesting);
}

fn check_times_and_nesting(shape: Shape) {
    let (simulated, lists) = simulated(shape);
    let mut length = 0;
    for List(events) in &lists {
        assert!(events.windows(2).all(|pair| pair[0].0 <= pair[1].0));
        let mut stack = Vec::new();
        for (_, _, event) in events {
            match event {
                Event::Enter { region } => stack.push(*region),
                Event::Leave { region } => assert_eq!(stack.pop(), Some(*region)),
                _ => {}
            }
        }
        assert!(stack.is_empty());
        length = length.max(events.last().unwrap().0);
    }
    assert!(simulated.length >= length);
    assert_eq!(simulated.events, lists.iter().map(|it| it.0.len() as u64).sum::<u64>());
}

/// A message: from, to, tag.
type Channel = (u32, u32, u32);

#[test]
fn messages_arrive_in_order_after_they_were_sent() {
    [SHAPE, MESSAGES].into_iter().for_each(check_messages);
}

fn check_messages(shape: Shape) {
    let (_, lists) = simulated(shape);
    let mut sent: HashMap<Channel, VecDeque<(Ticks, u64)>> = HashMap::new();
    for (List(events), from) in lists.iter().zip(0..) {
        for &(at, _, event) in events {
            if let Event::MpiSend { receiver: to, tag, length, .. }
            | Event::MpiIsend { receiver: to, tag, length, .. } = event
            {
                sent.entry((from, to, tag)).or_default().push_back((at, length));
            }
        }
    }
    for (List(events), to) in lists.iter().zip(0..) {
        for &(at, _, event) in events {
            if let Event::MpiRecv { sender: from, tag, length, .. }
            | Event::MpiIrecv { sender: from, tag, length, .. } = event
            {
                let (begun, expected) = sent.get_mut(&(from, to, tag)).unwrap().pop_front().unwrap();
                assert!(begun < at, "{from} to {to}: sent {begun}, received {at}");
                assert_eq!(length, expected);
            }
        }
    }
    assert!(sent.values().all(VecDeque::is_empty));
}

#[test]
fn nobody_leaves_a_collective_before_all_have_come() {
    let (_, lists) = simulated(SHAPE);
    let times = |wanted: EventKind| -> Vec<Vec<Ticks>> {
        let of = |List(events): &List| {
            events.iter().filter(|it| it.1 == wanted).map(|it| it.0).collect::<Vec<_>>()
        };
        lists.iter().map(of).collect()
    };
    let (begun, ended) = (times(EventKind::MpiCollectiveBegin), times(EventKind::MpiCollectiveEnd));
    assert_eq!(begun[0].len() as u64, SHAPE.steps / 4 + SHAPE.steps / 32);
    for number in 0..begun[0].len() {
        let last_come = begun.iter().map(|it| it[number]).max();
        let first_gone = ended.iter().map(|it| it[number]).min();
        assert!(last_come < first_gone);
    }
}

#[test]
fn most_events_are_of_computing() {
    let (simulated, lists) = simulated(Shape { steps: 500, ..SHAPE });
    let is_computing = |event: &Event| match event {
        Event::Enter { region } | Event::Leave { region } => region.0 < super::regions::INIT.0,
        _ => false,
    };
    let computing = lists.iter().flat_map(|it| &it.0).filter(|it| is_computing(&it.2)).count();
    let share = computing as f64 / simulated.events as f64;
    assert!((0.70..0.75).contains(&share), "{share}");
    let per_step = simulated.events as f64 / (500.0 * f64::from(SHAPE.locations));
    assert!((per_step - 54.0).abs() < 1.0, "{per_step}");
}

#[test]
fn the_same_seed_gives_the_same_trace_and_waits_are_real() {
    let ((one, first), (other, second)) = (simulated(SHAPE), simulated(SHAPE));
    assert_eq!(one, other);
    assert!(first.iter().zip(&second).all(|(one, other)| one.0 == other.0));
    let (third, _) = simulated(Shape { seed: 4, ..SHAPE });
    assert_ne!(one.length, third.length);
    let waited = |List(events): &List| {
        let pairs = events.windows(2).filter(|pair| pair[1].1 == EventKind::MpiIrecv);
        pairs.map(|pair| pair[1].0 - pair[0].0).max().unwrap()
    };
    assert!(first.iter().any(|it| waited(it) > 1000), "nobody waits");
}

#[test]
fn shapes_that_cannot_be_paired_are_refused() {
    for locations in [0, 1, 3] {
        let mut lists: Vec<_> = (0..locations).map(|_| List::default()).collect();
        assert_eq!(Shape { locations, ..SHAPE }.simulate(&mut lists), None);
    }
    assert_eq!(SHAPE.simulate(&mut [List::default()]), None);
}

#[test]
fn a_step_makes_as_many_events_as_its_workload_says() {
    for workload in Workload::ALL {
        let shape = Shape::of_events(workload, 400_000);
        let (simulated, _) = simulated(shape);
        let ratio = simulated.events as f64 / 400_000.0;
        assert!((0.97..1.03).contains(&ratio), "{workload:?}: {ratio}");
    }
}

#[test]
fn a_message_in_every_12_events() {
    let (simulated, lists) = simulated(Shape { steps: 400, ..MESSAGES });
    let messages = lists.iter().flat_map(|it| &it.0).filter(|it| it.1 == EventKind::MpiIrecv).count();
    let ratio = simulated.events as f64 / messages as f64;
    assert!((12.0..13.0).contains(&ratio), "{ratio}");
}

#[test]
fn nobody_has_a_lock_that_another_one_holds() {
    let (_, lists) = simulated(Shape { steps: 200, ..LOCKS });
    let mut holdings: HashMap<(u64, u32), [Ticks; 2]> = HashMap::new();
    for &(at, _, event) in lists.iter().flat_map(|it| &it.0) {
        match event {
            Event::AcquireLock { lock, order, .. } => holdings.entry((lock, order)).or_default()[0] = at,
            Event::ReleaseLock { lock, order, .. } => holdings.entry((lock, order)).or_default()[1] = at,
            _ => {}
        }
    }
    assert_eq!(holdings.len(), 200 * LOCKS.locations as usize);
    for (&(lock, order), [_, released]) in &holdings {
        let next = holdings.get(&(lock, order + 1));
        assert!(next.is_none_or(|next| next[0] >= *released), "lock {lock} is held twice after {order}");
    }
}
