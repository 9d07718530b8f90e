//! Finds the loop of one location in the sequence of its calls.
//!
//! The direct callees of a call path, one call after the other, are a sequence of symbols. A loop is a part of it that is
//! equal to itself shifted by a period p: with `C` for computing and `S` for sending,
//!
//! ```text
//! I  C S C S C  C S C S C  C S C S C  F        period 5: 3 blocks, from the first C on
//!    |____ p = 5 ____|
//! ```
//!
//! Thus no single call has to occur exactly once per iteration. Not all blocks have to be equal: the calls between two parts
//! with the same block form another iteration if they contain all calls of a block, otherwise they belong to the iteration
//! before them.
//!
//! The search begins with the callees of the root and descends to the callee that takes most of the time, until a loop covers
//! half of the time. Among several periods the one that covers most time is taken, or a smaller one that covers nearly as
//! much; the greater period is then the [`OuterLoop`] loop, because the trace does not show which of both is the main loop.

use hashbrown::HashMap;
use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::{RegionRole, Ticks};

use super::periods::{PeriodGroup, groups};
use super::{IterationSpans, LEAST_COUNT};
use crate::focus::Focus;
use crate::region_graph::inclusive_of;
use crate::store::{Paths, Trace};

/// A loop covers at least this share of the focus.
const LEAST_COVERAGE: f64 = 0.5;

/// A smaller period is preferred if it covers at least this share of the time that the best one covers.
const NEARLY: f64 = 0.9;

/// A loop of a single primitive call has at least this many iterations.
const LEAST_SINGLE: usize = 10;

/// The search descends at most this many levels.
const MOST_LEVELS: u32 = 64;

/// One call, a symbol of the sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) path: PathId,
    pub(super) begin: Ticks,
    pub(super) end: Ticks,
}

/// The loop of one location.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Loop {
    /// The calls of one iteration.
    pub(super) body: Vec<PathId>,
    pub(super) spans: IterationSpans,
    /// Number of iterations that are equal to the body.
    pub(super) regular: usize,
    /// The outer loop: number of its iterations, and of calls in one of them.
    pub(super) outer: Option<(usize, usize)>,
}

/// The loop of a location within the focus.
pub(super) fn find(trace: &Trace, location: LocationId, focus: Focus) -> Option<Loop> {
    let inclusive = inclusive_of(&trace.paths, &trace.uses[location.index()]);
    let least = focus.ticks() as f64 * LEAST_COVERAGE;
    let mut parent = Paths::ROOT;
    for _ in 0..MOST_LEVELS {
        let tokens = tokens(trace, location, parent, focus);
        if let Some(found) = repeated(&tokens, least).filter(|it| is_loop(trace, it)) {
            return Some(found);
        }
        let below = trace.paths.ids().skip(1);
        let below = below.filter(|&path| trace.paths.parent(path) == parent && !is_task(trace, path));
        let longest = below.max_by_key(|path| (inclusive[path.index()], std::cmp::Reverse(*path)))?;
        if (inclusive[longest.index()] as f64) < least {
            return None;
        }
        parent = longest;
    }
    None
}

/// Whether there are enough iterations: a single primitive call has to repeat more often.
fn is_loop(trace: &Trace, found: &Loop) -> bool {
    match found.body[..] {
        [path] if trace.class_of(path).is_primitive() => found.spans.len() >= LEAST_SINGLE,
        _ => true,
    }
}

fn is_task(trace: &Trace, path: PathId) -> bool {
    let region = &trace.definitions.regions[trace.paths.region(path).index()];
    matches!(region.role, RegionRole::Task | RegionRole::TaskUntied)
}

/// The calls of a call path's direct callees on a location that begin within the focus. Tasks are left out, because any
/// thread may run them.
fn tokens(trace: &Trace, location: LocationId, parent: PathId, focus: Focus) -> Vec<Token> {
    let (timeline, paths) = (trace.timeline(location), &trace.paths);
    let depth = paths.depth(parent);
    let mut tokens: Vec<Token> = Vec::new();
    let (mut open, mut before) = (false, Paths::ROOT);
    for (&at, &now) in timeline.at.iter().zip(&timeline.path) {
        if open && paths.depth(now) <= depth {
            tokens.last_mut().into_iter().for_each(|token| token.end = at);
            open = false;
        }
        let enters = before == parent && now != parent && paths.parent(now) == parent;
        if enters && !open && (focus.begin..focus.end).contains(&at) && !is_task(trace, now) {
            tokens.push(Token { path: now, begin: at, end: timeline.last });
            open = true;
        }
        before = now;
    }
    tokens
}

