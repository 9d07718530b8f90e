//! Compares what-if predictions with simulated runs: programs are simulated, changed, and simulated again.
//!
//! The simulator and the prediction share no code. What the prediction keeps fixed (the matching of messages, and the order of
//! two simultaneous requests for a lock) is fixed in these programs too, so predictions must agree to the tick.

use lotse_model::rule::Thresholds;
use lotse_model::trace::{CollectiveOp, Ticks};
use lotse_model::work::Sequential;
use lotse_trace::retime::{Change, Factor, Graph};
use lotse_trace::store::{Trace, load};
use lotse_trace::waits::search;
use proptest::prelude::*;

use crate::program::{Costs, HELD, Program, Sending, Step};

mod blame;
mod machine;
mod program;
mod record;
mod removal;
mod rounds;

/// A simulated run and its dependency graph.
struct Recorded {
    trace: Trace,
    graph: Graph,
}

impl Recorded {
    fn new(program: &Program, costs: Costs) -> Self {
        let trace = load(machine::run(program, costs).0.input(), &Sequential);
        let waits = search(&trace, &Thresholds::default(), &Sequential);
        let graph = Graph::new(&trace, &waits);
        Self { trace, graph }
    }

    fn predicted(&self, change: &Change) -> Ticks {
        let outcomes = self.graph.run(&self.trace, std::slice::from_ref(change));
        assert_eq!(outcomes[0].cut, 0, "a circle where there is none");
        outcomes[0].length
    }

    fn scaled(&self, function: &str, halves: Ticks) -> Ticks {
        self.predicted(&Change::scaled(
            self.trace.paths_named(function),
            Factor::try_from(halves as f64 / 2.0).expect("a small factor"),
        ))
    }
}

fn length(program: &Program, costs: Costs) -> Ticks {
    machine::run(program, costs).1
}

/// The sleeping program of `examples/sleepers`, in microseconds.
fn sleepers(iterations: u32) -> Program {
    let mut program = Program::new(4, 0);
    for rank in 0..4 {
        program.then(rank, Step::Meet(CollectiveOp::Barrier, 0));
        for iteration in 0..iterations {
            let place = ((rank + iteration) % 4) as usize;
            let compute = |name, times: [Ticks; 4]| Step::Compute(name, times[place] * 1000);
            program.then(rank, compute("prepare", [40, 120, 80, 160]));
            program.then(rank, Step::Send(Sending::Buffered, (rank + 1) % 4));
            program.then(rank, Step::Recv((rank + 3) % 4));
            program.then(rank, compute("solve", [400, 240, 320, 120]));
            program.then(rank, Step::Meet(CollectiveOp::Allreduce, 0));
            program.then(rank, compute("finish", [60, 60, 180, 20]));
            program.then(rank, Step::Meet(CollectiveOp::Barrier, 0));
        }
    }
    program
}

#[test]
fn the_sleeping_program_takes_the_time_predicted() {
    let program = sleepers(3);
    let recorded = Recorded::new(&program, Costs::SMALL);
    let total = recorded.predicted(&Change::none());
    assert_eq!(total, length(&program, Costs::SMALL));
    // Each iteration: a rank that solves for 400 ms waits for one that prepares for 160 ms, then the longest finish.
    assert_eq!(total / 1000, 3 * (160 + 400 + 180));
    for (function, halves) in [("solve", 1), ("solve", 0), ("prepare", 0), ("finish", 4), ("finish", 0)] {
        let changed = length(&program.scaled(function, halves), Costs::SMALL);
        assert_eq!(recorded.scaled(function, halves), changed, "{function} {halves}/2");
        assert!(changed.abs_diff(total) > total / 20, "{function} {halves}/2 changes next to nothing");
    }
}

#[test]
fn messages_in_flight_without_a_waiting_receiver_are_predicted_nearly() {
    let costs = Costs { flight: 400, ..Costs::SMALL };
    let program = sleepers(3);
    let recorded = Recorded::new(&program, costs);
    for (function, halves) in [("solve", 1), ("prepare", 0), ("finish", 4)] {
        let (actual, predicted) =
            (length(&program.scaled(function, halves), costs), recorded.scaled(function, halves));
        assert!(
            actual.abs_diff(predicted) * 200 <= actual,
            "{function} {halves}/2: {actual} and not {predicted}"
        );
    }
}

/// Rank 0 sends long before rank 1 receives; in between, rank 1 waited for a message that took 50.
#[test]
fn a_message_that_came_long_before_is_not_delayed_by_a_longer_way() {
    let mut program = Program::new(2, 0);
    let sends = [Step::Compute("prepare", 1000), Step::Send(Sending::Buffered, 1)];
    sends.into_iter().chain([Step::Send(Sending::Buffered, 1)]).for_each(|step| program.then(0, step));
    let receives = [Step::Recv(0), Step::Compute("solve", 5000), Step::Recv(0)];
    receives.into_iter().for_each(|step| program.then(1, step));
    let costs = Costs { flight: 40, transfer: 10, ..Costs::SMALL };
    let recorded = Recorded::new(&program, costs);
    assert_eq!(recorded.predicted(&Change::none()), 1000 + 50 + 5000 + 10);
    // The first message arrives 100 later, the second still long before its receive.
    let change = Change { latency: 100, ..Change::none() };
    assert_eq!(recorded.predicted(&change), 1000 + 150 + 5000 + 10);
    assert_eq!(length(&program, Costs { flight: 140, ..costs }), 1000 + 150 + 5000 + 10);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn functions_that_take_another_time(program in rounds::program(), costs in rounds::costs()) {
        let program = machine::with_actual_turns(&program, costs);
        let recorded = Recorded::new(&program, costs);
        prop_assert_eq!(recorded.predicted(&Change::none()), length(&program, costs));
        for function in rounds::FUNCTIONS.iter().copied().chain([HELD]) {
            for halves in [0, 1, 4] {
                let changed = length(&program.scaled(function, halves), costs);
                prop_assert_eq!(recorded.scaled(function, halves), changed, "{} {}/2", function, halves);
            }
        }
    }

    #[test]
    fn messages_that_take_another_time(
        program in rounds::program(),
        costs in rounds::costs(),
        flight in 0_u64..60,
    ) {
        let costs = Costs { flight, ..costs };
        let program = machine::with_actual_turns(&program, costs);
        let recorded = Recorded::new(&program, costs);
        for latency in [-100, -4, 25, 1000] {
            let later = Costs { flight: flight.saturating_add_signed(latency), ..costs };
            let change = Change { latency, ..Change::none() };
            prop_assert_eq!(recorded.predicted(&change), length(&program, later), "{}", latency);
            let half = Factor::try_from(0.5).expect("a small factor");
            let scaled = Change::scaled(recorded.trace.paths_named("solve"), half).scaled;
            let both = length(&program.scaled("solve", 1), later);
            prop_assert_eq!(recorded.predicted(&Change { scaled, ..change }), both, "{} and solve", latency);
        }
        let changed = length(&program, costs.ideal_network());
        prop_assert_eq!(recorded.predicted(&Change::ideal_network()), changed, "an ideal network");
    }
}
