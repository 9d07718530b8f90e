//! Renders results for people and for other programs: numbers, tables, documents, plots, diagnostics, SARIF.
//!
//! Everything is pure: values in, text into an [`std::io::Write`]. Nothing here queries the terminal, prints or reads files;
//! the caller chooses colours and widths. No rendered text can become markup.

pub mod diagnostic;
pub mod document;
pub mod dot;
pub mod explain;
pub mod format;
pub mod glossary;
pub mod layered;
mod markup;
pub mod number;
#[cfg(test)]
mod sample;
pub mod sarif;
pub mod shorten;
pub mod spark;
pub mod svg;

pub use document::{
    Align, Block, Cell, Column, Definition, Document, Figure, Inline, NarrowScreen, Role, Table,
};
pub use format::{FORMATS, Format, Options, Style};
