//! Tables by their names, for CSV.

use lotse_model::work::Sequential;
use lotse_report::{Block, Document};

use super::super as report;
use super::{script, subject};
use crate::analyze::{Options, Request, analyze, critical, what_if};
use crate::answer::InfoAnswer;

/// The names that `--table` takes, with the documents they are for.
#[test]
fn every_table_has_a_name_and_unknown_numbers_are_empty() {
    let subject = subject();
    let request = Request { scaled: vec![("phaseA".to_owned(), 0.5)], ..Request::default() };
    let changed = what_if(&subject, &request).unwrap();
    let answer = analyze(script().trace(), &Options::usual("t"), &Sequential).unwrap();
    for (document, names) in [
        (report::info(&InfoAnswer::from_trace(&script().trace())), &["locations", "records"][..]),
        (report::analyze(&answer, 0), &["blame", "losses", "path", "time"]),
        (
            report::critical_path(&critical(&subject), 0),
            &["path", "processes", "pairs", "imbalance", "rival"],
        ),
        (report::what_if(&changed, &subject.facts.location_labels, 0), &["changed", "bounds"]),
    ] {
        let captions = |document: &Document| -> Vec<String> {
            let caption = |block: &Block| match block {
                Block::Table(table) => Some(table.caption.clone()),
                _ => None,
            };
            document.blocks.iter().filter_map(caption).collect()
        };
        let named = names.iter().flat_map(|name| captions(&report::one_table(document.clone(), Some(name))));
        assert_eq!(named.collect::<Vec<_>>(), captions(&document));
        assert_eq!(captions(&report::one_table(document.clone(), None)), captions(&document)[..1]);
    }
    let mut document = Document::new();
    report::table(&mut document, "x", Vec::new(), vec![vec![report::share(1.0, 0.0)]]);
    let Some(Block::Table(table)) = report::one_table(document, None).blocks.pop() else { panic!("a table") };
    assert_eq!(table.rows[0][0].text, "");
}
