//! Finds hot functions with many cache misses.

use lotse_model::Rule;
use lotse_model::finding::{Finding, Level};
use lotse_model::id::FunctionId;
use lotse_model::rule::Threshold;
use lotse_report::number::{format_share, significant};

use super::{Context, Draft, PRIOR};
use crate::analysis::share;

pub(super) const RULE: Rule = Rule {
    id: "profile-cache-misses",
    version: 1,
    title: "a hot function misses the cache much more than the rest of the program",
    meaning: "The processor waits for memory here: a last-level miss costs about as much as a hundred instructions. \
              Fewer instructions will not help much; another order of accesses or a smaller layout of the data may.",
    computation: "Data misses (last level, else first level) per 1000 instructions of the function itself; fires when the \
                  function has `cost` of the instructions and `misses` of the misses, and either misses `rate` times per \
                  1000 instructions (first level: ten times as often) or `factor` times as often as the whole program. \
                  Without instructions the shares of misses and of the first event type are compared. The severity \
                  takes 100 cycles for a last-level miss and 10 for one of the first level.",
    example: "A matrix is walked column by column: column_sum has 8 % of the instructions and 95 % of the last-level misses.",
    picture: "",
    advice: "Walk memory in the order in which it lies (swap loops, block them), keep what is used together in one \
             place (structure of arrays, smaller fields), and do not chase pointers in hot loops.",
    thresholds: &[
        Threshold { name: "cost", default: 0.01, meaning: "share of the instructions" },
        Threshold { name: "misses", default: 0.1, meaning: "share of the misses" },
        Threshold { name: "rate", default: 5.0, meaning: "last-level misses per 1000 instructions" },
        Threshold { name: "factor", default: 3.0, meaning: "rate against that of the whole program" },
    ],
    prior: PRIOR,
    references: &["Drepper 2007, What every programmer should know about memory"],
};

/// The event types that count misses of one cache.
struct Cache {
    what: &'static str,
    /// The event types of one tool each; those that the profile has are summed.
    names: &'static [&'static [&'static str]],
    /// The estimated cost of a miss.
    cycles: f64,
    /// The factor by which the threshold of the rate is multiplied.
    rate_factor: f64,
}

/// The last level first, because its misses cost the most.
const CACHES: &[Cache] = &[
    Cache {
        what: "last-level",
        names: &[
            &["DLmr", "DLmw"],
            &["D2mr", "D2mw"],
            &["LLC-load-misses", "LLC-store-misses"],
            &["cache-misses"],
        ],
        cycles: 100.0,
        rate_factor: 1.0,
    },
    Cache {
        what: "first-level",
        names: &[&["D1mr", "D1mw"], &["L1-dcache-load-misses", "L1-dcache-store-misses"]],
        cycles: 10.0,
        rate_factor: 10.0,
    },
];

pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    let mut found: Vec<(FunctionId, Finding)> = Vec::new();
    for cache in CACHES {
        let Some(events) = events(context, cache) else { continue };
        let new = context.active().filter_map(|function| {
            let rows = rows(context, &events, function)?;
            Some((function, judge(context, cache, &events, &rows)?))
        });
        let new: Vec<_> =
            new.filter(|(function, _)| found.iter().all(|(known, _)| known != function)).collect();
        found.extend(new);
    }
    found.into_iter().map(|(_, finding)| finding).collect()
}

fn events(context: &Context<'_>, cache: &Cache) -> Option<Vec<usize>> {
    let known = |names: &&[&str]| names.iter().filter_map(|name| context.event(name)).collect::<Vec<_>>();
    cache.names.iter().map(known).find(|events| !events.is_empty())
}

/// The rows of a function; `None` if another row of the function has more misses. Cachegrind has a row for every source
/// file that a function's code comes from, and neither calls nor objects.
fn rows(context: &Context<'_>, events: &[usize], function: FunctionId) -> Option<Vec<FunctionId>> {
    let profile = context.profile;
    if context.summary.pairs > 0 || profile.function_object(function).is_some() {
        return Some(vec![function]);
    }
    let name = profile.functions.name[function.index()];
    let rows: Vec<FunctionId> =
        profile.functions.ids().filter(|id| profile.functions.name[id.index()] == name).collect();
    let misses = |id: &FunctionId| events.iter().map(|&event| context.own(*id, event)).sum::<i128>();
    let first = rows.iter().copied().max_by_key(|id| (misses(id), std::cmp::Reverse(id.0)));
    (first == Some(function)).then(|| {
        let others = rows.into_iter().filter(|id| *id != function);
        std::iter::once(function).chain(others).collect()
    })
}

/// A finding if the function costs enough, has a large share of the misses, and misses often, either absolutely or
/// compared with the whole program.
fn judge(context: &Context<'_>, cache: &Cache, events: &[usize], rows: &[FunctionId]) -> Option<Finding> {
    let own = |event: usize| rows.iter().map(|&row| context.own(row, event)).sum::<i128>();
    let limit = |name| context.threshold(&RULE, name);
    let instructions = context.any_event(&["Ir", "instructions"]);
    let cost = instructions.unwrap_or(0);
    let misses: i128 = events.iter().map(|&event| own(event)).sum();
    let all: i128 = events.iter().map(|&event| context.total(event)).sum();
    let (cost_share, miss_share) = (share(own(cost), context.total(cost)), share(misses, all));
    if misses <= 0 || cost_share < limit("cost") || miss_share < limit("misses") {
        return None;
    }
    let factor = miss_share / cost_share;
    let rate = instructions.map(|event| 1000.0 * share(misses, own(event)));
    let misses_often = rate.is_some_and(|rate| rate >= limit("rate") * cache.rate_factor);
    // In a program with hardly any misses, a few are far above the average, but harmless.
    let above_average =
        factor >= limit("factor") && rate.is_none_or(|rate| rate >= 0.2 * limit("rate") * cache.rate_factor);
    (misses_often || above_average).then(|| {
        finding(context, cache, rows[0], &MissNumbers { cost_share, miss_share, factor, rate, misses })
    })
}

