//! Reads numbers of either byte order from the front of bytes; `None` where there are too few.

/// Bytes that are still to be read.
#[derive(Debug, Clone, Copy)]
pub(super) struct PerfBytes<'a> {
    pub(super) rest: &'a [u8],
    pub(super) big: bool,
}

impl<'a> PerfBytes<'a> {
    /// Splits off the first bytes.
    pub(super) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    /// A number of two bytes.
    pub(super) fn short(&mut self) -> Option<u16> {
        let taken = self.take(2)?.try_into().ok()?;
        Some(if self.big { u16::from_be_bytes(taken) } else { u16::from_le_bytes(taken) })
    }

    /// A number of four bytes.
    pub(super) fn word(&mut self) -> Option<u32> {
        let taken = self.take(4)?.try_into().ok()?;
        Some(if self.big { u32::from_be_bytes(taken) } else { u32::from_le_bytes(taken) })
    }

    /// A number of eight bytes.
    pub(super) fn long(&mut self) -> Option<u64> {
        let taken = self.take(8)?.try_into().ok()?;
        Some(if self.big { u64::from_be_bytes(taken) } else { u64::from_le_bytes(taken) })
    }

    /// Text up to a zero byte or the end.
    pub(super) fn text(&self) -> &'a [u8] {
        &self.rest[..memchr::memchr(0, self.rest).unwrap_or(self.rest.len())]
    }

    /// Text in a field, after the length of the field.
    pub(super) fn counted_text(&mut self) -> Option<&'a [u8]> {
        let length = self.word()?;
        let field = self.take(usize::try_from(length).ok()?)?;
        Some(Self { rest: field, big: self.big }.text())
    }
}
