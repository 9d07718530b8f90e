//! Functions put together: by object, file, class or cycle, with costs of the groups.

use hashbrown::HashMap;
use lotse_model::id::FunctionId;
use lotse_model::profile::{Costs, Part};

use super::{Adjacency, Analysis, Cycles, Origin, reentry, stacks};

/// What functions are put together by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grouping {
    /// Executable or library.
    Object,
    /// Source file of the definition.
    File,
    /// Class or module.
    Class,
    /// Functions that call each other in circles; others stay alone.
    Cycle,
}

/// Groups with their costs.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupCosts {
    /// What each is called.
    pub names: Vec<String>,
    /// The group of each function.
    pub group: Vec<u32>,
    /// How many functions with any cost or call each has.
    pub sizes: Vec<usize>,
    /// Self costs.
    pub own: Costs,
    /// Inclusive costs.
    pub inclusive: Costs,
    /// Whether the inclusive cost is as exact as the costs of calls; else it is an upper bound, for the group is
    /// entered again from below.
    pub exact: Vec<bool>,
}

impl Analysis<'_> {
    /// Costs by group.
    pub fn grouped(&self, by: Grouping) -> GroupCosts {
        let (group, names) = self.groups(by);
        let mut sizes = vec![0; names.len()];
        self.active().for_each(|function| sizes[group[function.index()] as usize] += 1);
        let own = self.own_of_groups(&group, names.len());
        let (inclusive, exact) = self.inclusive_of_groups(&group, &own);
        GroupCosts { names, group, sizes, own, inclusive, exact }
    }

    fn groups(&self, by: Grouping) -> (Vec<u32>, Vec<String>) {
        let mut names: Vec<String> = Vec::new();
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let number = |name: String| {
            let next = numbers.len() as u32;
            *numbers.entry(name.clone()).or_insert_with(|| {
                names.push(name);
                next
            })
        };
        let group =
            self.profile.functions.ids().map(|function| self.group_name(function, by)).map(number).collect();
        (group, names)
    }

    fn group_name(&self, function: FunctionId, by: Grouping) -> String {
        let known = |name: Option<&str>| name.unwrap_or("(unknown)").to_owned();
        let display = || lotse_symbols::demangle(self.profile.function_name(function)).into_owned();
        match by {
            Grouping::Object => known(self.profile.function_object(function)),
            Grouping::File => known(self.profile.function_file(function)),
            Grouping::Class => lotse_symbols::class(&display()).unwrap_or("(none)").to_owned(),
            Grouping::Cycle => match self.cycles.cycle[function.index()] {
                Some(cycle) => cycle_name(cycle),
                None => format!("{} [{}]", display(), function.0),
            },
        }
    }

    pub(crate) fn own_of_groups(&self, group: &[u32], groups: usize) -> Costs {
        let mut own = Costs::zeros(self.own.width(), self.own.signed(), groups);
        for (row, &group) in group.iter().enumerate().take(self.own.rows()) {
            own.add(group as usize, self.own.row(row));
        }
        own
    }

    pub(crate) fn inclusive_of_groups(&self, group: &[u32], own: &Costs) -> (Costs, Vec<bool>) {
        if self.samples.is_some() {
            let parts: Vec<&Part> = self.parts.iter().map(|part| &self.profile.parts[part.index()]).collect();
            let inclusive = stacks::inclusive_of_groups(self.profile, &parts, group, own.rows());
            return (inclusive, vec![true; own.rows()]);
        }
        let mut inclusive = own.clone();
        for row in 0..self.calls.costs.rows() {
            let (from, to) = (group[self.calls.caller[row].index()], group[self.calls.callee[row].index()]);
            if from != to {
                inclusive.add(from as usize, self.calls.costs.row(row));
            }
        }
        let mut exact = self.groups_entered_once(group, own.rows());
        if self.origin == Origin::File {
            self.fit_to_members(group, &mut inclusive, &mut exact);
        }
        self.cap(&mut inclusive, &mut exact);
        if inclusive.saturated() || self.calls.costs.saturated() {
            exact.fill(false);
        }
        (inclusive, exact)
    }

    /// A group that can be entered again from what it calls has its inner calls counted twice.
    fn groups_entered_once(&self, group: &[u32], groups: usize) -> Vec<bool> {
        let ends = |column: &[FunctionId]| -> Vec<FunctionId> {
            column.iter().map(|function| FunctionId(group[function.index()])).collect()
        };
        let outgoing = Adjacency::new(groups, &ends(&self.calls.caller));
        let cycles = Cycles::find(&outgoing, &ends(&self.calls.callee));
        // Groups in no circle of groups need no closer look.
        let mut once: Vec<bool> = cycles.cycle.iter().map(Option::is_none).collect();
        let doubtful: Vec<u32> = (0_u32..).zip(&once).filter(|(_, once)| !**once).map(|(at, _)| at).collect();
        for group in reentry::never_entered_again(self, group, &doubtful) {
            once[group as usize] = true;
        }
        once
    }

    /// Where the file states inclusive costs of functions, a group costs at least as much as its costliest member, and
    /// at most as much as all members together.
    fn fit_to_members(&self, group: &[u32], inclusive: &mut Costs, exact: &mut [bool]) {
        let events = inclusive.width();
        let mut most = vec![0_i128; inclusive.rows() * events];
        let mut sum = most.clone();
        for (function, &group) in group.iter().enumerate() {
            for event in 0..events {
                let (cost, cell) = (self.inclusive.value(function, event), group as usize * events + event);
                most[cell] = most[cell].max(cost);
                sum[cell] = sum[cell].saturating_add(cost);
            }
        }
        let mut fitted = Costs::new(events, inclusive.signed());
        for (row, exact) in exact.iter_mut().enumerate().take(inclusive.rows()) {
            let fit = |event: usize| {
                let (least, most) = (most[row * events + event], sum[row * events + event]);
                inclusive.value(row, event).clamp(least.min(most), most.max(least))
            };
            let cells: Vec<i128> = (0..events).map(fit).collect();
            *exact |= (0..events).all(|event| most[row * events + event] == sum[row * events + event]);
            fitted.push(&cells.iter().map(|&cell| cell as u64).collect::<Vec<_>>());
        }
        *inclusive = fitted;
    }

    /// No group costs more than everything; one that was cut is not exact.
    fn cap(&self, inclusive: &mut Costs, exact: &mut [bool]) {
        if inclusive.signed() {
            return;
        }
        for (row, exact) in exact.iter_mut().enumerate().take(inclusive.rows()) {
            let over =
                |(cost, total): (&u64, &i128)| cost.saturating_sub(u64::try_from(*total).unwrap_or(u64::MAX));
            let over: Vec<u64> = inclusive.row(row).iter().zip(&self.totals).map(over).collect();
            *exact &= over.iter().all(|&over| over == 0);
            inclusive.subtract(row, &over);
        }
    }
}

/// What a cycle is called, counted from 1.
pub(crate) fn cycle_name(cycle: u32) -> String {
    format!("<cycle {}>", cycle + 1)
}
