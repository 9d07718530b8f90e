//! Documents of made-up answers. `UPDATE_EXPECT=1 cargo test -p lotse-bench` writes the golden files anew.

use expect_test::expect_file;
use lotse_model::Fingerprint;
use lotse_model::results::StartCost;
use lotse_report::number::TimeUnit;
use lotse_report::{Block, Document, FORMATS, Options, format};

use super::{View, full, statistics_table, summary, thesis};
use crate::answer::Answer;
use crate::rules::fixture::{Fixture, noise};

const PLAIN: View = View { time_unit: None, fastest_first: false };

fn render(document: &Document, format: &str) -> String {
    let options = Options { width: 80, ..Options::default() };
    format::named(format).unwrap().to_string(document, options).unwrap()
}

fn check(name: &str, document: &Document, formats: &[&str]) {
    for name_of_format in formats {
        let extension = format::named(name_of_format).unwrap().extension;
        let path = format!("../../tests/golden/{name}.{extension}");
        expect_file![path].assert_eq(&render(document, name_of_format));
    }
}

fn scaled(values: &[f64], factor: f64) -> Vec<f64> {
    values.iter().map(|value| value * factor).collect()
}

/// Two programs with a clear difference, a failed run, memory, a control arm and a shell.
fn two_programs() -> Answer {
    let old = scaled(&noise(24, 0.01, 31), 0.0125);
    let new = scaled(&noise(24, 0.01, 32), 0.0115);
    let control = scaled(&noise(24, 0.01, 33), 0.0125);
    let mut fixture = Fixture::paired(&[("old", &old), ("new_version", &new), ("old (control)", &control)]);
    let (small, large) = ([2_097_152.0; 24], [4_194_304.0; 24]);
    fixture.measure("cpu", &[&scaled(&old, 0.9), &scaled(&new, 0.9), &scaled(&control, 0.9)]);
    fixture.measure("peak_memory", &[&small, &large, &small]);
    fixture.set_control(2, "old");
    fixture.set.programs[1].parameters.insert("size".to_owned(), "100".to_owned());
    fixture.set.seed = Some(42);
    fixture.set.machine = Some(Fingerprint {
        lotse: "0.1.0".to_owned(),
        processor: Some("Example 1000".to_owned()),
        online_cpus: Some(2),
        memory: Some(8 << 30),
        virtual_machine: Some(true),
        ..Fingerprint::default()
    });
    fixture.fail("old", 1, "ended with exit code 3");
    let subtracted = [("wall".to_owned(), 0.000_8)].into();
    fixture.set.start_cost =
        Some(StartCost { starter: "the shell".to_owned(), subtracted, ..StartCost::default() });
    fixture.answer()
}

/// Three programs that were not interleaved.
fn three_in_a_row() -> Answer {
    let values = |centre: f64, seed: u64| scaled(&noise(12, 0.02, seed), centre);
    Fixture::sequential(&[("a", &values(2.0, 41)), ("b", &values(1.0, 42)), ("c", &values(2.02, 43))])
        .answer()
}

const TEXTS: &[&str] = &["terminal", "markdown", "latex"];

#[test]
fn the_summary() {
    check("summary", &summary(&two_programs(), PLAIN), TEXTS);
    let view = View { time_unit: Some(TimeUnit::Millisecond), fastest_first: true };
    check("summary-in-a-row", &summary(&three_in_a_row(), view), &["terminal"]);
}

#[test]
fn the_table_for_issues() {
    check("table", &statistics_table(&two_programs(), PLAIN), TEXTS);
    let view = View { time_unit: Some(TimeUnit::Microsecond), fastest_first: true };
    check("table-in-a-row", &statistics_table(&three_in_a_row(), view), &["markdown"]);
}

#[test]
fn the_thesis_s_tables() {
    check("thesis", &thesis(&two_programs(), PLAIN), TEXTS);
    check("thesis-in-a-row", &thesis(&three_in_a_row(), PLAIN), TEXTS);
}

