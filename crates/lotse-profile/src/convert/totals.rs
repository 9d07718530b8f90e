//! Sums stacks to self costs, calls and lines of functions.

use hashbrown::HashMap;
use lotse_model::Profile;
use lotse_model::id::{FileId, FrameId, FunctionId, ObjectId, PartId};
use lotse_model::profile::{CallSites, CodePosition, Costs, Detail, Details, LineCosts, SelfCosts};

use super::{Prepared, part_like};
use crate::analysis::Analysis;

/// A profile of one part with the sums of all chosen ones. Calls inside cycles have the cost of their outermost
/// occurrence.
pub(super) fn from_stacks(analysis: &Analysis<'_>) -> Prepared {
    let mut part = part_like(analysis);
    let costly = |function: &FunctionId| analysis.own.row(function.index()).iter().any(|&cost| cost != 0);
    let functions: Vec<FunctionId> = analysis.profile.functions.ids().filter(costly).collect();
    let mut costs = Costs::new(analysis.own.width(), analysis.own.signed());
    functions.iter().for_each(|function| costs.push(analysis.own.row(function.index())));
    part.own = SelfCosts { function: functions, costs };
    part.calls = analysis.calls.clone().into_owned();
    for (function, &count) in analysis.profile.functions.ids().zip(&analysis.entries).filter(|it| *it.1 > 0) {
        part.entries.push(function, count);
    }
    let mut profile = analysis.profile.clone();
    add_stackless(analysis, &mut profile, &mut part.own);
    profile.details = Details::Loaded(Box::new(detail(analysis)));
    profile.parts = vec![part];
    profile.data = Default::default();
    let note =
        "stacks were summed to self costs and calls; the stacks themselves are not in the result".to_owned();
    Prepared { profile, notes: vec![note] }
}

/// Adds a function for the costs of samples without a stack, so that the totals stay the same.
fn add_stackless(analysis: &Analysis<'_>, profile: &mut Profile, own: &mut SelfCosts) {
    let rest = |event: usize| analysis.totals[event] - own.costs.total(event);
    let rest: Vec<u64> =
        (0..own.costs.width()).map(|event| u64::try_from(rest(event)).unwrap_or(0)).collect();
    if rest.iter().all(|&cost| cost == 0) {
        return;
    }
    let name = profile.strings.push(WITHOUT_STACK);
    own.function.push(profile.functions.push(name, ObjectId(0), FileId(0), (0, 0)));
    own.costs.push(&rest);
}

/// The name of the function for samples without a stack.
const WITHOUT_STACK: &str = "(no stack)";

/// Costs by the lines of innermost frames, and by call sites. A call site counts once per stack.
fn detail(analysis: &Analysis<'_>) -> Detail {
    let mut lines = PlaceCosts::new(analysis);
    let mut sites = PlaceCosts::new(analysis);
    let profile = analysis.profile;
    for part in &analysis.parts {
        let samples = &profile.parts[part.index()].samples;
        for (row, stack) in samples.stack.iter().enumerate() {
            let frames: Vec<FrameId> = profile.stacks.frames(*stack).collect();
            if let Some(&innermost) = frames.first() {
                lines.add(place_key(analysis, innermost, None), samples.costs.row(row));
            }
            let mut seen = hashbrown::HashSet::new();
            for pair in frames.windows(2) {
                let callee = profile.frames.function[pair[0].index()];
                let key = place_key(analysis, pair[1], Some(callee));
                if seen.insert(key) {
                    sites.add(key, samples.costs.row(row));
                }
            }
        }
    }
    Detail { lines: lines.into_lines(), sites: sites.into_sites(), jumps: Default::default() }
}

/// A place in a function, and the callee if it is a call site.
type PlaceKey = (FunctionId, CodePosition, Option<FunctionId>);

fn place_key(analysis: &Analysis<'_>, frame: FrameId, callee: Option<FunctionId>) -> PlaceKey {
    let frame = analysis.profile.frames.get(frame);
    (frame.function, CodePosition { file: frame.file, line: frame.line, address: frame.address }, callee)
}

/// Costs summed by place, in the order of their first occurrence.
struct PlaceCosts {
    rows: HashMap<PlaceKey, usize>,
    keys: Vec<PlaceKey>,
    costs: Costs,
}

impl PlaceCosts {
    fn new(analysis: &Analysis<'_>) -> Self {
        let costs = Costs::new(analysis.own.width(), analysis.own.signed());
        Self { rows: HashMap::new(), keys: Vec::new(), costs }
    }

    fn add(&mut self, key: PlaceKey, costs: &[u64]) {
        let row = *self.rows.entry(key).or_insert_with(|| {
            self.keys.push(key);
            self.costs.push(&[]);
            self.keys.len() - 1
        });
        self.costs.add(row, costs);
    }

    fn into_lines(self) -> LineCosts {
        LineCosts {
            function: self.keys.iter().map(|key| key.0).collect(),
            part: vec![PartId(0); self.keys.len()],
            place: self.keys.iter().map(|key| key.1).collect(),
            costs: self.costs,
        }
    }

    fn into_sites(self) -> CallSites {
        CallSites {
            caller: self.keys.iter().map(|key| key.0).collect(),
            callee: self.keys.iter().filter_map(|key| key.2).collect(),
            part: vec![PartId(0); self.keys.len()],
            place: self.keys.iter().map(|key| key.1).collect(),
            target: vec![CodePosition::default(); self.keys.len()],
            count: vec![0; self.keys.len()],
            costs: self.costs,
        }
    }
}
