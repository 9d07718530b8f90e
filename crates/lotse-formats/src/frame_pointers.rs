//! Callers that were found by frame pointers (`perf record -g`): what such a chain cannot show, marked and counted.
//!
//! The frame pointer leads from frame to frame, but not every function has a frame:
//!
//! ```text
//! main ── lookup (frame) ── strcmp (no frame)      the chain is strcmp, main: rbp is that of lookup, whose return
//!                                                  address is in main; where strcmp returns to is not recorded
//! main ── lookup (uses rbp for a counter)          the chain is lookup, then what lies at the counter's value
//! ```
//!
//! Where that is known, a frame called [`SKIPPED`] or [`LOST`] stands for the callers, so that nobody else is taken for them.

use lotse_model::id::FileId;
use lotse_model::profile::{Builder, Frame};

/// The name of the frame that stands for at least one caller between two frames. Further ones of a stack have a number.
pub const SKIPPED: &str = "[caller not recorded]";
/// The name of the frame that stands for all callers further out.
pub const LOST: &str = "[outer callers not recorded]";

/// Whether a function's name stands for callers that were not recorded. Such frames of two stacks are not the same function.
pub fn is_missing_caller(name: &str) -> bool {
    let number = || name.strip_prefix("[caller not recorded ")?.strip_suffix(']');
    matches!(name, SKIPPED | LOST)
        || number().is_some_and(|it| !it.is_empty() && it.bytes().all(|digit| digit.is_ascii_digit()))
}

/// The name of the n-th marker of a stack, from 1. Twice the same name would look like a recursion.
pub(crate) fn skipped_name(number: usize) -> String {
    if number == 1 { SKIPPED.to_owned() } else { format!("[caller not recorded {number}]") }
}

/// How the note about such callers begins.
const LEAD: &str = "callers were recorded by frame pointers";
const NOWHERE: &str = "end at an address outside of any mapping: the caller is not known there";
const REMEDY: &str = "`perf record --call-graph dwarf` records all callers, and so does building with \
                      -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer, libraries included";

/// Whether a message is the note about callers by frame pointers.
pub fn is_frame_pointer_note(message: &str) -> bool {
    message.starts_with(LEAD)
}

/// The stacks of user code that were recorded by frame pointers, counted by what they lack.
#[derive(Debug, Default)]
pub(crate) struct FramePointerStacks {
    pub(crate) all: u64,
    /// With [`SKIPPED`] callers.
    pub(crate) skipped: u64,
    /// Ended where the register has other values.
    pub(crate) other: u64,
    /// Ended before an address outside of any mapping.
    pub(crate) nowhere: u64,
    /// With code of which it is not known whether it has a frame.
    pub(crate) unknown: u64,
}

impl FramePointerStacks {
    /// What a reader of the callers must know; `None` if all callers are known.
    pub(crate) fn note(&self) -> Option<String> {
        let mut facts = [
            (self.skipped, format!("lack the caller of a function without a frame, such as a leaf function ({SKIPPED})")),
            (self.other, format!("end at code that uses the register otherwise ({LOST})")),
            (self.nowhere, format!("{NOWHERE} ({LOST})")),
            (
                self.unknown,
                "contain code that may have no frame: a leaf function may appear to be called by the caller of its caller"
                    .to_owned(),
            ),
        ];
        facts.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        let facts: Vec<String> = facts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, fact)| format!("{count} of {} stacks {fact}", self.all))
            .collect();
        (!facts.is_empty()).then(|| format!("{LEAD} (perf record -g): {}; {REMEDY}", facts.join("; ")))
    }
}

/// The note about stacks that end, however callers were recorded.
pub(crate) fn note_of_ends(stacks: &FramePointerStacks) -> Option<String> {
    let FramePointerStacks { nowhere, all, .. } = stacks;
    (*nowhere > 0).then(|| format!("{nowhere} of {all} stacks {NOWHERE}"))
}

/// The note about a text that does not state how callers were recorded.
pub(crate) fn note_of_unknown_mode(stacks: &FramePointerStacks) -> String {
    let ends = note_of_ends(stacks).map_or(String::new(), |ends| format!("; {ends}"));
    format!(
        "{LEAD} (perf record -g) or otherwise: the text does not say it, but `perf script --header` would{ends}; by frame \
         pointers, a leaf function may appear to be called by the caller of its caller; {REMEDY}"
    )
}

/// A frame that stands for callers that were not recorded.
pub(crate) fn marker(builder: &mut Builder, name: &str) -> Frame {
    let object = builder.object("");
    let function = builder.function(name, object, FileId(0));
    Frame { function, file: FileId(0), line: 0, address: 0, inlined: false }
}
