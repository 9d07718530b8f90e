//! Finds deep recursion, and functions that call themselves far more often than others call them.

use lotse_formats::unwind::is_missing_caller;
use lotse_model::Rule;
use lotse_model::finding::{Finding, Level};
use lotse_model::id::{FunctionId, StackId};
use lotse_model::rule::Threshold;
use lotse_report::number::{format_share, significant};

use super::{Context, Draft, PRIOR};
use crate::report::grouped;

pub(super) const RULE: Rule = Rule {
    id: "profile-deep-recursion",
    version: 2,
    title: "a function calls itself very often or very deep",
    meaning: "Every level costs a call and a stack frame, and an input that goes deeper can overflow the stack. Where \
              each call makes several more, the same work may be done again and again.",
    computation: "Where calls are counted: at least `calls` calls of the function while it runs, `ratio` for each call from \
                  outside. These are calls from the function itself and, if all calls that enter its cycle enter it at this \
                  function, those from the cycle; elsewhere counts do not show whether a call is nested. Where there are \
                  stacks: a stack that has the function `depth` times. In both cases the function has at least `share` of \
                  the inclusive cost.",
    example: "fib(30) is called once from main and 1.6 million times from itself.",
    picture: "",
    advice: "Keep results that are needed again, cut the recursion off earlier (small cases in a loop), or turn it into \
             a loop with a stack of its own.",
    thresholds: &[
        Threshold { name: "calls", default: 1000.0, meaning: "recursive calls at least" },
        Threshold { name: "ratio", default: 100.0, meaning: "recursive calls for each one from outside" },
        Threshold { name: "depth", default: 100.0, meaning: "times on one stack" },
        Threshold { name: "share", default: 0.1, meaning: "share of the inclusive cost" },
    ],
    prior: PRIOR,
    references: &[],
};

pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    match from_counts(context) {
        found if !found.is_empty() => found,
        _ => from_stacks(context),
    }
}

/// Findings from numbers of calls: recursive calls for each call from outside.
fn from_counts(context: &Context<'_>) -> Vec<Finding> {
    let (Some(called), Some(recursed)) = (&context.summary.called, &context.summary.recursed) else {
        return Vec::new();
    };
    let entries = entries(context, called, recursed);
    let by_themselves = calls_by_themselves(context);
    let judge = |function: FunctionId| {
        let entering = called[function.index()].saturating_sub(recursed[function.index()]);
        // Whoever is called inside the cycle is called below the function by which it is entered. A cycle that no call
        // enters has no such function.
        let is_entry = |cycle: &u32| entering > 0 && entries[*cycle as usize] == entering;
        let cycle = context.summary.cycle[function.index()].filter(is_entry);
        let inside = match cycle {
            Some(_) => recursed[function.index()],
            None => by_themselves[function.index()],
        };
        let outside = match cycle {
            Some(_) => entering,
            None => called[function.index()].saturating_sub(inside),
        };
        let ratio = inside as f64 / outside.max(1) as f64;
        let fires =
            inside as f64 >= context.threshold(&RULE, "calls") && ratio >= context.threshold(&RULE, "ratio");
        let text = || {
            let (name, ratio) = (context.name(function), significant(ratio, 3));
            let from = if cycle.is_some() { "call into its cycle" } else { "call" };
            let inside = grouped(i128::from(inside));
            format!(
                "{name} calls itself {ratio} times for each {from} from outside; {inside} calls in all, directly or \
                 through a cycle"
            )
        };
        (fires && heavy(context, function)).then(|| {
            finding(context, function, text(), vec![("recursive_calls", inside as f64), ("ratio", ratio)])
        })
    };
    context.active().filter_map(judge).collect()
}

/// For each function the number of its calls of itself.
fn calls_by_themselves(context: &Context<'_>) -> Vec<u64> {
    let mut counts = vec![0_u64; context.profile.functions.len()];
    for (_, part, _) in context.parts() {
        let calls = &part.calls;
        for row in (0..calls.len()).filter(|&row| calls.caller[row] == calls.callee[row]) {
            let count = &mut counts[calls.callee[row].index()];
            *count = count.saturating_add(calls.count[row]);
        }
    }
    counts
}

/// The number of calls that enter each cycle, at any of its members.
fn entries(context: &Context<'_>, called: &[u64], recursed: &[u64]) -> Vec<u64> {
    let cycles = context.summary.cycle.iter().flatten().max().map_or(0, |last| *last as usize + 1);
    let mut entries = vec![0_u64; cycles];
    for (function, cycle) in context.summary.cycle.iter().enumerate() {
        if let Some(cycle) = cycle {
            let outside = called[function].saturating_sub(recursed[function]);
            entries[*cycle as usize] = entries[*cycle as usize].saturating_add(outside);
        }
    }
    entries
}

fn heavy(context: &Context<'_>, function: FunctionId) -> bool {
    context.inclusive_share(function, 0) >= context.threshold(&RULE, "share")
}

/// The number of deepest stacks that are examined, and of frames of each: enough to see a recursion.
const MOST_STACKS: usize = 200;
const MOST_FRAMES: usize = 10_000;