/// The loop in a sequence of calls that covers at least `least` ticks: of all periods that cover nearly as much time as
/// the best one, the smallest.
fn repeated(tokens: &[Token], least: f64) -> Option<Loop> {
    let symbols: Vec<u32> = tokens.iter().map(|token| token.path.0).collect();
    let covers = |group: &PeriodGroup| -> Ticks {
        let span = |part: &(usize, usize)| {
            let end = part.0 + (part.1 - part.0) / group.period * group.period;
            tokens.get(end).map_or(tokens[end - 1].end, |next| next.begin) - tokens[part.0].begin
        };
        group.parts.iter().map(span).sum()
    };
    let mut found: Vec<(Ticks, PeriodGroup)> =
        groups(&symbols).into_iter().map(|it| (covers(&it), it)).collect();
    found.retain(|(ticks, group)| *ticks as f64 >= least && group.blocks() >= LEAST_COUNT);
    let best = found.iter().map(|(ticks, _)| *ticks).max()?;
    found.retain(|(ticks, _)| *ticks as f64 >= NEARLY * best as f64);
    found.sort_by_key(|(_, group)| group.period);
    let (_, group) = found.first()?;
    let (spans, regular) = iterations(tokens, &symbols, group);
    let outer = found[1..].iter().find(|(ticks, it)| it.period % group.period != 0 && *ticks >= best);
    let body = group.body(&symbols).iter().map(|&symbol| PathId(symbol)).collect();
    let outer = outer.map(|(_, outer)| (outer.blocks(), outer.period));
    (spans.len() >= LEAST_COUNT).then_some(Loop { body, spans, regular, outer })
}

/// The begins and ends of the iterations, and how many of them are equal to the body. Iterations with additional calls
/// before, between and after the repeating parts are included.
fn iterations(tokens: &[Token], symbols: &[u32], group: &PeriodGroup) -> (IterationSpans, usize) {
    let body = group.body(symbols);
    let mut begins: Vec<usize> = Vec::new();
    let (mut regular, mut reached) = (0, None);
    for &(from, to) in &group.parts {
        // A part may begin in the middle of an iteration.
        let Some(from) = (from..to).find(|&at| symbols[at..].starts_with(body)) else { continue };
        match reached {
            Some(end) => begins.extend(between(symbols, (end, from), body)),
            None => begins.extend(before(symbols, from, body)),
        }
        let blocks = (to - from) / body.len();
        begins.extend((0..blocks).map(|block| from + block * body.len()));
        (regular, reached) = (regular + blocks, Some(from + blocks * body.len()));
    }
    let (more, reached) = reached.map_or((None, 0), |end| after(symbols, end, body));
    begins.extend(more);
    let last = reached.checked_sub(1).and_then(|last| tokens.get(last)).map_or(0, |token| token.end);
    let ends = begins.iter().skip(1).map(|&next| tokens[next].begin).chain([last]);
    let spans = begins.iter().zip(ends).map(|(&begin, end)| (tokens[begin].begin, end)).collect();
    (spans, regular)
}

/// Where iterations begin between two repeating parts: as many as the calls there contain the body completely.
fn between(symbols: &[u32], (from, to): (usize, usize), body: &[u32]) -> Vec<usize> {
    let gap = &symbols[from.min(to)..to];
    let (wanted, there) = (counts(body), counts(gap));
    let complete = |(symbol, count): (&u32, &usize)| there.get(symbol).copied().unwrap_or(0) / count;
    let iterations = wanted.iter().map(complete).min().unwrap_or(0);
    let of_first = wanted.get(&body[0]).copied().unwrap_or(1);
    let first = gap.iter().enumerate().filter(|(_, symbol)| **symbol == body[0]).map(|(at, _)| from + at);
    first.step_by(of_first).take(iterations).collect()
}

/// The number of additional calls allowed in an iteration before the first repeating part or after the last.
fn additional_calls(body: &[u32]) -> usize {
    body.len() / 2 + 1
}

/// Where an iteration with additional calls begins before the first repeating part.
fn before(symbols: &[u32], from: usize, body: &[u32]) -> Option<usize> {
    let first = from.saturating_sub(body.len() + additional_calls(body));
    (first..from).rev().find(|&at| symbols[at] == body[0] && end_of(&symbols[at..from], body).is_some())
}

/// Where an iteration with additional calls begins after the last repeating part, and where the loop ends.
fn after(symbols: &[u32], end: usize, body: &[u32]) -> (Option<usize>, usize) {
    let begin = (end..symbols.len().min(end + additional_calls(body))).find(|&at| symbols[at] == body[0]);
    let until = symbols.len().min(end + body.len() + additional_calls(body));
    let complete = begin.and_then(|at| Some((at, at + end_of(&symbols[at..until], body)?)));
    complete.map_or((None, end), |(at, end)| (Some(at), end))
}

/// Where the calls of the body end, if `symbols` contains them in their order.
fn end_of(symbols: &[u32], body: &[u32]) -> Option<usize> {
    let mut at = 0;
    for symbol in body {
        at += symbols[at..].iter().position(|it| it == symbol)? + 1;
    }
    Some(at)
}

fn counts(symbols: &[u32]) -> HashMap<u32, usize> {
    let mut counts = HashMap::new();
    symbols.iter().for_each(|symbol| *counts.entry(*symbol).or_insert(0) += 1);
    counts
}