#[test]
fn the_full_report() {
    let mut document = full(&two_programs(), PLAIN);
    // The explanations of terms are the same for every answer.
    let terms = document.blocks.split_off(document.blocks.len() - 2);
    assert!(matches!(&terms[1], Block::Definitions(terms) if terms.len() > 10));
    check("full", &document, &["markdown"]);
}

#[test]
fn the_full_report_has_every_plot_of_the_answer() {
    let titles = |answer: &Answer| {
        let figure = |block: &Block| match block {
            Block::Figure(figure) => Some(figure.title.clone()),
            _ => None,
        };
        full(answer, PLAIN).blocks.iter().filter_map(figure).collect::<Vec<_>>()
    };
    let all = ["Ratios", "Box plot", "Distribution", "Histogram", "Run order"];
    assert_eq!(titles(&two_programs()), all);
    let alone = Fixture::paired(&[("a", &noise(20, 0.01, 1))]).answer();
    assert_eq!(titles(&alone), all[1..]);
}

#[test]
fn a_program_without_values_comes_last_whatever_the_order() {
    let mut fixture = Fixture::paired(&[("broken", &[1.0; 3]), ("slow", &[3.0; 3]), ("fast", &[2.0; 3])]);
    fixture.fail("broken", 3, "no");
    let answer = fixture.answer();
    let order = |fastest_first: bool| {
        let text = render(&summary(&answer, View { time_unit: None, fastest_first }), "csv");
        text.lines()
            .skip(1)
            .take(3)
            .map(|line| line.split(',').next().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(order(false), ["broken", "slow", "fast"]);
    assert_eq!(order(true), ["fast", "slow", "broken"]);
}

/// Renders all documents in all formats: no panic, the programs are named, and no number is NaN or infinite.
fn check_survives(what: &str, answer: &Answer) {
    let documents = [summary, statistics_table, thesis, full].map(|make| make(answer, PLAIN));
    for (document, format) in documents.iter().flat_map(|one| FORMATS.iter().map(move |format| (one, format)))
    {
        let text = format.to_string(document, Options::default()).unwrap();
        let strange = |word: &&str| ["nan", "inf", "-inf"].contains(&word.to_lowercase().as_str());
        let found = text.split(|c: char| !c.is_alphanumeric() && c != '-').find(strange);
        assert_eq!(found, None, "{what} as {}:\n{text}", format.name);
    }
    for program in &answer.programs {
        let named = render(&summary(answer, PLAIN), "csv").contains(&program.name);
        assert!(named, "{what}: {} is missing", program.name);
    }
}

#[test]
fn degenerate_answers_are_reported_too() {
    check_survives("no programs", &Answer::from_results(&lotse_model::results::ResultSet::default()));
    let mut failed = Fixture::paired(&[("a", &[1.0; 4]), ("b", &[2.0; 4])]);
    failed.fail("b", 4, "no");
    check_survives("one always failed", &failed.answer());
    failed.fail("a", 4, "no");
    check_survives("all failed", &failed.answer());
    let cases: [(&str, &[f64], &[f64]); 7] = [
        ("zeros", &[0.0; 5], &[0.0; 5]),
        ("a reference of zero", &[0.0; 5], &[1.0, 2.0, 1.0, 2.0, 1.0]),
        ("one block: nothing is bounded", &[1.0], &[2.0]),
        ("constants", &[3.0; 5], &[3.0; 5]),
        ("tiny", &[1e-300; 5], &[2e-300, 1e-300, 2e-300, 1e-300, 2e-300]),
        ("huge", &[1e300; 5], &[2e300, 1e300, 2e300, 1e300, 2e300]),
        ("far apart", &[1e-12, 2e-12, 1e-12], &[1e12, 2e12, 1e12]),
    ];
    for (what, a, b) in cases {
        check_survives(what, &Fixture::paired(&[("a", a), ("b", b)]).answer());
        check_survives(what, &Fixture::paired(&[("a", a)]).answer());
    }
    for (what, a, b) in cases {
        check_survives(what, &Fixture::sequential(&[("a", a), ("b", b)]).answer());
    }
}
