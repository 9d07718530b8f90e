//! Rows of call paths that people do not want to see, or the only ones that they do.

use lotse_report::number::format_seconds;
use lotse_report::shorten::NameKind;
use lotse_report::{Block, Cell, Document, NarrowScreen, Table};

use super::{plural, shown};
use crate::filter::Filter;
use crate::store::path_parts;

/// A document whose tables of call paths have at most `limit` of the rows that a filter shows, and what that hides.
/// `document` is made with as many rows as it is given, 0 for all.
pub fn filtered(
    filter: &Filter,
    limit: usize,
    document: impl Fn(usize) -> Document,
) -> (Document, Option<String>) {
    if filter.is_empty() {
        return (document(limit), None);
    }
    let (mut short, mut hidden) = (document(limit), Vec::new());
    for (block, whole) in short.blocks.iter_mut().zip(document(0).blocks) {
        if let (Block::Table(short), Block::Table(whole)) = (block, whole) {
            hidden.extend(filter_table(short, whole, filter, limit));
        }
    }
    let options = filter.options();
    let note = match hidden[..] {
        [] => format!("{options} hides nothing."),
        _ => format!("{options} hides {}; sentences and findings are about everything.", hidden.join(", ")),
    };
    (short, Some(note))
}

/// Shows of a table of call paths what a filter leaves; says what it hides.
fn filter_table(short: &mut Table, whole: Table, filter: &Filter, limit: usize) -> Option<String> {
    let is_path = |title: &str| ["call path", "by"].contains(&title);
    let path = whole.columns.iter().position(|column| {
        is_path(&column.title) && column.narrow == NarrowScreen::Shorten(NameKind::Path)
    })?;
    let time = whole.columns.iter().position(|column| column.unit == "s")?;
    let (kept, hidden): (Vec<Vec<Cell>>, Vec<Vec<Cell>>) = whole
        .rows
        .into_iter()
        .partition(|row| row.get(path).is_none_or(|cell| filter.shows(path_parts(&cell.text))));
    short.rows = shown(&kept, limit).to_vec();
    let seconds: f64 = hidden.iter().filter_map(|row| row.get(time)?.value).sum();
    let caption = if whole.caption.is_empty() { "the table" } else { &whole.caption };
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
            super::shown(&ROWS, limit).iter().map(|(path, time)| vec![seconds(*time), path_name(path)]);
        table(&mut document, "Own time, mean", columns, rows.collect());
        document
    }

    fn check(only: &[&str], exclude: &[&str], limit: usize, left: &[f64], note: Option<&str>) {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let filter = Filter { only: names(only), exclude: names(exclude) };
        let (document, said) = filtered(&filter, limit, document);
        let Block::Table(table) = &document.blocks[0] else { panic!("a table") };
        let times: Vec<f64> = table.rows.iter().map(|row| row[0].value.unwrap()).collect();
        assert_eq!((times.as_slice(), said.as_deref()), (left, note));
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
