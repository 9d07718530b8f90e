//! Stacks of Lotse and of `perf script`, in the same form.

use std::collections::{BTreeMap, HashMap};
use std::process::Command;

use lotse_model::Profile;
use lotse_profile::names::display;
use lotse_symbols::Binary;

use super::programs::Recorded;

/// A frame, compared by the address of its function in the object, because functions can have several names.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    pub(crate) name: String,
    object: String,
    address: u64,
}

impl PartialEq for Frame {
    fn eq(&self, other: &Self) -> bool {
        (&self.object, self.address) == (&other.object, other.address)
    }
}

/// Binaries by path.
#[derive(Default)]
struct Objects(HashMap<String, Option<Binary<'static>>>);

impl Objects {
    /// The address in the binary of a byte of the file.
    fn linked(&mut self, path: &str, offset: u64) -> u64 {
        let parse = || Binary::parse(Box::leak(std::fs::read(path).ok()?.into_boxed_slice())).ok();
        let binary = self.0.entry(path.to_owned()).or_insert_with(parse);
        binary.as_ref().and_then(|binary| binary.address_of_offset(offset)).unwrap_or(offset)
    }
}

/// All samples by thread, in order, each with its frames from the innermost outwards, without inlined ones.
pub(crate) fn stacks(profile: &Profile) -> Vec<(u64, Vec<Frame>)> {
    let mut all: BTreeMap<u64, Vec<Vec<Frame>>> = BTreeMap::new();
    let mut objects = Objects::default();
    for part in &profile.parts {
        let of_thread = all.entry(part.thread.unwrap()).or_default();
        for &stack in &part.samples.stack {
            let frames = profile.stacks.frames(stack).map(|id| profile.frames.get(id));
            let frame = |frame: lotse_model::profile::Frame| {
                let name = display(profile, frame.function);
                let object = profile.function_object(frame.function).unwrap_or("[unknown]").to_owned();
                // A function without a symbol has its offset in the file as name.
                let nameless = name.strip_prefix("0x").map(|offset| u64::from_str_radix(offset, 16).unwrap());
                let address = nameless.map_or(frame.address, |offset| objects.linked(&object, offset));
                Frame { name: bare(&name), object, address }
            };
            of_thread.push(frames.filter(|frame| !frame.inlined).map(frame).collect());
        }
    }
    in_order(all)
}

/// The same stacks from `perf script`.
pub(crate) fn perf_stacks(recorded: &Recorded) -> Vec<(u64, Vec<Frame>)> {
    let printed = Command::new("perf")
        .args(["script", "--no-inline", "--no-demangle", "-F", "tid,ip,sym,dso", "-i"])
        .arg(recorded.data())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&printed.stdout).into_owned();
    let mut all: BTreeMap<u64, Vec<Vec<Frame>>> = BTreeMap::new();
    let mut objects = Objects::default();
    let mut thread = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if !line.starts_with('\t') {
            thread = line.trim().parse().unwrap();
            all.entry(thread).or_default().push(Vec::new());
            continue;
        }
        let (address, rest) = line.trim().split_once(' ').unwrap();
        let (name, object) = rest.rsplit_once(" (").unwrap();
        let object = object.trim_end_matches(')').to_owned();
        let address = objects.linked(&object, u64::from_str_radix(address, 16).unwrap());
        let frame = Frame { name: bare(name), object, address };
        all.get_mut(&thread).unwrap().last_mut().unwrap().push(frame);
    }
    in_order(all)
}

fn in_order(all: BTreeMap<u64, Vec<Vec<Frame>>>) -> Vec<(u64, Vec<Frame>)> {
    all.into_iter().flat_map(|(thread, stacks)| stacks.into_iter().map(move |it| (thread, it))).collect()
}

/// A name without arguments, hashes and suffixes of compilers.
pub(crate) fn bare(name: &str) -> String {
    let name = lotse_symbols::demangle(name);
    let name = lotse_symbols::without_hash(&name);
    let end = name.find(['(', '.', '@', '[']).filter(|&at| at > 0).unwrap_or(name.len());
    name[..end].trim().to_owned()
}
