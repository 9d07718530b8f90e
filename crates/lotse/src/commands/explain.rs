//! `lotse explain`: what a rule or a word of the output means.

use lotse_report::glossary::{self, Term, Topic, definitions};
use lotse_report::{Block, Cell, Column, Document, Table};
use serde::Serialize;

use super::near::near;
use crate::args::ExplainArgs;
use crate::exit::{Exit, Failure};
use crate::settings::Settings;
use crate::{rules, screen};

pub(crate) fn run(args: &ExplainArgs) -> Result<Exit, Failure> {
    match &args.rule {
        None if args.json => screen::json(&rules::all().collect::<Vec<_>>()),
        None => screen::document(&rule_list()),
        Some(name) if name.eq_ignore_ascii_case("glossary") => print_glossary(&Topic::ALL, args.json),
        Some(name) => match rules::named(name) {
            Some(rule) if args.json => screen::json(rule),
            Some(rule) => {
                let thresholds = Settings::load()?.thresholds();
                screen::document(&lotse_report::explain::explain(rule, &thresholds))
            }
            None => explain_word(name, args.json),
        },
    }
}

/// Prints every word of the output, by topic.
fn print_glossary(topics: &[Topic], json: bool) -> Result<Exit, Failure> {
    if json {
        let terms = topics.iter().flat_map(|topic| topic.terms());
        return screen::json(&terms.map(TermAnswer::new).collect::<Vec<_>>());
    }
    let mut document = Document::new();
    for topic in topics {
        document.heading(2, topic.title()).push(Block::Definitions(definitions(topic.terms())));
    }
    screen::document(&document)
}

/// Prints the meanings of a word of the output, one for each topic that has the word.
fn explain_word(name: &str, json: bool) -> Result<Exit, Failure> {
    let terms = glossary::named(name);
    if terms.is_empty() {
        return Err(unknown(name));
    }
    if json {
        return screen::json(&terms.into_iter().map(TermAnswer::new).collect::<Vec<_>>());
    }
    let mut document = Document::new();
    document.push(Block::Definitions(definitions(terms.into_iter())));
    screen::document(&document)
}

/// A word of the glossary, as JSON.
#[derive(Debug, Serialize)]
struct TermAnswer {
    word: &'static str,
    also: &'static [&'static str],
    meaning: &'static str,
    topic: &'static str,
}

impl TermAnswer {
    fn new(term: &Term) -> Self {
        Self { word: term.word, also: term.also, meaning: term.meaning, topic: term.topic.title() }
    }
}

fn rule_list() -> Document {
    let mut table = Table::new("", vec![Column::left("rule"), Column::left("what it says")]);
    table.rows = rules::all().map(|rule| vec![Cell::text(rule.id), Cell::text(rule.title)]).collect();
    let mut document = Document::new();
    document.push(Block::Table(table))
        .paragraph("`lotse explain RULE` says all about one of them, `lotse explain glossary` what the words of the output mean.");
    document
}

fn unknown(name: &str) -> Failure {
    let words = glossary::terms().map(|term| term.word);
    let near = near(rules::all().map(|rule| rule.id).chain(words), name);
    let hint = near.first().map_or_else(String::new, |id| format!("; is it {id}?"));
    Failure::usage(format!(
        "there is no rule and no word '{name}'{hint} ('lotse explain' lists all rules, 'lotse explain glossary' all words)"
    ))
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
