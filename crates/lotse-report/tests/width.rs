//! No line of a table is wider than the screen, for any content.

use lotse_report::{
    Align, Block, Cell, Column, Document, NarrowScreen, Options, Table, format, shorten::NameKind,
};
use proptest::prelude::*;
use unicode_width::UnicodeWidthStr;

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[0-9]{1,12}(\\.[0-9]{1,3})?( (ms|s|%))?",
        "[a-z]{1,12}( [a-z]{1,9}){0,6}",
        "(std::[a-z]{1,8}<){0,4}[a-z]{1,30}(::[a-z]{1,20}){0,6}(>){0,4}(\\([a-z, ]{0,40}\\))?",
        "(/[a-z0-9.]{1,20}){1,8}",
        "[宽字é∞ ]{0,40}",
        "\u{a0}{0,80}[a-z_]{1,40}",
        Just(String::new()),
    ]
}

fn column() -> impl Strategy<Value = Column> {
    let align = prop::sample::select(vec![Align::Left, Align::Right, Align::Centre, Align::Decimal]);
    let narrow = prop_oneof![
        Just(NarrowScreen::Wrap),
        Just(NarrowScreen::Shorten(NameKind::Function)),
        Just(NarrowScreen::Shorten(NameKind::Path)),
        (0..4_u8).prop_map(NarrowScreen::Drop),
    ];
    (text(), align, narrow).prop_map(|(title, align, narrow)| Column { title, align, narrow, unit: "" })
}

fn table() -> impl Strategy<Value = Table> {
    let columns = prop::collection::vec(column(), 1..14);
    let rows = prop::collection::vec(prop::collection::vec(text(), 0..14), 0..6);
    (text(), columns, rows).prop_map(|(caption, columns, rows)| {
        let mut table = Table::new(caption, columns);
        table.rows = rows.into_iter().map(|row| row.into_iter().map(Cell::text).collect()).collect();
        table
    })
}

proptest! {
    #[test]
    fn no_line_of_a_table_is_wider_than_the_screen(table in table(), width in 40..120_usize) {
        let mut document = Document::new();
        document.push(Block::Table(table));
        let terminal = format::named("terminal").unwrap();
        let shown = terminal.to_string(&document, Options { width, ..Options::default() }).unwrap();
        for line in shown.lines() {
            prop_assert!(line.width() <= width, "{} columns, not {width}: {line}\n{shown}", line.width());
        }
    }
}
