//! Which build of a program or library was profiled.

use std::fmt;

/// The longest id that is kept. Linkers write 8 to 32 bytes.
const LONGEST: usize = 64;

/// The id of one build of an object, as the profile states it: the bytes of an ELF build id, of a Mach-O UUID, or of the
/// GUID in a debug id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BuildId(Vec<u8>);

impl BuildId {
    /// An id of these bytes; `None` where they cannot be an id: empty, too long, or only zeros.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let identifies = bytes.len() <= LONGEST && bytes.iter().any(|&byte| byte != 0);
        identifies.then(|| Self(bytes.to_vec()))
    }

    /// Parses an id from hexadecimal digits; `None` for any other text.
    pub fn parse(digits: &str) -> Option<Self> {
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_hex || !digits.len().is_multiple_of(2) || digits.len() > 2 * LONGEST {
            return None;
        }
        let pairs = (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).ok());
        Self::new(&pairs.collect::<Option<Vec<u8>>>()?)
    }

    /// The bytes of the id.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for BuildId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::BuildId;

    #[test]
    fn digits_come_back_in_lower_case() {
        let id = BuildId::parse("00FFa1").unwrap();
        assert_eq!((id.bytes(), id.to_string()), (&[0, 255, 0xa1][..], "00ffa1".to_owned()));
    }

    #[test]
    fn what_identifies_nothing_is_no_id() {
        for digits in ["", "0000", "abc", "xy", "+1", "\u{e9}", &"ab".repeat(65)] {
            assert_eq!(BuildId::parse(digits), None, "{digits}");
        }
    }
}
