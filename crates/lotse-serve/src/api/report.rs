//! Reports as data: blocks of text, tables and figures.

use serde::Serialize;

/// A document as the reports have it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Report {
    pub blocks: Vec<ReportBlock>,
}

/// A block of a report.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "block", rename_all = "lowercase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum ReportBlock {
    Heading {
        level: u8,
        text: String,
    },
    Paragraph {
        text: Vec<ReportInline>,
    },
    List {
        items: Vec<Vec<ReportInline>>,
    },
    Definitions {
        items: Vec<ReportDefinition>,
    },
    Code {
        text: String,
    },
    Table {
        caption: String,
        columns: Vec<ReportColumn>,
        rows: Vec<Vec<ReportCell>>,
    },
    /// `tables` are the values that are drawn, as blocks of the kind `table`; empty if they stand elsewhere in the report.
    Figure {
        title: String,
        caption: String,
        alt: String,
        svg: String,
        tables: Vec<ReportBlock>,
    },
}

/// A term and its meaning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ReportDefinition {
    pub term: String,
    pub text: Vec<ReportInline>,
}

/// A piece of running text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ReportInline {
    pub text: String,
    /// "text", "code", "good", "bad", "dim" or "strong".
    pub role: &'static str,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ReportColumn {
    pub title: String,
    #[cfg_attr(test, ts(type = "\"left\" | \"right\" | \"centre\""))]
    pub align: &'static str,
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ReportCell {
    pub text: String,
    /// "text", "good", "bad", "dim" or "strong".
    pub role: &'static str,
    pub value: Option<f64>,
}
