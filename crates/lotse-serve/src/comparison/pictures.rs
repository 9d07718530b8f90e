//! Pictures of one of two profiles, or of the new one coloured by what changed.

use std::collections::{HashMap, HashSet};

use lotse_profile::bound::Bound;
use lotse_profile::diff::Basis;
use lotse_profile::events::CostRow;
use lotse_profile::select::is_filter_note;
use lotse_report::number::format_share;

use super::ComparisonDocument;
use super::ids::FunctionIds;
use crate::api::{
    Amount, CallSite, FlamePicture, Frames, FunctionName, GraphPicture, Problem, Question, Remark, Scope,
    SideChoice, SourceAnswer, Tiles, TreemapPicture,
};
use crate::profile::{ProfileDocument, json};

/// A smaller share of the old total reads 0.0 %.
const LEAST_GONE: f64 = 0.0005;

/// A flame graph, treemap or call graph of the side that the scope names.
pub(super) fn picture(
    document: &ComparisonDocument<'_>,
    scope: &Scope,
    question: &Question,
) -> Result<String, Problem> {
    let (profile, is_old) = document.side(scope);
    let ids = &*document.ids(scope)?;
    let is_difference = scope.side == Some(SideChoice::Difference);
    if let Some(why) = root_of(question).map(|id| document.absence(scope, id, is_old)).transpose()?.flatten()
    {
        return absent(profile, (question, &document.of_profile((scope, &[]), is_old)?.0), why);
    }
    let (both, empty) = about_filter(document, scope, (is_difference, is_old))?;
    let sides = Sides::new(document, scope)?;
    let mut gone = None;
    match of_side(document, (question, scope), is_old)? {
        Question::Flame { scope, direction, root } => {
            let mut picture = profile.flame(sides.of(is_old), direction, root)?;
            if let (Some(SideChoice::Difference), Ok(Question::Flame { root, .. })) =
                (scope.side, of_side(document, (question, &scope), true))
            {
                let old = document.old.flame(&sides.old, direction, root)?;
                picture.frames.change = changes((&old).into(), (&picture).into(), ids, &sides);
                let part = old.whole.share.unwrap_or(1.0);
                gone = gone_remark((&old).into(), (&picture).into(), ids, part);
            }
            picture.event.by_share = sides.basis == Basis::Share;
            (picture.functions, picture.empty) = (renamed(picture.functions, ids, is_old), empty);
            picture.remarks = gone.into_iter().chain(with_both(both, picture.remarks)).collect();
            json(&picture)
        }
        Question::Treemap { scope, direction, root, width, height } => {
            let mut picture = profile.treemap(sides.of(is_old), (direction, root), (width, height))?;
            if let (Some(SideChoice::Difference), Ok(Question::Treemap { root, .. })) =
                (scope.side, of_side(document, (question, &scope), true))
            {
                let old = document.old.treemap(&sides.old, (direction, root), (width, height))?;
                picture.tiles.change = changes((&old).into(), (&picture).into(), ids, &sides);
                let part = old.whole.share.unwrap_or(1.0);
                gone = gone_remark((&old).into(), (&picture).into(), ids, part);
            }
            picture.event.by_share = sides.basis == Basis::Share;
            (picture.functions, picture.empty) = (renamed(picture.functions, ids, is_old), empty);
            picture.remarks = gone.into_iter().chain(with_both(both, picture.remarks)).collect();
            json(&picture)
        }
        Question::Graph { function, min_share, nodes, .. } => {
            let mut picture = profile.graph(sides.of(is_old), function, (min_share, nodes))?;
            if is_difference {
                mark_changes(document, &sides, &mut picture)?;
            }
            picture.event.by_share = sides.basis == Basis::Share;
            (picture.remarks, picture.empty) = (with_both(both, picture.remarks), empty);
            renamed_nodes(&mut picture, ids, is_old);
            json(&picture)
        }
        _ => Err(Problem::new("this is no question about a picture")),
    }
}

/// What a filter leaves of both profiles, and why nothing is drawn, if that is so. A focus that one of the profiles has no
/// function for is explained beside every picture.
fn about_filter(
    document: &ComparisonDocument<'_>,
    scope: &Scope,
    (is_difference, is_old): (bool, bool),
) -> Result<(Vec<Remark>, String), Problem> {
    let lacking = document.side_without_focus(scope)?;
    let both = match is_difference || lacking.is_some() {
        true => document.filter_remarks(scope)?,
        false => Vec::new(),
    };
    Ok((both, why_nothing_is_left(lacking, is_old)))
}

/// Why a picture of one profile is empty, if the focus matches functions of the other one only.
fn why_nothing_is_left(lacking: Option<bool>, is_old: bool) -> String {
    if lacking != Some(is_old) {
        return String::new();
    }
    let other = if is_old { "new" } else { "old" };
    format!(
        "Nothing is left: the focus matches functions that are only in the {other} profile. Show: {other} has them."
    )
}

/// The function that a picture begins at.
fn root_of(question: &Question) -> Option<u32> {
    match question {
        Question::Flame { root: id, .. }
        | Question::Treemap { root: id, .. }
        | Question::Graph { function: id, .. } => *id,
        _ => None,
    }
}

