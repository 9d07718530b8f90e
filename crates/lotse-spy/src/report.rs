//! Documents for human readers about findings, sites, phases and coverage.

use lotse_model::Finding;
use lotse_report::number::{format_count, format_share};
use lotse_report::{Block, Cell, Column, Document, Table};

use crate::container::AccessKind;
use crate::decode::Coverage;
use crate::instance::{CodeId, CodeTable};
use crate::program::{NOTICEABLE, Outcome, SiteSummary};
use crate::protocol::Protocol;
use crate::rules::file_of_dependency;
use crate::samples::MIN_SAMPLES;

/// A summary of a recording.
#[derive(Debug, Clone, Default)]
pub struct Recording {
    pub command: String,
    /// Number of recorded processes, including those that were left out.
    pub processes: usize,
    /// Number of accesses to all structures.
    pub events: u64,
    /// Number of structures.
    pub instances: u64,
    /// Whether the user's own crates were compiled without optimisation.
    pub unoptimised: bool,
    /// Run time without recording in seconds, if it was measured.
    pub unrecorded: Option<f64>,
    /// Number of samples of that run.
    pub samples: u64,
    /// Structures that rules about single structures did not look at, as clauses.
    pub unexamined: Vec<String>,
    /// Reasons why something is missing, as clauses.
    pub incomplete: Vec<String>,
}

/// The document of `analyze`, which is followed by the findings.
#[must_use]
pub fn analyze(recording: &Recording, outcome: &Outcome, coverage: &Coverage) -> Document {
    let mut document = Document::new();
    if coverage.accesses == 0 {
        document.lead(nothing_recorded(recording));
        document.blocks.extend(incomplete(recording).blocks);
        return document;
    }
    document.lead(match outcome.findings.first() {
        Some(first) if first.matters() == Some(false) => insignificant(outcome, recording.samples),
        Some(first) => sentence(&first.finding),
        None => "No structure is used in a way that a rule knows.".to_owned(),
    });
    document.blocks.extend(incomplete(recording).blocks);
    document.paragraph(format!(
        "`{}` made {} accesses to {}; {}.",
        recording.command,
        format_count(recording.events as f64),
        count(recording.instances as usize, "structure"),
        count(outcome.findings.len(), "finding")
    ));
    if let Some(problem) = named_share(coverage) {
        document.paragraph(problem);
    }
    if recording.unoptimised {
        document.paragraph("The program was built without optimisation: record it with --release for shares of the run time that hold.");
    }
    if recording.unrecorded.is_none() {
        document.paragraph("Severities are not known: the command was not run without recording.");
    }
    if !recording.unexamined.is_empty() {
        document.paragraph(format!(
            "Rules about single structures did not look at {}: each is shorter than `spy-history.min-length` or has fewer accesses than `spy-history.min-accesses`, which `--threshold` changes.",
            recording.unexamined.join(", ")
        ));
    }
    for silence in &outcome.silent {
        document.paragraph(format!(
            "`{}` was not applied: {}.",
            silence.rule,
            silence.reason.trim_end_matches('.')
        ));
    }
    document
}

/// The paragraph about what is missing in a recording.
fn incomplete(recording: &Recording) -> Document {
    let mut document = Document::new();
    if !recording.incomplete.is_empty() {
        document.paragraph(format!("The recording is incomplete: {}.", recording.incomplete.join("; ")));
    }
    document
}

/// The sentence for a recording without accesses: nothing ran that was built for recording, or its records were lost.
fn nothing_recorded(recording: &Recording) -> String {
    let command = &recording.command;
    let why = match (recording.incomplete.is_empty(), recording.processes) {
        (true, 0) => format!("`{command}` ran no program that was built to be recorded"),
        (true, processes) => {
            format!("`{command}` left no access that can be read in {}", count(processes, "recorded process"))
        }
        (false, _) => format!("no access of `{command}` was kept"),
    };
    format!("Nothing is known of data structures: {why}.")
}

