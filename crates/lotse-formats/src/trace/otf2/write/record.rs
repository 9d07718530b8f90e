//! Encodes records: a type, a length, and fields with packed integers (a length byte and the significant bytes).

/// An undefined reference or number.
pub(super) const UNDEFINED: u32 = u32::MAX;
const UNDEFINED_NUMBER: u8 = 0xff;
/// In place of a length: the length follows in eight bytes.
const LONG: u8 = 0xff;
/// Space for any event with its time stamp: the longest has six numbers, and numbers are copied eight bytes at a time.
pub(super) const LONGEST_EVENT: usize = 80;
const TIME: u8 = 5;

/// A packed integer: its length byte and eight bytes, lowest first, and how many of these nine bytes are used.
#[inline]
fn packed(value: u64) -> ([u8; 9], usize) {
    let length = (71 - value.leading_zeros() as usize) / 8;
    let mut bytes = [0; 9];
    bytes[0] = length as u8;
    bytes[1..].copy_from_slice(&value.to_le_bytes());
    (bytes, length + 1)
}

/// An event's record that is written into a chunk.
pub(super) struct EventRecord<'a> {
    room: &'a mut [u8; LONGEST_EVENT],
    used: usize,
    /// The position of the length byte.
    length_at: usize,
}

impl<'a> EventRecord<'a> {
    #[inline]
    pub(super) fn new(room: &'a mut [u8; LONGEST_EVENT]) -> Self {
        Self { room, used: 0, length_at: 0 }
    }

    #[inline]
    pub(super) fn time(&mut self, at: u64) {
        self.byte(TIME).eight(at);
    }

    /// Writes a record of one number, which has no length byte.
    #[inline]
    pub(super) fn single(&mut self, kind: u8, value: u64) {
        self.byte(kind).wide(value);
    }

    /// Writes a record of one reference, which has no length byte.
    #[inline]
    pub(super) fn single_reference(&mut self, kind: u8, value: u32) {
        self.byte(kind).narrow(value);
    }

    /// Begins a record with a length; [`end`](Self::end) sets the length.
    #[inline]
    pub(super) fn begin(&mut self, kind: u8) -> &mut Self {
        self.byte(kind);
        self.length_at = self.used;
        self.byte(0)
    }

    #[inline]
    pub(super) fn end(&mut self) {
        self.room[self.length_at] = (self.used - self.length_at - 1) as u8;
    }

    #[inline]
    pub(super) fn byte(&mut self, value: u8) -> &mut Self {
        self.room[self.used] = value;
        self.used += 1;
        self
    }

    /// Writes eight bytes that are not packed.
    #[inline]
    pub(super) fn eight(&mut self, value: u64) -> &mut Self {
        self.room[self.used..self.used + 8].copy_from_slice(&value.to_le_bytes());
        self.used += 8;
        self
    }

    /// Writes a packed integer of 64 bits; the largest one is "undefined".
    #[inline]
    pub(super) fn wide(&mut self, value: u64) -> &mut Self {
        if value == u64::MAX {
            return self.byte(UNDEFINED_NUMBER);
        }
        self.number(value)
    }

    /// Writes a packed integer of 32 bits; the largest one is "undefined".
    #[inline]
    pub(super) fn narrow(&mut self, value: u32) -> &mut Self {
        if value == UNDEFINED {
            return self.byte(UNDEFINED_NUMBER);
        }
        self.number(u64::from(value))
    }

    /// The number of bytes used.
    #[inline]
    pub(super) fn used(&self) -> usize {
        self.used
    }

    #[inline]
    fn number(&mut self, value: u64) -> &mut Self {
        let (bytes, length) = packed(value);
        self.room[self.used..self.used + 9].copy_from_slice(&bytes);
        self.used += length;
        self
    }
}

/// The fields of a definition.
#[derive(Default)]
pub(super) struct FieldBuffer(Vec<u8>);

impl FieldBuffer {
    pub(super) fn byte(mut self, value: u8) -> Self {
        self.0.push(value);
        self
    }

    pub(super) fn wide(mut self, value: u64) -> Self {
        if value == u64::MAX {
            return self.byte(UNDEFINED_NUMBER);
        }
        let (bytes, length) = packed(value);
        self.0.extend_from_slice(&bytes[..length]);
        self
    }

    pub(super) fn narrow(self, value: u32) -> Self {
        if value == UNDEFINED { self.byte(UNDEFINED_NUMBER) } else { self.wide(u64::from(value)) }
    }

    /// Appends a text with its terminating zero; zeros inside the text are left out.
    pub(super) fn text(mut self, text: &str) -> Self {
        self.0.extend(text.bytes().filter(|&byte| byte != 0));
        self.byte(0)
    }

    /// The record with its type and length.
    pub(super) fn record(self, kind: u8) -> Vec<u8> {
        let length = self.0.len();
        let mut head = vec![kind];
        match u8::try_from(length) {
            Ok(short) if short != LONG => head.push(short),
            _ => head.extend([LONG].into_iter().chain((length as u64).to_le_bytes())),
        }
        [head, self.0].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::{EventRecord, FieldBuffer, LONGEST_EVENT, UNDEFINED, packed};

    fn event(fill: impl FnOnce(&mut EventRecord<'_>)) -> Vec<u8> {
        let mut room = [0; LONGEST_EVENT];
        let mut record = EventRecord::new(&mut room);
        fill(&mut record);
        let used = record.used();
        room[..used].to_vec()
    }

    #[test]
    fn numbers_are_as_short_as_they_can_be() {
        for (value, length) in
            [(0, 1), (1, 2), (255, 2), (256, 3), (u64::from(u32::MAX), 5), (u64::MAX - 1, 9)]
        {
            let (bytes, found) = packed(value);
            assert_eq!((found, usize::from(bytes[0])), (length, length - 1), "{value}");
        }
    }

    /// Bytes as the library writes them.
    #[test]
    fn records_of_events_are_those_of_the_library() {
        assert_eq!(event(|it| it.single_reference(12, 300)), [12, 2, 0x2c, 1]);
        assert_eq!(event(|it| it.single_reference(12, UNDEFINED)), [12, 255]);
        assert_eq!(event(|it| it.single_reference(12, 0)), [12, 0]);
        assert_eq!(event(|it| it.time(0x1000)), [5, 0, 0x10, 0, 0, 0, 0, 0, 0]);
        let send = event(|it| it.begin(14).narrow(1).narrow(2).narrow(3).wide(4).end());
        assert_eq!(send, [14, 8, 1, 1, 1, 2, 1, 3, 1, 4]);
    }

    #[test]
    fn long_definitions_have_long_lengths() {
        let record = FieldBuffer::default().narrow(7).text(&"x".repeat(300)).record(10);
        assert_eq!(record[..11], [10, 255, 0x2f, 1, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(record.len(), 10 + 0x12f);
        assert_eq!(FieldBuffer::default().narrow(1).text("he\0llo").record(10), b"\x0a\x08\x01\x01hello\0");
    }
}
