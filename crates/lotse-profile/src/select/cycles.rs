//! Which members of cycles a selection asks for.
//!
//! Calls do not show what is spent below a member of a cycle. So that a filter keeps the inclusive cost that tables show,
//! estimated stacks lead through the costliest member that it matches.

use lotse_model::id::FunctionId;

use super::Selection;
use crate::analysis::Analysis;
use crate::events::default_event;

/// For each cycle, the costliest member that matches focus, or else ignore; of files without stacks.
pub(super) fn through(analysis: &Analysis<'_>, selection: &Selection) -> Vec<FunctionId> {
    let is_estimated = analysis.samples.is_none() && analysis.own.width() > 0;
    let Some(expression) = selection.focus.as_ref().or(selection.ignore.as_ref()).filter(|_| is_estimated)
    else {
        return Vec::new();
    };
    let event = selection.chosen_event(analysis.profile).or(default_event(analysis.profile)).unwrap_or(0);
    let matches = |it: &FunctionId| selection.matches_function(expression, analysis.profile, *it);
    let cost = |it: &FunctionId| (analysis.inclusive.value(it.index(), event), std::cmp::Reverse(*it));
    let costliest = |members: &Vec<FunctionId>| members.iter().copied().filter(matches).max_by_key(cost);
    analysis.cycles.members.iter().filter_map(costliest).collect()
}
