//! Groups of functions, by object, file, class or cycle, with their costs.

use hashbrown::HashMap;
use lotse_model::id::FunctionId;
use lotse_model::profile::{Costs, Part};
use lotse_model::progress::Checked as _;

use super::{Adjacency, Analysis, Cycles, InclusiveOrigin, reentry, stacks};

/// The property by which functions are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grouping {
    /// Executable or library.
    Object,
    /// Source file of the definition.
    File,
    /// Class or module.
    Class,
    /// Cycles; every other function is a group of its own.
    Cycle,
}

/// Groups of functions with their costs, one row per group.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupCosts {
    pub names: Vec<String>,
    /// The group of each function.
    pub group: Vec<u32>,
    /// The number of functions in each group that have any cost or call.
    pub sizes: Vec<usize>,
    /// Self costs.
    pub own: Costs,
    pub inclusive: Costs,
    /// Whether the inclusive cost is as exact as the costs of calls. Otherwise it is an upper bound, because calls
    /// that leave the group come back to it.
    pub exact: Vec<bool>,
}

impl Analysis<'_> {
    /// Groups functions and sums their costs.
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
        for (row, &group) in group.iter().enumerate().take(self.own.rows()).checked() {
            own.add(group as usize, self.own.row(row));
        }
        own
    }

    /// Inclusive costs of groups, and whether each is exact. With stacks, a group counts once per stack. Without, the
    /// inclusive cost is the self cost plus the calls that leave the group, which counts calls twice if the group is
    /// entered again from below.
    pub(crate) fn inclusive_of_groups(&self, group: &[u32], own: &Costs) -> (Costs, Vec<bool>) {
        if self.samples.is_some() {
            let parts: Vec<&Part> = self.parts.iter().map(|part| &self.profile.parts[part.index()]).collect();
            let inclusive = stacks::inclusive_of_groups(self.profile, &parts, group, own.rows());
            return (inclusive, vec![true; own.rows()]);
        }
        let mut inclusive = own.clone();
        for row in (0..self.calls.costs.rows()).checked() {
            let (from, to) = (group[self.calls.caller[row].index()], group[self.calls.callee[row].index()]);
            if from != to {
                inclusive.add(from as usize, self.calls.costs.row(row));
            }
        }
        let mut exact = self.groups_entered_once(group, own.rows());
        if self.origin == InclusiveOrigin::File {
            self.fit_to_members(group, &mut inclusive, &mut exact);
        }
        self.cap(&mut inclusive, &mut exact);
        if inclusive.saturated() || self.calls.costs.saturated() {
            exact.fill(false);
        }
        (inclusive, exact)
    }

    /// For each group, whether it is never entered again from what it calls. Otherwise its inner calls are counted
    /// twice.
    fn groups_entered_once(&self, group: &[u32], groups: usize) -> Vec<bool> {
        let groups_of = |column: &[FunctionId]| -> Vec<FunctionId> {
            column.iter().map(|function| FunctionId(group[function.index()])).collect()
        };
        let outgoing = Adjacency::new(groups, &groups_of(&self.calls.caller));
        let cycles = Cycles::find(&outgoing, &groups_of(&self.calls.callee));
        // Groups that are in no cycle of groups need no closer look.
        let mut once: Vec<bool> = cycles.cycle.iter().map(Option::is_none).collect();
        let doubtful: Vec<u32> = (0_u32..).zip(&once).filter(|(_, once)| !**once).map(|(at, _)| at).collect();
        for group in reentry::never_entered_again(self, group, &doubtful) {
            once[group as usize] = true;
        }
        once
    }

    /// Clamps inclusive costs where the file states those of functions: a group costs at least as much as its
    /// costliest member, and at most as much as all members together.
    fn fit_to_members(&self, group: &[u32], inclusive: &mut Costs, exact: &mut [bool]) {
        let events = inclusive.width();
        let mut most = vec![0_i128; inclusive.rows() * events];
        let mut sum = most.clone();
        for (function, &group) in group.iter().enumerate().checked() {
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

    /// Cuts inclusive costs to the total; a cost that was cut is not exact.
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

/// The displayed name of a cycle, numbered from 1.
pub fn cycle_name(cycle: u32) -> String {
    format!("<cycle {}>", cycle + 1)
}
