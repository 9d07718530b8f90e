//! Attributes the costs of heap profiles to the functions that need memory, instead of the allocators they call.
//!
//! Allocators at the inner end of stacks are cut off, so that the cost of a stack counts for the first function that does
//! not allocate for its caller. Data structures keep their whole stacks. Stacks that have only library functions stay
//! unchanged.
//!
//! ```text
//! main > parse > Vec::push > RawVec::grow > malloc    becomes    main > parse
//! ```

use hashbrown::HashMap;
use lotse_model::Profile;
use lotse_model::id::{FunctionId, StackId};
use lotse_model::progress::Checked as _;

use crate::allocators::{Purpose, purpose};
use crate::names::display;

/// Event types of heap profiles.
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

/// Whether a profile counts allocated memory.
pub(crate) fn is_heap(profile: &Profile) -> bool {
    profile.events.iter().any(|event| HEAP_EVENTS.contains(&event.name.as_str()))
}

/// Cuts allocators off the stacks of samples. Returns a note about it, or `None` if no stack had any.
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
    (!leaves.is_empty()).then(|| note(profile, leaves))
}

/// For each stack, the stack below its allocators; `None` if all its functions are allocators.
pub(crate) fn cut_stacks(profile: &Profile) -> Vec<Option<StackId>> {
    cut_stacks_and(profile, |_| false)
}

/// The same as [`cut_stacks`]; functions for which `also` holds count as allocators too.
pub(crate) fn cut_stacks_and(profile: &Profile, also: impl Fn(&str) -> bool) -> Vec<Option<StackId>> {
    let mut known: Vec<Option<Purpose>> = vec![None; profile.functions.len()];
    // Whether the innermost frame of each stack allocates for its caller, and the stack that is left.
    let mut all: Vec<(bool, Option<StackId>)> = Vec::with_capacity(profile.stacks.len());
    for (at, (below, frame)) in profile.stacks.below.iter().zip(&profile.stacks.frame).enumerate().checked() {
        let frame = profile.frames.get(*frame);
        let find_purpose = || {
            let name = display(profile, frame.function);
            let also = also(&name).then_some(Purpose::Caller);
            also.unwrap_or_else(|| purpose(&name, profile.function_file(frame.function)))
        };
        let below = below.map(|below| all[below.index()]);
        let for_caller = match *known[frame.function.index()].get_or_insert_with(find_purpose) {
            Purpose::Caller => true,
            Purpose::Own => false,
            Purpose::LikeOuter => frame.inlined && below.is_some_and(|(for_caller, _)| for_caller),
        };
        let rest = if for_caller { below.and_then(|(_, rest)| rest) } else { Some(StackId::from(at)) };
        all.push((for_caller, rest));
    }
    all.into_iter().map(|(_, rest)| rest).collect()
}

fn note(profile: &Profile, leaves: HashMap<FunctionId, usize>) -> String {
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
    use crate::analysis::{Analysis, CycleMode};
    use crate::names::display;

    fn own(profile: &lotse_model::Profile) -> Vec<(String, i128, i128)> {
        let analysis = Analysis::of_default_parts(profile, CycleMode::Folded);
        let ids = profile.functions.ids().filter(|id| analysis.inclusive.value(id.index(), 0) > 0);
        let row = |id: lotse_model::id::FunctionId| {
            let (own, inclusive) = (&analysis.own, &analysis.inclusive);
            let name = display(profile, id).into_owned();
            (name, own.value(id.index(), 0), inclusive.value(id.index(), 0))
        };
        ids.map(row).collect()
    }

    #[test]
    fn memory_counts_for_the_function_that_needs_it() {
        let mut profile = stacked(&[
            ("main;load;std::vector<int>::push_back(int);operator new(unsigned long)", 90),
            ("main;malloc", 8),
            ("std::ios_base::Init::Init();malloc", 2),
            ("main;load", 1),
        ]);
        let note = look_through(&mut profile).unwrap();
        assert!(note.contains("what operator new, malloc and the like allocate"), "{note}");
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
