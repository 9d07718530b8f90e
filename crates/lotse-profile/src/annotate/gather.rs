//! What the chosen parts tell about the inside of a function, by line and by address.

use hashbrown::HashMap;
use lotse_model::id::{FileId, FunctionId};
use lotse_model::profile::CodePosition;

use super::Query;
use super::stacks::from_stacks;
use super::sums::Sums;
use crate::analysis::Analysis;

/// A line of a source file; 0 where unknown.
pub(super) type LineKey = (FileId, u32);

/// Costs inside a function.
#[derive(Debug)]
pub(super) struct Found {
    /// Self costs by line.
    pub(super) lines: Sums<LineKey>,
    /// Costs of the function's machine code by address.
    pub(super) code: Sums<u64>,
    /// The lines of addresses, as far as the profile tells them.
    pub(super) places: HashMap<u64, LineKey>,
    /// Calls, one for each place and callee.
    pub(super) sites: Vec<Site>,
    /// The same by line: one for each line and callee, whatever its instructions.
    pub(super) line_sites: Vec<Site>,
    /// Jumps between addresses, one for each pair.
    pub(super) jumps: Vec<Jump>,
}

/// Calls of one function from one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Site {
    pub(super) place: CodePosition,
    pub(super) callee: FunctionId,
    pub(super) count: Option<u64>,
    /// Inclusive costs; `None` where unknown.
    pub(super) costs: Option<Vec<u64>>,
    pub(super) inlined: bool,
}

/// A jump with its counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Jump {
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) executed: u64,
    pub(super) taken: u64,
    pub(super) conditional: bool,
}

impl Found {
    pub(super) fn new(analysis: &Analysis<'_>) -> Self {
        let (width, signed) = (analysis.profile.events.len(), analysis.profile.signed);
        Self {
            lines: Sums::new(width, signed),
            code: Sums::new(width, signed),
            places: HashMap::new(),
            sites: Vec::new(),
            line_sites: Vec::new(),
            jumps: Vec::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.code.is_empty() && self.sites.is_empty()
    }

    /// A self cost of the function's own code.
    pub(super) fn own(&mut self, place: CodePosition, costs: &[u64]) {
        self.lines.add((place.file, place.line), costs);
    }

    /// A cost of its machine code, wherever its source is.
    pub(super) fn at(&mut self, place: CodePosition, costs: &[u64]) {
        if place.address == 0 {
            return;
        }
        self.code.add(place.address, costs);
        if place.line != 0 {
            self.places.insert(place.address, (place.file, place.line));
        }
    }
}

/// Gathers from the file's own detail where there is any, else from stacks.
pub(super) fn gather(analysis: &Analysis<'_>, query: &Query<'_>) -> Found {
    let detail = query.detail;
    if detail.lines.function.is_empty() && detail.sites.caller.is_empty() && analysis.profile.has_stacks() {
        return from_stacks(analysis, query.function);
    }
    let mut chosen = vec![false; analysis.profile.parts.len()];
    analysis.parts.iter().for_each(|part| chosen[part.index()] = true);
    let mut found = Found::new(analysis);
    let lines = &detail.lines;
    for row in (0..lines.function.len()).filter(|&row| chosen[lines.part[row].index()]) {
        let costs = if lines.costs.width() > 0 { lines.costs.row(row) } else { &[] };
        found.own(lines.place[row], costs);
        found.at(lines.place[row], costs);
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

fn sites(
    analysis: &Analysis<'_>,
    query: &Query<'_>,
    chosen: &[bool],
    at: impl Fn(CodePosition) -> CodePosition,
) -> Vec<Site> {
    let told = analysis.parts.iter().any(|part| analysis.profile.parts[part.index()].calls.has_costs());
    let all = &query.detail.sites;
    let mut rows: HashMap<(CodePosition, FunctionId), u64> = HashMap::new();
    let mut costs = Sums::new(analysis.profile.events.len(), analysis.profile.signed);
    let mut order = Vec::new();
    for row in (0..all.caller.len()).filter(|&row| chosen[all.part[row].index()]) {
        let key = (at(all.place[row]), all.callee[row]);
        let count = rows.entry(key).or_insert_with(|| {
            order.push(key);
            0
        });
        *count = count.saturating_add(all.count[row]);
        if told && all.costs.width() > 0 {
            costs.add(key, all.costs.row(row));
        }
    }
    let site = |key: (CodePosition, FunctionId)| Site {
        place: key.0,
        callee: key.1,
        count: rows.get(&key).copied(),
        costs: costs.get(key).map(<[u64]>::to_vec),
        inlined: false,
    };
    order.into_iter().map(site).collect()
}

fn jumps(query: &Query<'_>, chosen: &[bool]) -> Vec<Jump> {
    let all = &query.detail.jumps;
    let mut rows: HashMap<(u64, u64), usize> = HashMap::new();
    let mut jumps: Vec<Jump> = Vec::new();
    for row in (0..all.function.len()).filter(|&row| chosen[all.part[row].index()]) {
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
            None => jumps.push(Jump { from, to, executed, taken, conditional }),
        }
    }
    jumps
}
