//! Reads and writes the wire format of protocol buffers: numbered fields that are numbers or bytes.

use crate::error::Place;
use crate::reading::Diagnostic;

/// The bytes of a message and their offset in the input.
#[derive(Debug, Clone, Copy)]
pub(super) struct MessageBytes<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: u64,
}

/// The value of a field.
#[derive(Debug, Clone, Copy)]
pub(super) enum FieldValue<'a> {
    Number(u64),
    Bytes(MessageBytes<'a>),
    /// A wire type that no message here uses.
    Other,
}

impl<'a> MessageBytes<'a> {
    /// The fields up to the first broken one, which is an error.
    pub(super) fn fields(self) -> impl Iterator<Item = Result<(u64, FieldValue<'a>), Diagnostic>> {
        let mut rest = self;
        std::iter::from_fn(move || {
            if rest.bytes.is_empty() {
                return None;
            }
            let at = rest.at;
            let field = rest.take_field();
            if field.is_none() {
                rest.bytes = &[];
            }
            Some(field.ok_or_else(|| {
                Diagnostic::loss(Place::Byte(at), "expected a field, found its end or other bytes")
            }))
        })
    }

    /// The last number of each of the fields 1 to `N`.
    pub(super) fn scalars<const N: usize>(self) -> Result<[u64; N], Diagnostic> {
        let mut scalars = [0; N];
        for field in self.fields() {
            let (number, value) = field?;
            let at = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
            if let (Some(slot), FieldValue::Number(value)) = (at.and_then(|at| scalars.get_mut(at)), value) {
                *slot = value;
            }
        }
        Ok(scalars)
    }

    /// The numbers of a packed field.
    pub(super) fn numbers(mut self, into: &mut Vec<u64>) -> Result<(), Diagnostic> {
        while !self.bytes.is_empty() {
            let at = self.at;
            let number = self.take_number();
            into.push(number.ok_or_else(|| Diagnostic::loss(Place::Byte(at), "expected a number"))?);
        }
        Ok(())
    }

    fn take_field(&mut self) -> Option<(u64, FieldValue<'a>)> {
        let key = self.take_number()?;
        let value = match key & 7 {
            0 => FieldValue::Number(self.take_number()?),
            1 => self.take(8).map(|_| FieldValue::Other)?,
            2 => {
                let length = usize::try_from(self.take_number()?).ok()?;
                FieldValue::Bytes(self.take(length)?)
            }
            5 => self.take(4).map(|_| FieldValue::Other)?,
            _ => return None,
        };
        (key >> 3 > 0).then_some((key >> 3, value))
    }

    fn take(&mut self, length: usize) -> Option<Self> {
        let taken = Self { bytes: self.bytes.get(..length)?, at: self.at };
        *self = Self { bytes: &self.bytes[length..], at: self.at + length as u64 };
        Some(taken)
    }

    fn take_number(&mut self) -> Option<u64> {
        let mut number = 0;
        for (place, &byte) in self.bytes.iter().take(10).enumerate() {
            number |= u64::from(byte & 0x7f) << (7 * place);
            if byte < 0x80 {
                self.take(place + 1)?;
                return Some(number);
            }
        }
        None
    }
}

/// A message being written.
#[derive(Debug, Default)]
pub(super) struct MessageWriter(pub(super) Vec<u8>);

impl MessageWriter {
    /// Appends a number; zeros are not written.
    pub(super) fn number(&mut self, field: u64, number: u64) -> &mut Self {
        if number != 0 {
            self.varint(field << 3);
            self.varint(number);
        }
        self
    }

    /// Appends bytes, empty ones too.
    pub(super) fn bytes(&mut self, field: u64, bytes: &[u8]) -> &mut Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    /// Appends numbers.
    pub(super) fn packed(&mut self, field: u64, numbers: impl IntoIterator<Item = u64>) -> &mut Self {
        let mut packed = Self::default();
        numbers.into_iter().for_each(|number| packed.varint(number));
        self.bytes(field, &packed.0)
    }

    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::{FieldValue, MessageBytes, MessageWriter};

    #[test]
    fn what_is_written_is_read() {
        let mut message = MessageWriter::default();
        message.number(1, 300).number(2, 0).bytes(3, b"abc").packed(4, [1, u64::MAX]);
        let bytes = MessageBytes { bytes: &message.0, at: 0 };
        assert_eq!(bytes.scalars::<2>().unwrap(), [300, 0]);
        let fields: Vec<_> = bytes.fields().map(Result::unwrap).collect();
        assert_eq!(fields.len(), 3);
        let FieldValue::Bytes(packed) = fields[2].1 else { panic!("{fields:?}") };
        let mut numbers = Vec::new();
        packed.numbers(&mut numbers).unwrap();
        assert_eq!(numbers, [1, u64::MAX]);
    }

    #[test]
    fn a_broken_field_ends_the_message_at_its_place() {
        for bytes in [&b"\x08\x01\x12\x05ab"[..], b"\x08\x01\x0b", b"\x08\x01\x10\xff", b"\x08\x01\x00\x00"] {
            let fields: Vec<_> = MessageBytes { bytes, at: 10 }.fields().collect();
            assert_eq!(fields.len(), 2, "{bytes:?}");
            let place = fields[1].as_ref().unwrap_err().place.to_string();
            assert_eq!(place, "byte 12", "{bytes:?}");
        }
    }
}