/// A picture without anything, because the profile does not have the function.
fn absent(
    profile: &ProfileDocument<'_>,
    (question, scope): (&Question, &Scope),
    empty: String,
) -> Result<String, Problem> {
    match question {
        Question::Flame { direction, .. } => {
            let (event, whole) = profile.nothing(scope)?;
            let (functions, frames) = (Vec::new(), Frames::default());
            let (hidden, remarks, direction) = (String::new(), Vec::new(), *direction);
            let estimated = false;
            json(&FlamePicture {
                event,
                direction,
                estimated,
                whole,
                functions,
                frames,
                hidden,
                empty,
                remarks,
            })
        }
        Question::Treemap { .. } => {
            let (event, whole) = profile.nothing(scope)?;
            let (functions, tiles) = (Vec::new(), Tiles::default());
            let (hidden, remarks, estimated) = (String::new(), Vec::new(), false);
            json(&TreemapPicture { event, estimated, whole, functions, tiles, hidden, empty, remarks })
        }
        Question::Graph { .. } => {
            let (event, _) = profile.nothing(scope)?;
            let (nodes, edges, hidden, remarks) = (Vec::new(), Vec::new(), String::new(), Vec::new());
            let (width, height) = (0.0, 0.0);
            json(&GraphPicture { event, width, height, nodes, edges, hidden, empty, remarks })
        }
        _ => Err(Problem::new("this is no question about a picture")),
    }
}

/// The remarks on a picture, with what a filter leaves of both profiles in place of one.
fn with_both(both: Vec<Remark>, remarks: Vec<Remark>) -> Vec<Remark> {
    if both.is_empty() {
        return remarks;
    }
    let rest = remarks.into_iter().filter(|remark| !is_filter_note(&remark.message));
    both.into_iter().chain(rest).collect()
}

/// Notes how much more each function of a graph of the new profile costs with its callees, as a share of the old total, or by
/// how much its share of the total grew.
fn mark_changes(
    document: &ComparisonDocument<'_>,
    sides: &Sides,
    picture: &mut GraphPicture,
) -> Result<(), Problem> {
    let scope = &sides.old;
    let (ids, weight) = (document.ids(scope)?, document.old.weight(scope)?);
    let scoped = document.old.analysis(scope)?;
    let old = &scoped.get().analysis;
    let whole = sides.old_total;
    for node in picture.nodes.iter_mut().filter(|_| whole != 0.0) {
        let Some(function) = &node.function else { continue };
        let before_id = ids.in_profile(function.id, true);
        let was_lower = before_id.is_some_and(|id| old.is_lower_bound(id));
        let is_lower = node.inclusive.mark == "≥";
        let before = before_id.map_or(0.0, |id| {
            let costs = old.inclusive.row(id.index());
            let row = CostRow { costs, signed: old.profile.signed, totals: &old.totals, calls: None };
            weight.value(&row).as_f64()
        });
        let change = match (sides.basis, node.inclusive.share) {
            (Basis::Cost, _) => (node.inclusive.value - before) / whole,
            (Basis::Share, Some(share)) => share - before / whole,
            (Basis::Share, None) => f64::NAN,
        };
        let bound = Bound::of_change(Bound::at_least(was_lower), Bound::at_least(is_lower));
        // Where not even the sign of the difference is known, there is no colour.
        let is_known = match bound {
            Some(Bound::Exact) => true,
            Some(Bound::AtLeast) => change >= 0.0,
            Some(Bound::AtMost) => change <= 0.0,
            None => false,
        };
        node.change = Some(change).filter(|change| is_known && change.is_finite());
    }
    Ok(())
}

/// The scopes of questions to the old and to the new profile, and what changes are shares of.
struct Sides {
    old: Scope,
    new: Scope,
    basis: Basis,
    old_total: f64,
}

impl Sides {
    fn new(document: &ComparisonDocument<'_>, scope: &Scope) -> Result<Self, Problem> {
        let side = |is_old| document.of_profile((scope, &[]), is_old).map(|(scope, _)| scope);
        let (old, new) = (side(true)?, side(false)?);
        let scoped = document.old.analysis(&old)?;
        let old_total = document.old.weight(&old)?.total(&scoped.get().analysis.totals).as_f64();
        Ok(Self { old, new, basis: document.pairing(scope, &[])?.basis, old_total })
    }

    fn of(&self, is_old: bool) -> &Scope {
        if is_old { &self.old } else { &self.new }
    }
}

/// The same question with the number of the root in one profile.
fn of_side(
    document: &ComparisonDocument<'_>,
    (question, scope): (&Question, &Scope),
    is_old: bool,
) -> Result<Question, Problem> {
    let mut question = question.clone();
    if let Question::Flame { root: id, .. }
    | Question::Treemap { root: id, .. }
    | Question::Graph { function: id, .. } = &mut question
    {
        *id = id.map(|id| document.function(scope, id, is_old).map(|function| function.0)).transpose()?;
    }
    Ok(question)
}

