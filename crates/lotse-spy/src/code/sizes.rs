//! Sizes of types by name, where symbol names and debug information spell the same type differently.
//!
//! Symbol names leave out type arguments that are the defaults, debug information has all of them:
//!
//! ```text
//! symbol name          petgraph::graph_impl::Node<u64>
//! debug information    petgraph::graph_impl::Node<u64, u32>
//! ```
//!
//! Which arguments are the defaults is not recorded. Where several types fit and differ in size, the size is not known.

/// The size of a type in bytes. `sizes` is sorted by name.
pub(super) fn size_of_type(sizes: &[(String, u64)], name: &str) -> Option<u64> {
    if let Ok(at) = sizes.binary_search_by(|(known, _)| known.as_str().cmp(name)) {
        return Some(sizes[at].1);
    }
    // Up to here both spellings are equal.
    let begin = name.split(['<', '>', ',', ';', ')', ']']).next().filter(|begin| !begin.is_empty())?;
    let from = sizes.partition_point(|(known, _)| known.as_str() < begin);
    let mut fitting = sizes[from..]
        .iter()
        .take_while(|(known, _)| known.starts_with(begin))
        .filter(|(known, _)| leaves_out_arguments(name.as_bytes(), known.as_bytes()))
        .map(|(_, size)| *size);
    let size = fitting.next()?;
    fitting.all(|other| other == size).then_some(size)
}

/// Whether `short` is the name `full` without some of the last type arguments of its types.
fn leaves_out_arguments(short: &[u8], full: &[u8]) -> bool {
    let (mut at, mut rest) = (0, full);
    loop {
        match (short.get(at), rest.first()) {
            (None, None) => return true,
            (a, b) if a.is_some() && a == b => (at, rest) = (at + 1, &rest[1..]),
            // All arguments of a type are left out.
            (None | Some(b',' | b'>' | b')' | b']' | b';' | b':'), Some(b'<')) => {
                let end = 1 + end_of_arguments(&rest[1..]);
                rest = &rest[(end + 1).min(rest.len())..];
            }
            (Some(b'>'), Some(b',')) => rest = &rest[end_of_arguments(rest)..],
            _ => return false,
        }
    }
}

/// The position of the `>` that ends the list of arguments around the beginning of `text`.
fn end_of_arguments(text: &[u8]) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'<' => depth += 1,
            // The arrow of a function's type is no bracket.
            b'>' if at > 0 && text[at - 1] == b'-' => {}
            b'>' if depth == 0 => return at,
            b'>' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::size_of_type;

    #[test]
    fn default_arguments_may_be_left_out() {
        let known = [
            ("(g::NodeIndex<u32>, u64)", 16),
            ("g::Edge<u64, u32>", 24),
            ("g::Graph<u64, g::Call<fn() -> u8, u8>, u32>", 80),
            ("g::Node<(), u32>", 8),
            ("g::Node<u64, u32>", 16),
            ("g::NodeIndex<u32>", 4),
            ("g::Wide<u32>", 4),
            ("g::Wide<u64>", 8),
        ];
        let known = known.map(|(name, size)| (name.to_owned(), size));
        let check = |name, size| assert_eq!(size_of_type(&known, name), size, "{name}");
        check("g::NodeIndex", Some(4));
        check("g::NodeIndex<u32>", Some(4));
        check("g::Node<u64>", Some(16));
        check("g::Node<()>", Some(8));
        check("g::Edge<u64>", Some(24));
        check("(g::NodeIndex, u64)", Some(16));
        check("g::Graph<u64, g::Call<fn() -> u8>>", Some(80));
        check("g::Node", None);
        check("g::Wide", None);
        check("g::NodeIndex<u16>", None);
        check("g::No", None);
    }
}
