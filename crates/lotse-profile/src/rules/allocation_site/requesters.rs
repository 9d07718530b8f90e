//! The functions that request memory, in a profile of calls: follows callers from an allocator up through wrappers,
//! containers and strings to functions of the program.
//!
//! ```text
//! load ──300──> vector::push_back ──20──> vector::_M_realloc_insert ──20──> operator new
//! save ──100──> vector::push_back
//! ```
//!
//! All 20 calls of `operator new` come through `push_back`. `load` made 300 of its 400 calls, so about 75 % of the
//! allocations are requested by `load`. If every wrapper has one caller, nothing is divided and the numbers are exact.

use hashbrown::HashMap;
use lotse_model::id::FunctionId;

use super::super::Context;
use super::provides_memory;
use crate::allocators::is_deallocator;

/// The greatest number of steps; recursion among containers may need many before a share is negligible.
const MOST_STEPS: usize = 10_000;
/// Smaller shares are not followed further.
const LEAST_SHARE: f64 = 1e-6;

/// The functions that request memory from an allocator, directly or through wrappers.
pub(super) struct Requesters {
    /// Their shares of the allocator's cost, the greatest first; of its calls, if calls have no costs.
    pub(super) shares: Vec<(f64, FunctionId)>,
    /// Whether the shares are of the cost.
    pub(super) of_cost: bool,
    /// Whether calls of a wrapper were divided among several callers.
    pub(super) estimated: bool,
    /// Wrappers whose callers cannot be told apart, because they also free.
    pub(super) undivided: Vec<FunctionId>,
}

impl Requesters {
    /// Follows the callers of an allocator: its share is divided among them by the costs of their calls, the share of a wrapper
    /// by numbers of calls, because the cost of a call of a wrapper has other things in it.
    pub(super) fn new(context: &Context<'_>, allocator: FunctionId) -> Self {
        let callers = callers(context);
        let frees = Frees::new(context, &callers);
        let mut is_wrapper: HashMap<FunctionId, bool> = HashMap::new();
        let mut found: HashMap<FunctionId, f64> = HashMap::new();
        let mut todo = vec![(allocator, 1.0_f64)];
        let (mut estimated, mut undivided) = (false, Vec::new());
        let of_cost = callers.get(&allocator).is_some_and(|from| from.iter().any(|calls| calls.cost > 0.0));
        for _ in 0..MOST_STEPS {
            let Some((function, share)) = todo.pop() else { break };
            let from = callers.get(&function).map_or(&[][..], Vec::as_slice);
            let weight = |calls: &Calls| {
                if of_cost && function == allocator { calls.cost } else { calls.count as f64 }
            };
            let all: f64 = from.iter().map(weight).sum();
            if from.len() > 1 && frees.frees_for_some(function) {
                *found.entry(function).or_default() += share;
                undivided.push(function);
                continue;
            }
            estimated |= function != allocator && from.len() > 1;
            for calls in from.iter().filter(|calls| weight(calls) > 0.0) {
                let (caller, part) = (calls.caller, share * weight(calls) / all);
                let check = || provides_memory(&context.name(caller));
                if !*is_wrapper.entry(caller).or_insert_with(check) {
                    *found.entry(caller).or_default() += part;
                } else if part >= LEAST_SHARE {
                    todo.push((caller, part));
                }
            }
        }
        let mut shares: Vec<(f64, FunctionId)> = found.into_iter().map(|(id, share)| (share, id)).collect();
        shares.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        Self { shares, of_cost, estimated, undivided }
    }
}

/// The calls of a function by one caller.
#[derive(Debug, Clone, Copy)]
struct Calls {
    caller: FunctionId,
    count: u64,
    /// In the first event type.
    cost: f64,
}

/// How often functions free memory and how often they are called.
struct Frees {
    freed: HashMap<FunctionId, u64>,
    called: HashMap<FunctionId, u64>,
}

impl Frees {
    fn new(context: &Context<'_>, callers: &HashMap<FunctionId, Vec<Calls>>) -> Self {
        let mut freed: HashMap<FunctionId, u64> = HashMap::new();
        let mut called: HashMap<FunctionId, u64> = HashMap::new();
        for (&callee, callers) in callers {
            let count = callers.iter().fold(0_u64, |sum, calls| sum.saturating_add(calls.count));
            called.insert(callee, count);
            if is_deallocator(&context.name(callee)) {
                for calls in callers {
                    let sum = freed.entry(calls.caller).or_default();
                    *sum = sum.saturating_add(calls.count);
                }
            }
        }
        Self { freed, called }
    }

    /// Whether a wrapper frees in a considerable part of its calls, as a reallocating function with a size of 0: then its
    /// callers want different things, and their numbers of calls do not tell who allocates.
    fn frees_for_some(&self, wrapper: FunctionId) -> bool {
        let [freed, called] =
            [&self.freed, &self.called].map(|counts| counts.get(&wrapper).copied().unwrap_or(0));
        freed > 0 && freed >= called / 10 && freed < called
    }
}

