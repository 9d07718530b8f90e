//! Byte order and width of addresses, which a file does not say: the order shows in its version, the width in
//! whether the records then make sense to the end.

use super::records::{Records, bsd, gnu};

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    /// The most significant byte first.
    pub(super) big: bool,
    /// Addresses of 64 bits instead of 32.
    pub(super) wide: bool,
}

/// The version BSD's header has.
const BSD: u32 = 0x0005_1879;

impl Layout {
    pub(super) fn u16(self, bytes: [u8; 2]) -> u16 {
        if self.big { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) }
    }

    pub(super) fn u32(self, bytes: [u8; 4]) -> u32 {
        if self.big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    }

    fn u32_at(self, bytes: &[u8], at: usize) -> Option<u32> {
        let bytes = bytes.get(at..at + 4)?;
        Some(self.u32([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }
}

/// What the first bytes show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Header {
    /// GNU's family, with the byte order.
    Gnu { big: bool },
    /// GNU's family in a version that is not known.
    Newer(u32),
    /// BSD's family.
    Bsd(Layout),
}

/// Looks at the first bytes.
pub(super) fn header(bytes: &[u8]) -> Option<Header> {
    const ORDERS: [Layout; 4] = [
        Layout { big: false, wide: true },
        Layout { big: true, wide: true },
        Layout { big: false, wide: false },
        Layout { big: true, wide: false },
    ];
    if bytes.starts_with(b"gmon") {
        let version = |layout: &Layout| layout.u32_at(bytes, 4);
        let known = ORDERS.iter().find(|layout| version(layout) == Some(1));
        return match known {
            Some(layout) => Some(Header::Gnu { big: layout.big }),
            None => version(&ORDERS[0]).map(Header::Newer),
        };
    }
    let version = |layout: &Layout| layout.u32_at(bytes, if layout.wide { 20 } else { 12 });
    ORDERS.into_iter().find(|layout| version(layout) == Some(BSD)).map(Header::Bsd)
}

/// Reads the records in the layout in which they make most sense.
pub(super) fn records(bytes: &[u8], header: Header) -> Records {
    let big = match header {
        Header::Bsd(layout) => return bsd(bytes, layout),
        Header::Gnu { big } => big,
        Header::Newer(_) => false,
    };
    let wide = gnu(bytes, Layout { big, wide: true });
    let Some((reached, _)) = wide.flaw else { return wide };
    let narrow = gnu(bytes, Layout { big, wide: false });
    match narrow.flaw {
        Some((other, _)) if other <= reached => wide,
        _ => narrow,
    }
}
