//! The elements (boxes) of a call graph: functions with all levels of their recursion, or groups of functions.

use std::borrow::Cow;
use std::sync::Arc;

use lotse_model::id::FunctionId;
use lotse_model::profile::Costs;

use super::GraphQuery;
use super::edges::EdgeRows;
use super::levels::Levels;
use crate::analysis::{Analysis, Cycles, Grouping};
use crate::names::{FunctionLabels, display};
use crate::report::base_name;
use crate::unfold::label;

/// What the graphs of all event types have in common: which functions are one element, and the edges between elements.
#[derive(Debug)]
pub(crate) struct FunctionGraph {
    levels: Levels,
    edges: EdgeRows,
    /// The cycles among elements, if they are not those of the analysis.
    cycles: Option<Cycles>,
}

impl FunctionGraph {
    /// The graph of all functions, kept with the analysis.
    pub(crate) fn of_analysis(analysis: &Analysis<'_>) -> Arc<Self> {
        let made = || {
            let levels = Levels::new(analysis.profile);
            let count = levels.first.len();
            let edges = EdgeRows::new(analysis, &levels.element, (count, true));
            let is_known = matches!(edges, EdgeRows::Calls) && analysis.cycles_are_of_all_calls();
            let cycles = (!is_known).then(|| edges.cycles(analysis, count));
            Arc::new(Self { levels, edges, cycles })
        };
        Arc::clone(analysis.lazy.graph.get_or_init(made))
    }
}

/// All elements with their costs, one row each.
pub(super) struct Elements<'a> {
    analysis: &'a Analysis<'a>,
    graph: Arc<FunctionGraph>,
    /// The element of each function, if elements are groups.
    groups: Option<Groups>,
    /// Whether each is a cycle or a member of one.
    pub(super) is_cycle: Vec<bool>,
    /// Whether it has any cost or call.
    pub(super) active: Vec<bool>,
    pub(super) own: Cow<'a, Costs>,
    pub(super) inclusive: Cow<'a, Costs>,
    called: Option<Vec<u64>>,
    labels: FunctionLabels<'a>,
}

/// Groups of functions as elements.
struct Groups {
    group_of: Vec<u32>,
    names: Vec<String>,
    /// Object or file of a function, or the size of a group.
    places: Vec<Option<String>>,
    edges: EdgeRows,
    cycles: Cycles,
}

impl<'a> Elements<'a> {
    pub(super) fn new(analysis: &'a Analysis<'a>, query: &GraphQuery<'_>) -> Self {
        let functions = Self::functions(analysis, query);
        match query.group {
            Some(by) => functions.grouped(by),
            None => functions,
        }
    }

    /// The number of elements.
    pub(super) fn count(&self) -> usize {
        self.active.len()
    }

    /// The number of calls of an element, if the costs of the query depend on it.
    pub(super) fn calls(&self, element: usize) -> Option<u64> {
        self.called.as_ref().map(|called| called[element])
    }

    /// The element of a function.
    pub(super) fn element_of(&self, function: FunctionId) -> usize {
        let element_of = self.groups.as_ref().map_or(&self.graph.levels.element, |groups| &groups.group_of);
        element_of[function.index()] as usize
    }

    /// The function of an element; none for groups.
    pub(super) fn function(&self, element: usize) -> Option<FunctionId> {
        self.groups.is_none().then(|| self.graph.levels.first[element])
    }

    /// Whether an element is a function with several levels of recursion, whose self costs are added.
    pub(super) fn has_levels(&self, element: usize) -> bool {
        self.groups.is_none() && self.graph.levels.deeper[element]
    }

    pub(super) fn name(&self, element: usize) -> String {
        match &self.groups {
            Some(groups) => groups.names[element].clone(),
            None => self.function_name(element),
        }
    }

    /// Object or file of a function, or the size of a group.
    pub(super) fn place(&self, element: usize) -> Option<String> {
        match &self.groups {
            Some(groups) => groups.places[element].clone(),
            None => self.function_place(element),
        }
    }

    pub(super) fn edges(&self) -> &EdgeRows {
        self.groups.as_ref().map_or(&self.graph.edges, |groups| &groups.edges)
    }

    pub(super) fn cycles(&self) -> &Cycles {
        match (&self.groups, &self.graph.cycles) {
            (Some(groups), _) => &groups.cycles,
            (None, Some(cycles)) => cycles,
            (None, None) => &self.analysis.cycles,
        }
    }

    fn function_name(&self, element: usize) -> String {
        let first = self.graph.levels.first[element];
        format!("{}{}", label(&display(self.analysis.profile, first)), self.labels.suffix(first))
    }

    fn function_place(&self, element: usize) -> Option<String> {
        let (profile, first) = (self.analysis.profile, self.graph.levels.first[element]);
        profile.function_object(first).or(profile.function_file(first)).map(|path| base_name(path).to_owned())
    }

    /// One element for each function, with all levels of its recursion.
    fn functions(analysis: &'a Analysis<'a>, query: &GraphQuery<'_>) -> Self {
        let graph = FunctionGraph::of_analysis(analysis);
        let levels = &graph.levels;
        let mut active = vec![false; levels.first.len()];
        analysis.active().for_each(|id| active[levels.element[id.index()] as usize] = true);
        let mut is_cycle: Vec<bool> = levels.deeper.clone();
        for (function, cycle) in analysis.cycles.cycle.iter().enumerate() {
            is_cycle[levels.element[function] as usize] |= cycle.is_some();
        }
        let single = levels.first.len() == levels.element.len();
        let costs = |costs: &'a Costs, merge: fn(&Levels, &Costs) -> Costs| match single {
            true => Cow::Borrowed(costs),
            false => Cow::Owned(merge(levels, costs)),
        };
        let called = query.column.needs_calls().then(|| analysis.called()).flatten();
        Self {
            analysis,
            groups: None,
            is_cycle,
            active,
            own: costs(&analysis.own, Levels::sums),
            inclusive: costs(&analysis.inclusive, Levels::firsts),
            called: called.map(|called| levels.counts(&called)),
            labels: FunctionLabels::of_analysis(analysis),
            graph,
        }
    }

    /// One element for each group. With groups by cycle, a function outside of cycles keeps its own name and place.
    fn grouped(self, by: Grouping) -> Self {
        let analysis = self.analysis;
        let groups = analysis.grouped(by);
        let mut names: Vec<String> = groups.names.iter().map(|name| base_name(name).to_owned()).collect();
        let mut is_cycle = vec![false; names.len()];
        let mut places: Vec<Option<String>> =
            groups.sizes.iter().map(|size| (*size > 1).then(|| format!("{size} functions"))).collect();
        if by == Grouping::Cycle {
            for (function, &group) in groups.group.iter().enumerate() {
                let group = group as usize;
                is_cycle[group] = analysis.cycles.cycle[function].is_some();
                if !is_cycle[group] {
                    let element = self.element_of(FunctionId::from(function));
                    names[group] = self.function_name(element);
                    places[group] = self.function_place(element);
                }
            }
        }
        let edges = EdgeRows::new(analysis, &groups.group, (names.len(), false));
        let cycles = edges.cycles(analysis, names.len());
        Self {
            is_cycle,
            active: groups.sizes.iter().map(|size| *size > 0).collect(),
            own: Cow::Owned(groups.own),
            inclusive: Cow::Owned(groups.inclusive),
            called: None,
            groups: Some(Groups { group_of: groups.group, names, places, edges, cycles }),
            ..self
        }
    }
}
