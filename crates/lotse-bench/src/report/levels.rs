//! Sentences about how much builds, layouts, runs and values within runs add to the spread, and how to divide time over them.

use lotse_model::Unit;
use lotse_report::number::{UnitScale, format_percent};

use crate::answer::{Answer, Comparison, Division, LevelShare, ProgramLevels, Units};

/// A smaller deviation is printed as zero.
const LEAST: f64 = 0.000_05;

/// One sentence for each program whose layouts or builds were drawn or whose runs have lists; for each comparison how many
/// builds or layouts it has and needs, and how time is best divided.
pub(super) fn sentences(answer: &Answer) -> Vec<String> {
    let primary = super::primary(answer);
    let programs = answer.levels.iter().map(|levels| program(levels, &primary));
    let comparisons = answer.primary().flat_map(|it| {
        let units = it.units.as_ref();
        let wider = units.is_some_and(|units| is_wider(it, units.wanted));
        let division = it.division.as_ref().filter(|_| wider);
        let precision = units.zip(division).map(self::division);
        let plain = units.map(|units| self::units(it, units, wider && precision.is_none()));
        plain.into_iter().chain(precision)
    });
    programs.chain(comparisons).collect()
}

fn program(levels: &ProgramLevels, primary: &str) -> String {
    let parts: Vec<String> = levels
        .levels
        .iter()
        .map(|it| {
            let within = if it.level == "value" { " within runs" } else { "" };
            // The spread explained by the levels below is subtracted, which may leave nothing.
            let deviation = match it.deviation {
                deviation if deviation < LEAST => "nothing measurable".to_owned(),
                deviation => format!("± {}", format_percent(deviation, 2)),
            };
            format!("{deviation} between {} {}s{within}", it.count, it.level)
        })
        .collect();
    let what = if levels.metric == primary { String::new() } else { format!(": {}", levels.metric) };
    format!("{}{what} varies by {}", levels.program, parts.join(", by "))
}

fn units(comparison: &Comparison, units: &Units, with_precision: bool) -> String {
    let Units { level, count, deviation, needed, wanted } = *units;
    let needed = needed.filter(|_| with_precision).map_or_else(String::new, |needed| {
        format!("; to know it to ± {} takes about {needed} {level}s", format_percent(wanted, 1))
    });
    format!(
        "the interval of {} is computed from {count} {level}s, whose measured ratios vary by ± {}{needed}",
        comparison.program,
        format_percent(deviation, 2)
    )
}

/// Whether the interval reaches further to either side than wanted.
fn is_wider(comparison: &Comparison, wanted: f64) -> bool {
    let interval = comparison.interval;
    let level = comparison.level;
    let precise = |low, high| lotse_stats::Interval { low, high, level }.relative_half_width() <= wanted;
    !matches!(interval, [Some(low), Some(high)] if precise(low, high))
}

/// How many builds or layouts reach the wanted precision, with the best number of runs in each, and the total time.
fn division((units, division): (&Units, &Division)) -> String {
    let above = division.levels.iter().map(|it| it.level);
    let parts: Vec<String> = division
        .levels
        .iter()
        .skip(1)
        .zip(above)
        .rev()
        .filter_map(|(share, above)| {
            let count = share.repetitions?;
            Some(format!("{count} {}{} in each {above}", share.level, if count == 1 { "" } else { "s" }))
        })
        .collect();
    let costs: Vec<String> = division.levels.iter().map(cost).collect();
    format!(
        "to know it to ± {} takes about {} {}s, best with {} ({}): {} in all; a decision may take fewer",
        format_percent(units.wanted, 1),
        division.needed,
        units.level,
        parts.join(" and "),
        costs.join(", "),
        duration(division.seconds)
    )
}

/// The cost of one more build, layout or run of both programs.
fn cost(share: &LevelShare) -> String {
    if share.seconds > 0.0 {
        format!("a {} of both takes {}", share.level, duration(share.seconds))
    } else {
        format!("a new {} takes no time", share.level)
    }
}

fn duration(seconds: f64) -> String {
    UnitScale::fitting(Unit::Seconds, seconds).format(seconds)
}

#[cfg(test)]
mod tests {
    use crate::rules::fixture::{Fixture, noise};

    fn in_turn(count: usize) -> Fixture {
        let drawn = noise(count, 0.05, 3);
        let program: Vec<f64> =
            noise(80, 0.001, 4).iter().enumerate().map(|(at, value)| value * drawn[at % count]).collect();
        Fixture::paired(&[("base", &noise(80, 0.001, 5)), ("new", &program)])
    }

    #[test]
    fn each_level_has_its_spread_and_a_sentence_on_the_best_division_of_time() {
        let sentences = super::sentences(&in_turn(20).in_layouts(20).answer());
        assert_eq!(sentences.len(), 4, "{sentences:?}");
        assert!(sentences[0].starts_with("base varies by ± 0."), "{sentences:?}");
        assert!(
            sentences[1].starts_with("new varies by ± 4.46 % between 20 layouts, by ± 0."),
            "{sentences:?}"
        );
        assert!(sentences[1].ends_with("between 80 runs"), "{sentences:?}");
        assert!(sentences[2].contains("computed from 20 layouts"), "{sentences:?}");
        assert!(
            sentences[2].ends_with('%'),
            "the number of layouts stands in the next sentence: {sentences:?}"
        );
        assert!(sentences[3].starts_with("to know it to ± 1.0 % takes about 11"), "{sentences:?}");
        assert!(sentences[3].contains("layouts, best with 1 run in each layout"), "{sentences:?}");
        assert!(
            sentences[3].contains("(a new layout takes no time, a run of both takes 1.973 s)"),
            "{sentences:?}"
        );
        assert!(sentences[3].ends_with("s in all; a decision may take fewer"), "{sentences:?}");
    }

    #[test]
    fn builds_that_take_time_have_several_runs() {
        let mut fixture = in_turn(20).in_builds(20);
        fixture.set.programs.iter_mut().for_each(|program| program.build_seconds = Some(3600.0));
        let sentences = super::sentences(&fixture.answer());
        assert!(sentences[3].contains("best with 2 runs in each build"), "{sentences:?}");
        assert!(sentences[3].contains("a build of both takes 7200"), "{sentences:?}");
    }

    #[test]
    fn without_layouts_there_are_no_sentences() {
        let fixture = Fixture::paired(&[("base", &noise(20, 0.01, 5)), ("new", &noise(20, 0.01, 6))]);
        assert_eq!(super::sentences(&fixture.answer()), Vec::<String>::new());
    }

    #[test]
    fn values_within_runs_have_their_metric_and_their_level() {
        let mut fixture = Fixture::paired(&[("base", &noise(20, 0.01, 5)), ("new", &noise(20, 0.01, 6))]);
        fixture.measure("latency", &[&noise(20, 0.01, 7), &noise(20, 0.01, 8)]);
        for run in &mut fixture.set.runs {
            let mean = run.values["latency"];
            run.within.insert("latency".to_owned(), vec![0.9 * mean, 1.1 * mean]);
        }
        let sentences = super::sentences(&fixture.answer());
        assert!(
            sentences[0].starts_with("base: latency varies by nothing measurable between 20 runs, by ± 14."),
            "{sentences:?}"
        );
        assert!(sentences[0].ends_with("between 40 values within runs"), "{sentences:?}");
    }
}
