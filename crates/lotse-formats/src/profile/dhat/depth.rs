//! Finds stacks that end at the recorder's limit of frames: their outer callers are missing.
//!
//! The file does not state the limit (`--num-callers` of valgrind, 12 by default). It is estimated from the stacks: those
//! of the greatest length are cut unless they end in a function in which a shorter, hence complete, stack ends too.

use hashbrown::HashSet;

use super::ProgramPoint;
use super::document::DhatDocument;
use crate::profile::massif::frame::parse_frame;

/// The outermost functions of complete stacks.
const ROOTS: [&str; 6] = ["main", "(below main)", "_start", "start_thread", "clone", "clone3"];

/// A note for the user where costs of cut stacks make inclusive costs too small.
pub(super) fn note(document: &DhatDocument) -> Option<String> {
    let depth = |point: &ProgramPoint| point.fs.iter().filter(|&&frame| frame != 0).count();
    let longest = document.points.iter().map(depth).max().filter(|&longest| longest > 1)?;
    let root = |point: &ProgramPoint| {
        let text = document.frames.get(*point.fs.iter().rfind(|&&frame| frame != 0)? as usize)?;
        Some(parse_frame(text).name.to_owned())
    };
    let shorter = document.points.iter().filter(|point| depth(point) < longest);
    let roots: HashSet<String> = shorter.filter_map(root).collect();
    let is_complete = |name: &str| ROOTS.contains(&name) || name.ends_with("::main") || roots.contains(name);
    let cut = document.points.iter().filter(|point| depth(point) == longest);
    let cut = cut.filter(|point| root(point).is_some_and(|name| !is_complete(&name)));
    let bytes: u128 = cut.map(|point| u128::from(point.tb)).sum();
    let all: u128 = document.points.iter().map(|point| u128::from(point.tb)).sum();
    (bytes > 0).then(|| {
        let share = 100.0 * bytes as f64 / all as f64;
        let unit = document.bytes.as_deref().unwrap_or("bytes");
        format!(
            "{bytes} of {all} {unit} ({share:.1} %) lack their outer callers, whose inclusive costs are lower bounds: no \
             stack has more than {longest} frames; valgrind records more with --num-callers"
        )
    })
}
