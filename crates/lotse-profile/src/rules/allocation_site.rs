//! Finds places that allocate very often.

use hashbrown::HashMap;
use lotse_model::Rule;
use lotse_model::finding::{Finding, Level};
use lotse_model::id::{FrameId, FunctionId, PartId};
use lotse_model::rule::Threshold;
use lotse_model::site::Site;
use lotse_report::number::format_share;

use super::{Context, Draft, PRIOR, source_site};
use crate::allocators::{allocates_for_caller, is_allocator};
use crate::analysis::share;
use crate::look_through::cut_stacks_and;
use crate::report::grouped;

mod requesters;

use requesters::Requesters;

pub(super) const RULE: Rule = Rule {
    id: "profile-allocation-site",
    version: 1,
    title: "one place makes a great part of all allocations",
    meaning: "Every allocation costs about a hundred instructions and later a free, spreads data over memory, and may \
              take a lock. Blocks that are freed at once could often be kept or put on the stack.",
    computation: "Heap profiles: allocations by the function that asks for memory (allocators, containers and strings \
                  looked through); fires at `share` of all allocations and `count` of them. Short-lived are blocks that \
                  heaptrack calls temporary, or that live a tenth of the average in DHAT. Call profiles: the costliest \
                  allocator is called `count` times and takes `cost` of the total; the function whose calls \
                  of it cost most is named where calls are at hand. A container that several functions call shares its \
                  allocations out among them in proportion to their calls, and `about` says so.",
    example: "format_line makes 1.2 million allocations, 60 % of all; 98 % of them are temporary.",
    picture: "",
    advice: "Reuse one buffer, reserve the size in advance, keep small values inline, or pass a slice instead of a new \
             string.",
    thresholds: &[
        Threshold { name: "share", default: 0.2, meaning: "share of all allocations" },
        Threshold { name: "count", default: 1000.0, meaning: "allocations at least" },
        Threshold {
            name: "cost",
            default: 0.02,
            meaning: "share of the total cost, where calls are profiled",
        },
    ],
    prior: PRIOR,
    references: &[],
};

/// The allocations of a function.
#[derive(Debug, Clone, Copy, Default)]
struct Requests {
    /// The first frame that allocates.
    frame: Option<FrameId>,
    count: i128,
    bytes: i128,
    temporary: i128,
    lifetimes: i128,
}

pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    match context.any_event(&["allocations", "total_blocks"]) {
        Some(count) if !context.profile.data.is_empty() => in_heap_profile(context, count),
        _ => in_call_profile(context).into_iter().collect(),
    }
}

/// Findings from the data structures of a heap profile.
fn in_heap_profile(context: &Context<'_>, count: usize) -> Vec<Finding> {
    let sites = by_site(context, count);
    let sum = |field: fn(&Requests) -> i128| sites.values().map(field).sum::<i128>();
    let all = Requests {
        frame: None,
        count: sum(|it| it.count),
        bytes: sum(|it| it.bytes),
        temporary: sum(|it| it.temporary),
        lifetimes: sum(|it| it.lifetimes),
    };
    let fires = |requests: &Requests| {
        requests.count as f64 >= context.threshold(&RULE, "count")
            && share(requests.count, all.count) >= context.threshold(&RULE, "share")
    };
    let mut found: Vec<(&FunctionId, &Requests)> =
        sites.iter().filter(|(_, requests)| fires(requests)).collect();
    found.sort_by_key(|(function, _)| **function);
    found.into_iter().map(|(&function, requests)| heap_finding(context, function, requests, &all)).collect()
}

/// Whether a function allocates for its caller, or has a name that says so: a library's `Array::allocate` is not the
/// place to change.
fn provides_memory(name: &str) -> bool {
    allocates_for_caller(name) || lotse_symbols::short(name).to_lowercase().contains("alloc")
}

