//! Lines of two callgrind files, with sources that were kept, edited in place, or lost.

use std::collections::HashMap;

use lotse_model::NoProgress;
use lotse_model::bytes::{Memory, Source};

use super::{LinePairing, PairedLines, paired_lines};
use crate::analysis::{Analysis, CycleMode};
use crate::diff::tests::everything;
use crate::diff::{Basis, Comparison, DiffOrder, DiffSide, LineSources, program_lines};
use crate::events::{Cost, EventTypes};
use crate::lines::{LineOrder, LinesQuery, ranked_lines};
use crate::open::{Request, open};
use crate::resolve::Files;

const RECORDED: [i64; 2] = [1_000_000_000_000, 2_000_000_000_000];

/// Source files by path, with the time of their last change.
#[derive(Default)]
struct Sources(HashMap<&'static str, (&'static str, i64)>);

/// A text that owns its name.
struct Text(&'static str, &'static str);

impl Source for Text {
    fn name(&self) -> &str {
        self.0
    }

    fn bytes(&self) -> &[u8] {
        self.1.as_bytes()
    }

    fn get(&self, _name: &str) -> std::io::Result<Vec<u8>> {
        Err(std::io::ErrorKind::NotFound.into())
    }

    fn siblings(&self) -> std::io::Result<Vec<String>> {
        Ok(Vec::new())
    }
}

impl Files for Sources {
    fn open(&self, path: &str) -> Option<Box<dyn Source>> {
        let (path, (text, _)) = self.0.get_key_value(path)?;
        Some(Box::new(Text(path, text)))
    }

    fn modified(&self, path: &str) -> Option<i64> {
        self.0.get(path).map(|(_, time)| *time)
    }
}

/// Functions, each with its lines and their costs.
type Functions<'f> = &'f [(&'f str, &'f [(u32, u32)])];

