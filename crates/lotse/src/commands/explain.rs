//! `lotse explain`: what a rule means.

use lotse_model::Rule;
use lotse_report::{Block, Cell, Column, Document, Table};

use crate::args::ExplainArgs;
use crate::exit::{Exit, Failure};
use crate::settings::Settings;
use crate::{rules, screen};

pub(crate) fn run(args: &ExplainArgs) -> Result<Exit, Failure> {
    match &args.rule {
        None if args.json => screen::json(&rules::all().collect::<Vec<_>>()),
        None => screen::document(&list()),
        Some(name) => {
            let rule = rules::named(name).ok_or_else(|| unknown(name))?;
            if args.json {
                return screen::json(rule);
            }
            let thresholds = Settings::load()?.thresholds();
            screen::document(&lotse_report::explain::explain(rule, &thresholds))
        }
    }
}

fn list() -> Document {
    let mut table = Table::new("", vec![Column::left("rule"), Column::left("what it says")]);
    table.rows = rules::all().map(|rule| vec![Cell::text(rule.id), Cell::text(rule.title)]).collect();
    let mut document = Document::new();
    document.push(Block::Table(table)).paragraph("'lotse explain RULE' tells all about one of them.");
    document
}

fn unknown(name: &str) -> Failure {
    let near = rules::all().map(|rule| (distance(rule, name), rule.id)).min();
    let hint =
        near.filter(|(distance, _)| *distance <= 4).map_or(String::new(), |(_, id)| format!("; is it {id}?"));
    Failure::usage(format!("there is no rule '{name}'{hint} ('lotse explain' lists all)"))
}

/// Edit distance of the names, by the two-row method.
fn distance(rule: &Rule, name: &str) -> usize {
    let wanted: Vec<char> = name.chars().collect();
    let mut row: Vec<usize> = (0..=wanted.len()).collect();
    for (i, a) in rule.id.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in wanted.iter().enumerate() {
            let substituted = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[wanted.len()]
}

#[cfg(test)]
mod tests {
    use super::unknown;

    #[test]
    fn a_misspelt_rule_is_guessed() {
        assert!(unknown("bench-drfit").message.contains("is it bench-drift?"));
        assert!(!unknown("something-else-entirely").message.contains("is it"));
    }
}
