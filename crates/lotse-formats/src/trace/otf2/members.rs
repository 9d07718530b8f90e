//! Who is in a group: members are locations, or positions in the list of locations of the group's paradigm.

use hashbrown::HashMap;
use lotse_model::id::LocationId;
use lotse_model::trace::Location;

use super::definitions::{Group, GroupKind, Raw};

/// Members of all communicators together; one group may serve many communicators, which is a way to ask for more
/// memory than a machine has.
const MOST_MEMBERS: usize = 1 << 24;

/// Finds the locations of members.
#[derive(Debug)]
pub(super) struct Members<'a> {
    locations: HashMap<u64, LocationId>,
    /// The lists of locations by paradigm.
    numbering: &'a HashMap<u8, Vec<u64>>,
    given: usize,
    /// Groups of a paradigm that lists no locations.
    pub(super) unnumbered: u64,
    /// Members that are not among the locations.
    pub(super) unknown: u64,
    /// Communicators left without members, because there are too many.
    pub(super) left_out: u64,
}

impl<'a> Members<'a> {
    pub(super) fn new(raw: &'a Raw<'_>, locations: &[Location]) -> Self {
        let positions = locations.iter().enumerate().map(|(at, it)| (it.number, LocationId::from(at)));
        let locations = positions.collect();
        Self { locations, numbering: &raw.numbering, given: 0, unnumbered: 0, unknown: 0, left_out: 0 }
    }

    /// The members of a group, in its order.
    pub(super) fn of_group(&mut self, group: &Group) -> Vec<Option<LocationId>> {
        match group.kind {
            GroupKind::Locations | GroupKind::CommLocations => {
                group.members.iter().map(|it| self.location(*it)).collect()
            }
            GroupKind::CommGroup => self.numbered(group),
            GroupKind::CommSelf | GroupKind::Other => Vec::new(),
        }
    }

    fn numbered(&mut self, group: &Group) -> Vec<Option<LocationId>> {
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

    /// The members by the ranks that events use.
    ///
    /// Where those count in the paradigm's list and not in the group, places of others are empty.
    pub(super) fn of_communicator(&mut self, group: &Group) -> Vec<Option<LocationId>> {
        let numbering = self.numbering.get(&group.paradigm);
        let numbering = numbering.filter(|_| group.global_ranks && group.kind == GroupKind::CommGroup);
        self.given += numbering.map_or(group.members.len(), Vec::len);
        if self.given > MOST_MEMBERS {
            self.left_out += 1;
            return Vec::new();
        }
        match numbering {
            Some(numbering) => self.by_global_rank(group, numbering),
            None => self.of_group(group),
        }
    }

    fn by_global_rank(&self, group: &Group, numbering: &[u64]) -> Vec<Option<LocationId>> {
        let mut members = vec![None; numbering.len()];
        for at in group.members.iter().filter_map(|it| usize::try_from(*it).ok()) {
            if let Some(place) = members.get_mut(at) {
                *place = self.locations.get(&numbering[at]).copied();
            }
        }
        members
    }
}
