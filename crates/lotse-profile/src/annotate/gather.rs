//! Gathers the costs, calls and jumps inside a function from the chosen parts, by line and by address.

use hashbrown::HashMap;
use lotse_model::id::{FileId, FunctionId};
use lotse_model::profile::CodePosition;
use lotse_model::progress::Checked as _;

use super::AnnotateQuery;
use super::stacks::from_stacks;
use super::sums::KeyedCosts;
use crate::analysis::Analysis;

/// A line of a source file; 0 if unknown.
pub(super) type LineKey = (FileId, u32);

/// Costs, calls and jumps inside a function.
#[derive(Debug)]
pub(super) struct GatheredCosts {
    /// Self costs by line.
    pub(super) lines: KeyedCosts<LineKey>,
    /// Costs of the function's machine code by address.
    pub(super) code: KeyedCosts<u64>,
    /// The lines of addresses, as far as the profile knows them.
    pub(super) places: HashMap<u64, LineKey>,
    /// Calls, one entry for each place and callee.
    pub(super) sites: Vec<CallSite>,
    /// The same calls summed by line: one entry for each line and callee.
    pub(super) line_sites: Vec<CallSite>,
    /// Jumps, one entry for each pair of addresses.
    pub(super) jumps: Vec<CountedJump>,
}

/// Calls of one function from one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CallSite {
    pub(super) place: CodePosition,
    pub(super) callee: FunctionId,
    pub(super) count: Option<u64>,
    /// Inclusive costs; `None` where unknown.
    pub(super) costs: Option<Vec<u64>>,
    pub(super) inlined: bool,
}

/// A jump with its counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CountedJump {
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) executed: u64,
    pub(super) taken: u64,
    pub(super) conditional: bool,
}

impl GatheredCosts {
    pub(super) fn new(analysis: &Analysis<'_>) -> Self {
        let (width, signed) = (analysis.profile.events.len(), analysis.profile.signed);
        Self {
            lines: KeyedCosts::new(width, signed),
            code: KeyedCosts::new(width, signed),
            places: HashMap::new(),
            sites: Vec::new(),
            line_sites: Vec::new(),
            jumps: Vec::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.code.is_empty() && self.sites.is_empty()
    }

    /// Adds a self cost by line.
    pub(super) fn add_to_line(&mut self, place: CodePosition, costs: &[u64]) {
        self.lines.add((place.file, place.line), costs);
    }

    /// Adds a cost of machine code by address, including inlined code.
    pub(super) fn add_to_address(&mut self, place: CodePosition, costs: &[u64]) {
        if place.address == 0 {
            return;
        }
        self.code.add(place.address, costs);
        if place.line != 0 {
            self.places.insert(place.address, (place.file, place.line));
        }
    }
}

/// Gathers from the file's costs by line and address if there are any, else from stacks.
pub(super) fn gather(analysis: &Analysis<'_>, query: &AnnotateQuery<'_>) -> GatheredCosts {
    let detail = query.detail;
    if detail.lines.function.is_empty() && detail.sites.caller.is_empty() && analysis.profile.has_stacks() {
        return from_stacks(analysis, query.function);
    }
    let mut chosen = vec![false; analysis.profile.parts.len()];
    analysis.parts.iter().for_each(|part| chosen[part.index()] = true);
    let mut found = GatheredCosts::new(analysis);
    let lines = &detail.lines;
    for row in (0..lines.function.len()).filter(|&row| chosen[lines.part[row].index()]).checked() {
        let costs = if lines.costs.width() > 0 { lines.costs.row(row) } else { &[] };
        found.add_to_line(lines.place[row], costs);
        found.add_to_address(lines.place[row], costs);
    }
    found.sites = sites(analysis, query, &chosen, |place| place);
    found.line_sites = sites(analysis, query, &chosen, without_address);
    found.jumps = jumps(query, &chosen);
    found
}

/// The line of a place.
pub(super) fn without_address(place: CodePosition) -> CodePosition {
    CodePosition { address: 0, ..place }
}

/// Sums calls by place and callee, in the order of first appearance; `at` maps a place to the one it is summed under.
fn sites(
    analysis: &Analysis<'_>,
    query: &AnnotateQuery<'_>,
    chosen: &[bool],
    at: impl Fn(CodePosition) -> CodePosition,
) -> Vec<CallSite> {
    let has_costs = analysis.parts.iter().any(|part| analysis.profile.parts[part.index()].calls.has_costs());
    let all = &query.detail.sites;
    let mut rows: HashMap<(CodePosition, FunctionId), u64> = HashMap::new();
    let mut costs = KeyedCosts::new(analysis.profile.events.len(), analysis.profile.signed);
    let mut order = Vec::new();
    for row in (0..all.caller.len()).filter(|&row| chosen[all.part[row].index()]).checked() {
        let key = (at(all.place[row]), all.callee[row]);
        let count = rows.entry(key).or_insert_with(|| {
            order.push(key);
            0
        });
        *count = count.saturating_add(all.count[row]);
        if has_costs && all.costs.width() > 0 {
            costs.add(key, all.costs.row(row));
        }
    }
    let site = |key: (CodePosition, FunctionId)| CallSite {
        place: key.0,
        callee: key.1,
        count: rows.get(&key).copied(),
        costs: costs.get(key).map(<[u64]>::to_vec),
        inlined: false,
    };
    order.into_iter().map(site).collect()
}

/// Sums the jumps of the chosen parts by source and target address.
fn jumps(query: &AnnotateQuery<'_>, chosen: &[bool]) -> Vec<CountedJump> {
    let all = &query.detail.jumps;
    let mut rows: HashMap<(u64, u64), usize> = HashMap::new();
    let mut jumps: Vec<CountedJump> = Vec::new();
    for row in (0..all.function.len()).filter(|&row| chosen[all.part[row].index()]).checked() {
        let (from, to) = (all.from[row].address, all.to[row].address);
        if from == 0 || to == 0 {
            continue;
        }
        let (executed, taken, conditional) = (all.executed[row], all.taken[row], all.conditional[row]);
        let at = *rows.entry((from, to)).or_insert(jumps.len());
        match jumps.get_mut(at) {
            Some(jump) => {
                jump.executed = jump.executed.saturating_add(executed);
                jump.taken = jump.taken.saturating_add(taken);
            }
            None => jumps.push(CountedJump { from, to, executed, taken, conditional }),
        }
    }
    jumps
}
