//! Words into lines of a given width, counted as a terminal counts (wide characters are two columns).

use std::io::{self, Write};

use anstyle::Style as Ansi;
use unicode_width::UnicodeWidthStr;

use super::painted;
use crate::format::Options;

/// A run of words in one style.
pub(super) struct StyledText {
    pub(super) text: String,
    pub(super) ansi: Ansi,
}

/// Writes the pieces in lines no wider than the options say; a longer word gets a line of its own.
/// `indents` open the first line and the following ones.
pub(super) fn wrap(
    pieces: &[StyledText],
    indents: [&str; 2],
    options: Options,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut line = indents[0].to_owned();
    let mut width = line.width();
    let mut fresh = true;
    let mut gap = false;
    let glued: Vec<StyledText> = pieces.iter().map(|piece| StyledText { text: glued(&piece.text), ..*piece }).collect();
    for (word, ansi, spaced) in glued.iter().flat_map(words) {
        gap |= spaced;
        if word.is_empty() {
            continue;
        }
        let needed = word.width() + usize::from(gap && !fresh);
        if gap && !fresh && width + needed > options.width {
            writeln!(out, "{}", line.trim_end())?;
            line = indents[1].to_owned();
            width = line.width();
            fresh = true;
        }
        if gap && !fresh {
            line.push(' ');
            width += 1;
        }
        line.push_str(&painted(&word.replace(GLUE, " "), ansi, options.style));
        width += word.width();
        (fresh, gap) = (false, false);
    }
    writeln!(out, "{}", line.trim_end())
}

/// A blank at which no line ends.
const GLUE: char = '\u{a0}';

/// A number stays on the line of its `%`.
fn glued(text: &str) -> String {
    text.replace(" %", &format!("{GLUE}%"))
}

/// The words of a piece, each with whether a space stands before it; empty ones stand for further spaces.
fn words(piece: &StyledText) -> impl Iterator<Item = (&str, Ansi, bool)> {
    piece.text.split(' ').enumerate().map(|(i, word)| (word, piece.ansi, i > 0))
}

/// A text cut into lines no wider than `width`; words that are too wide are broken.
pub(super) fn broken(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let mut rest = word;
        if let Some(line) = lines.last_mut().filter(|line| !line.is_empty()) {
            if line.width() + 1 + rest.width() <= width {
                line.push(' ');
                line.push_str(rest);
                continue;
            }
            lines.push(String::new());
        }
        while rest.width() > width {
            let cut = cut_at(rest, width);
            if let Some(line) = lines.last_mut() {
                line.push_str(&rest[..cut]);
            }
            rest = &rest[cut..];
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(rest);
        }
    }
    lines
}

/// The longest beginning that fits, at least one character.
fn cut_at(text: &str, width: usize) -> usize {
    let ends = text.char_indices().map(|(start, c)| start + c.len_utf8());
    let fitting = ends.clone().take_while(|&end| text[..end].width() <= width).last();
    fitting.or_else(|| ends.clone().next()).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::broken;

    #[test]
    fn cells_are_broken_by_width() {
        assert_eq!(broken("one two three", 7), ["one two", "three"]);
        assert_eq!(broken("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(broken("宽宽宽", 4), ["宽宽", "宽"]);
        assert_eq!(broken("宽", 1), ["宽", ""]);
        assert_eq!(broken("", 5), [""]);
    }
}
