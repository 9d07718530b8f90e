//! Times the run again with changes: an ideal network, call paths that take no time, losses removed, work spread evenly.

use hashbrown::HashMap;
use lotse_model::Workers;
use lotse_model::id::PathId;
use lotse_model::trace::Ticks;
use lotse_model::work::{self, Sequential};

use super::rows;
use crate::answer::ZeroAnswer;
use crate::delay::{Delays, delays};
use crate::focus::Focus;
use crate::retime::{Change, Factor, Graph, recorded_under_change};
use crate::rules::{self, Context};
use crate::store::Trace;

/// For this many call paths, the longest on the critical path, the run is re-timed without their time.
const ZEROED: usize = 6;

/// Computes the delays and the re-timed runs.
///
/// A graph that re-times all changes in one traversal keeps one thread busy, so another thread computes the delays at the
/// same time. A graph that re-times each change on its own waits until the delays are done; its changes are then divided
/// among all threads. The graph is as large as the store and is dropped as soon as it has been re-timed.
pub(super) fn delayed_and_retimed(
    context: &Context<'_>,
    losses: &[rules::Loss],
    workers: &dyn Workers,
) -> (Delays, Retimed) {
    if context.options.quick {
        return (delays(context.trace, context.waits, workers), Retimed::default());
    }
    let others: &dyn Workers = if workers.threads() > 2 { workers } else { &Sequential };
    let delayed = || delays(context.trace, context.waits, others);
    let changed = || {
        let changed = ChangesToTry::new(context, losses);
        match changed.graph.needs_separate_simulations() && workers.threads() > 1 {
            true => Err(Box::new(changed)),
            false => Ok(changed.retimed(context.trace, &Sequential)),
        }
    };
    let (retimed, delays) = work::both(workers, changed, delayed);
    (delays, retimed.unwrap_or_else(|changed| changed.retimed(context.trace, workers)))
}

/// Results of re-timing the run with changes.
#[derive(Default)]
pub(super) struct Retimed {
    pub(super) zeroed: Vec<ZeroAnswer>,
    /// The run's length on an ideal network.
    pub(super) ideal: Option<Ticks>,
    /// How much shorter the focus is on an ideal network.
    pub(super) focused: Option<Ticks>,
    /// By loss, for the greatest ones: how much shorter the run is without it; none where that cannot be computed.
    pub(super) gains: Vec<Option<Ticks>>,
    /// By call path that is distributed unevenly: how much shorter the run is if it is distributed evenly.
    pub(super) spread: Vec<(PathId, Ticks)>,
}

/// All call paths that `what-if` changes when this one is requested by name. There may be several: recorders may number
/// the same function differently on each location, and a name may be the suffix of another.
pub(crate) fn paths_of_same_name(trace: &Trace, path: PathId) -> Vec<PathId> {
    trace.paths_named(&trace.name_to_ask_for(path))
}

/// The changes with which the run is re-timed: an ideal network, each of the longest call paths of the critical path
/// taking no time, each of the greatest losses removed, and each unevenly distributed call path distributed evenly.
struct ChangesToTry {
    graph: Graph,
    /// Names of the longest call paths on the critical path.
    longest: Vec<String>,
    /// In this order: no change, the two ideal networks, one for each of `longest`, one for each loss that has one,
    /// one for each of `uneven`.
    changes: Vec<Change>,
    /// By loss: the index in `changes` of the change that removes it.
    change_of_loss: Vec<Option<usize>>,
    /// Call paths that are distributed unevenly.
    uneven: Vec<PathId>,
    /// The index in `changes` of the ideal network that the efficiencies of the focus use.
    focused: usize,
}

impl ChangesToTry {
    fn new(context: &Context<'_>, losses: &[rules::Loss]) -> Self {
        let trace = context.trace;
        let graph = Graph::new(trace, context.waits);
        let longest = rows::longest_paths(trace, context.path, ZEROED);
        let zero =
            longest.iter().map(|(path, _)| Change::scaled(paths_of_same_name(trace, *path), Factor::ZERO));
        let usual = [Change::none(), Change::ideal_network(), Focus::ideal_network(trace)];
        let mut changes: Vec<Change> = usual.into_iter().chain(zero).collect();
        let change_of_loss = without_losses(context, &graph, losses, &mut changes);
        let longest = longest.into_iter().map(|(_, callpath)| callpath).collect();
        let evened = rules::uneven(context);
        let (uneven, evened): (Vec<PathId>, Vec<Change>) =
            evened.iter().filter_map(|it| Some((it.path(), it.change(trace)?))).unzip();
        changes.extend(evened);
        let focused = if context.focus.is_whole { 1 } else { 2 };
        Self { graph, longest, changes, change_of_loss, uneven, focused }
    }

    fn lengths(&self, trace: &Trace, workers: &dyn Workers) -> Vec<Ticks> {
        let outcomes = self.graph.run_on(trace, &self.changes, workers);
        outcomes.iter().map(|outcome| outcome.length).collect()
    }

    /// Re-times the run with all changes; gains are differences to the re-timed run without a change.
    fn retimed(self, trace: &Trace, workers: &dyn Workers) -> Retimed {
        let lengths = self.lengths(trace, workers);
        let gain = |length: &Ticks| lengths[0].saturating_sub(*length);
        let path_lengths = &lengths[3..][..self.longest.len()];
        let gains = self.change_of_loss.iter().map(|index| index.map(|index| gain(&lengths[index])));
        let spread_lengths = &lengths[lengths.len() - self.uneven.len()..];
        let spread = self.uneven.iter().copied().zip(spread_lengths.iter().map(gain)).collect();
        let zeroed = self.longest.into_iter().zip(path_lengths).map(|(callpath, length)| ZeroAnswer {
            callpath,
            critical_path_length: trace.seconds(*length),
            gain: trace.seconds(gain(length)),
        });
        Retimed {
            zeroed: zeroed.collect(),
            ideal: Some(recorded_under_change(trace, lengths[0], lengths[1])),
            focused: Some(gain(&lengths[self.focused])),
            gains: gains.collect(),
            spread,
        }
    }
}

/// Adds to `changes` one that removes each of the greatest losses; gives its index by loss. Several losses at locks often
/// share one change, which is as large as the trace and therefore added only once.
fn without_losses(
    context: &Context<'_>,
    graph: &Graph,
    losses: &[rules::Loss],
    changes: &mut Vec<Change>,
) -> Vec<Option<usize>> {
    let mut change_of_path: HashMap<PathId, Option<usize>> = HashMap::new();
    let mut indices = Vec::new();
    for loss in losses.iter().take(rules::GAINED) {
        let moved = rules::moved_out_of_lock(context, loss);
        let known = moved.and_then(|path| change_of_path.get(&path).copied());
        let index = known.unwrap_or_else(|| {
            let change = rules::remedy_change(context, graph, loss)?;
            changes.push(change);
            Some(changes.len() - 1)
        });
        indices.push(index);
        change_of_path.extend(moved.map(|path| (path, index)));
    }
    indices
}