/// The sentence for findings that do not matter. An access may count for several findings, so the sum is an upper bound.
fn insignificant(outcome: &Outcome, samples: u64) -> String {
    let shares = outcome.findings.iter().filter_map(|found| found.finding.severity.as_ref());
    let sum: f64 = shares.map(|severity| severity.share.get()).sum();
    let together = share_of_run(sum.min(1.0));
    if sum < NOTICEABLE {
        let bound = if together.starts_with("less") { "" } else { "at most " };
        return format!(
            "Nothing that matters was found: all findings together are {bound}{together} of the run time{}.",
            doubt(samples)
        );
    }
    let each = share_of_run(NOTICEABLE);
    format!(
        "No finding matters by itself: each is less than {each} of the run time, all together at most {together}{}.",
        doubt(samples)
    )
}

/// What an answer adds that rests on shares which were not sampled.
fn doubt(samples: u64) -> String {
    if samples >= MIN_SAMPLES {
        return String::new();
    }
    let what = "These shares are estimates and may be wrong by several times";
    match samples {
        0 => format!(
            ". {what}: there are no samples of the run without recording, because it was too short or sampling is not allowed"
        ),
        few => format!(
            ". {what}: there are only {} of the run without recording ({MIN_SAMPLES} are needed); record a run that takes longer",
            count(few as usize, "sample")
        ),
    }
}

/// `12 %`, `0.4 %`, `less than 0.1 %`.
fn share_of_run(share: f64) -> String {
    const LEAST: f64 = 0.001;
    match share {
        _ if share < LEAST => format!("less than {}", format_share(LEAST, 1)),
        _ if share < NOTICEABLE => format_share(share, 1),
        _ => format_share(share, 0),
    }
}

/// A finding as one sentence: what happens, how much it matters, what to do.
fn sentence(finding: &Finding) -> String {
    let text = &finding.reason.text;
    // The text begins with the name of the rule.
    let what = text.split_once(": ").map_or(text.as_str(), |(_, what)| what);
    let severity = finding.severity.as_ref().map_or_else(String::new, |severity| {
        format!(" ({} {})", share_of_run(severity.share.get()), severity.of)
    });
    format!("{what}{severity}: {}.", finding.recommendation)
}

fn count(number: usize, what: &str) -> String {
    let ending = match (number, what.ends_with('s')) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{} {what}{ending}", format_count(number as f64))
}

