//! Remarks on standard error: what tables leave out, and what was odd about files.

use lotse_formats::{Diagnostic, Place, Weight};

use crate::screen;

/// The number of remarks printed about one file. Further ones are counted: in a file of the wrong format every line is odd.
const AT_MOST: usize = 10;

/// Why a table is empty.
pub(super) const NO_COSTS: &str = "the profile has no function with costs";

/// Prints what was odd about a file.
pub(super) fn about_file(name: &str, diagnostics: &[Diagnostic]) {
    diagnostics.iter().take(AT_MOST).for_each(|diagnostic| screen::remark(&line(name, diagnostic)));
    if diagnostics.len() > AT_MOST {
        let more = diagnostics.len() - AT_MOST;
        screen::remark(&format!("{name}: {more} more such remarks; `lotse profile top --json` lists all"));
    }
}

/// Prints in one line that costs of a file were lost, for commands that print JSON.
pub(super) fn losses(name: &str, diagnostics: &[Diagnostic]) {
    let lost: Vec<&Diagnostic> = diagnostics.iter().filter(|it| it.weight == Weight::Loss).collect();
    if let Some(first) = lost.first() {
        let more = match lost.len() - 1 {
            0 => String::new(),
            more => format!(" (and {more} more, see diagnostics)"),
        };
        screen::error(&format!("{}{more}", line(name, first)));
    }
}

/// The text of a diagnostic, with its place in the file if it has one.
fn line(name: &str, diagnostic: &Diagnostic) -> String {
    match diagnostic.place {
        Place::Whole => format!("{name}: {}", diagnostic.message),
        _ => format!("{name}: {diagnostic}"),
    }
}

/// Prints that a table does not show all rows.
pub(super) fn cut(shown: usize, count: usize, what: &str) {
    if shown < count {
        screen::remark(&format!("shown: {shown} of {count} {what}; --limit 0 shows all"));
    }
}

#[cfg(test)]
mod tests {
    use lotse_formats::{Diagnostic, Place, Weight};

    use super::line;

    #[test]
    fn only_a_place_inside_the_file_is_named() {
        let at = |place| Diagnostic { place, message: "odd".to_owned(), weight: Weight::Note };
        assert_eq!(line("a", &at(Place::Whole)), "a: odd");
        assert_eq!(line("a", &at(Place::Line(3))), "a: line 3: odd");
    }
}