/// The rectangles of a picture, as far as they are matched: each with its function, the one around it, and its share.
#[derive(Clone, Copy)]
struct Shapes<'p> {
    functions: &'p [FunctionName],
    function: &'p [usize],
    parent: &'p [i32],
    share: &'p [f64],
    /// The cost of all rectangles together.
    whole: f64,
    /// Its share of the profile's total.
    part: f64,
}

impl Shapes<'_> {
    /// For each rectangle the functions on the path to it.
    fn paths(&self, number: impl Fn(u32) -> u32) -> Vec<Vec<u32>> {
        let mut all: Vec<Vec<u32>> = Vec::with_capacity(self.function.len());
        for (at, &function) in self.function.iter().enumerate() {
            let parent = usize::try_from(self.parent[at]);
            let mut path = parent.map_or_else(|_| Vec::new(), |parent| all[parent].clone());
            path.push(number(self.functions[function].id));
            all.push(path);
        }
        all
    }
}

impl<'p> From<&'p FlamePicture> for Shapes<'p> {
    fn from(picture: &'p FlamePicture) -> Self {
        let frames = &picture.frames;
        let (function, parent, share) = (&frames.function, &frames.parent, &frames.share);
        let Amount { value: whole, share: part, .. } = picture.whole;
        Self { functions: &picture.functions, function, parent, share, whole, part: part.unwrap_or(1.0) }
    }
}

impl<'p> From<&'p TreemapPicture> for Shapes<'p> {
    fn from(picture: &'p TreemapPicture) -> Self {
        let tiles = &picture.tiles;
        let (function, parent, share) = (&tiles.function, &tiles.parent, &tiles.share);
        let Amount { value: whole, share: part, .. } = picture.whole;
        Self { functions: &picture.functions, function, parent, share, whole, part: part.unwrap_or(1.0) }
    }
}

/// For each rectangle of the new picture how much more it costs than in the old one, as a share of the old total, or by how
/// much its share of the total grew. Rectangles are matched by the functions on the path to them. Without an old total
/// there are no changes.
fn changes(old: Shapes<'_>, new: Shapes<'_>, ids: &FunctionIds, sides: &Sides) -> Vec<f64> {
    let (was, is) = match sides.basis {
        Basis::Cost => (old.whole / sides.old_total, new.whole / sides.old_total),
        Basis::Share => (old.part, new.part),
    };
    if !was.is_finite() || !is.is_finite() {
        return Vec::new();
    }
    let mut before: HashMap<Vec<u32>, f64> = HashMap::new();
    for (path, share) in old.paths(|id| ids.number(id, true)).into_iter().zip(old.share) {
        *before.entry(path).or_insert(0.0) += share;
    }
    let change =
        |(path, share): (&Vec<u32>, &f64)| share * is - before.get(path).copied().unwrap_or(0.0) * was;
    new.paths(|id| id).iter().zip(new.share).map(change).collect()
}

/// How much of the old total a picture of the new profile has no rectangles for; `part` is the share of the old total that the
/// whole old picture has. `None` if that is less than can be written.
fn gone_remark(old: Shapes<'_>, new: Shapes<'_>, ids: &FunctionIds, part: f64) -> Option<Remark> {
    let shown: HashSet<Vec<u32>> = new.paths(|id| id).into_iter().collect();
    let paths = old.paths(|id| ids.number(id, true));
    // Only the outermost: what is inside is part of it.
    let is_outermost = |path: &[u32]| {
        let around = &path[..path.len() - 1];
        !shown.contains(path) && (around.is_empty() || shown.contains(around))
    };
    let gone = paths.iter().zip(old.share).filter(|(path, _)| is_outermost(path)).map(|(_, share)| share);
    let share = gone.sum::<f64>() * part;
    (share >= LEAST_GONE).then(|| {
        let share = format_share(share, 1);
        Remark::note(format!(
            "gone: {share} of the old total is in calls that the new profile does not have, or has too small to be drawn; \
             Show: old has them"
        ))
    })
}

fn renamed_nodes(picture: &mut GraphPicture, ids: &FunctionIds, is_old: bool) {
    for node in &mut picture.nodes {
        node.function = node.function.take().map(|name| ids.renamed(name, is_old));
    }
}

fn renamed(names: Vec<FunctionName>, ids: &FunctionIds, is_old: bool) -> Vec<FunctionName> {
    names.into_iter().map(|name| ids.renamed(name, is_old)).collect()
}

/// The same source with the numbers of the comparison.
pub(super) fn renamed_source(mut answer: SourceAnswer, ids: &FunctionIds, is_old: bool) -> SourceAnswer {
    let rename = |site: &mut CallSite| site.function.id = ids.number(site.function.id, is_old);
    answer
        .files
        .iter_mut()
        .flat_map(|file| &mut file.lines)
        .flat_map(|line| &mut line.calls)
        .for_each(rename);
    let code = answer.code.iter_mut().flat_map(|code| &mut code.instructions);
    code.flat_map(|instruction| &mut instruction.calls).for_each(rename);
    if let Some(name) = &mut answer.function.function {
        name.id = ids.number(name.id, is_old);
    }
    answer
}
