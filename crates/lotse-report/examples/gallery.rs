//! Writes a page with every plot and every kind of block to standard output, to look at.

use std::io::{self, Write};

use lotse_model::Unit;
use lotse_report::svg::{
    BoxSeries, Forest, ForestRow, ForestVerdict, Labels, RunOrder, RunPoint, RunSeries, Sample, Svg,
    box_plot, ecdf, forest, histogram, run_order,
};
use lotse_report::{Block, Cell, Column, Definition, Document, Figure, Inline, Options, Role, Table, format};

fn main() -> io::Result<()> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "html".to_owned());
    let format = format::named(&name).ok_or_else(|| io::Error::other(format!("no format {name}")))?;
    let text = format.to_string(&document(), Options::default())?;
    io::stdout().lock().write_all(text.as_bytes())
}

/// A document with a table, every plot on ordinary and on degenerate input, and all inline elements.
fn document() -> Document {
    let mut document = Document::new();
    document.heading(1, "Gallery").paragraph("Every plot and every kind of block, with made-up numbers.");
    document.push(Block::Table(table()));
    let samples = [
        sample("sort --new", 0.0123, 1, 60),
        sample("sort --old", 0.0131, 7, 60),
        sample("sort -S 宽 --parallel=8 input.txt", 0.0126, 3, 45),
    ];
    document.heading(2, "Plots");
    figure(
        &mut document,
        "Box plot",
        box_plot(&labels("Box plot"), &samples.iter().map(boxed).collect::<Vec<_>>()),
    );
    figure(&mut document, "Distribution functions", ecdf(&labels("ECDF"), &samples));
    figure(&mut document, "Histograms", histogram(&labels("Histograms"), &samples));
    figure(&mut document, "Run order", run_order(&labels("Run order"), &order(&samples)));
    figure(&mut document, "Forest plot", forest(&ratio_labels(), &ratios()));
    document.heading(2, "Odd input");
    let constant = [Sample { name: "constant".into(), values: vec![5.0; 30] }];
    figure(&mut document, "Constant", histogram(&labels("Constant"), &constant));
    figure(
        &mut document,
        "One value",
        ecdf(&labels("One"), &[Sample { name: "one".into(), values: vec![3e-6] }]),
    );
    figure(&mut document, "Nothing", box_plot(&labels("Nothing"), &[]));
    let many: Vec<Sample> = (0..9u32)
        .map(|i| sample(&format!("program {i}"), 0.01 + 0.001 * f64::from(i), i.into(), 40))
        .collect();
    figure(&mut document, "Many", ecdf(&labels("Many"), &many));
    figure(&mut document, "Far ratios", forest(&ratio_labels(), &far_ratios()));
    words(&mut document);
    document
}

fn words(document: &mut Document) {
    document.heading(2, "Words");
    document.push(Block::Paragraph(vec![
        "A verdict can be ".into(),
        Inline::Marked(Role::Good, "good".into()),
        ", ".into(),
        Inline::Marked(Role::Bad, "bad".into()),
        " or ".into(),
        Inline::Marked(Role::Dim, "of no weight".into()),
        "; run ".into(),
        Inline::Code("lotse bench".into()),
        ".".into(),
    ]));
    document.push(Block::List(vec![vec!["first".into()], vec!["second".into()]]));
    let text = vec!["Half of the runs were no slower.".into()];
    document.push(Block::Definitions(vec![Definition { term: "median".into(), text }]));
    document.push(Block::Code("$ lotse bench 'sort --new' 'sort --old'\n".into()));
}

/// A table with numbers, roles and alignments of all kinds.
fn table() -> Table {
    let columns = vec![
        Column::left("program"),
        Column::decimal("mean", "s"),
        Column::right("runs"),
        Column::left("verdict"),
    ];
    let mut table = Table::new("Wall times; doubtful digits in parentheses", columns);
    table.rows = vec![
        vec![
            "sort --new".into(),
            Cell::number("12.34(56) ms", 0.01234),
            Cell::number("60", 60.0),
            Cell::text("faster").role(Role::Good),
        ],
        vec![
            "sort --old".into(),
            Cell::number("13.1(1) ms", 0.0131),
            Cell::number("1,060", 1060.0),
            Cell::text("reference").role(Role::Dim),
        ],
        vec![
            "sort -S".into(),
            Cell::number("113 ms", 0.113),
            Cell::number("45", 45.0),
            Cell::text("slower").role(Role::Bad),
        ],
    ];
    table
}