/// Sums allocations by the first function on the stack that does not allocate for its caller.
fn by_site(context: &Context<'_>, count: usize) -> HashMap<FunctionId, Requests> {
    let (profile, data) = (context.profile, &context.profile.data);
    let bytes = context.any_event(&["total_bytes", "allocated_bytes"]);
    let (temporary, lifetimes) = (context.event("temporary"), context.event("lifetimes"));
    let without_allocators = cut_stacks_and(profile, provides_memory);
    let mut sites: HashMap<FunctionId, Requests> = HashMap::new();
    let chosen: Vec<PartId> = context.parts().map(|(id, ..)| id).collect();
    for row in (0..data.len()).filter(|&row| chosen.contains(&data.part[row])) {
        let Some(stack) = data.stack[row] else { continue };
        let stack = without_allocators[stack.index()].unwrap_or(stack);
        let frame = profile.stacks.frame[stack.index()];
        let cost = |event: Option<usize>| event.map_or(0, |event| data.costs.value(row, event));
        let requests = sites.entry(profile.frames.get(frame).function).or_default();
        if cost(Some(count)) > 0 && requests.frame.is_none() {
            requests.frame = Some(frame);
        }
        requests.count += cost(Some(count));
        requests.bytes += cost(bytes);
        requests.temporary += cost(temporary);
        requests.lifetimes += cost(lifetimes);
    }
    sites
}

/// The finding for a function of a heap profile; a warning if its blocks are short-lived.
fn heap_finding(context: &Context<'_>, function: FunctionId, requests: &Requests, all: &Requests) -> Finding {
    let short = short_lived(requests, all);
    let lived = match short {
        Some(short) if requests.temporary > 0 => format!("; {} are freed at once", format_share(short, 0)),
        Some(_) => "; they live much shorter than others".to_owned(),
        None => String::new(),
    };
    let part = share(requests.count, all.count);
    Draft {
        rule: &RULE,
        level: if short.is_some() { Level::Warning } else { Level::Note },
        sites: vec![frame_site(context, function, requests.frame)],
        severity: (part, "of all allocations"),
        certainty: if short.is_some() { 0.8 } else { 0.5 },
        text: format!(
            "{} makes {} allocations, {} of all{lived}",
            context.name(function),
            grouped(requests.count),
            format_share(part, 1)
        ),
        data: vec![
            ("allocations", requests.count as f64),
            ("bytes", requests.bytes as f64),
            ("temporary", requests.temporary as f64),
            ("share", part),
        ],
        recommendation: "reuse a buffer, reserve in advance, or keep small values on the stack",
        verification: context.compare_command(),
    }
    .finish()
}

/// The share of temporary blocks if most are temporary; 1 if blocks live at most a tenth of the average.
fn short_lived(requests: &Requests, all: &Requests) -> Option<f64> {
    let temporary = share(requests.temporary, requests.count);
    let mean = |it: &Requests| share(it.lifetimes, it.count);
    let short = all.lifetimes > 0 && mean(requests) <= 0.1 * mean(all);
    if temporary >= 0.5 { Some(temporary) } else { short.then_some(1.0) }
}

fn frame_site(context: &Context<'_>, function: FunctionId, frame: Option<FrameId>) -> Site {
    let frame = frame.map(|frame| context.profile.frames.get(frame)).filter(|frame| frame.line > 0);
    match frame.and_then(|frame| Some((context.profile.file_name(frame.file)?, frame.line))) {
        Some((file, line)) => source_site(Some(file), Some(line), context.name(function)),
        None => context.site(function),
    }
}

/// A finding about the costliest allocator of a profile with calls.
fn in_call_profile(context: &Context<'_>) -> Option<Finding> {
    let called = context.summary.called.as_ref()?;
    let allocators = context.active().filter(|function| is_allocator(&context.name(*function)));
    let allocator = allocators.max_by_key(|&function| (context.inclusive(function, 0), function))?;
    let (count, cost) = (called[allocator.index()], context.inclusive_share(allocator, 0));
    let fires = count as f64 >= context.threshold(&RULE, "count") && cost >= context.threshold(&RULE, "cost");
    fires.then(|| call_finding(context, allocator, count, cost))
}

