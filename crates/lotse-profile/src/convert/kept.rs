//! The last estimated stacks of an analysis: every filter selects among them, and estimating takes longer than selecting.

use std::sync::{Arc, Mutex, PoisonError};

use lotse_model::id::FunctionId;

use super::Prepared;

/// Those through no member of a cycle, and those of the last filter.
const MOST_KEPT: usize = 2;

/// Stacks, and the members of cycles that they lead through.
type StacksThrough = (Vec<FunctionId>, Arc<Prepared>);

/// Stacks, the newest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct KeptStacks(Arc<Mutex<Vec<StacksThrough>>>);

impl KeptStacks {
    /// The stacks through some members, estimated unless they are kept. Others may ask meanwhile, and an interruption
    /// keeps nothing.
    pub(super) fn of(&self, through: &[FunctionId], estimate: impl FnOnce() -> Prepared) -> Arc<Prepared> {
        let known = |kept: &Vec<StacksThrough>| {
            kept.iter().find(|(members, _)| members == through).map(|(_, stacks)| Arc::clone(stacks))
        };
        if let Some(stacks) = known(&self.0.lock().unwrap_or_else(PoisonError::into_inner)) {
            return stacks;
        }
        let stacks = Arc::new(estimate());
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(members, _)| members != through);
        kept.insert(0, (through.to_vec(), Arc::clone(&stacks)));
        // Most functions are in no cycle, so the stacks through no member are needed again and again.
        while kept.len() > MOST_KEPT {
            let oldest = kept.iter().rposition(|(members, _)| !members.is_empty());
            let last = kept.len() - 1;
            kept.remove(oldest.unwrap_or(last));
        }
        stacks
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use lotse_model::Profile;
    use lotse_model::id::FunctionId;

    use super::{KeptStacks, Prepared};

    fn stacks() -> Prepared {
        Prepared { profile: Profile::default(), notes: Vec::new() }
    }

    #[test]
    fn stacks_through_no_member_and_the_last_others_are_kept() {
        let kept = KeptStacks::default();
        let through = |member: u32| [FunctionId(member)];
        let plain = kept.of(&[], stacks);
        let first = kept.of(&through(1), stacks);
        assert!(Arc::ptr_eq(&plain, &kept.of(&[], || unreachable!())));
        assert!(Arc::ptr_eq(&first, &kept.of(&through(1), || unreachable!())));
        let second = kept.of(&through(2), stacks);
        assert!(Arc::ptr_eq(&plain, &kept.of(&[], || unreachable!())));
        assert!(Arc::ptr_eq(&second, &kept.of(&through(2), || unreachable!())));
        assert!(!Arc::ptr_eq(&first, &kept.of(&through(1), stacks)));
    }
}