/// Pairs the lines of functions in files with these paths.
fn paired(files: [&str; 2], functions: [Functions<'_>; 2], sources: &Sources) -> PairedLines {
    let texts = [0, 1].map(|at| {
        let lines = |lines: &[(u32, u32)]| {
            lines.iter().map(|(line, cost)| format!("{line} {cost}\n")).collect::<String>()
        };
        let function = |(name, costs): &(&str, &[(u32, u32)])| format!("fn={name}\n{}", lines(costs));
        let functions: String = functions[at].iter().map(function).collect();
        format!("events: Ir\nob=/lib/x.so\nfl={}\n{functions}", files[at])
    });
    let memory = texts.each_ref().map(|text| Memory { name: "x", bytes: text.as_bytes() });
    let mut opened = memory.each_ref().map(|it| open(it, &Request::default(), &mut NoProgress).unwrap());
    for (opened, recorded) in opened.iter_mut().zip(RECORDED) {
        opened.profile.recorded = Some(recorded);
    }
    let analyses = opened.each_ref().map(|it| Analysis::of_default_parts(&it.profile, CycleMode::Folded));
    let columns = opened.each_ref().map(|it| EventTypes::new(&it.profile, &[]).unwrap().own());
    let side = |at: usize| DiffSide {
        file: "x",
        format: opened[at].format,
        analysis: &analyses[at],
        columns: &columns[at],
    };
    let sides = [side(0), side(1)];
    let comparison = Comparison::new(&sides, Basis::Cost);
    let all = |at: usize| {
        let query = LinesQuery { columns: &columns[at], order: LineOrder::Own, limit: None };
        ranked_lines(&opened[at], &analyses[at], &query).unwrap().lines
    };
    let sources = LineSources { files: sources, directories: &[] };
    let mut found = paired_lines(&comparison, [&all(0), &all(1)], [sources, sources]);
    found.sort(DiffOrder::Difference, false, 0);
    let sum = |cost: fn(&crate::diff::Change) -> Option<Cost>| -> f64 {
        found.lines.iter().filter_map(|line| cost(&line.own[0])).map(Cost::as_f64).sum()
    };
    assert_eq!(sum(|change| change.old), analyses[0].totals[0] as f64, "no cost is lost");
    assert_eq!(sum(|change| change.new), analyses[1].totals[0] as f64, "no cost is lost");
    let (shown, _) = program_lines(&comparison, found.clone(), &everything());
    assert_eq!(shown.len(), found.lines.len());
    found
}

/// Each line: where it was, where it is, how that was found, and its difference.
fn rows(found: &PairedLines) -> Vec<(Option<u32>, u32, LinePairing, f64)> {
    let row = |line: &super::PairedLine| {
        let was = line.old.as_ref().map(|(_, line)| *line);
        (was, line.line, line.pairing, line.own[0].difference.as_f64())
    };
    found.lines.iter().map(row).collect()
}

const OLD: &str = "int f() {\n  one();\n  two();\n}\n";
const NEW: &str = "// inserted\nint f() {\n  one();\n  three();\n  two();\n}\n";

#[test]
fn lines_with_the_text_of_both_sources_are_the_same_though_they_moved() {
    let sources = Sources([("/v1/a.c", (OLD, 0)), ("/v2/a.c", (NEW, 0))].into());
    let found = paired(
        ["/v1/a.c", "/v2/a.c"],
        [&[("f", &[(2, 100), (3, 50), (4, 1)])], &[("f", &[(3, 10), (4, 30), (5, 50)])]],
        &sources,
    );
    assert_eq!(
        rows(&found),
        [
            (Some(2), 3, LinePairing::Text, -90.0),
            (None, 4, LinePairing::New, 30.0),
            (Some(4), 6, LinePairing::Text, -1.0),
            (Some(3), 5, LinePairing::Text, 0.0),
        ]
    );
    assert_eq!(found.notes, ["3 lines are matched by their text in both sources, 3 of them moved"]);
}

#[test]
fn a_file_that_did_not_change_has_equal_numbers() {
    let sources = Sources([("/a.c", (OLD, RECORDED[0]))].into());
    let found = paired(["/a.c", "/a.c"], [&[("f", &[(2, 100)])], &[("g", &[(2, 70), (3, 5)])]], &sources);
    assert_eq!(
        rows(&found),
        [(Some(2), 2, LinePairing::Unchanged, -30.0), (Some(3), 3, LinePairing::Unchanged, 5.0)]
    );
    let [note] = &found.notes[..] else { panic!("{:?}", found.notes) };
    assert!(note.starts_with("2 lines are matched by number, because"), "{note}");
}

/// The text of the old version is gone: line 3 is one of `f` before, and one of `g` after the change.
#[test]
fn a_file_that_was_edited_in_place_has_lines_by_number_and_function() {
    let sources = Sources([("/a.c", (NEW, RECORDED[1] - 10_000_000_000))].into());
    let functions: [Functions<'_>; 2] =
        [&[("f", &[(2, 100), (3, 40)])], &[("f", &[(2, 90)]), ("g", &[(3, 7)])]];
    let found = paired(["/a.c", "/a.c"], functions, &sources);
    assert_eq!(
        rows(&found),
        [
            (Some(3), 3, LinePairing::Gone, -40.0),
            (Some(2), 2, LinePairing::Number, -10.0),
            (None, 3, LinePairing::New, 7.0),
        ]
    );
    let reason = |found: &PairedLines| found.notes.concat();
    assert!(
        reason(&found)
            .contains("a.c are matched by number and function, because the source was changed after")
    );
    let lost = paired(["/a.c", "/a.c"], functions, &Sources::default());
    assert_eq!(rows(&lost), rows(&found));
    assert!(reason(&lost).contains("because the source is not found"), "{:?}", lost.notes);
}

/// Without sources: the library is the same file that was recorded both times, so that its lines cannot have moved.
#[test]
fn lines_of_a_library_that_did_not_change_are_the_same() {
    let functions: [Functions<'_>; 2] = [&[("f", &[(2, 100)])], &[("f", &[(2, 90), (3, 5)])]];
    let library = |changed: i64| Sources([("/lib/x.so", ("", changed))].into());
    let found = paired(["/a.c", "/a.c"], functions, &library(RECORDED[0]));
    assert_eq!(
        rows(&found),
        [(Some(2), 2, LinePairing::Unchanged, -10.0), (Some(3), 3, LinePairing::Unchanged, 5.0)]
    );
    let [note] = &found.notes[..] else { panic!("{:?}", found.notes) };
    assert!(note.starts_with("2 lines are matched by number, because"), "{note}");
    let rebuilt = paired(["/a.c", "/a.c"], functions, &library(RECORDED[1] - 10_000_000_000));
    assert_eq!(rows(&rebuilt), [(Some(2), 2, LinePairing::Number, -10.0), (None, 3, LinePairing::New, 5.0)]);
}
