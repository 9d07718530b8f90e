//! Documents of `lotse-report` as data, and documents that are only a report.

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
}

impl Document for ReportFile {
    fn about(&self) -> About {
        self.about.clone()
    }

    fn answer(&self, question: &Question) -> Result<String, Problem> {
        match question {
            Question::Report {} => json(&Report { blocks: report_blocks(&self.report) }),
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
