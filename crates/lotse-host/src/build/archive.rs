//! Static libraries (`ar` archives) with their members in another order.
//!
//! ```text
//! !<arch>\n
//! "/"  or "/SYM64/"   the symbol table: offsets of members, rebuilt by ranlib
//! "//"                long names
//! "main.o/" …         members: a header of 60 bytes, the contents, one byte more if their size is odd
//! ```

use std::path::Path;
use std::process::Command;
use std::{fs, io};

use super::draw::Draw;

const MAGIC: &[u8] = b"!<arch>\n";
const HEADER: usize = 60;

/// Writes an archive with its members in another order. `false` if there is no other order or the format is not supported.
pub(super) fn write_shuffled(from: &Path, to: &Path, draw: &mut Draw) -> io::Result<bool> {
    let Some(bytes) = shuffled(&fs::read(from)?, draw) else { return Ok(false) };
    fs::write(to, bytes)?;
    // Linkers need the symbol table.
    Ok(Command::new("ranlib").arg(to).output().is_ok_and(|output| output.status.success()))
}

fn shuffled(archive: &[u8], draw: &mut Draw) -> Option<Vec<u8>> {
    let mut rest = archive.strip_prefix(MAGIC)?;
    let (mut names, mut members): (Vec<&[u8]>, Vec<&[u8]>) = (Vec::new(), Vec::new());
    while !rest.is_empty() {
        let size: usize = std::str::from_utf8(rest.get(48..58)?).ok()?.trim_end().parse().ok()?;
        // The last member may lack its padding.
        let end = HEADER.checked_add(size)?.checked_next_multiple_of(2)?.min(rest.len());
        let (member, behind) = rest.split_at_checked(end).filter(|_| end >= HEADER + size)?;
        match member.get(..16)?.trim_ascii_end() {
            b"/" | b"/SYM64/" => {}
            b"//" => names.push(member),
            _ => members.push(member),
        }
        rest = behind;
    }
    if members.len() < 2 {
        return None;
    }
    draw.shuffle(&mut members);
    let mut bytes = MAGIC.to_vec();
    for member in names.into_iter().chain(members) {
        bytes.extend_from_slice(member);
        bytes.resize(bytes.len().next_multiple_of(2), b'\n');
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::shuffled;
    use crate::build::draw::Draw;

    fn member(name: &str, contents: &str) -> String {
        let padding = if contents.len() % 2 == 1 { "\n" } else { "" };
        format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n{contents}{padding}", 0, 0, 0, 644, contents.len())
    }

    #[test]
    fn members_change_their_order_and_nothing_else() {
        let all = [member("a.o/", "one"), member("b.o/", "two2"), member("/0", "three")];
        let names = member("//", "a_very_long_name.o/\n");
        let archive = format!("!<arch>\n{}{names}{}", member("/", "table"), all.concat());
        let mut orders = std::collections::BTreeSet::new();
        for seed in 1..60 {
            let bytes = shuffled(archive.as_bytes(), &mut Draw::new(seed)).unwrap();
            let text = String::from_utf8(bytes).unwrap();
            let rest = text.strip_prefix("!<arch>\n").and_then(|rest| rest.strip_prefix(&names)).unwrap();
            assert!(all.iter().all(|member| rest.contains(member.as_str())), "{text}");
            assert_eq!(rest.len(), all.concat().len());
            orders.insert(rest.to_owned());
        }
        assert_eq!(orders.len(), 6);
    }

    #[test]
    fn what_is_no_plain_archive_is_left_alone() {
        let one = format!("!<arch>\n{}", member("a.o/", "one"));
        let cut = &format!("!<arch>\n{}{}", member("a.o/", "one"), member("b.o/", "two"))[..100];
        for archive in ["", "!<thin>\n", "!<arch>\nnot a header", &one, cut] {
            assert_eq!(shuffled(archive.as_bytes(), &mut Draw::new(1)), None, "{archive}");
        }
    }
}
