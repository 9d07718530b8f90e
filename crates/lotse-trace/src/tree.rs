//! The time tree: the time of every location by class, with waits as parts of the classes of their calls.
//!
//! ```text
//! time
//! ├ computation
//! ├ outside
//! ├ mpi
//! │ ├ mpi_point_to_point
//! │ │ ├ late_sender         time of waits is moved from the class of the call to the metric of the wait
//! │ │ └ …
//! │ └ …
//! ├ openmp, lock, threading, io, accelerator, recorder …
//! accelerator_streams         a tree of its own
//! ```
//!
//! The exclusive times of a location sum to its span. If two waits of one call overlap, like those for the two messages of a
//! Sendrecv, the longer one is counted and the other is kept as overlap, which is in no sum.

use lotse_model::id::LocationId;
use lotse_model::trace::{LocationKind, Ticks};

use crate::class::Class;
use crate::idle;
use crate::metric::{Metric, Parent};
use crate::patterns::{OMP_IDLE_THREADS, metrics};
use crate::store::{Paths, Trace};
use crate::waits::{Wait, Waits};

/// A node of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeNode {
    /// The id in answers.
    pub id: &'static str,
    /// The node it is part of; the first node is the root.
    pub parent: Option<usize>,
    /// Time that is not in a child, by location.
    pub exclusive: Vec<Ticks>,
    /// Time of waits of this metric that overlapped a longer wait of the same call, by location.
    pub overlap: Vec<Ticks>,
}

/// The distribution of time over classes and metrics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeTree {
    /// Parents before their children.
    pub nodes: Vec<TimeNode>,
}

impl TimeTree {
    /// Builds the tree of a trace.
    pub fn new(trace: &Trace, waits: &Waits) -> Self {
        let mut builder = TreeBuilder::new(trace.timelines.len());
        for location in trace.locations().filter(|it| !trace.is_silent(*it)) {
            match trace.location(location).kind {
                LocationKind::Cpu | LocationKind::Unknown => {
                    builder.classes(trace, location);
                    builder.idle(trace, location);
                    builder.waits(trace, location, &waits.by_location[location.index()]);
                }
                LocationKind::Accelerator => builder.stream(trace, location),
                // Sources of metric values and annotations of the recorder are not time of the program.
                LocationKind::Metric | LocationKind::Annotation => {}
            }
        }
        Self { nodes: builder.nodes }
    }

    /// Inclusive time of a node, by location.
    pub fn inclusive(&self, node: usize) -> Vec<Ticks> {
        let mut sums: Vec<Vec<Ticks>> = self.nodes.iter().map(|node| node.exclusive.clone()).collect();
        for child in (1..self.nodes.len()).rev() {
            let Some(parent) = self.nodes[child].parent else { continue };
            let below = sums[child].clone();
            sums[parent].iter_mut().zip(below).for_each(|(mine, theirs)| *mine += theirs);
        }
        sums.swap_remove(node)
    }

    /// A node by its name.
    pub fn find(&self, id: &str) -> Option<usize> {
        self.nodes.iter().position(|node| node.id == id)
    }
}

