//! The links, code spans and anchors of a Markdown document, for the check of links.
//!
//! Fenced blocks are skipped, since they contain shell sessions and output.

use std::collections::BTreeSet;

/// A link target or code span with its line, counted from 1.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mention {
    pub(crate) line: usize,
    pub(crate) text: String,
}

/// A Markdown document.
#[derive(Debug, Default)]
pub(crate) struct MarkdownDocument {
    pub(crate) links: Vec<Mention>,
    pub(crate) code_spans: Vec<Mention>,
    pub(crate) anchors: BTreeSet<String>,
}

impl MarkdownDocument {
    pub(crate) fn parse(text: &str) -> Self {
        let mut document = Self::default();
        let mut fence: Option<&str> = None;
        for (line, number) in text.lines().zip(1..) {
            let trimmed = line.trim_start();
            let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
            match (fence, mark) {
                (None, Some(_)) => fence = mark,
                (Some(open), Some(mark)) if open == mark => fence = None,
                (None, None) => document.add_line(line, number),
                _ => {}
            }
        }
        document
    }

    fn add_line(&mut self, line: &str, number: usize) {
        if let Some(title) = heading(line) {
            self.add_anchor(&slug(title));
        }
        let (spans, rest) = split_code_spans(line);
        let mention = |text: &str| Mention { line: number, text: text.to_owned() };
        self.code_spans.extend(spans.into_iter().map(mention));
        self.links.extend(targets(&rest).into_iter().map(mention));
        for mark in ["id=\"", "name=\""] {
            self.anchors.extend(quoted_after(&rest, mark).into_iter().map(str::to_owned));
        }
    }

    /// Adds the anchor of a heading; repeated titles get a number.
    fn add_anchor(&mut self, slug: &str) {
        let numbered = (1..).map(|number| format!("{slug}-{number}"));
        let free = std::iter::once(slug.to_owned()).chain(numbered).find(|name| !self.anchors.contains(name));
        self.anchors.extend(free);
    }
}

fn heading(line: &str) -> Option<&str> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    ((1..=6).contains(&level) && title.starts_with(' ')).then(|| title.trim())
}

/// The anchor of a title, as in GitHub and mdBook: lower case, hyphens for spaces, other punctuation removed.
fn slug(title: &str) -> String {
    let keep = |c: char| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        c if c.is_alphanumeric() => Some(c),
        _ => None,
    };
    without_targets(title).to_lowercase().chars().filter_map(keep).collect()
}

/// `[text](target)` as `[text]`.
fn without_targets(title: &str) -> String {
    match title.split_once("](") {
        Some((before, after)) => {
            let rest = after.split_once(')').map_or("", |(_, rest)| rest);
            format!("{before}]{}", without_targets(rest))
        }
        None => title.to_owned(),
    }
}

/// The contents of `code spans` of a line, and the line without them.
fn split_code_spans(line: &str) -> (Vec<&str>, String) {
    let mut spans = Vec::new();
    let mut rest = String::new();
    let mut left = line;
    while let Some(open) = left.find('`') {
        let after = left[open..].trim_start_matches('`');
        let ticks = &left[open..left.len() - after.len()];
        let Some(close) = after.find(ticks) else { break };
        spans.push(after[..close].trim());
        rest.push_str(&left[..open]);
        left = &after[close + ticks.len()..];
    }
    rest.push_str(left);
    (spans, rest)
}

/// The targets of inline links, images, reference definitions, and the HTML attributes `href` and `src`.
fn targets(line: &str) -> Vec<&str> {
    let inline = line.match_indices("](").map(|(at, _)| until_closed(&line[at + 2..]));
    let mut found: Vec<_> = inline.collect();
    found.extend(definition(line));
    found.extend(quoted_after(line, "href=\""));
    found.extend(quoted_after(line, "src=\""));
    found.into_iter().map(without_title).filter(|target| !target.is_empty()).collect()
}

fn until_closed(rest: &str) -> &str {
    let mut depth = 1_usize;
    for (at, c) in rest.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &rest[..at];
        }
    }
    rest
}

/// The target of a reference definition `[name]: target`; `None` for a footnote `[^1]: text`.
fn definition(line: &str) -> Option<&str> {
    let (name, target) = line.trim_start().strip_prefix('[')?.split_once("]:")?;
    (!name.contains(']') && !name.starts_with('^')).then(|| target.trim())
}

fn quoted_after<'a>(line: &'a str, mark: &str) -> Vec<&'a str> {
    let quoted = line.match_indices(mark).map(|(at, _)| &line[at + mark.len()..]);
    quoted.filter_map(|rest| Some(rest.split_once('"')?.0)).collect()
}

/// `target "title"` and `<target>` as target.
fn without_title(target: &str) -> &str {
    let target = target.trim();
    match target.strip_prefix('<').and_then(|inner| inner.split_once('>')) {
        Some((inner, _)) => inner,
        None => target.split_whitespace().next().unwrap_or(""),
    }
}

#[cfg(test)]
mod tests {
    use super::MarkdownDocument;

    fn texts(mentions: &[super::Mention]) -> Vec<(usize, &str)> {
        mentions.iter().map(|mention| (mention.line, mention.text.as_str())).collect()
    }

    #[test]
    fn links_of_all_kinds() {
        let text = "See [a](b.md) and ![c](d(1).png \"t\").\n[e]: <f g.md>\n<img src=\"h.svg\">\n[^1]: note";
        let document = MarkdownDocument::parse(text);
        assert_eq!(texts(&document.links), [(1, "b.md"), (1, "d(1).png"), (2, "f g.md"), (3, "h.svg")]);
    }

    #[test]
    fn code_is_no_link() {
        let document = MarkdownDocument::parse("`[a](b)` x ``c`d``\n```sh\n[e](f) `g`\n```\n`open [i](j)");
        assert_eq!(texts(&document.code_spans), [(1, "[a](b)"), (1, "c`d")]);
        assert_eq!(texts(&document.links), [(5, "j")]);
    }

    #[test]
    fn anchors_as_github_makes_them() {
        let document = MarkdownDocument::parse(
            "# Two `words`, [here](x.md)!\n## Same\n## Same\n#not\n<a id=\"own\"></a>",
        );
        let anchors: Vec<_> = document.anchors.iter().map(String::as_str).collect();
        assert_eq!(anchors, ["own", "same", "same-1", "two-words-here"]);
    }
}
