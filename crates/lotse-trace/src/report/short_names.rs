//! Short names of functions in call paths.

use lotse_report::shorten::NameKind;
use lotse_report::{Block, Document, NarrowScreen};

use crate::store::{path_parts, short_name};

/// Shortens the names of functions in call paths: without types of parameters and results.
pub fn with_short_names(mut document: Document) -> Document {
    for block in &mut document.blocks {
        let Block::Table(table) = block else { continue };
        let paths: Vec<bool> = table
            .columns
            .iter()
            .map(|column| column.narrow == NarrowScreen::Shorten(NameKind::Path))
            .collect();
        for row in &mut table.rows {
            let names = row.iter_mut().zip(&paths).filter(|(_, is_path)| **is_path);
            names.for_each(|(cell, _)| cell.text = short_path(&cell.text));
        }
    }
    document
}

/// A call path with the short names of its regions.
pub(crate) fn short_path(path: &str) -> String {
    path_parts(path).map(short_name).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::short_path;

    #[test]
    fn call_paths_have_short_names() {
        for (full, short) in [
            ("int main(int, char**)/void ns::solve(a/b)/MPI_Send", "main/ns::solve/MPI_Send"),
            ("main/step", "main/step"),
            ("(outside all regions)", "(outside all regions)"),
        ] {
            assert_eq!(short_path(full), short);
        }
    }
}
