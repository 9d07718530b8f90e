//! Line breaking at a given width, in terminal columns (wide characters take two).

use std::io::{self, Write};

use anstyle::Style as Ansi;
use unicode_width::UnicodeWidthStr;

use super::painted;
use crate::format::Options;

/// Text in one style.
pub(super) struct StyledText {
    pub(super) text: String,
    pub(super) ansi: Ansi,
}

/// Writes the texts one after the other in lines no wider than the options allow; a longer word gets a line of its own.
/// `indents` are those of the first line and of the following ones.
pub(super) fn wrap(
    texts: &[StyledText],
    indents: [&str; 2],
    options: Options,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut line = indents[0].to_owned();
    let mut width = line.width();
    let mut fresh = true;
    let mut gap = false;
    let glued: Vec<StyledText> = texts.iter().map(|it| StyledText { text: glued(&it.text), ..*it }).collect();
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

/// A space at which lines are not broken.
const GLUE: char = '\u{a0}';

/// A number stays on the line of its `%`.
fn glued(text: &str) -> String {
    text.replace(" %", &format!("{GLUE}%"))
}

/// The words of a text, each with whether a space precedes it; repeated spaces give empty words.
fn words(styled: &StyledText) -> impl Iterator<Item = (&str, Ansi, bool)> {
    styled.text.split(' ').enumerate().map(|(i, word)| (word, styled.ansi, i > 0))
}

/// A text in lines no wider than `width`; words that are too wide are broken.
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

/// The end of the longest prefix that fits, at least one character.
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
