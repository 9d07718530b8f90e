//! Applies a filter of call paths to the tables of a document.

use lotse_report::number::format_seconds;
use lotse_report::shorten::NameKind;
use lotse_report::{Block, Cell, Document, NarrowScreen, Table};

use super::{first_rows, plural};
use crate::filter::Filter;
use crate::store::path_parts;

/// Makes a document whose tables of call paths have at most `limit` rows that pass the filter; also gives a note about the
/// hidden rows. `document` makes the document with at most the given number of rows, 0 for all.
pub fn filtered(
    filter: &Filter,
    limit: usize,
    document: impl Fn(usize) -> Document,
) -> (Document, Option<String>) {
    if filter.is_empty() {
        return (document(limit), None);
    }
    let (mut short, mut hidden) = (document(limit), Vec::new());
    for (block, complete) in short.blocks.iter_mut().zip(document(0).blocks) {
        if let (Block::Table(short), Block::Table(complete)) = (block, complete) {
            hidden.extend(filter_table(short, complete, filter, limit));
        }
    }
    let options = filter.options();
    let note = match hidden[..] {
        [] => format!("{options} hides nothing."),
        _ => format!("{options} hides {}; sentences and findings are about everything.", hidden.join(", ")),
    };
    (short, Some(note))
}

/// Fills a table of call paths with the rows that pass the filter; gives a note about the hidden ones.
fn filter_table(short: &mut Table, complete: Table, filter: &Filter, limit: usize) -> Option<String> {
    let is_path = |title: &str| ["call path", "by"].contains(&title);
    let path = complete.columns.iter().position(|column| {
        is_path(&column.title) && column.narrow == NarrowScreen::Shorten(NameKind::Path)
    })?;
    let time = complete.columns.iter().position(|column| column.unit == "s")?;
    let (kept, hidden): (Vec<Vec<Cell>>, Vec<Vec<Cell>>) = complete
        .rows
        .into_iter()
        .partition(|row| row.get(path).is_none_or(|cell| filter.shows(path_parts(&cell.text))));
    short.rows = first_rows(&kept, limit).to_vec();
    let seconds: f64 = hidden.iter().filter_map(|row| row.get(time)?.value).sum();
    let caption = if complete.caption.is_empty() { "the table" } else { &complete.caption };
    let name = caption.split(',').next().unwrap_or(caption);
    (!hidden.is_empty()).then(|| {
        format!("{} of \u{201c}{name}\u{201d} ({})", plural(hidden.len(), "row"), format_seconds(seconds))
    })
}

#[cfg(test)]
mod tests {
    use lotse_report::{Block, Column, Document};

    use super::{Filter, filtered};
    use crate::report::{path_name, seconds, table};

    const ROWS: [(&str, f64); 4] = [
        ("int main()/MPI_Init", 4.0),
        ("int main()/void solve(a/b)", 3.0),
        ("int main()/void solve(a/b)/MPI_Send", 2.0),
        ("", 1.0),
    ];

    fn document(limit: usize) -> Document {
        let mut document = Document::new();
        let columns = vec![Column::decimal("time", "s"), Column::path("call path")];
        let rows =
            super::first_rows(&ROWS, limit).iter().map(|(path, time)| vec![seconds(*time), path_name(path)]);
        table(&mut document, "Own time, mean", columns, rows.collect());
        document
    }

    fn check(only: &[&str], exclude: &[&str], limit: usize, left: &[f64], note: Option<&str>) {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let filter = Filter { only: names(only), exclude: names(exclude) };
        let (document, actual_note) = filtered(&filter, limit, document);
        let Block::Table(table) = &document.blocks[0] else { panic!("a table") };
        let times: Vec<f64> = table.rows.iter().map(|row| row[0].value.unwrap()).collect();
        assert_eq!((times.as_slice(), actual_note.as_deref()), (left, note));
    }

    #[test]
    fn rows_are_hidden_before_they_are_counted() {
        let end = "; sentences and findings are about everything.";
        check(&[], &[], 2, &[4.0, 3.0], None);
        check(
            &[],
            &["MPI_*"],
            2,
            &[3.0, 1.0],
            Some(&format!("--exclude MPI_* hides 2 rows of \u{201c}Own time\u{201d} (6.000 s){end}")),
        );
        check(
            &["solve"],
            &["MPI_Send"],
            0,
            &[3.0],
            Some(&format!(
                "--only solve --exclude MPI_Send hides 3 rows of \u{201c}Own time\u{201d} (7.000 s){end}"
            )),
        );
        check(&[], &["none"], 1, &[4.0], Some("--exclude none hides nothing."));
    }
}
