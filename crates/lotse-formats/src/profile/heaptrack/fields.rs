//! The fields of a record: hexadecimal numbers separated by blanks, and texts that fill the line or state their length.

use std::borrow::Cow;

use lotse_model::profile::readable;

/// The rest of a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Fields<'a> {
    /// The next number; `None` at the end, and for a word that is not a number of at most 64 bits.
    pub(super) fn number(&mut self) -> Option<u64> {
        let start = self.0.iter().position(|&byte| byte != b' ')?;
        let rest = &self.0[start..];
        let length = rest.iter().position(|&byte| byte == b' ').unwrap_or(rest.len());
        let (digits, rest) = rest.split_at(length);
        self.0 = rest;
        if digits.len() > 16 {
            return None;
        }
        digits
            .iter()
            .try_fold(0_u64, |value, &digit| Some(value << 4 | u64::from(char::from(digit).to_digit(16)?)))
    }

    /// The rest of the line as text; with `sized`, a number before it states its length.
    pub(super) fn text(&mut self, sized: bool) -> Option<Cow<'a, str>> {
        let length = if sized { self.number()? } else { self.0.len() as u64 };
        let rest = self.0.strip_prefix(b" ").unwrap_or(self.0);
        let length = if sized { usize::try_from(length).ok()? } else { rest.len() };
        let (text, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some(readable(text))
    }

    /// A text up to the next blank; older versions write it before numbers.
    pub(super) fn word(&mut self) -> Option<Cow<'a, str>> {
        let rest = self.0.strip_prefix(b" ").unwrap_or(self.0);
        let length = rest.iter().position(|&byte| byte == b' ').unwrap_or(rest.len());
        let (text, rest) = rest.split_at(length);
        self.0 = rest;
        (!text.is_empty()).then(|| readable(text))
    }
}

#[cfg(test)]
mod tests {
    use super::Fields;

    #[test]
    fn numbers_are_hexadecimal_and_of_64_bits() {
        let mut fields = Fields(b" 1f ffffffffffffffff 10000000000000000 x 2");
        let numbers: Vec<Option<u64>> = (0..6).map(|_| fields.number()).collect();
        assert_eq!(numbers, [Some(31), Some(u64::MAX), None, None, Some(2), None]);
    }

    #[test]
    fn texts_fill_the_line_or_state_their_length() {
        assert_eq!(Fields(b" a b").text(false).as_deref(), Some("a b"));
        let mut sized = Fields(b" 3 a b 7f");
        assert_eq!(sized.text(true).as_deref(), Some("a b"));
        assert_eq!(sized.number(), Some(127));
        assert_eq!(Fields(b" 9 short").text(true), None);
        assert_eq!(Fields(b" ffffffffffffffff short").text(true), None);
        assert_eq!(Fields(b" lib.so 10").word().as_deref(), Some("lib.so"));
    }
}
