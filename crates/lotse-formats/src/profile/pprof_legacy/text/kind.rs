//! The kind of a text profile, according to its first line.

/// A kind of profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum TextKind {
    /// A heap of C++ or Go, or its growth. A rate of 1 or less means that every allocation was recorded.
    Heap {
        rate: i64,
        /// Whether freed memory is known too.
        allocated: bool,
    },
    JavaHeap,
    Contention,
    /// Counts of objects by where they were created, such as goroutines.
    Count,
    Threads,
}

/// Whether a line is blank or a comment.
pub(super) fn is_blank(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

/// The kind of a text; `None` where it is not a profile.
pub(in super::super) fn kind(text: &str) -> Option<TextKind> {
    let line = text.lines().find(|line| !is_blank(line))?.trim();
    if let Some(rest) = line.strip_prefix("heap profile:") {
        return heap(rest);
    }
    let counted = line.split_once(" profile: total ");
    let word = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if counted.is_some_and(|(name, total)| !name.is_empty() && word(name) && total.parse::<u64>().is_ok()) {
        return Some(TextKind::Count);
    }
    match line {
        "--- heapz 1 ---" => Some(TextKind::JavaHeap),
        // Go writes block profiles as contention, and mutex profiles in the same form.
        _ if line.starts_with("--- contention") || line.starts_with("--- mutex") => {
            Some(TextKind::Contention)
        }
        _ if line.starts_with("--- threadz ") || line.starts_with("--- Thread ") => Some(TextKind::Threads),
        _ => None,
    }
}

/// Parses `144: 8498176 [ 144: 8498176] @ heapz_v2/524288`.
fn heap(rest: &str) -> Option<TextKind> {
    let (numbers, tag) = rest.split_once('@')?;
    let numbers = numbers.split([' ', ':', '[', ']']).filter(|word| !word.is_empty());
    let numbers: Option<Vec<i64>> = numbers.map(|word| word.parse().ok()).collect();
    let [used, used_size, all, all_size] = numbers?[..] else { return None };
    let (tag, rate) = tag.trim().split_once('/').unwrap_or((tag.trim(), ""));
    let rate: i64 = rate.parse().unwrap_or(0);
    let sampled = match tag {
        "heapz_v2" | "heap_v2" => rate,
        "heap" => rate / 2,
        _ => 1,
    };
    // All allocations are an event type only where they differ from those in use.
    let differs = all != used && all != 0 || all_size != used_size && all_size != 0;
    let allocated = differs && tag.starts_with("heap");
    Some(TextKind::Heap { rate: sampled, allocated })
}

#[cfg(test)]
mod tests {
    use super::{TextKind, kind};

    #[test]
    fn kinds_by_their_first_line() {
        let heap = |rate, allocated| Some(TextKind::Heap { rate, allocated });
        for (text, expected) in [
            ("heap profile: 144: 849 [ 144: 849] @ heapz_v2/524288\n", heap(524_288, false)),
            ("heap profile: 1: 2 [3: 4] @ heap/1048576\n", heap(524_288, true)),
            ("heap profile: 1: 2 [ 3: 4] @ heapprofile\n", heap(1, true)),
            ("heap profile: 1: 2 [ 3: 4] @ growthz\n", heap(1, false)),
            ("--- contentionz 1 ---\n", Some(TextKind::Contention)),
            ("--- contention:\n", Some(TextKind::Contention)),
            ("--- mutex:\n", Some(TextKind::Contention)),
            ("--- heapz 1 ---\n", Some(TextKind::JavaHeap)),
            ("# a\n\ngoroutine profile: total 12\n", Some(TextKind::Count)),
            ("--- threadz 1 ---\n", Some(TextKind::Threads)),
            ("heap profile: nothing\n", None),
            ("a b profile: total 12\n", None),
            ("", None),
        ] {
            assert_eq!(kind(text), expected, "{text}");
        }
    }
}
