//! The loop of one location: what its calls do again and again.
//!
//! What a call path calls, one call after the other, is a sequence of symbols. A loop is a part of it that is equal to
//! itself some symbols later: with `C` for computing and `S` for sending,
//!
//! ```text
//! I  C S C S C  C S C S C  C S C S C  F        5 symbols later the same: 3 blocks, from the first C on
//!    |____ p = 5 ____|
//! ```
//!
//! So no call has to happen once in each iteration. Blocks need not all be equal: what stands between two parts that
//! repeat the same is another iteration if it has all calls of one, else it belongs to the iteration before it.
//!
//! The outermost call path is looked at first, then the one below it that takes most of the time, until a loop covers
//! half of the time. Of several periods the one that covers most is taken, or a smaller one that covers nearly as much:
//! then the greater one is [`Outer`], for the trace does not tell which of both is the loop of the program.

use hashbrown::HashMap;
use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::{RegionRole, Ticks};

use super::periods::{Group, groups};
use super::{LEAST_COUNT, Spans};
use crate::focus::Focus;
use crate::region_graph::inclusive_of;
use crate::store::{Paths, Trace};

/// A loop covers at least this share of the time looked at.
const LEAST_COVERAGE: f64 = 0.5;

/// A smaller period is taken where it covers at least this share of what the best one does.
const NEARLY: f64 = 0.9;

/// A single primitive call is a loop where it repeats so often.
const LEAST_SINGLE: usize = 10;

/// Deeper call paths are not looked at.
const MOST_LEVELS: u32 = 64;

/// One call: what is called, from when until when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) path: PathId,
    pub(super) begin: Ticks,
    pub(super) end: Ticks,
}

/// What repeats on one location.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Loop {
    /// The calls of one iteration.
    pub(super) body: Vec<PathId>,
    pub(super) spans: Spans,
    /// How many iterations are equal to the body.
    pub(super) regular: usize,
    /// How often a greater period around it repeats, and how many calls that has.
    pub(super) outer: Option<(usize, usize)>,
}

/// The loop of a location within a part of the run.
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

/// One primitive call again and again tells little: it has to repeat more often to count.
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

/// What a call path calls on a location, as far as it begins in the part looked at. Tasks are no turns of a loop: any
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

fn repeated(tokens: &[Token], least: f64) -> Option<Loop> {
    let symbols: Vec<u32> = tokens.iter().map(|token| token.path.0).collect();
    let covers = |group: &Group| -> Ticks {
        let span = |part: &(usize, usize)| {
            let end = part.0 + (part.1 - part.0) / group.period * group.period;
            tokens.get(end).map_or(tokens[end - 1].end, |next| next.begin) - tokens[part.0].begin
        };
        group.parts.iter().map(span).sum()
    };
    let mut found: Vec<(Ticks, Group)> = groups(&symbols).into_iter().map(|it| (covers(&it), it)).collect();
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

/// When iterations begin and end, and how many are equal to the body.
fn iterations(tokens: &[Token], symbols: &[u32], group: &Group) -> (Spans, usize) {
    let body = group.body(symbols);
    let mut begins: Vec<usize> = Vec::new();
    let (mut regular, mut reached) = (0, None);
    for &(from, to) in &group.parts {
        // A part may begin amid an iteration.
        let Some(from) = (from..to).find(|&at| symbols[at..].starts_with(body)) else { continue };
        match reached {
            Some(end) => begins.extend(between(symbols, (end, from), body)),
            None => begins.extend(before(symbols, from, body)),
        }
        let blocks = (to - from) / body.len();
        begins.extend((0..blocks).map(|block| from + block * body.len()));
        (regular, reached) = (regular + blocks, Some(from + blocks * body.len()));
    }
    let (more, reached) = reached.map_or((None, 0), |end| behind(symbols, end, body));
    begins.extend(more);
    let last = reached.checked_sub(1).and_then(|last| tokens.get(last)).map_or(0, |token| token.end);
    let ends = begins.iter().skip(1).map(|&next| tokens[next].begin).chain([last]);
    let spans = begins.iter().zip(ends).map(|(&begin, end)| (tokens[begin].begin, end)).collect();
    (spans, regular)
}

/// Where iterations begin between two parts that repeat: as many as have all calls of the body.
fn between(symbols: &[u32], (from, to): (usize, usize), body: &[u32]) -> Vec<usize> {
    let gap = &symbols[from.min(to)..to];
    let (wanted, there) = (counts(body), counts(gap));
    let whole = |(symbol, count): (&u32, &usize)| there.get(symbol).copied().unwrap_or(0) / count;
    let iterations = wanted.iter().map(whole).min().unwrap_or(0);
    let of_first = wanted.get(&body[0]).copied().unwrap_or(1);
    let first = gap.iter().enumerate().filter(|(_, symbol)| **symbol == body[0]).map(|(at, _)| from + at);
    first.step_by(of_first).take(iterations).collect()
}

/// So many other calls may be in an iteration before the first part that repeats, or behind the last.
fn others(body: &[u32]) -> usize {
    body.len() / 2 + 1
}

/// Where an iteration that has other calls too begins before the first part that repeats.
fn before(symbols: &[u32], from: usize, body: &[u32]) -> Option<usize> {
    let first = from.saturating_sub(body.len() + others(body));
    (first..from).rev().find(|&at| symbols[at] == body[0] && end_of(&symbols[at..from], body).is_some())
}

/// Where an iteration that has other calls too begins behind the last part that repeats, and where the loop ends.
fn behind(symbols: &[u32], end: usize, body: &[u32]) -> (Option<usize>, usize) {
    let begin = (end..symbols.len().min(end + others(body))).find(|&at| symbols[at] == body[0]);
    let until = symbols.len().min(end + body.len() + others(body));
    let whole = begin.and_then(|at| Some((at, at + end_of(&symbols[at..until], body)?)));
    whole.map_or((None, end), |(at, end)| (Some(at), end))
}

/// Where the calls of the body end, if they are here in their order.
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