/// Findings from stacks: functions that are on one stack very often.
fn from_stacks(context: &Context<'_>) -> Vec<Finding> {
    let least = context.threshold(&RULE, "depth") as usize;
    let mut most = vec![0_usize; context.profile.functions.len()];
    for stack in deepest(context, least) {
        let mut times: hashbrown::HashMap<FunctionId, usize> = hashbrown::HashMap::new();
        for frame in context.profile.stacks.frames(Some(stack)).take(MOST_FRAMES) {
            *times.entry(context.profile.frames.get(frame).function).or_default() += 1;
        }
        times
            .into_iter()
            .for_each(|(function, times)| most[function.index()] = most[function.index()].max(times));
    }
    let lacks_callers =
        context.active().any(|function| is_missing_caller(context.profile.function_name(function)));
    let fires = |function: &FunctionId| most[function.index()] >= least && heavy(context, *function);
    let found = context.active().filter(fires).map(|function| {
        let times = most[function.index()];
        let more = if times == MOST_FRAMES || lacks_callers { "at least " } else { "" };
        let text = format!("{} is {more}{times} times on one stack", context.name(function));
        finding(context, function, text, vec![("depth", times as f64)])
    });
    found.collect()
}

/// Sampled stacks that have at least `least` frames, the deepest first.
fn deepest(context: &Context<'_>, least: usize) -> Vec<StackId> {
    let below = &context.profile.stacks.below;
    let mut depth = vec![0_usize; below.len()];
    for stack in 0..below.len() {
        depth[stack] = below[stack].map_or(0, |below| depth[below.index()]) + 1;
    }
    let mut stacks: Vec<StackId> =
        context.parts().flat_map(|(_, part, _)| part.samples.stack.iter().flatten().copied()).collect();
    stacks.retain(|stack| depth[stack.index()] >= least);
    stacks.sort_by_key(|stack| (std::cmp::Reverse(depth[stack.index()]), *stack));
    stacks.dedup();
    stacks.truncate(MOST_STACKS);
    stacks
}

/// The finding for a recursive function.
fn finding(
    context: &Context<'_>,
    function: FunctionId,
    text: String,
    data: Vec<(&'static str, f64)>,
) -> Finding {
    let share = context.inclusive_share(function, 0);
    Draft {
        rule: &RULE,
        level: Level::Note,
        sites: vec![context.site(function)],
        severity: (share, "of the total"),
        certainty: 0.5,
        text: format!("{text}; it has {} of the inclusive cost", format_share(share, 1)),
        data,
        recommendation: "keep results that are needed again, or turn the recursion into a loop",
        verification: context.compare_command(),
    }
    .finish()
}

#[cfg(test)]
mod tests {
    use crate::analysis::tests::{stacked, summed};
    use crate::rules::fixture::found;

    const ID: &str = "profile-deep-recursion";

    #[test]
    fn a_function_that_calls_itself_often_fires() {
        let fib = |times| {
            summed(
                &[("main", 1), ("fib", 50_000)],
                &[("main", "fib", 1, 50_000), ("fib", "fib", times, 49_000)],
            )
        };
        let findings = found(&fib(5000), ID);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].reason.data["ratio"], 5000.0);
        assert_eq!(found(&fib(20), ID), []);
    }

    /// Frames that were not recorded may be further levels.
    #[test]
    fn stacks_that_lack_callers_are_lower_bounds() {
        let text = |outermost: &str| {
            let stack = format!("{outermost};{}", vec!["walk"; 150].join(";"));
            found(&stacked(&[(stack.as_str(), 10)]), ID)[0].reason.text.clone()
        };
        assert!(text("main").starts_with("walk is 150 times"), "{}", text("main"));
        assert!(text("[outer callers not recorded]").starts_with("walk is at least 150 times"));
    }

    #[test]
    fn calls_that_enter_the_cycle_elsewhere_are_no_recursion() {
        let lazy = |entries| {
            summed(
                &[("main", 1), ("init", 50_000), ("alloc", 10)],
                &[
                    ("main", "init", 1, 50_000),
                    ("main", "alloc", entries, 100),
                    ("init", "alloc", 1, 10),
                    ("alloc", "init", 2000, 90),
                ],
            )
        };
        assert_eq!(found(&lazy(1999), ID), []);
        assert_eq!(found(&lazy(0), ID).len(), 1);
    }

    /// `sort` is entered once and calls `compare` in a loop: `compare` never runs twice at the same time, although it is in
    /// the cycle of `sort`, which its callback may call again.
    #[test]
    fn a_member_that_is_called_in_a_loop_does_not_call_itself() {
        let profile = summed(
            &[("main", 1), ("sort", 10_000), ("compare", 50_000), ("call", 9_000)],
            &[
                ("main", "sort", 1, 69_000),
                ("sort", "compare", 5000, 59_000),
                ("compare", "call", 5000, 9_000),
                ("call", "sort", 1, 10),
                ("main", "call", 2, 10),
            ],
        );
        assert_eq!(found(&profile, ID), []);
        let without_entry = summed(
            &[("sort", 10_000), ("compare", 50_000)],
            &[("sort", "compare", 5000, 59_000), ("compare", "sort", 1, 10)],
        );
        assert_eq!(found(&without_entry, ID), []);
    }

    #[test]
    fn a_deep_stack_fires_and_a_shallow_one_does_not() {
        let deep = format!("main;{}", vec!["walk"; 150].join(";"));
        let findings = found(&stacked(&[(&deep, 5), ("main", 1)]), ID);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(findings[0].reason.text.contains("150 times on one stack"), "{}", findings[0].reason.text);
        assert_eq!(found(&stacked(&[("main;walk;walk;walk", 5)]), ID), []);
    }
}
