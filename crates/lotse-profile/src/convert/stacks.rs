//! Stacks from calls: an estimate, for calls do not tell who was below the caller.

use lotse_model::Unit;
use lotse_model::id::StackId;
use lotse_model::profile::{Costs, Details, Frame};

use super::{Prepared, part_like};
use crate::analysis::Analysis;
use crate::events::{EventTypes, ranking};
use crate::unfold::{Direction, Limits, Query, unfold};

/// Branches smaller than this share of the whole are cut: the number of ways grows without end.
const LEAST_SHARE: f64 = 1e-5;

/// One part with a sample for every way to a function that has self cost.
pub(super) fn from_calls(analysis: &Analysis<'_>) -> Prepared {
    let mut profile = analysis.profile.clone();
    let mut part = part_like(analysis);
    profile.details = Details::default();
    // Only definitions can be refused, and there are none.
    let own = EventTypes::new(analysis.profile, &[]).map_or_else(|_refused| Vec::new(), |types| types.own());
    let Some(weight) = own.get(ranking(&own)) else {
        profile.parts = vec![part];
        return Prepared { profile, notes: Vec::new() };
    };
    debug_assert!(weight.base != Unit::Number || weight.event().is_some());
    let limits = Limits { min_share: LEAST_SHARE, ..Limits::default() };
    let tree = unfold(analysis, &Query { start: None, direction: Direction::Callees, weight, limits });
    let mut stacks: Vec<StackId> = Vec::with_capacity(tree.nodes.len());
    let mut costs = Costs::new(tree.own.width(), tree.own.signed());
    (profile.frames, profile.stacks) = Default::default();
    for (row, node) in tree.nodes.iter().enumerate() {
        let function = node.function;
        let file = profile.functions.file[function.index()];
        let frame = profile.frames.push(Frame { function, file, line: 0, address: 0, inlined: false });
        profile.stacks.below.push(node.parent.map(|parent| stacks[parent as usize]));
        profile.stacks.frame.push(frame);
        stacks.push(StackId::from(row));
        if tree.own.row(row).iter().any(|&cost| cost != 0) {
            part.samples.stack.push(Some(StackId::from(row)));
            costs.push(tree.own.row(row));
        }
    }
    part.samples.costs = costs;
    profile.parts = vec![part];
    let note = format!(
        "the file tells calls and not stacks: the stacks are an estimate, costs shared out among ways in proportion; \
         {} branches below {LEAST_SHARE:e} of the total were left out",
        tree.omitted.count()
    );
    Prepared { profile, notes: vec![note] }
}
