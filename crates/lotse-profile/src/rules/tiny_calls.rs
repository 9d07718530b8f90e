//! Finds tiny functions that are called very often.

use lotse_model::finding::{Finding, Level};
use lotse_model::id::FunctionId;
use lotse_model::rule::Threshold;
use lotse_model::{Rule, Unit};
use lotse_report::number::{format_share, significant};

use super::{Context, Draft, PRIOR};
use crate::report::grouped;

pub(super) const RULE: Rule = Rule {
    id: "profile-tiny-calls",
    version: 1,
    title: "a tiny function is called very often",
    meaning: "Getting into the function and back costs about as much as what it does. Such calls also hide the loop \
              from the compiler, which could otherwise vectorise it.",
    computation: "Fires when a function is called at least `calls` times, costs at most `instructions` (or `seconds`) \
                  per call including what it calls, and has at least `share` of the total itself. The severity is its \
                  self cost, but at most ten instructions per call where instructions are counted.",
    example: "get_pixel(x, y) is called 40 million times and takes 9 instructions each time: 30 % of the program.",
    picture: "",
    advice: "Let the compiler inline it (define it in a header, static inline, link-time optimisation, #[inline]), or \
             pass whole rows instead of single elements.",
    thresholds: &[
        Threshold { name: "calls", default: 100_000.0, meaning: "calls at least" },
        Threshold { name: "instructions", default: 25.0, meaning: "instructions per call at most" },
        Threshold { name: "seconds", default: 1e-6, meaning: "time per call at most" },
        Threshold { name: "share", default: 0.03, meaning: "share of the total at least" },
    ],
    prior: PRIOR,
    references: &["Agner Fog, Optimizing software in C++, section 7.14"],
};

/// The estimated instructions of a call: call, return, saved registers and arguments.
const OVERHEAD: f64 = 10.0;

pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    let Some(called) = &context.summary.called else { return Vec::new() };
    let Some((event, limit, unit)) = measure(context) else { return Vec::new() };
    let judge = |function: FunctionId| {
        let calls = called[function.index()];
        let each = in_unit(context, event, context.inclusive(function, event)) / calls as f64;
        let share = context.own_share(function, event);
        let fires = calls as f64 >= context.threshold(&RULE, "calls")
            && (each > 0.0 && each <= limit)
            && share >= context.threshold(&RULE, "share");
        fires.then(|| finding(context, function, event, calls, (each, unit)))
    };
    context.active().filter_map(judge).collect()
}

/// The event type that calls are judged by, its limit per call, and its unit: instructions, else time.
fn measure(context: &Context<'_>) -> Option<(usize, f64, &'static str)> {
    if let Some(instructions) = context.any_event(&["Ir", "instructions"]) {
        return Some((instructions, context.threshold(&RULE, "instructions"), "instructions"));
    }
    let time = context.profile.events.iter().position(|event| event.unit == Unit::Seconds)?;
    Some((time, context.threshold(&RULE, "seconds"), "seconds"))
}

fn in_unit(context: &Context<'_>, event: usize, cost: i128) -> f64 {
    context.profile.events[event].in_unit(cost as f64)
}

/// The finding for a tiny function.
fn finding(
    context: &Context<'_>,
    function: FunctionId,
    event: usize,
    calls: u64,
    (each, unit): (f64, &'static str),
) -> Finding {
    let own = context.own_share(function, event);
    let overhead = calls as f64 * OVERHEAD / context.total(event) as f64;
    let lost = if unit == "instructions" { overhead.min(own) } else { own };
    let overhead_text = match lost < own {
        true => format!(
            ", of which at most {} is for the calls themselves ({OVERHEAD} instructions each)",
            format_share(lost, 1)
        ),
        false => String::new(),
    };
    let cost_text = if unit == "seconds" {
        lotse_report::number::format_seconds(each)
    } else {
        format!("{} {unit}", significant(each, 3))
    };
    Draft {
        rule: &RULE,
        level: Level::Note,
        sites: vec![context.site(function)],
        severity: (lost, "of the total"),
        certainty: 0.6,
        text: format!(
            "{} is called {} times for {cost_text} each; that is {} of the total{overhead_text}",
            context.name(function),
            grouped(i128::from(calls)),
            format_share(own, 1)
        ),
        data: vec![("calls", calls as f64), ("per_call", each), ("share", own)],
        recommendation: "let it be inlined, or do the work of many calls in one",
        verification: context.compare_command(),
    }
    .finish()
}

#[cfg(test)]
mod tests {
    use crate::analysis::tests::summed;
    use crate::rules::fixture::found;

    #[test]
    fn many_small_calls_fire_and_few_or_great_ones_do_not() {
        let profile = summed(
            &[("main", 10_000_000), ("pixel", 9_000_000), ("row", 9_000_000), ("rare", 900)],
            &[
                ("main", "pixel", 1_000_000, 9_000_000),
                ("main", "row", 1000, 9_000_000),
                ("main", "rare", 100, 900),
            ],
        );
        let findings = found(&profile, "profile-tiny-calls");
        assert_eq!(findings.len(), 1, "{findings:?}");
        let text = &findings[0].reason.text;
        assert!(text.starts_with("pixel is called 1,000,000 times for 9.00 instructions each"), "{text}");
    }

    /// The severity is a number that the text has: the share of the calls themselves, or that of the function.
    #[test]
    fn the_text_explains_the_severity() {
        for (own, said) in [
            (15_000_000, "that is 60.0 % of the total, of which at most 40.0 % is for the calls themselves"),
            (9_000_000, "that is 47.4 % of the total"),
        ] {
            let profile =
                summed(&[("main", 10_000_000), ("pixel", own)], &[("main", "pixel", 1_000_000, own)]);
            let finding = found(&profile, "profile-tiny-calls").remove(0);
            let share = finding.severity.unwrap().share.get();
            let text = finding.reason.text;
            assert!(text.contains(said), "{text}");
            assert!(text.contains(&lotse_report::number::format_share(share, 1)), "{share}: {text}");
        }
    }

    #[test]
    fn time_per_call_counts_where_there_are_no_instructions() {
        let mut profile =
            summed(&[("main", 10_000_000), ("get", 90_000_000)], &[("main", "get", 1_000_000, 90_000_000)]);
        profile.events[0] = lotse_model::profile::EventType::new("time", lotse_model::Unit::Seconds, -9);
        assert_eq!(found(&profile, "profile-tiny-calls").len(), 1);
        profile.events[0].exponent = -6;
        assert_eq!(found(&profile, "profile-tiny-calls"), []);
    }
}
