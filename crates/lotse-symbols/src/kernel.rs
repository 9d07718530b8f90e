//! The functions of a running kernel and its modules from `/proc/kallsyms`, and the kernel's build id.
//!
//! Addresses are relative to the start of the kernel (its symbol `_text`) or of a module, since both are loaded at another
//! address after the next boot.

use std::cmp::Reverse;

/// Functions of the kernel or of one module, sorted by address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelSymbols<'a> {
    functions: Vec<(u64, &'a str)>,
}

/// Why there are no kernel symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoKernelSymbols {
    /// All addresses are zero, as for users without the permission to see them.
    #[error("the kernel hides its addresses")]
    Hidden,
    /// The list does not contain the functions.
    #[error("the kernel lists no such functions")]
    Absent,
}

impl<'a> KernelSymbols<'a> {
    /// The functions of the kernel itself, relative to `_text`.
    pub fn of_kernel(kallsyms: &'a str) -> Result<Self, NoKernelSymbols> {
        let lines: Vec<KallsymsLine<'a>> = kallsyms.lines().filter_map(KallsymsLine::parse).collect();
        let text = lines.iter().find(|line| line.name == "_text").ok_or(NoKernelSymbols::Absent)?;
        if text.address == 0 {
            return Err(NoKernelSymbols::Hidden);
        }
        Self::relative_to(text.address, lines.iter().filter(|line| line.module.is_none()))
    }

    /// The functions of a module, relative to its load address in `/proc/modules`.
    pub fn of_module(kallsyms: &'a str, modules: &str, module: &str) -> Result<Self, NoKernelSymbols> {
        let base = modules.lines().find_map(|line| base_of_module(line, module));
        let base = base.ok_or(NoKernelSymbols::Absent)?;
        if base == 0 {
            return Err(NoKernelSymbols::Hidden);
        }
        let lines: Vec<KallsymsLine<'a>> = kallsyms.lines().filter_map(KallsymsLine::parse).collect();
        Self::relative_to(base, lines.iter().filter(|line| line.module == Some(module)))
    }

    /// The functions at or above a base address, the best name per address.
    fn relative_to<'l>(
        base: u64,
        lines: impl Iterator<Item = &'l KallsymsLine<'a>>,
    ) -> Result<Self, NoKernelSymbols>
    where
        'a: 'l,
    {
        let mut code: Vec<&KallsymsLine<'a>> =
            lines.filter(|line| line.is_code() && line.address >= base).collect();
        code.sort_by_key(|line| (line.address, line.rank()));
        code.dedup_by_key(|line| line.address);
        let functions: Vec<_> = code.into_iter().map(|line| (line.address - base, line.name)).collect();
        if functions.is_empty() { Err(NoKernelSymbols::Absent) } else { Ok(Self { functions }) }
    }

    /// The function at a distance from the base. A function extends to the next one.
    #[must_use]
    pub fn function_at(&self, distance: u64) -> Option<&'a str> {
        let after = self.functions.partition_point(|&(at, _)| at <= distance);
        Some(self.functions[after.checked_sub(1)?].1)
    }
}

/// A line of `/proc/kallsyms`: `ffffffff81000000 T _stext`, optionally followed by `[module]`.
#[derive(Debug)]
struct KallsymsLine<'a> {
    address: u64,
    kind: u8,
    name: &'a str,
    module: Option<&'a str>,
}

impl<'a> KallsymsLine<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        let address = u64::from_str_radix(words.next()?, 16).ok()?;
        let kind = *words.next()?.as_bytes().first()?;
        let name = words.next()?;
        let module = words.next().and_then(|word| word.strip_prefix('[')?.strip_suffix(']'));
        Some(Self { address, kind, name, module })
    }

    fn is_code(&self) -> bool {
        matches!(self.kind, b'T' | b't' | b'W' | b'w')
    }

    /// The preference among several names of an address, as in perf: strong before weak, global before local, fewer leading
    /// underscores, then the longer name.
    fn rank(&self) -> impl Ord + use<> {
        let weak = matches!(self.kind, b'W' | b'w');
        let underscores = self.name.bytes().take_while(|&byte| byte == b'_').count();
        (weak, self.kind.is_ascii_lowercase(), underscores, Reverse(self.name.len()))
    }
}

