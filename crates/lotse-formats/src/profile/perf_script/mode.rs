//! How callers were recorded, according to the command line in the header.

use crate::frame_pointers::{FramePointerStacks, note_of_ends, note_of_unknown_mode};

/// How perf found the callers of user code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallerMode {
    FramePointers,
    /// Copied stacks or the processor's record of branches.
    Otherwise,
    Unknown,
}

impl CallerMode {
    /// The last option counts, as for perf; `-g` does not replace the mode of a `--call-graph`.
    pub(super) fn of_command(command: Option<&str>) -> Self {
        let Some(command) = command else { return Self::Unknown };
        let words: Vec<&str> = command.split_ascii_whitespace().collect();
        let stated = (0..words.len()).rev().find_map(|at| {
            let graph = words[at].strip_prefix("--call-graph")?;
            Some(graph.strip_prefix('=').unwrap_or_else(|| words.get(at + 1).copied().unwrap_or("")))
        });
        match stated {
            Some(mode) if mode.starts_with("dwarf") || mode.starts_with("lbr") => Self::Otherwise,
            Some(_) => Self::FramePointers,
            None if words.iter().any(|word| is_group_with_g(word)) => Self::FramePointers,
            // A setting of perf may have turned it on.
            None => Self::Unknown,
        }
    }

    /// What a reader of the callers must know.
    pub(super) fn note(self, stacks: &FramePointerStacks) -> Option<String> {
        match self {
            _ if stacks.all == 0 => None,
            Self::Unknown => Some(note_of_unknown_mode(stacks)),
            Self::FramePointers => FramePointerStacks { unknown: stacks.all, ..*stacks }.note(),
            Self::Otherwise => note_of_ends(stacks),
        }
    }
}

/// Whether a word is `-g`, perhaps among other short options as in `-ag`.
fn is_group_with_g(word: &str) -> bool {
    let letters = word.strip_prefix('-').unwrap_or("");
    letters.contains('g') && letters.bytes().all(|letter| b"agTdsv".contains(&letter))
}

#[cfg(test)]
mod tests {
    use super::CallerMode;

    #[test]
    fn modes_by_command_lines() {
        for (command, mode) in [
            ("perf record -F 99 -a -g -- sleep 10", CallerMode::FramePointers),
            ("perf record -ag sleep 1", CallerMode::FramePointers),
            ("perf record --call-graph fp ./a", CallerMode::FramePointers),
            ("perf record -g --call-graph dwarf -o x dot", CallerMode::Otherwise),
            ("perf record --call-graph=dwarf,65528 -g ./a", CallerMode::Otherwise),
            ("perf record -c 100 -a --call-graph=lbr -- sleep 1", CallerMode::Otherwise),
            ("perf record ./a", CallerMode::Unknown),
            ("perf record -G", CallerMode::Unknown),
        ] {
            assert_eq!(CallerMode::of_command(Some(command)), mode, "{command}");
        }
        assert_eq!(CallerMode::of_command(None), CallerMode::Unknown);
    }
}
