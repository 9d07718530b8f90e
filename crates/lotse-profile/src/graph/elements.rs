//! The elements (boxes) of a call graph: functions with all levels of their recursion, or groups of functions.

use lotse_model::id::FunctionId;
use lotse_model::profile::Costs;

use super::levels::Levels;

use crate::analysis::{Analysis, Grouping};
use crate::names::{FunctionLabels, display};
use crate::report::base_name;
use crate::unfold::label;

/// All elements with their costs, one row each.
pub(super) struct Elements {
    /// The element of each function.
    pub(super) element_of: Vec<u32>,
    pub(super) names: Vec<String>,
    /// The function of each element; none for groups.
    pub(super) function: Vec<Option<FunctionId>>,
    /// Object or file of a function, or the size of a group.
    pub(super) places: Vec<Option<String>>,
    pub(super) is_cycle: Vec<bool>,
    /// Whether it has any cost or call.
    pub(super) active: Vec<bool>,
    pub(super) own: Costs,
    pub(super) inclusive: Costs,
    called: Option<Vec<u64>>,
}

impl Elements {
    pub(super) fn new(analysis: &Analysis<'_>, group: Option<Grouping>) -> Self {
        group.map_or_else(|| Self::functions(analysis), |by| Self::groups(analysis, by))
    }

    /// The number of calls of an element.
    pub(super) fn calls(&self, element: usize) -> Option<u64> {
        self.called.as_ref().map(|called| called[element])
    }

    /// One element for each function, with all levels of its recursion.
    fn functions(analysis: &Analysis<'_>) -> Self {
        let profile = analysis.profile;
        let labels = FunctionLabels::new(profile);
        let levels = Levels::new(profile);
        let mut active = vec![false; levels.first.len()];
        analysis.active().for_each(|id| active[levels.element[id.index()] as usize] = true);
        let mut is_cycle: Vec<bool> = levels.deeper.clone();
        for (function, cycle) in analysis.cycles.cycle.iter().enumerate() {
            is_cycle[levels.element[function] as usize] |= cycle.is_some();
        }
        let firsts = || levels.first.iter().copied();
        let place = |path: Option<&str>| path.map(|path| base_name(path).to_owned());
        Self {
            function: firsts().map(Some).collect(),
            names: firsts()
                .map(|id| format!("{}{}", label(&display(profile, id)), labels.suffix(id)))
                .collect(),
            places: firsts()
                .map(|id| place(profile.function_object(id).or(profile.function_file(id))))
                .collect(),
            is_cycle,
            active,
            own: levels.sums(&analysis.own),
            inclusive: levels.firsts(&analysis.inclusive),
            called: analysis.called().map(|called| levels.counts(&called)),
            element_of: levels.element,
        }
    }

    /// One element for each group. With groups by cycle, a function outside of cycles keeps its own name and place.
    fn groups(analysis: &Analysis<'_>, by: Grouping) -> Self {
        let groups = analysis.grouped(by);
        let functions = Self::functions(analysis);
        let element = |function: usize| functions.element_of[function] as usize;
        let mut names: Vec<String> = groups.names.iter().map(|name| base_name(name).to_owned()).collect();
        let mut is_cycle = vec![false; names.len()];
        let mut places: Vec<Option<String>> =
            groups.sizes.iter().map(|size| (*size > 1).then(|| format!("{size} functions"))).collect();
        if by == Grouping::Cycle {
            for (function, &group) in groups.group.iter().enumerate() {
                let group = group as usize;
                is_cycle[group] = analysis.cycles.cycle[function].is_some();
                if !is_cycle[group] {
                    names[group].clone_from(&functions.names[element(function)]);
                    places[group].clone_from(&functions.places[element(function)]);
                }
            }
        }
        Self {
            function: vec![None; names.len()],
            names,
            places,
            is_cycle,
            active: groups.sizes.iter().map(|size| *size > 0).collect(),
            element_of: groups.group,
            own: groups.own,
            inclusive: groups.inclusive,
            called: None,
        }
    }
}
