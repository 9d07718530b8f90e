//! A compact form of [`Link`] of eight bytes: there is one for every record.

use lotse_model::id::LocationId;

use super::Link;
use crate::store::OpRef;

/// A [`Link`] as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pointer {
    /// [`NOWHERE`] for collectives, which have no location.
    location: u32,
    number: u32,
}

const NOWHERE: u32 = u32::MAX;

impl Pointer {
    /// [`Link::None`].
    pub const NONE: Self = Self { location: NOWHERE, number: u32::MAX };

    /// The link that is stored.
    #[inline]
    pub fn link(self) -> Link {
        match (self.location, self.number) {
            (NOWHERE, u32::MAX) => Link::None,
            (NOWHERE, number) => Link::Collective(number),
            (location, op) => Link::Op(OpRef { location: LocationId(location), op }),
        }
    }
}

impl From<Link> for Pointer {
    #[inline]
    fn from(link: Link) -> Self {
        match link {
            Link::None => Self::NONE,
            Link::Op(op) => Self { location: op.location.0, number: op.op },
            Link::Collective(number) => Self { location: NOWHERE, number },
        }
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::id::LocationId;

    use super::{Link, OpRef, Pointer};

    #[test]
    fn every_link_survives_the_round_trip() {
        let op = |location, op| Link::Op(OpRef { location: LocationId(location), op });
        for link in
            [Link::None, Link::Collective(0), Link::Collective(7), op(0, 0), op(3, u32::MAX), op(9, 1)]
        {
            assert_eq!(Pointer::from(link).link(), link);
        }
        assert_eq!(size_of::<Pointer>(), 8);
    }
}
