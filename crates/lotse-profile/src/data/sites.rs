//! Merges data structures that are allocated at the same place.
//!
//! A recursive function that allocates one node per call does so on thousands of stacks, but at one place. Of the merged
//! stacks, the innermost frames that all of them have in common are kept.

use hashbrown::HashMap;

use super::{AccessAnswer, PlaceAnswer, StructureAnswer};
use crate::events::Cost;

/// Merges structures of equal name and place, in the order in which each place comes first. Costs of derived event
/// types are not sums, so `cost` computes them from the numbers of the merged structures.
pub(super) fn by_site(
    structures: Vec<StructureAnswer>,
    cost: impl Fn(&[usize]) -> Vec<Cost>,
) -> Vec<StructureAnswer> {
    let mut groups: Vec<(StructureAnswer, Vec<usize>)> = Vec::new();
    let mut known: HashMap<(Option<String>, Option<PlaceAnswer>), usize> = HashMap::new();
    for (row, structure) in structures.into_iter().enumerate() {
        let key = (structure.name.clone(), structure.site.clone());
        // Structures without name and place are not known to be the same.
        let at = if key == (None, None) { groups.len() } else { *known.entry(key).or_insert(groups.len()) };
        match groups.get_mut(at) {
            Some((group, rows)) => {
                merge(group, structure);
                rows.push(row);
            }
            None => groups.push((structure, vec![row])),
        }
    }
    let finished = |(group, rows): (StructureAnswer, Vec<usize>)| {
        let cost = if rows.len() > 1 { cost(&rows) } else { group.cost };
        StructureAnswer { cost, ..group }
    };
    groups.into_iter().map(finished).collect()
}

fn merge(group: &mut StructureAnswer, other: StructureAnswer) {
    let common = group.stack.iter().zip(&other.stack).take_while(|(one, other)| one == other).count();
    group.stack.truncate(common);
    group.stacks += other.stacks;
    for access in other.accesses {
        match group.accesses.binary_search_by_key(&access.offset, |it| it.offset) {
            Ok(at) => group.accesses[at].count = group.accesses[at].count.saturating_add(access.count),
            Err(at) => group.accesses.insert(at, AccessAnswer { ..access }),
        }
    }
}
