//! Heap profiles without their allocators: what a stack costs is the cost of the first function on it that does not
//! allocate for its caller.
//!
//! Stacks of samples are cut at their inner end, so that every answer about functions says who wants the memory. Data
//! structures keep their whole stacks. A stack of library functions alone stays as it is.

use hashbrown::HashMap;
use lotse_model::Profile;
use lotse_model::id::{FunctionId, StackId};

use crate::allocators::{Purpose, purpose};
use crate::names::display;

/// What formats of heap profiles count.
const HEAP_EVENTS: &[&str] = &[
    "allocations",
    "allocated_bytes",
    "total_blocks",
    "total_bytes",
    "mem_heap_B",
    "alloc_objects",
    "alloc_space",
    "inuse_objects",
    "inuse_space",
    "objects",
    "space",
];

/// Whether a profile is about memory that was allocated.
pub(crate) fn is_heap(profile: &Profile) -> bool {
    profile.events.iter().any(|event| HEAP_EVENTS.contains(&event.name.as_str()))
}

/// Cuts allocators off the stacks of samples; gives a sentence about it, or `None` where there was none.
pub(crate) fn look_through(profile: &mut Profile) -> Option<String> {
    let cut = cut_stacks(profile);
    let mut leaves: HashMap<FunctionId, usize> = HashMap::new();
    for part in &mut profile.parts {
        for stack in part.samples.stack.iter_mut().flatten() {
            let (from, to) = (*stack, cut[stack.index()]);
            if let Some(to) = to.filter(|&to| to != from) {
                let leaf = profile.frames.function[profile.stacks.frame[from.index()].index()];
                *leaves.entry(leaf).or_default() += 1;
                *stack = to;
            }
        }
    }
    (!leaves.is_empty()).then(|| sentence(profile, leaves))
}

/// For each stack the one below its allocators; `None` where it has nothing else.
pub(crate) fn cut_stacks(profile: &Profile) -> Vec<Option<StackId>> {
    cut_stacks_and(profile, |_| false)
}

/// The same, with more functions that allocate for their callers.
pub(crate) fn cut_stacks_and(profile: &Profile, also: impl Fn(&str) -> bool) -> Vec<Option<StackId>> {
    let mut known: Vec<Option<Purpose>> = vec![None; profile.functions.len()];
    // Whether the frame on top of each stack allocates for its caller, and what is left of the stack.
    let mut all: Vec<(bool, Option<StackId>)> = Vec::with_capacity(profile.stacks.len());
    for (at, (below, frame)) in profile.stacks.below.iter().zip(&profile.stacks.frame).enumerate() {
        let frame = profile.frames.get(*frame);
        let ask = || {
            let name = display(profile, frame.function);
            let also = also(&name).then_some(Purpose::Caller);
            also.unwrap_or_else(|| purpose(&name, profile.function_file(frame.function)))
        };
        let below = below.map(|below| all[below.index()]);
        let passes = match *known[frame.function.index()].get_or_insert_with(ask) {
            Purpose::Caller => true,
            Purpose::Own => false,
            Purpose::LikeOuter => frame.inlined && below.is_some_and(|(passes, _)| passes),
        };
        let rest = if passes { below.and_then(|(_, rest)| rest) } else { Some(StackId::from(at)) };
        all.push((passes, rest));
    }
    all.into_iter().map(|(_, rest)| rest).collect()
}

fn sentence(profile: &Profile, leaves: HashMap<FunctionId, usize>) -> String {
    let mut leaves: Vec<(usize, FunctionId)> = leaves.into_iter().map(|(id, count)| (count, id)).collect();
    leaves.sort_by_key(|&(count, id)| (std::cmp::Reverse(count), id));
    let name = |(_, id): &(usize, FunctionId)| {
        let name = display(profile, *id);
        name.split('(').next().unwrap_or(&name).trim().to_owned()
    };
    let mut names: Vec<String> = leaves.iter().map(name).collect();
    names.dedup();
    names.truncate(3);
    format!(
        "allocators are looked through: what {} and the like allocate counts for the function that calls them; \
         --allocators shows them",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::{is_heap, look_through};
    use crate::analysis::tests::stacked;
    use crate::analysis::{Analysis, Way};
    use crate::names::display;

    fn own(profile: &lotse_model::Profile) -> Vec<(String, i128, i128)> {
        let analysis = Analysis::of_default_parts(profile, Way::Folded);
        let ids = profile.functions.ids().filter(|id| analysis.inclusive.value(id.index(), 0) > 0);
        let row = |id: lotse_model::id::FunctionId| {
            let (own, inclusive) = (&analysis.own, &analysis.inclusive);
            let name = display(profile, id).into_owned();
            (name, own.value(id.index(), 0), inclusive.value(id.index(), 0))
        };
        ids.map(row).collect()
    }

    #[test]
    fn memory_counts_for_who_wants_it() {
        let mut profile = stacked(&[
            ("main;load;std::vector<int>::push_back(int);operator new(unsigned long)", 90),
            ("main;malloc", 8),
            ("std::ios_base::Init::Init();malloc", 2),
            ("main;load", 1),
        ]);
        let said = look_through(&mut profile).unwrap();
        assert!(said.contains("what operator new, malloc and the like allocate"), "{said}");
        profile.check().unwrap();
        let expected =
            [("main", 8, 99), ("load", 91, 91), ("malloc", 2, 2), ("std::ios_base::Init::Init()", 0, 2)];
        let mut found = own(&profile);
        found.sort_by_key(|row| std::cmp::Reverse(row.2));
        let expected = expected.map(|(name, own, inclusive)| (name.to_owned(), own, inclusive));
        assert_eq!(found.len(), expected.len());
        assert!(expected.iter().all(|row| found.contains(row)), "{found:?}");
    }

    #[test]
    fn a_profile_without_allocators_stays_as_it_is() {
        let mut profile = stacked(&[("main;load", 3)]);
        let before = profile.clone();
        assert_eq!(look_through(&mut profile), None);
        assert_eq!(profile, before);
        assert!(!is_heap(&profile));
    }
}
