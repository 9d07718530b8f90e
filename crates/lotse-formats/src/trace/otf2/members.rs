//! Resolves the members of groups to locations.
//!
//! A group lists location numbers, or positions in the list of locations of its paradigm:
//!
//! ```text
//! MPI's list of locations   [6, 5, 8]
//! group, positions [1, 2]   → locations 5 and 8
//! ranks in events           by default 0 and 1, the positions in the group; with global ranks 1 and 2
//! ```

use hashbrown::HashMap;
use lotse_model::id::LocationId;
use lotse_model::trace::Location;

use super::definitions::{GroupKind, RawDefinitions, RawGroup};

/// The limit for the members of all communicators together. Many communicators can share one large group, so a small file
/// could otherwise need more memory than the machine has.
const MOST_MEMBERS: usize = 1 << 24;

/// Resolves members to locations, and counts problems.
#[derive(Debug)]
pub(super) struct MemberResolver<'a> {
    locations: HashMap<u64, LocationId>,
    /// The list of locations of each paradigm.
    numbering: &'a HashMap<u8, Vec<u64>>,
    /// Members of communicators so far.
    given: usize,
    /// The number of groups whose paradigm has no list of locations.
    pub(super) unnumbered: u64,
    /// The number of members that are not among the locations.
    pub(super) unknown: u64,
    /// The number of communicators whose members were left out because of [`MOST_MEMBERS`].
    pub(super) left_out: u64,
}

impl<'a> MemberResolver<'a> {
    pub(super) fn new(raw: &'a RawDefinitions<'_>, locations: &[Location]) -> Self {
        let positions = locations.iter().enumerate().map(|(at, it)| (it.number, LocationId::from(at)));
        let locations = positions.collect();
        Self { locations, numbering: &raw.numbering, given: 0, unnumbered: 0, unknown: 0, left_out: 0 }
    }

    /// The members of a group, in its order.
    pub(super) fn group_members(&mut self, group: &RawGroup) -> Vec<Option<LocationId>> {
        match group.kind {
            GroupKind::Locations | GroupKind::CommLocations => {
                group.members.iter().map(|it| self.location(*it)).collect()
            }
            GroupKind::CommGroup => self.numbered(group),
            GroupKind::CommSelf | GroupKind::Other => Vec::new(),
        }
    }

    /// The members of a group that lists positions. Without a list for its paradigm, they are taken as location numbers.
    fn numbered(&mut self, group: &RawGroup) -> Vec<Option<LocationId>> {
        let Some(numbering) = self.numbering.get(&group.paradigm) else {
            self.unnumbered += 1;
            return group.members.iter().map(|it| self.location(*it)).collect();
        };
        let mut at = |member: u64| {
            let number = usize::try_from(member).ok().and_then(|it| numbering.get(it));
            self.unknown += u64::from(number.is_none());
            number.and_then(|it| self.locations.get(it)).copied()
        };
        group.members.iter().map(|it| at(*it)).collect()
    }

    fn location(&mut self, number: u64) -> Option<LocationId> {
        let location = self.locations.get(&number).copied();
        self.unknown += u64::from(location.is_none());
        location
    }

    /// The members of a communicator's group by the ranks that events use.
    ///
    /// With global ranks, the members are at their positions in the paradigm's list, and the other positions are `None`.
    pub(super) fn communicator_members(&mut self, group: &RawGroup) -> Vec<Option<LocationId>> {
        let numbering = self.numbering.get(&group.paradigm);
        let numbering = numbering.filter(|_| group.global_ranks && group.kind == GroupKind::CommGroup);
        self.given += numbering.map_or(group.members.len(), Vec::len);
        if self.given > MOST_MEMBERS {
            self.left_out += 1;
            return Vec::new();
        }
        match numbering {
            Some(numbering) => self.by_global_rank(group, numbering),
            None => self.group_members(group),
        }
    }

    fn by_global_rank(&self, group: &RawGroup, numbering: &[u64]) -> Vec<Option<LocationId>> {
        let mut members = vec![None; numbering.len()];
        for at in group.members.iter().filter_map(|it| usize::try_from(*it).ok()) {
            if let Some(member) = members.get_mut(at) {
                *member = self.locations.get(&numbering[at]).copied();
            }
        }
        members
    }
}