struct MissNumbers {
    cost_share: f64,
    miss_share: f64,
    factor: f64,
    rate: Option<f64>,
    misses: i128,
}

/// The finding for a function.
fn finding(context: &Context<'_>, cache: &Cache, function: FunctionId, numbers: &MissNumbers) -> Finding {
    let rate = numbers
        .rate
        .map_or(String::new(), |rate| format!("{} per 1000 instructions, ", significant(rate, 3)));
    Draft {
        rule: &RULE,
        level: Level::Warning,
        sites: vec![context.site(function)],
        severity: severity(context, cache, numbers),
        certainty: if numbers.rate.is_some() { 0.8 } else { 0.6 },
        text: format!(
            "{} has {} of the {} misses but {} of the cost; {rate}{} times the average",
            context.name(function),
            format_share(numbers.miss_share, 1),
            cache.what,
            format_share(numbers.cost_share, 1),
            significant(numbers.factor, 2)
        ),
        data: vec![
            ("misses", numbers.misses as f64),
            ("share_of_misses", numbers.miss_share),
            ("share_of_cost", numbers.cost_share),
            ("per_1000_instructions", numbers.rate.unwrap_or(f64::NAN)),
        ],
        recommendation: "walk memory in the order in which it lies, and keep together what is used together",
        verification: context.compare_command(),
    }
    .finish()
}

/// The estimated cycles of these misses, as a share of the cycles of all instructions and misses; without instructions,
/// the share of the misses.
fn severity(context: &Context<'_>, cache: &Cache, numbers: &MissNumbers) -> (f64, &'static str) {
    let Some(instructions) = context.any_event(&["Ir", "instructions"]) else {
        return (numbers.miss_share, "of the cache misses");
    };
    let lost = |cache: &Cache| {
        let misses: i128 =
            events(context, cache).into_iter().flatten().map(|event| context.total(event)).sum();
        misses as f64 * cache.cycles
    };
    let all = context.total(instructions) as f64 + CACHES.iter().map(lost).sum::<f64>();
    (numbers.misses as f64 * cache.cycles / all.max(1.0), "of the estimated cycles")
}

#[cfg(test)]
mod tests {
    use crate::rules::fixture::{counted, found};

    const EVENTS: &[&str] = &["Ir", "Dr", "DLmr", "DLmw"];

    /// Cachegrind has a row of `get` for every file that its inlined code comes from.
    #[test]
    fn rows_of_one_function_are_one() {
        let mut builder = lotse_model::profile::Builder::new();
        builder.profile.events =
            EVENTS.iter().map(|name| lotse_model::profile::EventType::count(name)).collect();
        let mut part = lotse_model::profile::Part::new("1", EVENTS.len(), false);
        for (name, file, costs) in [
            ("get", "tree.h", [100_000, 1, 15_000, 0]),
            ("get", "string.h", [300_000, 1, 5_000, 0]),
            ("rest", "main.c", [600_000, 1, 10, 10]),
        ] {
            let file = builder.file(file);
            part.own.function.push(builder.function(name, lotse_model::id::ObjectId(0), file));
            part.own.costs.push(&costs);
        }
        builder.profile.parts = vec![part];
        let findings = found(&builder.finish(), "profile-cache-misses");
        assert_eq!(findings.len(), 1, "{findings:?}");
        let text = &findings[0].reason.text;
        assert!(text.contains("99.9 % of the last-level misses but 40.0 % of the cost; 50.0 per"), "{text}");
        assert_eq!(findings[0].sites[0].to_string(), "tree.h (get)");
    }

    #[test]
    fn a_hot_function_with_most_misses_fires() {
        let profile =
            counted(EVENTS, &[("walk", &[100_000, 40_000, 20_000, 0]), ("rest", &[900_000, 1, 10, 10])]);
        let findings = found(&profile, "profile-cache-misses");
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(findings[0].reason.text.contains("200 per 1000 instructions"), "{}", findings[0].reason.text);
        assert_eq!(findings[0].sites[0].to_string(), "/src/app.c (walk)");
        let share = findings[0].severity.as_ref().unwrap().share.get();
        assert!((share - 2e6 / (1e6 + 2_002_000.0)).abs() < 1e-6, "{share}");
    }

    #[test]
    fn evenly_spread_misses_and_cold_functions_do_not() {
        let profile = counted(EVENTS, &[("a", &[500_000, 1, 100, 0]), ("b", &[500_000, 1, 100, 0])]);
        assert_eq!(found(&profile, "profile-cache-misses"), []);
        let profile = counted(EVENTS, &[("start", &[100, 1, 90, 0]), ("b", &[500_000, 1, 10, 0])]);
        assert_eq!(found(&profile, "profile-cache-misses"), []);
    }

    #[test]
    fn sampled_misses_are_compared_with_the_first_event() {
        let events = &["samples", "cycles:u", "cache-misses:u"];
        let own: [(&str, &[u64]); 2] = [("walk", &[10, 1000, 900]), ("rest", &[90, 9000, 100])];
        assert_eq!(found(&counted(events, &own), "profile-cache-misses").len(), 1);
    }
}
