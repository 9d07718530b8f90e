//! Byte order and width of addresses, which the file does not state. The byte order follows from the version, the
//! width from which of the two can be read to the end.

use super::records::{GmonRecords, bsd, gnu};

/// The encoding of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GmonLayout {
    /// The most significant byte first.
    pub(super) big: bool,
    /// Addresses of 64 bits instead of 32.
    pub(super) wide: bool,
}

/// The version in the header of the BSD format.
const BSD: u32 = 0x0005_1879;

impl GmonLayout {
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

/// The format, recognised by the first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GmonHeader {
    /// The GNU format, with the byte order.
    Gnu { big: bool },
    /// The GNU format in an unknown version.
    Newer(u32),
    /// The BSD format.
    Bsd(GmonLayout),
}

/// Recognises the format by its first bytes.
pub(super) fn header(bytes: &[u8]) -> Option<GmonHeader> {
    const ORDERS: [GmonLayout; 4] = [
        GmonLayout { big: false, wide: true },
        GmonLayout { big: true, wide: true },
        GmonLayout { big: false, wide: false },
        GmonLayout { big: true, wide: false },
    ];
    if bytes.starts_with(b"gmon") {
        let version = |layout: &GmonLayout| layout.u32_at(bytes, 4);
        let known = ORDERS.iter().find(|layout| version(layout) == Some(1));
        return match known {
            Some(layout) => Some(GmonHeader::Gnu { big: layout.big }),
            None => version(&ORDERS[0]).map(GmonHeader::Newer),
        };
    }
    let version = |layout: &GmonLayout| layout.u32_at(bytes, if layout.wide { 20 } else { 12 });
    ORDERS.into_iter().find(|layout| version(layout) == Some(BSD)).map(GmonHeader::Bsd)
}

/// Reads the records with the width of addresses that lets more of the file be read.
pub(super) fn records(bytes: &[u8], header: GmonHeader) -> GmonRecords {
    let big = match header {
        GmonHeader::Bsd(layout) => return bsd(bytes, layout),
        GmonHeader::Gnu { big } => big,
        GmonHeader::Newer(_) => false,
    };
    let wide = gnu(bytes, GmonLayout { big, wide: true });
    let Some((reached, _)) = wide.flaw else { return wide };
    let narrow = gnu(bytes, GmonLayout { big, wide: false });
    match narrow.flaw {
        Some((other, _)) if other <= reached => wide,
        _ => narrow,
    }
}
