//! A shortened copy of a JSON document, in which a recogniser finds keys that are far from the document's beginning.
//!
//! Lists keep their first elements, objects their first keys, long strings only the keys of JSON inside them:
//!
//! ```text
//! {"markers": [1, 2, 3, 4, … a megabyte …], "profile": {"threads": [{"name": "main", … }]}}
//! {"markers":[1,2,3],"profile":{"threads":[{"name":"main"}]}}
//! ```
//!
//! The outline of a damaged document ends at the damage. Nothing recurses, and an outline is not much longer than
//! [`LONGEST`].

/// How many bytes a recogniser looks at; longer documents need an outline.
pub(crate) const HEAD: usize = 64 * 1024;
/// No value is begun after this length. The rest of [`HEAD`] is room for the last value.
const LONGEST: usize = HEAD - 8 * 1024;
/// How many elements of a list are kept.
const ELEMENTS: usize = 3;
/// How many keys of an object are kept.
const KEYS: usize = 100;
/// Lists and objects nested deeper become `null`.
const DEPTH: usize = 8;
/// Longer strings are shortened.
const TEXT: usize = 256;

/// The outline of a document; `None` if the bytes are not JSON.
pub(crate) fn outline(bytes: &[u8]) -> Option<Vec<u8>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    matches!(first, Some(b'{' | b'[')).then(|| {
        let mut outline = Outline { bytes, at: 0, out: Vec::new(), open: Vec::new() };
        outline.copy_outline();
        outline.out
    })
}

/// A list or an object that is not closed yet.
struct OpenContainer {
    is_object: bool,
    /// Elements or keys written so far.
    kept: usize,
}

struct Outline<'a> {
    bytes: &'a [u8],
    at: usize,
    out: Vec<u8>,
    open: Vec<OpenContainer>,
}

impl Outline<'_> {
    /// Copies elements until the outline is long enough, or the document ends or is damaged.
    fn copy_outline(&mut self) {
        while let Some(byte) = self.next_byte().filter(|_| self.out.len() < LONGEST) {
            match byte {
                // Separators are written together with the elements.
                b',' | b':' => self.at += 1,
                b'}' | b']' => {
                    self.at += 1;
                    self.open.pop();
                    self.out.push(byte);
                }
                _ if !self.element() => return,
                _ => {}
            }
            if self.open.is_empty() {
                return;
            }
        }
    }

    /// The next byte that is not white space.
    fn next_byte(&mut self) -> Option<u8> {
        let blanks = self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.at += blanks;
        self.bytes.get(self.at).copied()
    }

    /// Copies or skips an element of a list, or a key with its value; `false` if the document is damaged.
    fn element(&mut self) -> bool {
        let Some(open) = self.open.last_mut() else { return self.value() };
        let (is_object, most) = (open.is_object, if open.is_object { KEYS } else { ELEMENTS });
        let keep = open.kept < most;
        open.kept += usize::from(keep);
        let comma = open.kept > 1;
        let start = self.at;
        if is_object && !(self.bytes[start] == b'"' && self.skip_value() && self.next_byte() == Some(b':')) {
            return false;
        }
        if !keep {
            self.at += usize::from(is_object);
            return self.next_byte().is_some() && self.skip_value();
        }
        self.out.extend(comma.then_some(b','));
        if is_object {
            self.out.extend_from_slice(self.bytes[start..self.at].trim_ascii_end());
            self.out.push(b':');
            self.at += 1;
        }
        self.value()
    }

    /// Copies a value, or only its opening bracket if it is a list or object; `false` if the document ends inside it.
    fn value(&mut self) -> bool {
        let Some(byte) = self.next_byte() else { return false };
        if matches!(byte, b'{' | b'[') && self.open.len() < DEPTH {
            self.open.push(OpenContainer { is_object: byte == b'{', kept: 0 });
            self.out.push(byte);
            self.at += 1;
            return true;
        }
        let start = self.at;
        let is_complete = self.skip_value();
        let value = &self.bytes[start..self.at];
        match byte {
            b'{' | b'[' => self.out.extend_from_slice(b"null"),
            b'"' if value.len() > TEXT => write_keys(value, &mut self.out),
            _ => self.out.extend_from_slice(&value[..value.len().min(TEXT)]),
        }
        is_complete
    }

    /// Skips a value; `false` if the document ends inside it.
    fn skip_value(&mut self) -> bool {
        let mut depth = 0_usize;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'"' => match text_end(&self.bytes[self.at..]) {
                    Some(length) => self.at += length,
                    None => {
                        self.at = self.bytes.len();
                        return false;
                    }
                },
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' if depth == 0 => return true,
                b'}' | b']' => {
                    depth -= 1;
                    self.at += 1;
                }
                b',' | b':' if depth == 0 => return true,
                _ => {
                    self.at += 1;
                    continue;
                }
            }
            if depth == 0 {
                return true;
            }
        }
        false
    }
}

/// The length of a string, including its quotes.
fn text_end(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        match bytes[at] {
            b'"' => return Some(at + 1),
            _ => at += 2,
        }
    }
}

/// Writes the keys of the JSON inside a long string, as Firefox packs threads: `\"stackTable\":`.
fn write_keys(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    let mut keys = text.split(|byte| *byte == b':').filter_map(|before| before.strip_suffix(b"\\\""));
    let mut found: Vec<&[u8]> = Vec::new();
    while let Some(before) = keys.next().filter(|_| found.len() < KEYS) {
        let start = before.iter().rposition(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'));
        let key = &before[start.map_or(0, |start| start + 1)..];
        if !key.is_empty() && key.len() <= TEXT && !found.contains(&key) {
            found.push(key);
        }
    }
    out.extend(found.join(&b' '));
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::{HEAD, LONGEST, outline};

    fn outlined(text: &str) -> String {
        String::from_utf8(outline(text.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn lists_and_texts_are_cut_and_later_keys_stay() {
        let long = "[1, 2.5e3, \"a,]\\\"\"],".repeat(HEAD / 10);
        let packed = format!(r#""{{\"samples\":{{\"schema\":1}},{},\"stackTable\":2}}""#, "x".repeat(300));
        let text = format!(
            r#" {{"label": null, "markers": [{long} 7], "profile" : {{"threads": [{packed}, {{}}, true, false]}}}} "#
        );
        let expected = r#"{"label":null,"markers":[[1,2.5e3,"a,]\""],[1,2.5e3,"a,]\""],[1,2.5e3,"a,]\""]],"profile":{"threads":["samples schema stackTable",{},true]}}"#;
        assert_eq!(outlined(&text), expected);
    }

    #[test]
    fn what_is_no_json_has_no_outline() {
        assert_eq!(outline(b" {}").as_deref(), Some(&b"{}"[..]));
        assert_eq!(outline(b""), None);
        assert_eq!(outline("x".repeat(2 * HEAD).as_bytes()), None);
    }

    #[test]
    fn damage_ends_an_outline_and_depth_does_no_harm() {
        let long = "1,".repeat(HEAD);
        for end in ["\"profile\": {\"a\": \"", "\"a\" 1", "1: 2", "", "\"\\"] {
            let text = format!("{{\"b\": [{long}1], {end}");
            assert!(outlined(&text).starts_with("{\"b\":[1,1,1]"), "{end}");
        }
        let deep = outlined(&"[".repeat(2 * HEAD));
        assert_eq!(deep, "[[[[[[[[null");
        let wide: String = (0..HEAD).map(|key| format!("\"{key}\":{{\"x\":[]}},")).collect();
        assert!(outlined(&format!("{{{wide}")).len() <= LONGEST + 1024);
    }
}
