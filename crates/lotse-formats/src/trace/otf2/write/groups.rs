//! The groups of an archive. In OTF2, members of communicators are positions in one list of locations for MPI and one for
//! threads.
//!
//! ```text
//! group 0   MPI's list of locations       [0, 2, 4]
//! group 1   OpenMP's list of locations    [0, 1]
//! group 2…  groups that events refer to, members as positions in a list
//! then      one group per communicator (two for an inter-communicator), members as positions in a list
//! ```
//!
//! The model does not say whether a communicator belongs to MPI. A communicator whose members are all in one process is
//! taken as a team of threads.

use std::collections::BTreeSet;

use lotse_model::id::LocationId;
use lotse_model::trace::{Communicator, Definitions};

use super::codes;

/// Types of groups, `OTF2_GROUP_TYPE_COMM_…`.
const LOCATIONS: u8 = 4;
const RANKS: u8 = 5;
const SELF: u8 = 6;
/// Stands in a list for all members that are not traced.
const NOT_TRACED: u32 = u32::MAX;

/// A group as it is written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct WrittenGroup<'a> {
    pub(super) name: &'a str,
    pub(super) kind: u8,
    pub(super) paradigm: u8,
    /// Positions of locations in the model's table if the group is a list of locations, else positions in that list. `None`
    /// is a location that is not traced.
    pub(super) members: Vec<Option<u64>>,
}

/// The lists of locations of MPI and of threads, if they are used.
#[derive(Debug)]
pub(super) struct GroupLists {
    lists: Vec<LocationList>,
}

#[derive(Debug)]
struct LocationList {
    paradigm: u8,
    /// Positions of locations, sorted; the last may be [`NOT_TRACED`].
    members: Vec<u32>,
}

impl GroupLists {
    /// Collects the members of all communicators and groups, by paradigm.
    pub(super) fn from_definitions(definitions: &Definitions) -> Self {
        let of_communicators =
            known(&definitions.communicators).flat_map(|it| [(&it.members, it.of_self), (&it.remote, false)]);
        let of_groups = known(&definitions.groups).map(|it| (&it.members, false));
        let mut lists = [(codes::MPI, BTreeSet::new()), (codes::OPEN_MP, BTreeSet::new())];
        let mut is_used = [false; 2];
        for (members, of_self) in of_communicators.chain(of_groups) {
            let list = usize::from(paradigm(members, definitions) == codes::OPEN_MP);
            is_used[list] |= of_self || !members.is_empty();
            lists[list].1.extend(members.iter().map(location_position));
        }
        let used = lists.into_iter().zip(is_used).filter(|(_, is_used)| *is_used);
        let list = |((paradigm, members), _): ((u8, BTreeSet<u32>), bool)| LocationList {
            paradigm,
            members: members.into_iter().collect(),
        };
        Self { lists: used.map(list).collect() }
    }

    /// The number of the first group that events can refer to.
    pub(super) fn first_named(&self) -> u32 {
        self.lists.len() as u32
    }

    /// All groups, in the order of their numbers.
    pub(super) fn all_groups<'a>(&self, definitions: &'a Definitions) -> Vec<WrittenGroup<'a>> {
        let mut all: Vec<_> = self.lists.iter().map(LocationList::as_group).collect();
        let rank_group = |name, members: &[Option<LocationId>]| self.rank_group(name, members, definitions);
        all.extend(known(&definitions.groups).map(|it| rank_group(it.name.as_str(), &it.members)));
        for communicator in known(&definitions.communicators) {
            if communicator.of_self {
                let paradigm = codes::MPI;
                all.push(WrittenGroup { name: "", kind: SELF, paradigm, members: Vec::new() });
                continue;
            }
            all.push(rank_group("", &communicator.members));
            if is_inter(communicator) {
                all.push(rank_group("", &communicator.remote));
            }
        }
        all
    }

    /// The group of a communicator or group, with members as positions in the list of its paradigm.
    fn rank_group<'a>(
        &self,
        name: &'a str,
        members: &[Option<LocationId>],
        definitions: &Definitions,
    ) -> WrittenGroup<'a> {
        let paradigm = paradigm(members, definitions);
        let list = self.lists.iter().find(|it| it.paradigm == paradigm);
        let place = |member: &Option<LocationId>| {
            Some(list?.members.binary_search(&location_position(member)).ok()? as u64)
        };
        WrittenGroup { name, kind: RANKS, paradigm, members: members.iter().map(place).collect() }
    }
}