fn labels(title: &str) -> Labels {
    Labels {
        title: title.into(),
        description: "Made-up run times.".into(),
        quantity: "wall time".into(),
        unit: Unit::Seconds,
    }
}

fn ratio_labels() -> Labels {
    Labels { quantity: "ratio of wall times, 95 % interval".into(), ..labels("Forest plot") }
}

fn figure(document: &mut Document, title: &str, svg: Svg) {
    let caption = "How to read it: made-up numbers, lower is faster.".to_owned();
    let alt = "Made-up run times of some programs.".to_owned();
    document.push(Block::Figure(Figure { svg, title: title.to_owned(), caption, alt }));
}

/// Deterministic pseudo-random numbers: a bell curve with a tail.
fn sample(name: &str, centre: f64, seed: u64, count: usize) -> Sample {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut uniform = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut value = || {
        let bell = (0..6).map(|_| uniform()).sum::<f64>() / 6.0 - 0.5;
        let tail = if uniform() > 0.93 { 0.08 * uniform() } else { 0.0 };
        centre * (1.0 + 0.1 * bell + tail)
    };
    Sample { name: name.to_owned(), values: (0..count).map(|_| value()).collect() }
}

fn boxed(sample: &Sample) -> BoxSeries {
    let mut sorted = sample.values.clone();
    sorted.sort_by(f64::total_cmp);
    let at = |share: f64| sorted[(sorted.len() as f64 * share) as usize];
    let (q1, q3) = (at(0.25), at(0.75));
    let fence = 1.5 * (q3 - q1);
    let inside = |value: &&f64| (q1 - fence..=q3 + fence).contains(*value);
    BoxSeries {
        name: sample.name.clone(),
        whisker_low: sorted.iter().find(inside).copied().unwrap_or(q1),
        q1,
        median: at(0.5),
        q3,
        whisker_high: sorted.iter().rev().find(inside).copied().unwrap_or(q3),
        mean: sorted.iter().sum::<f64>() / sorted.len() as f64,
        outliers: sorted.iter().filter(|value| !inside(value)).copied().collect(),
    }
}

fn order(samples: &[Sample]) -> RunOrder {
    let series = samples.iter().enumerate().map(|(i, sample)| RunSeries {
        name: sample.name.clone(),
        points: (0..sample.values.len())
            .map(|k| RunPoint { run: (3 * k + i) as f64, value: sample.values[k], contended: k % 17 == 5 })
            .collect(),
        drift: (i == 0).then_some((0.0121, 2.5e-6)),
    });
    RunOrder {
        series: series.collect(),
        boundaries: (1..6).map(|block| 30.0 * f64::from(block) - 0.5).collect(),
        axis: None,
    }
}

fn row(name: &str, [ratio, low, high]: [f64; 3], side: ForestVerdict) -> ForestRow {
    ForestRow { name: name.to_owned(), ratio, low, high, side }
}

fn ratios() -> Forest {
    let rows = vec![
        row("sort --new", [0.939, 0.931, 0.948], ForestVerdict::Better),
        row("sort -S 宽 --parallel=8 input.txt and more", [0.998, 0.993, 1.004], ForestVerdict::Equivalent),
        row("sort --stable", [1.012, 0.97, 1.055], ForestVerdict::Undecided),
        row("sort --random", [1.034, 1.021, 1.046], ForestVerdict::Worse),
    ];
    Forest { rows, delta: Some(0.01), sides: Some(["faster", "slower"]) }
}

fn far_ratios() -> Forest {
    let rows = vec![
        row("much faster", [0.02, 0.01, 0.03], ForestVerdict::Better),
        row("unbounded", [1.4, 0.6, f64::INFINITY], ForestVerdict::Undecided),
        row("unknown below", [3.0, 0.0, 7.0], ForestVerdict::Undecided),
        row("no interval", [2.0, f64::NAN, f64::NAN], ForestVerdict::Undecided),
    ];
    Forest { rows, delta: Some(0.01), sides: Some(["faster", "slower"]) }
}
