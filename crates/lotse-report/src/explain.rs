//! The documentation of a rule as a document, for `lotse explain` and for the reference pages.

use lotse_model::Rule;
use lotse_model::rule::Thresholds;

use crate::document::{Block, Cell, Column, Document, Inline, Role, Table};
use crate::number::format_percent;

/// The documentation of a rule: what it means, how it is computed, what to do, and the thresholds in force.
pub fn explain(rule: &Rule, thresholds: &Thresholds) -> Document {
    let mut document = Document::new();
    document.heading(1, format!("{}: {}", rule.id, rule.title));
    document.push(Block::Paragraph(vec![Inline::Marked(Role::Dim, format!("version {}", rule.version))]));
    section(&mut document, "What it means", rule.meaning);
    if !rule.picture.is_empty() {
        document.push(Block::Code(rule.picture.to_owned()));
    }
    section(&mut document, "How it is computed", rule.computation);
    section(&mut document, "What to do", rule.advice);
    if !rule.example.is_empty() {
        document.heading(2, "Example").push(Block::Code(rule.example.to_owned()));
    }
    if !rule.thresholds.is_empty() {
        document.heading(2, "Thresholds").push(Block::Table(table(rule, thresholds)));
    }
    document.heading(2, "How often it helps").paragraph(prior(rule));
    if !rule.references.is_empty() {
        let items = rule.references.iter().map(|&reference| vec![Inline::from(reference)]);
        document.heading(2, "References").push(Block::List(items.collect()));
    }
    document
}

fn section(document: &mut Document, title: &str, text: &str) {
    if text.is_empty() {
        return;
    }
    document.heading(2, title);
    for paragraph in text.split("\n\n") {
        document.paragraph(paragraph.trim());
    }
}

/// The thresholds of a rule with their defaults and the values in force; changed values are emphasised.
fn table(rule: &Rule, thresholds: &Thresholds) -> Table {
    let columns = vec![
        Column::left("name"),
        Column::decimal("default", ""),
        Column::decimal("in force", ""),
        Column::left("meaning"),
    ];
    let mut table = Table::new(format!("Set in lotse.toml under [rules.{}]", rule.id), columns);
    table.rows = rule
        .thresholds
        .iter()
        .map(|threshold| {
            let value = thresholds.get(rule, threshold.name);
            let in_force = Cell::number(value.to_string(), value);
            let in_force = if value == threshold.default { in_force } else { in_force.role(Role::Strong) };
            let default = Cell::number(threshold.default.to_string(), threshold.default);
            vec![threshold.name.into(), default, in_force, threshold.meaning.into()]
        })
        .collect();
    table
}

fn prior(rule: &Rule) -> String {
    let seen = rule.prior.helped + rule.prior.failed;
    let mean = format_percent(rule.prior.mean(), 0);
    format!(
        "Before anything was learned here, its advice is taken to help in {mean} of the cases, as if {seen} had been seen."
    )
}

#[cfg(test)]
mod tests {
    use super::explain;
    use crate::document::{Block, Role, Table};
    use crate::format::{Options, named};
    use crate::sample;
    use expect_test::expect;
    use lotse_model::Rule;
    use lotse_model::rule::{Threshold, Thresholds};

    /// The table of thresholds of a rule with two of them.
    fn thresholds_of(rule: &Rule, changed: &[(&str, &str, f64)]) -> Table {
        let mut thresholds = Thresholds::default();
        for (rule, name, value) in changed {
            thresholds.set(rule, name, *value);
        }
        let blocks = explain(rule, &thresholds).blocks;
        let mut tables = blocks.into_iter().filter_map(|block| match block {
            Block::Table(table) => Some(table),
            _ => None,
        });
        tables.next().unwrap()
    }

    #[test]
    fn only_what_was_changed_stands_out() {
        const TWO: Rule = Rule {
            thresholds: &[
                Threshold { name: "rise", default: 0.01, meaning: "" },
                Threshold { name: "runs", default: 30.0, meaning: "" },
            ],
            ..sample::RULE
        };
        for (changed, expected) in [
            (vec![], [("0.01", None), ("30", None)]),
            (vec![("bench-drift", "runs", 15.0)], [("0.01", None), ("15", Some(Role::Strong))]),
            (vec![("bench-drift", "rise", 0.05)], [("0.05", Some(Role::Strong)), ("30", None)]),
            (vec![("bench-drift", "rise", 0.01)], [("0.01", None), ("30", None)]),
            (vec![("another-rule", "rise", 9.0)], [("0.01", None), ("30", None)]),
        ] {
            let table = thresholds_of(&TWO, &changed);
            let default = |row: usize| table.rows[row][1].text.as_str();
            assert_eq!([default(0), default(1)], ["0.01", "30"], "{changed:?}");
            let in_force = |row: usize| (table.rows[row][2].text.as_str(), table.rows[row][2].role);
            assert_eq!([in_force(0), in_force(1)], expected, "{changed:?}");
        }
    }

    #[test]
    fn what_a_rule_does_not_say_gets_no_heading() {
        let silent = Rule { example: "", thresholds: &[], references: &[], advice: "", ..sample::RULE };
        let document = explain(&silent, &Thresholds::default());
        let headings: Vec<&str> = document
            .blocks
            .iter()
            .filter_map(|block| match block {
                Block::Heading { level: 2, text } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(headings, ["What it means", "How it is computed", "How often it helps"]);
    }

    #[test]
    fn all_parts_of_a_rule_are_shown() {
        let mut thresholds = Thresholds::default();
        thresholds.set("bench-drift", "rise", 0.05);
        let document = explain(&sample::RULE, &thresholds);
        let text = named("terminal").unwrap().to_string(&document, Options::default()).unwrap();
        expect![[r#"
            bench-drift: Run times drift

            version 2

            What it means

            The machine got slower or faster while it measured; a mean then depends on when you looked.

            How it is computed

            Theil-Sen slope over run numbers.

            Mann-Kendall test of the slope.

            What to do

            Let the machine cool down, or measure longer.

            Example

                lotse bench --runs 100 ./sort

            Thresholds

            Set in lotse.toml under [rules.bench-drift]
            name  default  in force  meaning
            ────  ───────  ────────  ──────────────────────────────────
            rise     0.01      0.05  share of the median, over all runs

            How often it helps

            Before anything was learned here, its advice is taken to help in 75 % of the cases, as if 4 had been
            seen.

            References

            • Sen 1968, doi:10.1080/01621459.1968.10480934
        "#]].assert_eq(&text);
    }
}