impl LocationList {
    fn as_group(&self) -> WrittenGroup<'static> {
        let members = self.members.iter().map(|&it| (it != NOT_TRACED).then_some(u64::from(it))).collect();
        WrittenGroup { name: "", kind: LOCATIONS, paradigm: self.paradigm, members }
    }
}

impl WrittenGroup<'_> {
    /// Whether the members are locations, not positions in a list of them.
    pub(super) fn lists_locations(&self) -> bool {
        self.kind == LOCATIONS
    }
}

/// All entries of a table but the first, which stands for undefined.
pub(super) fn known<T>(table: &[T]) -> impl Iterator<Item = &T> {
    table.iter().skip(1)
}

/// Whether it is an inter-communicator, with two groups.
pub(super) fn is_inter(communicator: &Communicator) -> bool {
    !communicator.remote.is_empty()
}

fn location_position(member: &Option<LocationId>) -> u32 {
    member.map_or(NOT_TRACED, |it| it.0)
}

/// OpenMP if there are several members, all in one process; else MPI.
fn paradigm(members: &[Option<LocationId>], definitions: &Definitions) -> u8 {
    let mut processes = members.iter().flatten().map(|&it| definitions.process_of(it));
    let (first, mut rest) = (processes.next(), processes.peekable());
    let is_team = rest.peek().is_some() && rest.all(|it| Some(it) == first);
    if is_team { codes::OPEN_MP } else { codes::MPI }
}

#[cfg(test)]
mod tests {
    use super::{GroupLists, LOCATIONS, RANKS, SELF};
    use crate::trace::otf2::write::codes::{MPI, OPEN_MP};
    use lotse_model::id::{LocationId, ProcessId};
    use lotse_model::trace::{Clock, Communicator, Definitions, Location, LocationKind};

    /// Two processes of two threads.
    fn definitions(communicators: Vec<Communicator>) -> Definitions {
        let mut all = Definitions::new(Clock::default());
        let location = |number| Location {
            number,
            name: String::new(),
            kind: LocationKind::Cpu,
            process: ProcessId(number as u32 / 2),
        };
        all.locations = (0..4).map(location).collect();
        all.communicators.extend(communicators);
        all
    }

    fn communicator_of(members: &[Option<u32>]) -> Communicator {
        let members = members.iter().map(|it| it.map(LocationId)).collect();
        Communicator { members, ..Communicator::default() }
    }

    #[test]
    fn ranks_are_places_in_the_list_of_their_paradigm() {
        let definitions = definitions(vec![
            communicator_of(&[Some(2), Some(0)]),
            communicator_of(&[Some(0), Some(1)]),
            communicator_of(&[Some(2), None]),
        ]);
        let written = GroupLists::from_definitions(&definitions).all_groups(&definitions);
        let groups: Vec<_> = written.iter().map(|it| (it.kind, it.paradigm, it.members.clone())).collect();
        let expected = [
            (LOCATIONS, MPI, vec![Some(0), Some(2), None]),
            (LOCATIONS, OPEN_MP, vec![Some(0), Some(1)]),
            (RANKS, MPI, vec![Some(1), Some(0)]),
            (RANKS, OPEN_MP, vec![Some(0), Some(1)]),
            (RANKS, MPI, vec![Some(1), Some(2)]),
        ];
        assert_eq!(groups, expected);
    }

    #[test]
    fn nothing_is_written_for_nothing() {
        let none = definitions(Vec::new());
        assert!(GroupLists::from_definitions(&none).all_groups(&none).is_empty());
        let alone = definitions(vec![Communicator { of_self: true, ..Communicator::default() }]);
        let kinds: Vec<_> =
            GroupLists::from_definitions(&alone).all_groups(&alone).iter().map(|it| it.kind).collect();
        assert_eq!(kinds, [LOCATIONS, SELF]);
    }
}
