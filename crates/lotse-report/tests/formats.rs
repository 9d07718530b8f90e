//! Every format on one document full of characters that are markup somewhere.

use expect_test::expect_file;
use lotse_model::Unit;
use lotse_report::svg::{Labels, Sample, ecdf};
use lotse_report::{
    Block, Cell, Column, Definition, Document, FORMATS, Figure, Inline, Options, Role, Style, Table,
};

const NASTY: &str = "a|b <i>&amp; \\n _u_ *s* 50% #1 \"q\" {x} $y$ ~z^ `c` [l](m)\nsecond 宽字 µs --x";

fn document() -> Document {
    let mut document = Document::new();
    document.heading(1, format!("Report {NASTY}")).paragraph(NASTY);
    document.push(Block::Paragraph(vec![
        "1. Ran ".into(),
        Inline::Code("sort | uniq -c".into()),
        " and was ".into(),
        Inline::Marked(Role::Good, "faster".into()),
        ", see ".into(),
        Inline::Link { text: "the manual".into(), url: "https://example.org/a(b)".into() },
        " or ".into(),
        Inline::Link { text: "<script>".into(), url: "javascript:alert(1)".into() },
        ".".into(),
    ]));
    document.push(Block::List(vec![vec!["- one".into()], vec![Inline::Marked(Role::Strong, NASTY.into())]]));
    document.push(Block::Definitions(vec![Definition { term: "sd: |x|".into(), text: vec![NASTY.into()] }]));
    document
        .push(Block::Code("#include <x>\n* not a headline\n----\n```\n\\end{verbatim} | </pre>\n".into()));
    document.heading(2, "Table").push(Block::Table(table())).push(Block::Figure(figure()));
    document
}

fn table() -> Table {
    let columns = vec![
        Column::left("program"),
        Column::decimal("mean", "s"),
        Column::right("runs"),
        Column::left("verdict | note"),
    ];
    let mut table = Table::new("Wall times <all> & more", columns);
    table.rows = vec![
        vec![
            NASTY.into(),
            Cell::number("12.34(56) ms", 0.012_345_6),
            Cell::number("30", 30.0),
            Cell::text("faster").role(Role::Good),
        ],
        vec![
            "[old] 宽".into(),
            Cell::number("1.5 ms", 0.001_5),
            Cell::number("1,000", 1000.0),
            Cell::text("slower").role(Role::Bad),
        ],
        vec!["short row".into(), Cell::text("n/a").role(Role::Dim)],
    ];
    table
}

fn figure() -> Figure {
    let labels = Labels {
        title: format!("T {NASTY}"),
        description: format!("D {NASTY}"),
        quantity: NASTY.into(),
        unit: Unit::Seconds,
    };
    let svg = ecdf(&labels, &[Sample { name: NASTY.into(), values: vec![0.1, 0.2] }]);
    Figure { svg, title: NASTY.into(), caption: NASTY.into(), alt: NASTY.into() }
}

fn shown(name: &str, options: Options) -> String {
    let format = lotse_report::format::named(name).expect("a format of the list");
    format.to_string(&document(), options).expect("memory takes everything")
}

#[test]
fn every_format_is_as_expected() {
    for format in FORMATS {
        let text = shown(format.name, Options { width: 72, style: Style::Plain });
        let path = format!("{}/tests/golden/sample.{}", env!("CARGO_MANIFEST_DIR"), format.extension);
        // Golden files are read with plain line ends; those of CSV are checked below.
        expect_file![path].assert_eq(&text.replace("\r\n", "\n"));
    }
}

#[test]
fn colours_change_nothing_but_colours() {
    let coloured = shown("terminal", Options { width: 72, style: Style::Colour });
    let mut plain = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        rest = after.split_once('m').map_or("", |(_, rest)| rest);
    }
    plain.push_str(rest);
    // Spaces at line ends can be followed by the end of a colour.
    let trimmed: String = plain.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    assert_eq!(trimmed, shown("terminal", Options { width: 72, style: Style::Plain }));
}

#[test]
fn no_text_becomes_html() {
    let html = shown("html", Options::default());
    assert_eq!(html.matches("<script").count(), 1, "our own");
    assert!(!html.contains("<i>") && !html.contains("javascript:"));
    assert!(!html.contains("src=") && !html.contains("url("));
    // All but the doctype, the void elements and the script is XML as well.
    let body = html.split_once("<main>").unwrap().1.split_once("</main>").unwrap().0;
    let tree = format!("<main>{body}</main>");
    roxmltree::Document::parse(&tree).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn markdown_rows_have_the_same_number_of_cells() {
    let text = shown("markdown", Options::default());
    for line in text.lines().filter(|line| line.starts_with('|')) {
        assert_eq!(line.replace("\\|", "").matches('|').count(), 5, "{line}");
    }
}

#[test]
fn csv_can_be_read_back() {
    let text = shown("csv", Options::default());
    assert!(text.starts_with("program,mean [s],runs,verdict | note\r\n"), "{text}");
    assert!(text.contains(",0.0123456,30,faster\r\n"), "{text}");
    assert!(text.contains("\"\"q\"\""), "{text}");
}
