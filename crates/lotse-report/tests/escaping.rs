//! Any text stays text: in HTML, in CSV, in all line-based formats.

use lotse_report::svg::{Labels, Sample, ecdf};
use lotse_report::{
    Block, Cell, Column, Definition, Document, Figure, Inline, Options, Role, Style, Table, format,
};
use proptest::prelude::{Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use unicode_width::UnicodeWidthStr;

/// A document with all kinds of blocks except code, with the same text everywhere.
fn document(text: &str) -> Document {
    let words = |text: &str| vec![Inline::Text(text.to_owned())];
    let mut document = Document::new();
    document.heading(1, text).paragraph(text);
    document.push(Block::Paragraph(vec![
        Inline::Marked(Role::Strong, text.to_owned()),
        Inline::Code(text.to_owned()),
        Inline::Link { text: text.to_owned(), url: format!("https://{text}") },
        Inline::Link { text: "x".to_owned(), url: text.to_owned() },
    ]));
    document.push(Block::List(vec![words(text), words("x")]));
    document.push(Block::Definitions(vec![Definition { term: text.to_owned(), text: words(text) }]));
    document.push(Block::Table(table(&[vec![text, text], vec![text]])));
    let labels = Labels { title: text.to_owned(), quantity: text.to_owned(), ..Labels::default() };
    let svg = ecdf(&labels, &[Sample { name: text.to_owned(), values: vec![1.0, 2.0] }]);
    let (title, caption, alt) = (text.to_owned(), text.to_owned(), text.to_owned());
    document.push(Block::Figure(Figure { svg, title, caption, alt }));
    document
}

fn table(rows: &[Vec<&str>]) -> Table {
    let title = rows.first().and_then(|row| row.first()).copied().unwrap_or("");
    let mut table = Table::new(title, vec![Column::left(title), Column::decimal(title, "")]);
    table.rows = rows.iter().map(|row| row.iter().map(|&text| Cell::text(text)).collect()).collect();
    table
}

fn shown(name: &str, document: &Document, options: Options) -> String {
    let format = format::named(name).expect("a format of the list");
    format.to_string(document, options).expect("memory takes everything")
}

/// Any text, often with the special characters of the formats.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[<>&\"'/=!a\\]\\[|*_`#\\\\{}$%~^:+.\n\r\t -]{1,12}"]
}

/// Text without controls and line ends, which every format shows as it is.
fn printable() -> impl Strategy<Value = String> {
    prop_oneof!["\\PC{1,12}", "[<>&\"'/=!a;]{1,12}"]
        .prop_map(|text| text.replace(['\u{2028}', '\u{2029}'], "x"))
}

/// The content of the page's main element.
fn main_of(html: &str) -> String {
    let body = html.split_once("<main>").expect("a main part").1.rsplit_once("</main>").expect("its end").0;
    format!("<main>{body}</main>")
}

const TAGS: &[&str] = &[
    "main",
    "h1",
    "p",
    "span",
    "code",
    "a",
    "ul",
    "li",
    "dl",
    "dt",
    "dd",
    "div",
    "table",
    "caption",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "figure",
    "figcaption",
    "strong",
    "svg",
    "title",
    "desc",
    "style",
    "g",
    "line",
    "rect",
    "text",
    "polyline",
];