struct TreeBuilder {
    nodes: Vec<TimeNode>,
    classes: Vec<usize>,
    /// The nodes of accelerator streams while they are busy, and while they are idle.
    busy: usize,
    stream_idle: usize,
    /// Metrics of waits directly below a class, with their nodes.
    waits: Vec<(&'static Metric, usize)>,
    /// The node of idle workers.
    idle: usize,
    locations: usize,
}

const GROUPS: &[(&str, &[Class])] = &[
    ("mpi", &[Class::PointToPoint, Class::Collective, Class::Rma, Class::InitFinalize, Class::OtherMpi]),
    ("openmp", &[Class::OpenMpBarrier, Class::OpenMp]),
    ("accelerator", &[Class::AcceleratorSync, Class::AcceleratorMemory, Class::AcceleratorCall]),
];

impl TreeBuilder {
    /// Creates all nodes: groups, classes, metrics of waits below their classes, and the tree of streams.
    fn new(locations: usize) -> Self {
        let mut builder = Self {
            nodes: Vec::new(),
            classes: Vec::new(),
            busy: 0,
            stream_idle: 0,
            waits: Vec::new(),
            idle: 0,
            locations,
        };
        let root = builder.node("time", None);
        let groups: Vec<usize> = GROUPS.iter().map(|(id, _)| builder.node(id, Some(root))).collect();
        builder.idle = builder.node(OMP_IDLE_THREADS.id, Some(root));
        for &class in Class::ALL {
            let group = GROUPS.iter().position(|(_, classes)| classes.contains(&class));
            let node = builder.node(class.id(), Some(group.map_or(root, |group| groups[group])));
            builder.classes.push(node);
        }
        for metric in metrics().filter(|metric| metric.is_wait) {
            if let Parent::Class(class) = metric.parent {
                let parent = builder.class(class);
                let node = builder.node(metric.id, Some(parent));
                builder.waits.push((metric, node));
            }
        }
        let streams = builder.node("accelerator_streams", None);
        builder.busy = builder.node("accelerator_busy", Some(streams));
        builder.stream_idle = builder.node("accelerator_idle", Some(streams));
        builder
    }

    fn node(&mut self, id: &'static str, parent: Option<usize>) -> usize {
        let none = || vec![0; self.locations];
        self.nodes.push(TimeNode { id, parent, exclusive: none(), overlap: none() });
        self.nodes.len() - 1
    }

    fn class(&self, class: Class) -> usize {
        let position = Class::ALL.iter().position(|&it| it == class);
        self.classes[position.expect("every class is in the list of classes")]
    }

    fn classes(&mut self, trace: &Trace, location: LocationId) {
        for used in &trace.uses[location.index()] {
            let class = match trace.class_of(used.path) {
                Class::Sleep => trace.mpi_around(used.path).unwrap_or(Class::Sleep),
                class => class,
            };
            let node = self.class(class);
            self.nodes[node].exclusive[location.index()] += used.exclusive;
        }
    }

    /// Adds the time of a stream to a separate tree, because it is not time of a thread.
    fn stream(&mut self, trace: &Trace, location: LocationId) {
        for used in &trace.uses[location.index()] {
            let node = if used.path == Paths::ROOT { self.stream_idle } else { self.busy };
            self.nodes[node].exclusive[location.index()] += used.exclusive;
        }
    }

    /// Moves the time of workers between parallel regions to the node of idle threads, whatever function they are in.
    fn idle(&mut self, trace: &Trace, location: LocationId) {
        let idle = idle::idle(trace, location, (0, Ticks::MAX));
        let (idle_node, joining) = (self.idle, self.class(Class::OpenMp));
        for (rows, to) in [(idle.serial, idle_node), (idle.joining, joining)] {
            for (path, ticks) in rows {
                let from = self.class(trace.class_of(path));
                let moved = ticks.min(self.nodes[from].exclusive[location.index()]);
                self.nodes[from].exclusive[location.index()] -= moved;
                self.nodes[to].exclusive[location.index()] += moved;
            }
        }
    }

    /// Moves waits from the classes of their calls to their own nodes.
    fn waits(&mut self, trace: &Trace, location: LocationId, waits: &[Wait]) {
        let mut waits: Vec<(&Wait, usize)> = waits
            .iter()
            .filter_map(|wait| {
                let known =
                    self.waits.iter().find(|(metric, _)| wait.metric.is_some_and(|it| it == *metric))?;
                Some((wait, known.1))
            })
            .collect();
        // The wait that is not overlapped comes first, so that the tree agrees with all other tables.
        waits.sort_by_key(|(wait, _)| {
            (wait.call.call, wait.is_overlapped, std::cmp::Reverse(wait.ticks()), wait.begin)
        });
        for of_call in waits.chunk_by(|a, b| a.0.call == b.0.call) {
            // The wait for a non-blocking collective is in a call of another class.
            let class = self.class(trace.class_of(trace.path(of_call[0].0.call)));
            self.move_waits(location, class, of_call);
        }
    }

