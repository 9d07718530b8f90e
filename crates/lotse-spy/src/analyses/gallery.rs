//! Keeps, for each site, the pictures of the structures with the most accesses, within a memory limit.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::instance::InstanceId;
use crate::picture::{Drawing, Sketch};
use crate::settings::Limits;

/// Sort key of a picture: most accesses first; of equally many, the structure created first.
type Priority = (Reverse<u64>, InstanceId);

/// The pictures that are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gallery {
    /// Limits: pictures per site, and bytes of all pictures.
    most: usize,
    limit: usize,
    bytes: usize,
    pictures: BTreeMap<InstanceId, Box<Sketch>>,
    /// The kept pictures of each site, sorted.
    priorities: BTreeMap<usize, Vec<Priority>>,
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

    /// Keeps the drawing of a dropped structure if it is among those of its site with the most accesses. Where the memory
    /// limit is exceeded, the pictures with the fewest accesses of all sites are removed.
    pub(super) fn offer(&mut self, site: usize, events: u64, id: InstanceId, drawing: Drawing) {
        let priority = (Reverse(events), id);
        let priorities = self.priorities.entry(site).or_default();
        if priorities.len() >= self.most && priorities.last().is_some_and(|last| *last < priority) {
            return;
        }
        let Some(sketch) = drawing.finish() else { return };
        priorities.insert(priorities.partition_point(|other| *other < priority), priority);
        let out = if priorities.len() > self.most { priorities.pop() } else { None };
        self.bytes += sketch.bytes();
        self.pictures.insert(id, sketch);
        if let Some((_, id)) = out {
            self.remove(id);
        }
        while self.bytes > self.limit && self.remove_last() {}
    }

    fn remove(&mut self, id: InstanceId) {
        let bytes = self.pictures.remove(&id).map_or(0, |sketch| sketch.bytes());
        self.bytes = self.bytes.saturating_sub(bytes);
    }

    /// Removes the picture of the structure with the fewest accesses; `false` if there was none.
    fn remove_last(&mut self) -> bool {
        let last = self.priorities.values_mut().max_by_key(|priorities| priorities.last().copied());
        let Some((_, id)) = last.and_then(Vec::pop) else { return false };
        self.remove(id);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::Gallery;
    use crate::access::{Access, AccessRun};
    use crate::container::AccessKind;
    use crate::instance::InstanceId;
    use crate::picture::Drawing;
    use crate::settings::Limits;

    fn drawing(events: u64) -> Drawing {
        let mut drawing = Drawing::new();
        for at in 0..events {
            drawing.add_run(&AccessRun::single(Access::at(AccessKind::Read, at * 31 % 64, 64, at)));
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
