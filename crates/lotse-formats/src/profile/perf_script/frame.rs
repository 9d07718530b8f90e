//! Parses the line of a frame, and the line with its place in the source.

/// Addresses from here on are those of the kernel.
const KERNEL: u64 = 1 << 63;

/// A frame as printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct PrintedFrame<'a> {
    pub(super) address: u64,
    /// Without the offset; empty where none is printed.
    pub(super) symbol: &'a str,
    /// `None` where none is printed; empty where perf does not know it.
    pub(super) object: Option<&'a str>,
    pub(super) inlined: bool,
    pub(super) file: &'a str,
    pub(super) line: u32,
}

impl<'a> PrintedFrame<'a> {
    /// Parses `address symbol+0xoffset (object)`.
    pub(super) fn parse(line: &'a str) -> Option<Self> {
        let text = line.trim();
        let (address, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let address = parse_address(address)?;
        let (symbol, object) = split_object(rest.trim());
        let inlined = object == Some("inlined");
        let object = match object {
            Some("inlined") => None,
            Some("[unknown]") => Some(""),
            object => object,
        };
        Some(Self { address, symbol: without_offset(symbol), object, inlined, ..Self::default() })
    }

    /// Whether the address is one of user code.
    pub(super) fn is_user(&self) -> bool {
        self.address < KERNEL && !self.object.is_some_and(|object| object.starts_with("[kernel"))
    }

    /// Whether perf knows no mapping at the address of user code.
    pub(super) fn is_nowhere(&self) -> bool {
        self.object == Some("") && matches!(self.symbol, "" | "[unknown]") && self.is_user()
    }

    /// Parses the frame on the line of its sample, perhaps after the address of the accessed data.
    pub(super) fn after_header(rest: &'a str) -> Option<Self> {
        let (first, second) = rest.trim().split_once(char::is_whitespace).unwrap_or((rest.trim(), ""));
        parse_address(first)?;
        let second = second.trim_start();
        let next = second.split(char::is_whitespace).next();
        let of_data = next.is_some_and(|next| next.len() > 4 && parse_address(next).is_some());
        Self::parse(if of_data { second } else { rest })
    }

    /// Reads a line as the place `file:line`, or `object[address]` where perf knows no file; `false` for other lines.
    pub(super) fn set_place(&mut self, text: &'a str) -> bool {
        let unknown = text.trim().strip_suffix(']').and_then(|text| text.rsplit_once('['));
        if unknown.is_some_and(|(_, address)| parse_address(address).is_some()) {
            return true;
        }
        let Some((file, line)) = text.trim().rsplit_once(':') else { return false };
        let Ok(line) = line.parse() else { return false };
        if !file.starts_with("??") {
            (self.file, self.line) = (file, line);
        }
        true
    }
}

fn parse_address(word: &str) -> Option<u64> {
    let hexadecimal = word.bytes().all(|byte| byte.is_ascii_hexdigit());
    hexadecimal.then(|| u64::from_str_radix(word, 16).ok())?
}

/// Splits off the object in parentheses at the end. Symbols may contain parentheses too; those of the object follow a
/// blank and may contain others.
fn split_object(text: &str) -> (&str, Option<&str>) {
    let Some(inner) = text.strip_suffix(')') else { return (text, None) };
    let mut depth = 1_usize;
    let open = inner.bytes().rposition(|byte| {
        depth = match byte {
            b')' => depth + 1,
            b'(' => depth - 1,
            _ => depth,
        };
        depth == 0
    });
    match open {
        Some(0) => ("", Some(&inner[1..])),
        Some(open) if inner[..open].ends_with([' ', '\t']) => {
            (inner[..open].trim_end(), Some(&inner[open + 1..]))
        }
        _ => (text, None),
    }
}

fn without_offset(symbol: &str) -> &str {
    match symbol.rsplit_once("+0x") {
        Some((name, offset)) if !name.is_empty() && parse_address(offset).is_some() => name,
        _ => symbol,
    }
}

#[cfg(test)]
mod tests {
    use super::PrintedFrame;

    #[test]
    fn frames() {
        for (line, address, symbol, object) in [
            (
                "\t 7f1e GCTaskThread::run() (/l/libjvm.so)",
                0x7f1e,
                "GCTaskThread::run()",
                Some("/l/libjvm.so"),
            ),
            (
                "\t ff f(int, (anonymous)) (/a b (deleted))",
                0xff,
                "f(int, (anonymous))",
                Some("/a b (deleted)"),
            ),
            ("\t 0 [unknown] ([unknown])", 0, "[unknown]", Some("")),
            ("\t a1 work+0x25 ([kernel.kallsyms])", 0xa1, "work", Some("[kernel.kallsyms]")),
            ("\t a1 operator()(int)", 0xa1, "operator()(int)", None),
            ("\t a1 (/bin/a)", 0xa1, "", Some("/bin/a")),
            ("\t a1", 0xa1, "", None),
            ("\t a1 RegExp:[&<>+0x] (/tmp/perf-1.map)", 0xa1, "RegExp:[&<>+0x]", Some("/tmp/perf-1.map")),
        ] {
            let expected = PrintedFrame { address, symbol, object, ..PrintedFrame::default() };
            assert_eq!(PrintedFrame::parse(line), Some(expected), "{line}");
        }
        let inlined = PrintedFrame::parse("  a1 inl (inlined)").unwrap();
        assert!(inlined.inlined && inlined.object.is_none() && inlined.symbol == "inl");
        assert_eq!(PrintedFrame::parse("  main.c:12"), None);
        assert_eq!(PrintedFrame::parse("  11112222333344445 f (a)"), None);
    }

    #[test]
    fn places_and_data_addresses() {
        let mut frame = PrintedFrame::parse("a1 f (/a)").unwrap();
        assert!(frame.set_place("  dir/a.c:12") && frame.file == "dir/a.c" && frame.line == 12);
        assert!(frame.set_place("  ??:0") && frame.line == 12);
        assert!(frame.set_place("  dash[9fa2]") && frame.line == 12);
        assert!(!frame.set_place("  no place"));
        let parsed = |rest| PrintedFrame::after_header(rest).map(|frame| (frame.address, frame.symbol));
        assert_eq!(parsed("  7f0000 ffff8175016a elf_load+0x1 ([k])"), Some((0xffff_8175_016a, "elf_load")));
        assert_eq!(parsed("  7f0000 dd ([k])"), Some((0x7f_0000, "dd")));
        assert_eq!(parsed(" prev_comm=a"), None);
        assert_eq!(parsed(""), None);
    }
}