/// A sentence about damaged segments, and about accesses without a known operation if there are many.
fn named_share(coverage: &Coverage) -> Option<String> {
    const LITTLE: f64 = 0.02;
    let inside = (coverage.accesses - coverage.elsewhere).max(1) as f64;
    let share = coverage.unnamed as f64 / inside;
    let damaged = (coverage.damaged_segments > 0).then(|| {
        format!(
            "{} of the history, of up to 65,536 events each, are damaged and left out.",
            count(coverage.damaged_segments as usize, "segment")
        )
    });
    let unnamed = (share > LITTLE).then(|| {
        format!(
            "{:.0} % of the accesses are in library code without a name (`lotse spy coverage`).",
            share * 100.0
        )
    });
    let parts: Vec<String> = damaged.into_iter().chain(unnamed).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// The table of sites, those with the most accesses first.
#[must_use]
pub fn sites(sites: &[&SiteSummary], codes: &CodeTable, limit: usize) -> Document {
    let mut sorted: Vec<&SiteSummary> = sites.to_vec();
    sorted.sort_by_key(|site| std::cmp::Reverse(site.events));
    let columns = vec![
        Column::path("site"),
        Column::left("structure"),
        Column::right("instances"),
        Column::right("accesses"),
        Column::right("longest"),
        Column::left("mostly"),
    ];
    let mut table = Table::new("Where structures are made", columns);
    for site in sorted.iter().take(limit) {
        table.rows.push(vec![
            Cell::text(place(codes, site.site)),
            Cell::text(site.container.name()),
            number(site.instances),
            number(site.events),
            number(site.max_length),
            Cell::text(mostly(site)),
        ]);
    }
    let mut document = Document::new();
    let all: u64 = sites.iter().map(|site| site.events).sum();
    document.lead(format!(
        "{} accesses to structures that are made at {}.",
        format_count(all as f64),
        count(sites.len(), "site")
    ));
    document.push(Block::Table(table));
    document
}

/// The table of phases of the structures with the most accesses.
#[must_use]
pub fn phases(sites: &[&SiteSummary], codes: &CodeTable, limit: usize) -> Document {
    let columns = vec![
        Column::path("site"),
        Column::right("instance"),
        Column::key("phase"),
        Column::right("accesses"),
        Column::left("index"),
        Column::path("caused by"),
    ];
    let mut table = Table::new("Phases", columns);
    let mut protocols: Vec<&Protocol> = sites.iter().flat_map(|site| &site.protocols).collect();
    protocols.sort_by_key(|protocol| std::cmp::Reverse(protocol.events));
    let mut rows = 0;
    for protocol in protocols {
        for phase in protocol.all_phases() {
            rows += 1;
            if table.rows.len() >= limit {
                continue;
            }
            table.rows.push(vec![
                Cell::text(place(codes, protocol.instance.site)),
                number(protocol.instance.id.0),
                Cell::text(phase.characteristic.name()),
                number(phase.events),
                Cell::text(format!("{}–{}", phase.indices.0, phase.indices.1)),
                Cell::text(phase.codes.most().map_or_else(|| "?".to_owned(), |code| place(codes, code))),
            ]);
        }
    }
    let mut document = Document::new();
    document.lead(format!("{} in the structures with the most accesses.", count(rows, "phase")));
    document.push(Block::Table(table));
    if rows > 1 {
        document.paragraph(
            "An access may be in several phases: in a strict and a tolerant one, and in two where the direction turns.",
        );
    }
    document
}

/// The tables of how accesses were assigned to operations.
#[must_use]
pub fn coverage(coverage: &Coverage) -> Document {
    let inside = coverage.accesses - coverage.elsewhere;
    let known = coverage.named + coverage.direct;
    let share = 100.0 * known as f64 / inside.max(1) as f64;
    let mut document = Document::new();
    let inside = format_count(inside as f64);
    document.lead(format!("{share:.1} % of the {inside} accesses to data structures have a name."));
    let mut table = Table::new("Accesses", vec![Column::left("what"), Column::right("accesses")]);
    for (what, number_of) in [
        ("to no known structure (stack, boxes, statics)", coverage.elsewhere),
        ("within a named operation", coverage.named),
        ("by a line of the user's code", coverage.direct),
        ("in library code without a name, as reads and writes", coverage.unnamed),
        ("by the library alone, not counted", coverage.library),
        ("dropped by the recorder", coverage.lost),
    ] {
        table.rows.push(vec![Cell::text(what), number(number_of)]);
    }
    document.push(Block::Table(table));
    for (caption, counts) in [
        ("Library methods without a name", &coverage.unknown_methods),
        ("Operations that touched no element, so that their structure is not known", &coverage.unbound),
    ] {
        let mut sorted: Vec<(&String, &u64)> = counts.iter().collect();
        sorted.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let mut table = Table::new(caption, vec![Column::function("method"), Column::right("times")]);
        table.rows.extend(
            sorted.into_iter().take(20).map(|(method, count)| vec![Cell::text(method), number(*count)]),
        );
        if !table.rows.is_empty() {
            document.push(Block::Table(table));
        }
    }
    document
}

/// A place as `file:line`.
#[must_use]
pub fn place(codes: &CodeTable, code: CodeId) -> String {
    match codes.site(code) {
        Some(site) => match site.line {
            Some(line) => format!("{}:{line}", site.file),
            None => site.file.clone(),
        },
        None => "?".to_owned(),
    }
}

/// A place as a user would write it: the file of a dependency without cargo's registry folder.
#[must_use]
pub fn short_place(codes: &CodeTable, code: CodeId) -> String {
    let place = place(codes, code);
    file_of_dependency(&place).map(str::to_owned).unwrap_or(place)
}

fn number(value: u64) -> Cell {
    Cell::number(format_count(value as f64), value as f64)
}

/// The kind with the most accesses.
fn mostly(site: &SiteSummary) -> &'static str {
    let most = AccessKind::ALL.iter().max_by_key(|kind| site.counts.kind(**kind).events);
    most.filter(|kind| site.counts.kind(**kind).events > 0).map_or("–", |kind| kind.name())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Coverage, Outcome, Recording, analyze, short_place};
    use crate::container::Container;
    use crate::instance::CodeTable;
    use crate::program::Program;
    use crate::rules::fixture::{History, codes};
    use crate::settings::Settings;
    use crate::severity::RunTime;

    fn lead(processes: usize, accesses: u64) -> String {
        let recording = Recording { command: "cargo run".to_owned(), processes, ..Recording::default() };
        let coverage = Coverage { accesses, ..Coverage::default() };
        format!("{:?}", analyze(&recording, &Outcome::default(), &coverage).blocks)
    }

    #[test]
    fn findings_without_weight_are_not_the_answer() {
        let lead = |milliseconds: f64| {
            let mut program = Program::new(&Arc::new(Settings::default()));
            program.add(History::new(Container::Vec).push(2000).finish(), &codes());
            let time = RunTime { unrecorded: Some(milliseconds / 1e3), recorded: Some(milliseconds / 250.0) };
            let outcome = program.findings(&codes(), time);
            let coverage = Coverage { accesses: 5, ..Coverage::default() };
            let recording = Recording { samples: 60, ..Recording::default() };
            format!("{:?}", analyze(&recording, &outcome, &coverage).blocks)
        };
        assert!(lead(0.1).contains("inserts 2,000 elements"), "{}", lead(0.1));
        // 19,990 ns of 4 s.
        let nothing =
            "Nothing that matters was found: all findings together are less than 0.1 % of the run time.";
        assert!(lead(1000.0).contains(nothing), "{}", lead(1000.0));
        assert!(
            lead(1.0).contains("all findings together are at most 0.5 % of the run time"),
            "{}",
            lead(1.0)
        );
    }

    #[test]
    fn nothing_that_matters_is_doubtful_without_samples() {
        let lead = |samples: u64| {
            let mut program = Program::new(&Arc::new(Settings::default()));
            program.add(History::new(Container::Vec).push(2000).finish(), &codes());
            let time = RunTime { unrecorded: Some(1.0), recorded: Some(4.0) };
            let recording = Recording { samples, ..Recording::default() };
            let coverage = Coverage { accesses: 5, ..Coverage::default() };
            format!("{:?}", analyze(&recording, &program.findings(&codes(), time), &coverage).blocks)
        };
        let few = "there are only 9 samples of the run without recording (50 are needed); record a run that takes longer.";
        assert!(lead(9).contains(few), "{}", lead(9));
        assert!(lead(0).contains("there are no samples of the run"), "{}", lead(0));
        assert!(lead(50).contains("of the run time.") && !lead(50).contains("estimates"), "{}", lead(50));
    }

    #[test]
    fn structures_that_are_many_and_small_are_not_passed_over_in_silence() {
        let unexamined = |each: u64| {
            let mut program = Program::new(&Arc::new(Settings::default()));
            (0..30).for_each(|id| {
                program.add(History::numbered(Container::Vec, id, 5).insert_front(each).finish(), &codes())
            });
            let unexamined = program.unexamined(&codes());
            let recording = Recording { unexamined, ..Recording::default() };
            let coverage = Coverage { accesses: 5, ..Coverage::default() };
            format!("{:?}", analyze(&recording, &Outcome::default(), &coverage).blocks)
        };
        let said =
            "did not look at 30 structures created at main.rs:15 (9,000 accesses): each is shorter than";
        assert!(unexamined(300).contains(said), "{}", unexamined(300));
        assert!(!unexamined(1000).contains("did not look at"), "rules apply to them");
        assert!(!unexamined(30).contains("did not look at"), "too few accesses in all");
    }

    #[test]
    fn dependencies_are_named_without_the_folder_of_cargo() {
        let mut codes = CodeTable::default();
        let file = "/home/u/.cargo/registry/src/index-1949/delaunator-1.1.0/src/lib.rs";
        let code = codes.add(CodeTable::code_at(file, 495, 5, "f", None));
        assert_eq!(short_place(&codes, code), "delaunator-1.1.0/src/lib.rs:495");
        let own = codes.add(CodeTable::code_at("src/main.rs", 3, 5, "f", None));
        assert_eq!(short_place(&codes, own), "src/main.rs:3");
    }

    #[test]
    fn a_build_that_failed_is_not_taken_for_a_program_without_findings() {
        let failed =
            "Nothing is known of data structures: `cargo run` ran no program that was built to be recorded.";
        assert!(lead(0, 0).contains(failed), "{}", lead(0, 0));
        assert!(
            lead(2, 0).contains("left no access that can be read in 2 recorded processes"),
            "{}",
            lead(2, 0)
        );
        assert!(lead(1, 5).contains("No structure is used in a way that a rule knows."), "{}", lead(1, 5));
    }
}
