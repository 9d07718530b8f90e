//! The time tree: where the time of every location went, with waits as parts of the calls they happened in.
//!
//! time = computation + outside + MPI (point to point, collective, one-sided, init, other) + OpenMP + locks + threads +
//! files + recorder. Exclusive times of a location sum to its span. Where two waits of one call overlap, the longer is
//! booked and the other counted as overlap.

use lotse_model::id::LocationId;
use lotse_model::trace::Ticks;

use crate::class::Class;
use crate::metric::{Metric, Parent};
use crate::patterns::metrics;
use crate::store::Trace;
use crate::waits::{Wait, Waits};

/// A node of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its name in answers.
    pub id: &'static str,
    /// The node it is part of; the first node is the root.
    pub parent: Option<usize>,
    /// Time that is not in a child, by location.
    pub exclusive: Vec<Ticks>,
}

/// Where the time went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeTree {
    /// Parents before their children.
    pub nodes: Vec<Node>,
    /// Waits that overlapped a longer one of the same call, by location.
    pub overlap: Vec<Ticks>,
}

impl TimeTree {
    /// Builds it.
    pub fn new(trace: &Trace, waits: &Waits) -> Self {
        let mut builder = Builder::new(trace.timelines.len());
        for location in trace.locations() {
            builder.classes(trace, location);
            builder.waits(location, &waits.by_location[location.index()]);
        }
        builder.finish()
    }

    /// Time of a node with all below it, by location.
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

struct Builder {
    nodes: Vec<Node>,
    classes: Vec<usize>,
    /// Metrics of waits that stand directly below a class, with their nodes.
    waits: Vec<(&'static Metric, usize)>,
    overlap: Vec<Ticks>,
}

const GROUPS: &[(&str, &[Class])] = &[
    ("mpi", &[Class::PointToPoint, Class::Collective, Class::Rma, Class::InitFinalize, Class::OtherMpi]),
    ("openmp", &[Class::OpenMpBarrier, Class::OpenMp]),
];

impl Builder {
    fn new(locations: usize) -> Self {
        let mut builder =
            Self { nodes: Vec::new(), classes: Vec::new(), waits: Vec::new(), overlap: vec![0; locations] };
        let root = builder.node("time", None);
        let groups: Vec<usize> = GROUPS.iter().map(|(id, _)| builder.node(id, Some(root))).collect();
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
        builder
    }

    fn node(&mut self, id: &'static str, parent: Option<usize>) -> usize {
        self.nodes.push(Node { id, parent, exclusive: vec![0; self.overlap.len()] });
        self.nodes.len() - 1
    }

    fn class(&self, class: Class) -> usize {
        let position = Class::ALL.iter().position(|&it| it == class);
        self.classes[position.expect("every class is in the list of classes")]
    }

    fn classes(&mut self, trace: &Trace, location: LocationId) {
        for used in &trace.uses[location.index()] {
            let node = self.class(trace.class_of(used.path));
            self.nodes[node].exclusive[location.index()] += used.exclusive;
        }
    }

    /// Moves waits from their classes to their own nodes.
    fn waits(&mut self, location: LocationId, waits: &[Wait]) {
        let mut waits: Vec<(&Wait, usize)> = waits
            .iter()
            .filter_map(|wait| {
                let known =
                    self.waits.iter().find(|(metric, _)| wait.metric.is_some_and(|it| it == *metric))?;
                Some((wait, known.1))
            })
            .collect();
        waits.sort_by_key(|(wait, _)| (wait.call.call, std::cmp::Reverse(wait.ticks()), wait.begin));
        for of_call in waits.chunk_by(|a, b| a.0.call == b.0.call) {
            self.call(location, of_call);
        }
    }

    fn call(&mut self, location: LocationId, waits: &[(&Wait, usize)]) {
        for (number, &(wait, node)) in waits.iter().enumerate() {
            let overlaps = |(other, _): &(&Wait, usize)| other.begin < wait.end && wait.begin < other.end;
            let of_class =
                self.nodes[node].parent.map_or(0, |class| self.nodes[class].exclusive[location.index()]);
            if waits[..number].iter().any(overlaps) || of_class < wait.ticks() {
                self.overlap[location.index()] += wait.ticks();
                continue;
            }
            let parent = self.nodes[node].parent;
            self.nodes[node].exclusive[location.index()] += wait.ticks();
            if let Some(parent) = parent {
                self.nodes[parent].exclusive[location.index()] -= wait.ticks();
            }
        }
    }

    fn finish(self) -> TimeTree {
        TimeTree { nodes: self.nodes, overlap: self.overlap }
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::rule::Thresholds;
    use lotse_model::work::Sequential;
    use proptest::prelude::{Strategy, prop, prop_assert_eq, proptest};

    use super::TimeTree;
    use crate::fixture::Script;

    fn tree(script: &Script) -> TimeTree {
        let trace = script.trace();
        TimeTree::new(&trace, &crate::waits::search(&trace, &Thresholds::default(), &Sequential))
    }

    #[test]
    fn a_wait_is_part_of_its_class() {
        let mut script = Script::processes(2);
        script.enter(0, 0, "main").send(0, 700, 705, 1, 0).leave(0, 800, "main");
        script.enter(1, 0, "main").recv(1, 300, 720, 0, 0).leave(1, 1000, "main");
        let tree = tree(&script);
        let of = |id: &str| {
            let node = tree.find(id).unwrap();
            (tree.nodes[node].exclusive.clone(), tree.inclusive(node))
        };
        assert_eq!(of("late_sender"), (vec![0, 400], vec![0, 400]));
        assert_eq!(of("mpi_point_to_point"), (vec![5, 20], vec![5, 420]));
        assert_eq!(of("mpi").1, [5, 420]);
        assert_eq!(of("time"), (vec![0, 0], vec![800, 1000]));
    }

    /// What a location does: how long it computes, and whether it sends, receives or meets the others.
    fn programs() -> impl Strategy<Value = Vec<Vec<(u8, u64, u64)>>> {
        prop::collection::vec(prop::collection::vec((0u8..5, 1u64..50, 0u64..40), 0..30), 1..5)
    }

    proptest! {
        #[test]
        fn exclusive_times_of_a_location_sum_to_its_span(programs in programs()) {
            let mut script = Script::processes(programs.len() as u32);
            for (location, steps) in programs.iter().enumerate() {
                let mut now = 3;
                script.enter(location, now, "main");
                for &(what, compute, inside) in steps {
                    now += compute;
                    let peer = (location as u32 + 1) % programs.len() as u32;
                    match what {
                        0 => script.call(location, now, now + inside, "work"),
                        1 => script.send(location, now, now + inside, peer, 0),
                        2 => script.recv(location, now, now + inside, peer, 0),
                        3 => script.barrier(location, now, now + inside),
                        _ => script.call(location, now, now + inside, "pthread_mutex_lock"),
                    };
                    now += inside;
                }
                script.leave(location, now + 1, "main");
            }
            let trace = script.trace();
            let tree = tree(&script);
            for (at, timeline) in trace.timelines.iter().enumerate() {
                let sum: u64 = tree.nodes.iter().map(|node| node.exclusive[at]).sum();
                prop_assert_eq!(sum, timeline.last - timeline.first);
            }
        }
    }
}
