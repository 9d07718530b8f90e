//! Documents of `lotse-report` as data, and documents that are only a report.

use std::collections::BTreeMap;

use lotse_report::{Align, Block, Cell, Document as ReportDocument, Inline, Role, Table};

use crate::api::{
    About, Problem, Question, Report, ReportBlock, ReportCell, ReportColumn, ReportDefinition, ReportInline,
};
use crate::open::Document;
use crate::profile::json;

/// A result of bench, spy or predict: its answer, its findings and its report.
pub struct ReportFile {
    pub about: About,
    pub report: ReportDocument,
    /// The values of figures as tables, by the number of the figure in the report; figures without any are left out.
    pub values: BTreeMap<usize, Vec<Table>>,
}

impl ReportFile {
    /// The report, with the values of its figures.
    fn with_values(&self) -> Report {
        let mut blocks = report_blocks(&self.report);
        let figures = blocks.iter_mut().filter_map(|block| match block {
            ReportBlock::Figure { tables, .. } => Some(tables),
            _ => None,
        });
        for (number, tables) in figures.enumerate() {
            let values = self.values.get(&number).into_iter().flatten();
            tables.extend(values.map(table));
        }
        Report { blocks }
    }
}

impl Document for ReportFile {
    fn about(&self) -> About {
        self.about.clone()
    }

    fn answer(&self, question: &Question) -> Result<String, Problem> {
        match question {
            Question::Report {} => json(&self.with_values()),
            _ => Err(Problem::new("this document has a report and nothing else")),
        }
    }
}

/// The blocks of a document.
pub fn report_blocks(document: &ReportDocument) -> Vec<ReportBlock> {
    document.blocks.iter().map(block).collect()
}

/// One block; its texts stay plain, and a figure is an SVG of `lotse-report`.
fn block(block: &Block) -> ReportBlock {
    match block {
        Block::Heading { level, text } => ReportBlock::Heading { level: *level, text: text.clone() },
        Block::Paragraph(text) => ReportBlock::Paragraph { text: inlines(text) },
        Block::List(items) => ReportBlock::List { items: items.iter().map(|item| inlines(item)).collect() },
        Block::Definitions(all) => {
            let item = |it: &lotse_report::Definition| ReportDefinition {
                term: it.term.clone(),
                text: inlines(&it.text),
            };
            ReportBlock::Definitions { items: all.iter().map(item).collect() }
        }
        Block::Code(text) => ReportBlock::Code { text: text.clone() },
        Block::Table(it) => table(it),
        Block::Figure(figure) => ReportBlock::Figure {
            title: figure.title.clone(),
            caption: figure.caption.clone(),
            alt: figure.alt.clone(),
            svg: figure.svg.as_str().to_owned(),
            tables: Vec::new(),
        },
    }
}

/// A table with the alignment of its columns and the roles of its cells as words.
fn table(table: &Table) -> ReportBlock {
    let column = |column: &lotse_report::Column| ReportColumn {
        title: column.title.clone(),
        align: match column.align {
            Align::Left => "left",
            Align::Right | Align::Decimal => "right",
            Align::Centre => "centre",
        },
    };
    let cell = |cell: &Cell| ReportCell {
        text: cell.text.clone(),
        role: cell.role.map_or("text", role),
        value: cell.value.filter(|value| value.is_finite()),
    };
    ReportBlock::Table {
        caption: table.caption.clone(),
        columns: table.columns.iter().map(column).collect(),
        rows: table.rows.iter().map(|row| row.iter().map(cell).collect()).collect(),
    }
}

fn inlines(all: &[Inline]) -> Vec<ReportInline> {
    let one = |inline: &Inline| match inline {
        Inline::Text(text) => (text.clone(), "text"),
        Inline::Marked(mark, text) => (text.clone(), role(*mark)),
        Inline::Code(text) => (text.clone(), "code"),
        // The page has no links to elsewhere.
        Inline::Link { text, url } => (format!("{text} ({url})"), "text"),
    };
    all.iter().map(one).map(|(text, role)| ReportInline { text, role }).collect()
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Good => "good",
        Role::Bad => "bad",
        Role::Dim => "dim",
        Role::Strong => "strong",
    }
}

/// The first paragraph of a document, which is its answer in a sentence, and the blocks after it.
pub fn lead(document: &ReportDocument) -> (String, ReportDocument) {
    let mut rest = document.clone();
    let first = rest.blocks.iter().position(|block| matches!(block, Block::Paragraph(_)));
    let Some(Block::Paragraph(text)) = first.map(|at| rest.blocks.remove(at)) else {
        return (String::new(), rest);
    };
    (inlines(&text).into_iter().map(|piece| piece.text).collect(), rest)
}

#[cfg(test)]
mod tests {
    use lotse_report::{Block, Cell, Column, Document as ReportDocument, Inline, Role, Table};

    use super::{lead, report_blocks};
    use crate::api::{ReportBlock, ReportInline};

    fn document() -> ReportDocument {
        let mut document = ReportDocument::new();
        document.heading(1, "Title");
        document.push(Block::Paragraph(vec![
            Inline::Marked(Role::Strong, "new is faster".into()),
            Inline::Text(".".into()),
        ]));
        let mut table = Table::new("times", vec![Column::left("program"), Column::right("time")]);
        table
            .rows
            .push(vec![Cell::text("<b>".to_owned()), Cell::number("1.5 s".to_owned(), 1.5).role(Role::Bad)]);
        table.rows.push(vec![Cell::text("x".to_owned()), Cell::number("–".to_owned(), f64::NAN)]);
        document.push(Block::Table(table));
        document
    }

    #[test]
    fn the_first_paragraph_is_the_answer() {
        let (sentence, rest) = lead(&document());
        assert_eq!(sentence, "new is faster.");
        assert_eq!(rest.blocks.len(), 2);
        assert_eq!(lead(&ReportDocument::new()), (String::new(), ReportDocument::new()));
    }

    #[test]
    fn texts_stay_as_they_are_and_numbers_are_finite() {
        let blocks = report_blocks(&document());
        let strong = ReportInline { text: "new is faster".into(), role: "strong" };
        assert!(matches!(&blocks[1], ReportBlock::Paragraph { text } if text[0] == strong));
        let ReportBlock::Table { columns, rows, .. } = &blocks[2] else { panic!("{blocks:?}") };
        assert_eq!((columns[0].align, columns[1].align), ("left", "right"));
        assert_eq!((rows[0][0].text.as_str(), rows[0][1].role, rows[0][1].value), ("<b>", "bad", Some(1.5)));
        assert_eq!(rows[1][1].value, None);
    }
}
