//! The functions that the last filters of tables accept. Scrolling, sorting and another event type ask again with the same filter,
//! whose names are then not matched again.

use std::sync::{Arc, Mutex, PoisonError};

use lotse_model::id::FunctionId;
use lotse_profile::analysis::Analysis;

use super::table::filtered;
use crate::api::{GroupFilter, Problem};

/// More are not kept: of a million functions each takes 4 MB.
const MOST_FILTERS: usize = 4;

/// A filter as the page sends it: a pattern, and a group.
type FilterText = (String, Option<GroupFilter>);

/// What the last filters accept, the newest first.
#[derive(Default)]
pub(crate) struct AcceptedFunctions(Mutex<Vec<(FilterText, Arc<Vec<FunctionId>>)>>);

impl AcceptedFunctions {
    /// The functions of an analysis that a filter accepts, in the order of the profile.
    pub(super) fn of_filter(
        &self,
        analysis: &Analysis<'_>,
        text: &str,
        within: Option<&GroupFilter>,
    ) -> Result<Arc<Vec<FunctionId>>, Problem> {
        let key = (text.to_owned(), within.cloned());
        if let Some(known) = self.known(&key) {
            return Ok(known);
        }
        // Without the lock, so that an interruption keeps nothing and no other filter waits.
        let found = Arc::new(filtered(text, within)?.accepted(analysis));
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(other, _)| *other != key);
        all.insert(0, (key, Arc::clone(&found)));
        all.truncate(MOST_FILTERS);
        Ok(found)
    }

    fn known(&self, key: &FilterText) -> Option<Arc<Vec<FunctionId>>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().position(|(known, _)| known == key)?;
        all[..=at].rotate_right(1);
        Some(Arc::clone(&all[0].1))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use lotse_model::Profile;
    use lotse_model::profile::{Builder, EventType, Part};
    use lotse_model::progress::{Cancelled, CancelledAt, interruptible};
    use lotse_profile::analysis::{Analysis, CycleMode};

    use super::{AcceptedFunctions, MOST_FILTERS};

    fn profile(names: &[&str]) -> Profile {
        let mut builder = Builder::new();
        builder.profile.events = vec![EventType::count("Ir")];
        let mut part = Part::new("1", 1, false);
        for name in names {
            part.own.function.push(builder.bare_function(name));
            part.own.costs.push(&[1]);
        }
        builder.profile.parts = vec![part];
        builder.finish()
    }

    #[test]
    fn a_filter_is_kept_until_others_take_its_place() {
        let profile = profile(&["main", "aim", "f"]);
        let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
        let accepted = AcceptedFunctions::default();
        let ask = |text: &str| accepted.of_filter(&analysis, text, None).unwrap();
        let first = ask("/ai./");
        assert_eq!(first.iter().map(|id| id.0).collect::<Vec<_>>(), [0, 1]);
        for other in 1..MOST_FILTERS {
            assert_eq!(ask(&format!("none{other}")).len(), 0);
        }
        assert!(Arc::ptr_eq(&first, &ask("/ai./")), "it was kept, and is the newest now");
        (0..MOST_FILTERS).for_each(|other| drop(ask(&format!("other{other}"))));
        let again = ask("/ai./");
        assert!(!Arc::ptr_eq(&first, &again));
        assert_eq!(first, again);
    }

    #[test]
    fn an_interrupted_filter_is_not_kept() {
        let profile = profile(&["main", "aim", "f"]);
        let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
        for question in 1..=3 {
            let accepted = AcceptedFunctions::default();
            let ask = || accepted.of_filter(&analysis, "/ai/", None).unwrap().len();
            let interrupted = interruptible(Arc::new(CancelledAt::question(question)), ask);
            assert_eq!(interrupted, Err(Cancelled));
            assert_eq!(accepted.0.lock().unwrap().len(), 0);
            assert_eq!(ask(), 2);
        }
    }
}
