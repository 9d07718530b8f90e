//! The pictures of the structures of each site that have the most accesses, within a limit of memory.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::instance::InstanceId;
use crate::picture::{Drawing, Sketch};
use crate::settings::Limits;

/// The more accesses, the sooner; of equally many, the structure made first.
type Rank = (Reverse<u64>, InstanceId);

/// Pictures that are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gallery {
    /// Pictures of each site, and bytes of all, at most.
    most: usize,
    limit: usize,
    bytes: usize,
    pictures: BTreeMap<InstanceId, Box<Sketch>>,
    /// Those that have one, by site.
    ranks: BTreeMap<usize, Vec<Rank>>,
}

impl Gallery {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self { most: limits.pictures.max(1), limit: limits.picture_bytes, ..Self::default() }
    }

    /// The picture of a structure, if it is kept.
    #[must_use]
    pub fn get(&self, id: InstanceId) -> Option<&Sketch> {
        self.pictures.get(&id).map(Box::as_ref)
    }

    /// Keeps the drawing of a structure that ended, if it is one of its site's that have the most accesses.
    pub(super) fn offer(&mut self, site: usize, events: u64, id: InstanceId, drawing: Drawing) {
        let rank = (Reverse(events), id);
        let ranks = self.ranks.entry(site).or_default();
        if ranks.len() >= self.most && ranks.last().is_some_and(|last| *last < rank) {
            return;
        }
        let Some(sketch) = drawing.finish() else { return };
        ranks.insert(ranks.partition_point(|other| *other < rank), rank);
        let out = if ranks.len() > self.most { ranks.pop() } else { None };
        self.bytes += sketch.bytes();
        self.pictures.insert(id, sketch);
        if let Some((_, id)) = out {
            self.forget(id);
        }
        while self.bytes > self.limit && self.forget_last() {}
    }

    fn forget(&mut self, id: InstanceId) {
        let bytes = self.pictures.remove(&id).map_or(0, |sketch| sketch.bytes());
        self.bytes = self.bytes.saturating_sub(bytes);
    }

    /// Forgets the picture of the structure with the fewest accesses; whether there was one.
    fn forget_last(&mut self) -> bool {
        let last = self.ranks.values_mut().max_by_key(|ranks| ranks.last().copied());
        let Some((_, id)) = last.and_then(Vec::pop) else { return false };
        self.forget(id);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::Gallery;
    use crate::access::{Access, AccessRun};
    use crate::container::Kind;
    use crate::instance::InstanceId;
    use crate::picture::Drawing;
    use crate::settings::Limits;

    fn drawing(events: u64) -> Drawing {
        let mut drawing = Drawing::new();
        for at in 0..events {
            drawing.run(&AccessRun::single(Access::at(Kind::Read, at * 31 % 64, 64, at)));
        }
        drawing
    }

    fn kept(gallery: &Gallery) -> Vec<u64> {
        gallery.pictures.keys().map(|id| id.0).collect()
    }

    #[test]
    fn each_site_keeps_those_with_the_most_accesses_and_of_equal_ones_the_first() {
        let mut gallery = Gallery::new(&Limits { pictures: 2, ..Limits::default() });
        for (id, events) in [(1, 30), (2, 50), (3, 30), (4, 40), (5, 50)] {
            gallery.offer(0, events, InstanceId(id), drawing(events));
        }
        gallery.offer(1, 20, InstanceId(6), drawing(20));
        assert_eq!(kept(&gallery), [2, 5, 6]);
        assert!(gallery.get(InstanceId(2)).is_some() && gallery.get(InstanceId(4)).is_none());
    }

    #[test]
    fn beyond_the_limit_the_pictures_of_the_fewest_accesses_go() {
        let one = drawing(40).finish().unwrap().bytes();
        let limits = Limits { pictures: 4, picture_bytes: 5 * one / 2, ..Limits::default() };
        let mut gallery = Gallery::new(&limits);
        for (id, events) in [(1, 40), (2, 41), (3, 43), (4, 42)] {
            gallery.offer(id as usize % 2, events, InstanceId(id), drawing(events));
        }
        assert_eq!(kept(&gallery), [3, 4]);
        assert!(gallery.bytes <= limits.picture_bytes);
    }
}
