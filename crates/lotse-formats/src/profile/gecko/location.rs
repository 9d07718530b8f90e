//! The place of a function as JavaScript engines write it: `name (url:line:column)`.

/// The name and place of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ScriptLocation<'a> {
    pub(crate) name: &'a str,
    /// Empty where unknown.
    pub(crate) file: &'a str,
    /// 0 where unknown.
    pub(crate) line: u32,
    /// 0 where unknown.
    pub(crate) column: u32,
}

/// Parses a text; one of another form is taken as a name.
pub(crate) fn parse(text: &str) -> ScriptLocation<'_> {
    place(text).unwrap_or(ScriptLocation { name: text, file: "", line: 0, column: 0 })
}

fn place(text: &str) -> Option<ScriptLocation<'_>> {
    let (name, inside) = text.strip_suffix(')')?.split_once('(')?;
    let (file, last) = inside.rsplit_once(':')?;
    let last = last.parse().ok()?;
    let (file, line, column) = match file.rsplit_once(':').map(|(file, line)| (file, line.parse())) {
        Some((file, Ok(line))) => (file, line, last),
        _ => (file, last, 0),
    };
    // A script loaded by another is written as `loader -> script`.
    let file = file.rsplit(" -> ").next().unwrap_or(file);
    let name = if name.trim().is_empty() { "(anonymous)" } else { name.trim_end() };
    Some(ScriptLocation { name, file, line, column })
}

#[cfg(test)]
mod tests {
    use super::{ScriptLocation, parse};

    #[test]
    fn names_and_places_are_separated() {
        let at = |name, file, line, column| ScriptLocation { name, file, line, column };
        assert_eq!(parse("f (a.js:3:7)"), at("f", "a.js", 3, 7));
        assert_eq!(parse("f(http://x:80/a?b=(1):17:3)"), at("f", "http://x:80/a?b=(1)", 17, 3));
        assert_eq!(parse("frob (chrome://blargh:34)"), at("frob", "chrome://blargh", 34, 0));
        assert_eq!(parse("g (a.js -> b.js:1:2)"), at("g", "b.js", 1, 2));
        assert_eq!(parse(" (a.js:1:2)"), at("(anonymous)", "a.js", 1, 2));
        for plain in ["(root)", "operator()", "f (int)", "a:1:2", "", ")", "(:)"] {
            assert_eq!(parse(plain), at(plain, "", 0, 0));
        }
    }
}
