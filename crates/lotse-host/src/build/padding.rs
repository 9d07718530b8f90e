//! An object of random size that comes first in a link and so moves everything behind it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use super::Link;
use super::draw::Draw;

/// Sections that get padding. The default script of GNU ld puts `.text.unlikely` before all other code; lld keeps the order of its inputs.
const PADDED: [(&str, &str); 4] = [
    ("text", ".text.unlikely,\"ax\""),
    ("rodata", ".rodata,\"a\""),
    ("data", ".data,\"aw\""),
    ("bss", ".bss,\"aw\""),
];
/// Code is aligned to 16 bytes: smaller padding would have no effect.
const STEP: usize = 16;
/// One page: larger padding would only add whole pages.
const STEPS: u32 = 256;

/// The arguments that link padding of random size into a program; they must precede all others. Writes the object into a folder.
pub(super) fn words(link: &Link, seed: u32, folder: &Path) -> io::Result<Vec<OsString>> {
    let (source, object) = (folder.join("padding.s"), folder.join("padding.o"));
    fs::write(&source, assembler(seed))?;
    // Options such as -m32 choose the machine.
    let machine = link.arguments.iter().filter(|word| {
        let word = word.to_string_lossy();
        word.starts_with("-m") || word.starts_with("--target")
    });
    let mut line = Command::new(&link.compiler);
    line.args(machine).arg("-c").arg(&source).arg("-o").arg(&object).current_dir(&link.directory);
    let output = line.output()?;
    if !output.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    // rustc links with --gc-sections, which drops unused sections unless a symbol in them is required by --undefined.
    let kept = PADDED.map(|(name, _)| OsString::from(format!("-Wl,--undefined={}", symbol(name))));
    Ok([PathBuf::into_os_string(object)].into_iter().chain(kept).collect())
}

fn symbol(name: &str) -> String {
    format!("lotse_padding_{name}")
}

fn assembler(seed: u32) -> String {
    let section = |(name, section): (&str, &str), size: usize| {
        let symbol = symbol(name);
        format!(".section {section}\n.globl {symbol}\n.hidden {symbol}\n{symbol}:\n.skip {size}\n")
    };
    let sizes = sizes(seed);
    let sections: String = PADDED.into_iter().zip(sizes).map(|(it, size)| section(it, size)).collect();
    // Without this section linkers warn and make the stack executable.
    format!("{sections}.section .note.GNU-stack,\"\"\n")
}

/// The padding of each section. 256 consecutive seeds give code 256 different sizes.
fn sizes(seed: u32) -> [usize; PADDED.len()] {
    let mut all: Vec<usize> = (0..STEPS as usize).collect();
    Draw::new(seed / STEPS).shuffle(&mut all);
    let mut draw = Draw::new(seed);
    let mut sizes = PADDED.map(|_| STEP * draw.below(STEPS as usize));
    sizes[0] = STEP * all[(seed % STEPS) as usize];
    sizes
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{assembler, sizes};

    #[test]
    fn sizes_are_drawn_from_the_seed() {
        assert_eq!(sizes(1), sizes(1));
        let first: BTreeSet<usize> = (512..768).map(|seed| sizes(seed)[0]).collect();
        assert_eq!(first.len(), 256, "no size of code comes again");
        let last: BTreeSet<usize> = (512..768).map(|seed| sizes(seed)[3]).collect();
        assert!(last.len() > 100 && last.iter().all(|size| size % 16 == 0 && *size < 4096), "{last:?}");
        assert!(assembler(7).contains(&format!("lotse_padding_text:\n.skip {}\n", sizes(7)[0])));
    }
}