    fn move_waits(&mut self, location: LocationId, class: usize, waits: &[(&Wait, usize)]) {
        let at = location.index();
        for (number, &(wait, node)) in waits.iter().enumerate() {
            let overlaps = |(other, _): &(&Wait, usize)| other.begin < wait.end && wait.begin < other.end;
            if waits[..number].iter().any(overlaps) || self.nodes[class].exclusive[at] < wait.ticks() {
                self.nodes[node].overlap[at] += wait.ticks();
            } else {
                self.nodes[class].exclusive[at] -= wait.ticks();
                self.nodes[node].exclusive[at] += wait.ticks();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use lotse_model::rule::Thresholds;
    use lotse_model::trace::{CollectiveOp, Event, EventKind, LocationKind};
    use lotse_model::work::Sequential;
    use proptest::prelude::{Strategy, prop, prop_assert_eq, proptest};

    use super::TimeTree;
    use crate::class::Class;
    use crate::fixture::{Script, WORLD};

    fn tree(script: &Script) -> TimeTree {
        let trace = script.trace();
        TimeTree::new(&trace, &crate::waits::search(&trace, &Thresholds::default(), &Sequential))
    }

    #[test]
    fn a_source_of_metric_values_spends_no_time() {
        let mut script = Script::processes(2);
        script.call(0, 0, 800, "main").call(1, 0, 900, "counter");
        script.definitions.locations[1].kind = LocationKind::Metric;
        let tree = tree(&script);
        let computed: u64 = tree.nodes.iter().flat_map(|node| &node.exclusive).sum();
        assert_eq!(computed, 800);
    }

    #[test]
    fn streams_of_accelerators_stand_beside_the_threads() {
        let mut script = Script::processes(2);
        script.call(0, 0, 800, "main").call(1, 100, 300, "kernel").call(1, 350, 400, "kernel");
        script.definitions.locations[1].kind = LocationKind::Accelerator;
        let tree = tree(&script);
        let inclusive = |id: &str| tree.inclusive(tree.find(id).unwrap());
        assert_eq!((inclusive("time"), inclusive("accelerator_streams")), (vec![800, 0], vec![0, 300]));
        assert_eq!(
            (inclusive("accelerator_busy"), inclusive("accelerator_idle")),
            (vec![0, 250], vec![0, 50])
        );
    }

    #[test]
    fn a_wait_is_part_of_its_class() {
        let mut script = Script::processes(2);
        script.enter(0, 0, "main").send(0, 700, 705, 1, 0).leave(0, 800, "main");
        script.enter(1, 0, "main").recv(1, 300, 720, 0, 0).leave(1, 1000, "main");
        let tree = tree(&script);
        let times_of = |id: &str| {
            let node = tree.find(id).unwrap();
            (tree.nodes[node].exclusive.clone(), tree.inclusive(node))
        };
        assert_eq!(times_of("late_sender"), (vec![0, 400], vec![0, 400]));
        assert_eq!(times_of("mpi_point_to_point"), (vec![5, 20], vec![5, 420]));
        assert_eq!(times_of("mpi").1, [5, 420]);
        assert_eq!(times_of("time"), (vec![0, 0], vec![800, 1000]));
    }

    #[test]
    fn the_longer_of_two_overlapping_waits_is_counted() {
        let mut script = Script::processes(2);
        let (communicator, tag, length) = (WORLD, 0, 8);
        let send = Event::MpiSend { receiver: 1, communicator, tag, length };
        let receive = Event::MpiRecv { sender: 1, communicator, tag, length };
        script.enter(0, 0, "main").enter(0, 100, "MPI_Sendrecv").event(0, 100, EventKind::MpiSend, send);
        script.event(0, 600, EventKind::MpiRecv, receive).leave(0, 600, "MPI_Sendrecv").leave(0, 700, "main");
        script.enter(1, 0, "main").recv(1, 300, 310, 0, 0).send(1, 500, 510, 0, 0).leave(1, 700, "main");
        let tree = tree(&script);
        let node = |id: &str| &tree.nodes[tree.find(id).unwrap()];
        assert_eq!(
            (&node("late_sender").exclusive, &node("late_sender").overlap),
            (&vec![400, 0], &vec![0, 0])
        );
        assert_eq!(
            (&node("late_receiver").exclusive, &node("late_receiver").overlap),
            (&vec![0, 0], &vec![200, 0])
        );
        assert_eq!(node("mpi_point_to_point").exclusive, [100, 20]);
    }

    /// The time is in `MPI_Wait`, which is no collective: it moves to the metric of the wait.
    #[test]
    fn a_wait_for_a_posted_collective_is_no_overlap() {
        let mut script = Script::processes(2);
        for (location, wait) in [(0, 100), (1, 400)] {
            let post = if location == 0 { 50 } else { 390 };
            script.enter(location, 0, "main");
            script.posted_collective(
                location,
                (post, wait, 410),
                "MPI_Ibarrier",
                CollectiveOp::Barrier,
                None,
            );
            script.leave(location, 500, "main");
        }
        let tree = tree(&script);
        let node = |id: &str| &tree.nodes[tree.find(id).unwrap()];
        assert_eq!(
            (&node("wait_at_barrier").exclusive, &node("wait_at_barrier").overlap),
            (&vec![290, 0], &vec![0, 0])
        );
        assert_eq!(node("mpi_point_to_point").exclusive, [20, 10]);
    }

    /// Programs of locations: computing times, and whether to send, receive or enter a barrier.
    fn programs() -> impl Strategy<Value = Vec<Vec<(u8, u64, u64)>>> {
        prop::collection::vec(prop::collection::vec((0u8..6, 1u64..50, 0u64..40), 0..30), 1..5)
    }

    /// Writes the events of a program, and counts the time of each class independently.
    fn perform(
        script: &mut Script,
        location: usize,
        steps: &[(u8, u64, u64)],
    ) -> BTreeMap<&'static str, u64> {
        let mut counted = BTreeMap::new();
        let mut now = 3;
        script.enter(location, now, "main");
        for &(what, compute, inside) in steps {
            *counted.entry("computation").or_insert(0) += compute;
            now += compute;
            let end = now + inside;
            let peer = (location as u32 + 1) % script.definitions.locations.len() as u32;
            let class = match what {
                0 => "computation",
                1 | 2 | 4 => "mpi_point_to_point",
                3 => "mpi_collective",
                _ => "lock",
            };
            match what {
                0 => script.call(location, now, end, "work"),
                1 => script.send(location, now, end, peer, 0),
                2 => script.recv(location, now, end, peer, 0),
                3 => script.barrier(location, now, end),
                // The callee takes all of the caller's time.
                4 => script
                    .enter(location, now, "step")
                    .send(location, now, end, peer, 1)
                    .leave(location, end, "step"),
                _ => script.call(location, now, end, "pthread_mutex_lock"),
            };
            *counted.entry(class).or_insert(0) += inside;
            now = end;
        }
        *counted.entry("computation").or_insert(0) += 1;
        script.leave(location, now + 1, "main");
        *counted.entry("time").or_insert(0) += now + 1 - 3;
        counted
    }

    proptest! {
        #[test]
        fn the_time_of_a_location_is_what_its_clock_counted(programs in programs()) {
            let mut script = Script::processes(programs.len() as u32);
            let counted: Vec<BTreeMap<&str, u64>> =
                programs.iter().enumerate().map(|(at, steps)| perform(&mut script, at, steps)).collect();
            let tree = tree(&script);
            for (at, counted) in counted.iter().enumerate() {
                let exclusive: u64 = tree.nodes.iter().map(|node| node.exclusive[at]).sum();
                prop_assert_eq!(exclusive, counted["time"]);
                for class in Class::ALL.iter().map(|class| class.id()).chain(["time"]) {
                    let found = tree.inclusive(tree.find(class).unwrap())[at];
                    prop_assert_eq!(found, counted.get(class).copied().unwrap_or(0), "{} at {}", class, at);
                }
            }
        }
    }
}
