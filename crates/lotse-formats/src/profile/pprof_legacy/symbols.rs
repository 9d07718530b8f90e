//! The symbols that a file contains.

use hashbrown::HashMap;
use lotse_model::profile::readable;

/// The name of an address and its place in the source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Symbol {
    pub(super) name: String,
    pub(super) file: String,
    pub(super) line: u32,
}

/// Symbols by address.
#[derive(Debug, Default)]
pub(super) struct Symbols(HashMap<u64, Symbol>);

/// Whether a text begins with symbols.
pub(super) fn begin(text: &str) -> bool {
    text.starts_with("--- symbol")
}

impl Symbols {
    /// The symbol of an address.
    pub(super) fn get(&self, address: u64) -> Option<&Symbol> {
        self.0.get(&address)
    }

    /// Reads symbols before a profile: `--- symbol`, lines `0x12 name`, `---`, then a line that begins the profile. Gives
    /// back the profile.
    pub(super) fn read_front<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        if !bytes.starts_with(b"--- symbol") {
            return bytes;
        }
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let line = readable(&rest[..end]);
            let next = &rest[end + 1..];
            if line.starts_with("---") && !begin(&line) && line.trim() != "---" {
                // After these lines comes a binary profile; other lines are the first line of a text profile.
                let named = ["--- profile", "--- heap", "--- growth"].iter().any(|kind| line.trim() == *kind);
                return if named || line.trim() == "--- contention" && next.starts_with(b"---") {
                    next
                } else {
                    rest
                };
            }
            if let Some((address, name)) =
                line.split_once(' ').and_then(|(at, name)| Some((address(at)?, name)))
            {
                self.0.insert(address, Symbol { name: name.trim().to_owned(), ..Symbol::default() });
            }
            rest = next;
        }
        &[]
    }

    /// Reads a line of a Java profile: `0x12 name (file:line)`, `0x12 name (library)`, `0x12 state`.
    pub(super) fn java(&mut self, line: &str) {
        let Some((at, rest)) = line.trim().split_once(char::is_whitespace) else { return };
        let (Some(at), rest) = (address(at), rest.trim()) else { return };
        self.0.insert(at, java_symbol(rest));
    }

    /// Reads a comment of a Go profile, with tabs: `# 0x12 name+0x3 file:line`.
    pub(super) fn go(&mut self, line: &str) {
        let mut words =
            line.trim_start_matches('#').split('\t').map(str::trim).filter(|word| !word.is_empty());
        let (Some(at), Some(name)) = (words.next().and_then(address), words.next()) else { return };
        let (file, line) = words.next().and_then(|place| place.rsplit_once(':')).unwrap_or(("", "0"));
        let name = name.rsplit_once("+0x").map_or(name, |(name, _)| name).to_owned();
        let symbol = Symbol { name, file: file.to_owned(), line: line.parse().unwrap_or(0) };
        self.0.insert(at, symbol);
    }
}

fn java_symbol(text: &str) -> Symbol {
    let place = text.strip_suffix(')').and_then(|text| text.rsplit_once(" ("));
    let (name, file, line) = match place {
        Some((name, place)) => match place.rsplit_once(':').map(|(file, line)| (file, line.parse::<i64>())) {
            Some((file, Ok(line))) => (name, file, u32::try_from(line).unwrap_or(0)),
            _ => (name, place.rsplit('/').next().unwrap_or(place), 0),
        },
        None if text.contains("generated stub/JIT") => ("STUB", "", 0),
        None => (text, "", 0),
    };
    Symbol { name: name.trim().to_owned(), file: file.to_owned(), line }
}

/// Parses `0x12ab`.
pub(super) fn address(word: &str) -> Option<u64> {
    u64::from_str_radix(word.strip_prefix("0x")?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::Symbols;

    #[test]
    fn names_of_java_and_go() {
        let mut symbols = Symbols::default();
        symbols.java(" 0x0000006 com.example.f (source.java:06)");
        symbols.java(" 0x00000007 memcpy (/lib/libc.so)");
        symbols.java("0x8 GC");
        symbols.java("nothing");
        symbols.go("#\t0x46bd2b\tmain.main+0x4b\t\t/tmp/a.go:10");
        let found = |at| symbols.get(at).map(|it| format!("{} {} {}", it.name, it.file, it.line));
        assert_eq!(found(6).as_deref(), Some("com.example.f source.java 6"));
        assert_eq!(found(7).as_deref(), Some("memcpy libc.so 0"));
        assert_eq!(found(8).as_deref(), Some("GC  0"));
        assert_eq!(found(0x46_bd2b).as_deref(), Some("main.main /tmp/a.go 10"));
    }

    #[test]
    fn names_before_a_profile() {
        let mut symbols = Symbols::default();
        let rest = symbols.read_front(b"--- symbol\nbinary=/bin/a\n0x12 main\n---\n--- profile\nrest");
        assert_eq!((rest, symbols.get(0x12).map(|it| it.name.as_str())), (&b"rest"[..], Some("main")));
        assert_eq!(symbols.read_front(b"--- symbol\n---\n--- contention\nx"), b"--- contention\nx");
        assert_eq!(symbols.read_front(b"--- symbol\n0x1"), b"");
        assert_eq!(symbols.read_front(b"other"), b"other");
    }
}
