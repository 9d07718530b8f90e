//! `lotse explain`: what a rule means.

use lotse_report::{Block, Cell, Column, Document, Table};

use super::near::near;
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
    let near = near(rules::all().map(|rule| rule.id), name);
    let hint = near.first().map_or_else(String::new, |id| format!("; is it {id}?"));
    Failure::usage(format!("there is no rule '{name}'{hint} ('lotse explain' lists all)"))
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