/// The callers of every function with their calls, without direct recursion.
fn callers(context: &Context<'_>) -> HashMap<FunctionId, Vec<Calls>> {
    let mut pairs: HashMap<(FunctionId, FunctionId), (u64, f64)> = HashMap::new();
    for (_, part, _) in context.parts() {
        let calls = &part.calls;
        for row in (0..calls.len()).filter(|&row| calls.caller[row] != calls.callee[row]) {
            let sum = pairs.entry((calls.callee[row], calls.caller[row])).or_default();
            sum.0 = sum.0.saturating_add(calls.count[row]);
            sum.1 += calls.costs.value(row, 0) as f64;
        }
    }
    let mut callers: HashMap<FunctionId, Vec<Calls>> = HashMap::new();
    for ((callee, caller), (count, cost)) in pairs.into_iter().filter(|(_, (count, _))| *count > 0) {
        callers.entry(callee).or_default().push(Calls { caller, count, cost });
    }
    callers.values_mut().for_each(|callers| callers.sort_unstable_by_key(|calls| calls.caller));
    callers
}

#[cfg(test)]
mod tests {
    use crate::analysis::tests::summed;
    use crate::rules::fixture::found;

    const ID: &str = "profile-allocation-site";

    fn text(calls: &[(&str, &str, u64, u64)]) -> String {
        let own = [("main", 1_000_000), ("operator new(unsigned long)", 20_000), ("malloc", 480_000)];
        let findings = found(&summed(&own, calls), ID);
        assert_eq!(findings.len(), 1, "{findings:?}");
        findings[0].reason.text.clone()
    }

    #[test]
    fn wrappers_are_looked_through() {
        let reason = text(&[
            ("main", "load", 10, 500_000),
            ("load", "operator new(unsigned long)", 5000, 500_000),
            ("operator new(unsigned long)", "malloc", 5000, 480_000),
        ]);
        let expected = "operator new(unsigned long) is called 5,000 times and takes 33.3 % of the total; 100.0 % of that \
                        is for calls by load";
        assert!(reason.starts_with(expected), "{reason}");
    }

    /// `few` asks seldom for what is costly.
    #[test]
    fn costs_count_and_not_numbers_of_calls() {
        let reason = text(&[
            ("main", "many", 10, 100_000),
            ("main", "few", 10, 380_000),
            ("many", "malloc", 3000, 120_000),
            ("few", "malloc", 1000, 360_000),
        ]);
        assert!(reason.ends_with("; 75.0 % of that is for calls by few"), "{reason}");
    }

    #[test]
    fn containers_share_their_allocations_out() {
        let reason = text(&[
            ("load", "std::vector<int>::push_back(int)", 3000, 375_000),
            ("save", "std::vector<int>::push_back(int)", 1000, 125_000),
            ("std::vector<int>::push_back(int)", "operator new(unsigned long)", 2000, 500_000),
            ("operator new(unsigned long)", "malloc", 2000, 480_000),
        ]);
        assert!(reason.contains("; about 75.0 % of that is for calls by load"), "{reason}");
    }

    /// `wrap_alloc` frees for `drop` and allocates for `make`: its calls do not tell who allocates.
    #[test]
    fn a_wrapper_that_also_frees_is_not_divided() {
        let reason = text(&[
            ("main", "make", 10, 500_000),
            ("main", "drop", 10, 5_000),
            ("make", "wrap_alloc", 3000, 490_000),
            ("drop", "wrap_alloc", 3000, 4_000),
            ("wrap_alloc", "malloc", 3000, 480_000),
            ("wrap_alloc", "free", 3000, 3_000),
        ]);
        assert!(
            reason.contains("; 100.0 % of that is for calls by wrap_alloc, which also frees, so that"),
            "{reason}"
        );
    }

    #[test]
    fn rusts_entry_points_are_looked_through() {
        let rust = [
            ("app::parse", "alloc::raw_vec::RawVec<T,A>::grow_one", 2000, 490_000),
            ("alloc::raw_vec::RawVec<T,A>::grow_one", "alloc::raw_vec::finish_grow", 2000, 490_000),
            ("alloc::raw_vec::finish_grow", "__rustc::__rust_alloc", 2000, 485_000),
            ("__rustc::__rust_alloc", "malloc", 2000, 480_000),
        ];
        let reason = text(&rust);
        assert!(reason.contains("; 100.0 % of that is for calls by app::parse"), "{reason}");
    }

    #[test]
    fn recursion_among_containers_ends() {
        let reason = text(&[
            ("main", "std::a()", 100, 500_000),
            ("std::a()", "std::b()", 5000, 500_000),
            ("std::b()", "std::a()", 4000, 400_000),
            ("std::b()", "operator new(unsigned long)", 5000, 500_000),
            ("operator new(unsigned long)", "malloc", 5000, 480_000),
        ]);
        assert!(reason.contains(" of that is for calls by main"), "{reason}");
    }
}