/// The load address in a line of `/proc/modules`, if it is that of the module: `name size uses users state 0xaddress`.
fn base_of_module(line: &str, module: &str) -> Option<u64> {
    let mut words = line.split_ascii_whitespace();
    (words.next() == Some(module)).then_some(())?;
    u64::from_str_radix(words.nth(4)?.strip_prefix("0x")?, 16).ok()
}

/// The build id in the notes of a kernel (`/sys/kernel/notes`) or a module, in the byte order of this machine.
#[must_use]
pub fn build_id_of_notes(mut notes: &[u8]) -> Option<&[u8]> {
    const BUILD_ID: u32 = 3;
    loop {
        let (head, rest) = notes.split_at_checked(12)?;
        let word = |at: usize| Some(u32::from_ne_bytes(head.get(at..at + 4)?.try_into().ok()?));
        let (name_size, size, kind) = (word(0)? as usize, word(4)? as usize, word(8)?);
        let name = rest.get(..name_size)?;
        let rest = rest.get(name_size.checked_next_multiple_of(4)?..)?;
        if (name, kind) == (b"GNU\0", BUILD_ID) {
            return rest.get(..size);
        }
        notes = rest.get(size.checked_next_multiple_of(4)?..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::{KernelSymbols, NoKernelSymbols, build_id_of_notes};

    const KALLSYMS: &str = "ffffffff81000000 T _stext\nffffffff81000000 T _text\nffffffff81000100 t local\n\
        ffffffff81000100 W weak_name\nffffffff81000100 T __x64_sys_read\nffffffff81000200 T later\n\
        ffffffff82000000 D data\nffffffffc0001000 t helper [virtio]\nffffffffc0001080 T probe [virtio]\n";

    #[test]
    fn functions_are_found_by_their_distance_from_the_beginning() {
        let kernel = KernelSymbols::of_kernel(KALLSYMS).unwrap();
        let found = [0xff, 0x100, 0x1ff, 0x200].map(|at| kernel.function_at(at));
        assert_eq!(found, [Some("_stext"), Some("__x64_sys_read"), Some("__x64_sys_read"), Some("later")]);
        let modules = "other 1 0 - Live 0xffffffffc0000000\nvirtio 16384 1 - Live 0xffffffffc0001000\n";
        let module = KernelSymbols::of_module(KALLSYMS, modules, "virtio").unwrap();
        assert_eq!([0x10, 0x80].map(|at| module.function_at(at)), [Some("helper"), Some("probe")]);
        assert_eq!(KernelSymbols::of_module(KALLSYMS, modules, "ext4"), Err(NoKernelSymbols::Absent));
    }

    #[test]
    fn zeros_are_no_addresses() {
        let hidden = "0000000000000000 T _text\n0000000000000000 T read\n";
        assert_eq!(KernelSymbols::of_kernel(hidden), Err(NoKernelSymbols::Hidden));
        assert_eq!(KernelSymbols::of_kernel("nothing\n"), Err(NoKernelSymbols::Absent));
    }

    #[test]
    fn the_build_id_is_found_among_notes() {
        let note = |kind: u32, name: &[u8], content: &[u8]| {
            let sizes = [name.len() as u32, content.len() as u32, kind].map(u32::to_ne_bytes).concat();
            let pad =
                |bytes: &[u8]| [bytes, &vec![0; bytes.len().next_multiple_of(4) - bytes.len()]].concat();
            [sizes, pad(name), pad(content)].concat()
        };
        let notes = [note(6, b"Linux\0", b"6.1"), note(3, b"GNU\0", &[9; 20])].concat();
        assert_eq!(build_id_of_notes(&notes), Some(&[9; 20][..]));
        assert_eq!(build_id_of_notes(&notes[..30]), None);
        assert_eq!(build_id_of_notes(&[0xff; 40]), None);
    }
}