proptest! {
    #[test]
    fn no_text_becomes_an_element_of_html(text in text()) {
        let html = shown("html", &document(&text), Options::default());
        let main = main_of(&html);
        let tree = roxmltree::Document::parse(&main).unwrap_or_else(|error| panic!("{error}\n{main}"));
        for node in tree.descendants().filter(roxmltree::Node::is_element) {
            prop_assert!(TAGS.contains(&node.tag_name().name()), "{:?}", node.tag_name());
            prop_assert!(node.attributes().all(|attribute| !attribute.name().starts_with("on")));
            let link = node.attribute("href").unwrap_or("#");
            prop_assert!(["https://", "http://", "#"].iter().any(|start| link.to_lowercase().starts_with(start)));
        }
    }

    #[test]
    fn html_shows_every_text_as_it_is(text in printable()) {
        let html = shown("html", &document(&text), Options::default());
        let main = main_of(&html);
        let tree = roxmltree::Document::parse(&main).unwrap_or_else(|error| panic!("{error}\n{main}"));
        for (tag, count) in [("h1", 1), ("dt", 1), ("caption", 1), ("code", 1), ("strong", 1), ("p", 2)] {
            let found = tree.descendants().filter(|node| node.has_tag_name(tag));
            let same = found.filter(|node| node.text() == Some(text.as_str())).count();
            prop_assert_eq!(same, count, "{}", tag);
        }
    }

    #[test]
    fn no_text_breaks_a_line_of_a_format_that_goes_by_lines(text in text()) {
        for name in ["markdown", "asciidoc", "orgmode", "latex"] {
            let (any, plain) = (document(&format!("x{text}")), document("x"));
            let (any, plain) = (shown(name, &any, Options::default()), shown(name, &plain, Options::default()));
            prop_assert_eq!(any.lines().count(), plain.lines().count(), "{}: {}", name, any);
            prop_assert!(!any.chars().any(|c| c.is_control() && c != '\n'), "{name}: {any:?}");
        }
    }

    #[test]
    fn csv_comes_back(rows in proptest::collection::vec((text(), text()), 1..5)) {
        let rows: Vec<Vec<&str>> = rows.iter().map(|(a, b)| vec![a.as_str(), b.as_str()]).collect();
        let mut document = Document::new();
        document.push(Block::Table(table(&rows)));
        let parsed = parse_csv(&shown("csv", &document, Options::default()));
        let heading = rows[0][0];
        let distinct = vec![heading.to_owned(), format!("{heading} (2)")];
        prop_assert_eq!(&parsed[0], &distinct, "the headings, which are made distinct");
        prop_assert_eq!(&parsed[1..], &rows[..]);
    }

    /// Words keep their order and are never broken; a line is too wide only where one word is.
    #[test]
    fn paragraphs_fit_any_width(words in proptest::collection::vec("[a-z宽é]{1,14}", 0..20), width in 0..40usize) {
        let mut document = Document::new();
        document.paragraph(words.join(" "));
        document.push(Block::List(vec![vec![words.join(" ").into()]]));
        let text = shown("terminal", &document, Options { width, style: Style::Plain });
        let twice: Vec<&str> = text.split_whitespace().filter(|word| *word != "•").collect();
        prop_assert_eq!(twice, [&words[..], &words[..]].concat());
        for line in text.lines() {
            let alone = line.trim_start_matches(['•', ' ']).split(' ').count() <= 1;
            prop_assert!(line.width() <= width || alone, "{line:?} in {width}");
            prop_assert!(line.trim_end() == line, "{line:?}");
        }
    }

    /// Columns of words give way; numbers stay whole.
    #[test]
    fn tables_give_way_but_lose_nothing(names in proptest::collection::vec("[a-z]{1,30}( [a-z]{1,9}){0,3}", 1..5), width in 0..60usize) {
        let mut table = Table::new("", vec![Column::left("name"), Column::decimal("mean", "s")]);
        table.rows = names.iter().map(|name| vec![name.as_str().into(), "12.34(56) ms".into()]).collect();
        let mut document = Document::new();
        document.push(Block::Table(table));
        let text = shown("terminal", &document, Options { width, style: Style::Plain });
        prop_assert_eq!(text.matches("12.34(56) ms").count(), names.len(), "{}", text);
        let left: String = text.lines().skip(2).map(|line| line.replace("12.34(56) ms", "")).collect();
        let letters = |text: &str| text.replace(' ', "");
        prop_assert_eq!(letters(&left), letters(&names.concat()), "{}", text);
        // No screen is taken for narrower than 40 columns.
        prop_assert!(text.lines().all(|line| line.width() <= width.max(40)), "{width}\n{text}");
    }
}

/// Parses CSV as RFC 4180 defines it.
fn parse_csv(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut field, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (length, doubled) = (c.len_utf8(), rest.starts_with("\"\""));
        let step = match c {
            '"' if quoted && doubled => {
                field.push('"');
                2
            }
            '"' => {
                quoted = !quoted;
                1
            }
            ',' if !quoted => {
                row.push(std::mem::take(&mut field));
                1
            }
            '\r' | '\n' if !quoted => {
                assert!(rest.starts_with("\r\n"), "a line end that is not quoted: {text:?}");
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
                2
            }
            c => {
                field.push(c);
                length
            }
        };
        rest = &rest[step..];
    }
    assert!(row.is_empty() && field.is_empty() && !quoted, "cut off: {text:?}");
    rows
}
