//! What builds, layouts and single runs add to the spread, in sentences.

use lotse_report::number::format_percent;

use crate::answer::{Answer, ProgramLevels, Units};

/// One sentence for each program whose layouts or builds were drawn, and how many of them a comparison has and needs.
pub(super) fn sentences(answer: &Answer) -> Vec<String> {
    let programs = answer.levels.iter().map(program);
    let comparisons =
        answer.primary().filter_map(|it| Some(units(&it.program, it.units.as_ref()?, it.delta)));
    programs.chain(comparisons).collect()
}

fn program(levels: &ProgramLevels) -> String {
    let parts: Vec<String> = levels
        .levels
        .iter()
        .map(|it| format!("± {} between {} {}s", format_percent(it.deviation, 2), it.count, it.level))
        .collect();
    format!("{} varies by {}", levels.program, parts.join(", by "))
}

fn units(program: &str, units: &Units, delta: f64) -> String {
    let Units { level, count, deviation, needed } = *units;
    let needed = needed
        .map_or_else(String::new, |needed| format!("; ± {} needs about {needed}", format_percent(delta, 1)));
    format!(
        "the interval of {program} is computed from {count} {level}s, between which the ratio varies by ± {}{needed}",
        format_percent(deviation, 2)
    )
}

#[cfg(test)]
mod tests {
    use crate::rules::fixture::{Fixture, noise};

    #[test]
    fn levels_are_told_apart() {
        let layouts = noise(20, 0.05, 3);
        let program: Vec<f64> =
            noise(80, 0.001, 4).iter().enumerate().map(|(at, value)| value * layouts[at % 20]).collect();
        let fixture = Fixture::paired(&[("base", &noise(80, 0.001, 5)), ("new", &program)]).in_layouts(20);
        let said = super::sentences(&fixture.answer());
        assert_eq!(said.len(), 3, "{said:?}");
        assert!(said[0].starts_with("base varies by ± 0."), "{said:?}");
        assert!(said[1].starts_with("new varies by ± 4.46 % between 20 layouts, by ± 0."), "{said:?}");
        assert!(said[1].ends_with("between 80 runs"), "{said:?}");
        assert!(said[2].contains("computed from 20 layouts"), "{said:?}");
    }

    #[test]
    fn nothing_is_said_of_what_was_not_drawn() {
        let fixture = Fixture::paired(&[("base", &noise(20, 0.01, 5)), ("new", &noise(20, 0.01, 6))]);
        assert_eq!(super::sentences(&fixture.answer()), Vec::<String>::new());
    }
}
