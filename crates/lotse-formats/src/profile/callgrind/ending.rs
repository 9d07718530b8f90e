//! Detects files that end too early, for example because a copy was interrupted or a disk was full.
//!
//! Callgrind, cachegrind and Lotse end their files with sums: such a file without sums is incomplete, wherever it was
//! cut. For other writers only a cut inside a line can be detected.
//!
//! A missing line end alone proves nothing, since editors and other writers omit it. The last line counts as cut where
//! another line must follow it (a name, a jump, a header), or where the writer ends with sums and there are none.

use lotse_model::profile::StatedSum;

use super::Dialect;
use super::faults::FaultKind;
use super::header::{self, CallgrindHeader};

/// The start of the last line and what is wrong with it, if the file ends too early.
pub(super) fn early(
    bytes: &[u8],
    header: &CallgrindHeader,
    stated: &[StatedSum],
    dialect: &Dialect,
) -> Option<(usize, FaultKind)> {
    if let Some(at) = cut(bytes, header, stated, dialect) {
        return Some((at, FaultKind::Cut));
    }
    let end = bytes.trim_ascii_end().len();
    let start = memchr::memrchr(b'\n', &bytes[..end]).map_or(0, |end| end + 1);
    lacks_sums(header, stated, dialect).then_some((start, FaultKind::NoSums))
}

/// The start of the last line, if the file ends inside it. Lines that cannot be read at all are reported elsewhere.
fn cut(bytes: &[u8], header: &CallgrindHeader, stated: &[StatedSum], dialect: &Dialect) -> Option<usize> {
    let start = memchr::memrchr(b'\n', bytes).map_or(0, |end| end + 1);
    let line = bytes[start..].trim_ascii();
    let is_cut = match line.first()? {
        b'#' => false,
        b'0'..=b'9' | b'+' | b'-' | b'*' => {
            !has_costs(line, header, dialect) || lacks_sums(header, stated, dialect)
        }
        // The missing costs are reported as calls without costs.
        _ if line.starts_with(b"calls=") => false,
        _ if is_name(line) => true,
        _ => header::key(line).is_some_and(|(key, _)| !matches!(key, b"summary" | b"totals")),
    };
    is_cut.then_some(start)
}

fn is_name(line: &[u8]) -> bool {
    let letters = line.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    (2..=4).contains(&letters) && line.get(letters) == Some(&b'=')
}

/// Whether a line has more words than its positions. Callgrind omits costs that are zero at the end of a line, Xdebug does not.
fn has_costs(line: &[u8], header: &CallgrindHeader, dialect: &Dialect) -> bool {
    let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let costs = if dialect.id == "xdebug" { header.events.len().max(1) } else { 1 };
    words.count() >= usize::from(header.addresses) + usize::from(header.lines) + costs
}

/// Whether the sums are missing with which this writer ends its files.
fn lacks_sums(header: &CallgrindHeader, stated: &[StatedSum], dialect: &Dialect) -> bool {
    let creator = header.creator.as_deref().unwrap_or("");
    let sums = match dialect.id {
        "cachegrind" => "summary",
        "callgrind" if creator.starts_with("callgrind-") || creator.starts_with("lotse-") => "totals",
        _ => return false,
    };
    !stated.iter().any(|stated| stated.name == sums)
}

#[cfg(test)]
mod tests {
    use super::{Dialect, FaultKind, cut, early, header};

    fn cut_at(dialect: &'static str, text: &str) -> Option<usize> {
        ending(dialect, text).0
    }

    fn ending(dialect: &'static str, text: &str) -> (Option<usize>, Option<(usize, FaultKind)>) {
        let header = header::read(text.as_bytes(), 0..text.len());
        let stated: Vec<_> = text
            .lines()
            .filter_map(|line| header::key(line.as_bytes()))
            .filter(|(key, _)| matches!(*key, b"summary" | b"totals"))
            .map(|(key, value)| header::stated(key, value))
            .collect();
        let dialect = Dialect { id: dialect, signed: false };
        let cut = cut(text.as_bytes(), &header, &stated, &dialect);
        (cut, early(text.as_bytes(), &header, &stated, &dialect))
    }

    #[test]
    fn sums_are_missing_where_the_writer_ends_with_them() {
        let body = "events: A\nfl=a\nfn=f\n1 1\n2 10\n\n";
        for (dialect, head, missing) in [
            ("callgrind", "creator: callgrind-3.19.0\n", true),
            ("callgrind", "creator: lotse-0.1.0\n", true),
            ("callgrind", "creator: callgrind-3.19.0\npart: 1\n", true),
            ("cachegrind", "", true),
            ("callgrind", "creator: me\n", false),
            ("callgrind", "", false),
            ("xdebug", "creator: xdebug 3.0.2 (PHP 7.4)\n", false),
        ] {
            let text = format!("{head}{body}");
            let expected = missing.then_some((text.len() - "2 10\n\n".len(), FaultKind::NoSums));
            assert_eq!(ending(dialect, &text).1, expected, "{dialect} {head}");
            let sums = if dialect == "cachegrind" { "summary" } else { "totals" };
            assert_eq!(ending(dialect, &format!("{text}{sums}: 11\n")).1, None, "{dialect} {head}");
        }
    }

    #[test]
    fn a_last_line_that_promises_another_is_cut() {
        let head = "events: A\nfl=a\nfn=f\n1 1\n";
        for last in
            ["fn=g", "fn=(1", "cfn=(12)", "ob=/lib", "cfi=(3", "fe=(1)", "jfn=x", "jump=3", "jcnd=1/2 +4"]
        {
            assert_eq!(cut_at("callgrind", &format!("{head}{last}")), Some(head.len()), "{last}");
            assert_eq!(cut_at("callgrind", &format!("{head}{last}\n")), None, "{last}");
        }
        for last in ["part: 2", "events: A", "desc: Trig", "7", "+3", "* "] {
            assert_eq!(cut_at("callgrind", &format!("{head}{last}")), Some(head.len()), "{last}");
        }
        for last in
            ["", " ", "# done", "totals: 1", "summary: 1", "2 1", "+1 4 ", "calls=1 2", "what is this"]
        {
            assert_eq!(cut_at("callgrind", &format!("{head}{last}")), None, "{last}");
        }
    }

    #[test]
    fn costs_at_the_end_are_cut_where_the_writer_ends_with_sums() {
        let body = "events: A\nfl=a\nfn=f\n1 1\n2 10";
        assert_eq!(cut_at("callgrind", body), None);
        assert_eq!(cut_at("cachegrind", body), Some(body.len() - 4));
        let text = format!("creator: callgrind-3.19.0\n{body}");
        assert_eq!(cut_at("callgrind", &text), Some(text.len() - 4));
        assert_eq!(cut_at("callgrind", &format!("{text}\n")), None);
        assert_eq!(cut_at("callgrind", &format!("{text}\n\nsummary: 11\ntotals: 11")), None);
        assert_eq!(cut_at("callgrind", &format!("creator: me\n{body}")), None);
        // Xdebug has written its sum before, between and after costs, and not at all.
        assert_eq!(cut_at("xdebug", &format!("creator: xdebug 3.0.2 (PHP 7.4)\n{body}")), None);
        let two = "events: A B\nfl=a\nfn=f\n1 1 0\n2 10";
        assert_eq!(cut_at("xdebug", two), Some(two.len() - 4));
        assert_eq!(cut_at("callgrind", two), None);
    }
}