/// The finding for an allocator, with the functions that request most of its memory.
fn call_finding(context: &Context<'_>, allocator: FunctionId, count: u64, cost: f64) -> Finding {
    let requesters = Requesters::new(context, allocator);
    let most = requesters.shares.first().map_or_else(String::new, |&(share, requester)| {
        let about = if requesters.estimated { "about " } else { "" };
        let share = format_share(share, 1);
        let mixed = match requesters.undivided.contains(&requester) {
            true => ", which also frees, so that the file does not tell for which of its callers",
            false => "",
        };
        let whole = if requesters.of_cost { "of that is for calls by" } else { "of these calls come from" };
        format!("; {about}{share} {whole} {}{mixed}", context.name(requester))
    });
    let name = context.name(allocator);
    let sites = requesters.shares.iter().map(|(_, requester)| *requester).take(3).chain([allocator]);
    Draft {
        rule: &RULE,
        level: Level::Note,
        sites: sites.map(|function| context.site(function)).collect(),
        severity: (cost, "of the total"),
        certainty: 0.6,
        text: format!(
            "{name} is called {} times and takes {} of the total{most}",
            grouped(i128::from(count)),
            format_share(cost, 1)
        ),
        data: vec![("calls", count as f64), ("share", cost)],
        recommendation: "reuse a buffer, reserve in advance, or keep small values on the stack",
        verification: context.compare_command(),
    }
    .finish()
}

#[cfg(test)]
mod tests {
    use lotse_model::Profile;
    use lotse_model::finding::Level;
    use lotse_model::id::{NameId, PartId};
    use lotse_model::profile::{Costs, EventType};

    use crate::analysis::tests::{stacked, summed};
    use crate::rules::fixture::found;

    const ID: &str = "profile-allocation-site";

    /// Stacks with allocations and how many of them are temporary.
    fn heap(sites: &[(&str, u64, u64)]) -> Profile {
        let stacks: Vec<(&str, u64)> = sites.iter().map(|&(stack, count, _)| (stack, count)).collect();
        let mut profile = stacked(&stacks);
        profile.events = vec![EventType::count("allocations"), EventType::count("temporary")];
        let cells = sites.iter().flat_map(|&(_, count, temporary)| [count, temporary]).collect();
        let costs = Costs::from_cells(2, false, cells);
        let part = &mut profile.parts[0];
        part.own.costs = Costs::new(2, false);
        part.calls.costs = Costs::new(2, false);
        part.samples.costs = costs.clone();
        profile.data.stack = part.samples.stack.clone();
        profile.data.costs = costs;
        profile.data.name = vec![NameId(0); sites.len()];
        profile.data.part = vec![PartId(0); sites.len()];
        profile.data.accesses = vec![Vec::new(); sites.len()];
        profile
    }

    #[test]
    fn a_place_with_most_allocations_fires() {
        let profile = heap(&[
            ("main;line;malloc", 60_000, 59_000),
            ("main;load;malloc", 5000, 0),
            ("main;malloc", 9, 0),
        ]);
        let findings = found(&profile, ID);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].level, Level::Warning);
        let text = &findings[0].reason.text;
        assert!(
            text.starts_with("line makes 60,000 allocations, 92.3 % of all; 98 % are freed at once"),
            "{text}"
        );
    }

    #[test]
    fn a_few_allocations_do_not() {
        assert_eq!(found(&heap(&[("main;line;malloc", 60, 59)]), ID), []);
    }

    #[test]
    fn callers_of_an_allocator_fire_by_what_that_costs() {
        let profile =
            |cost| summed(&[("main", 1_000_000), ("malloc", cost)], &[("main", "malloc", 5000, cost)]);
        let findings = found(&profile(500_000), ID);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(
            findings[0].reason.text.contains("malloc is called 5,000 times and takes 33.3 % of the total; 100.0 % of that is for calls by main"),
            "{}",
            findings[0].reason.text
        );
        assert_eq!(found(&profile(5000), ID), []);
    }
}
