//! Values with units as people write them: `±1%`, `30s`, `1.5m`.

use std::time::Duration;

use lotse_model::results::LayoutPart;

/// A share: `1%`, `±0.5%`, `+-2 %`, `0.01`.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let signs = ["±", "+-", "+/-", "+"];
    let bare = text.trim();
    let plain = signs.iter().find_map(|sign| bare.strip_prefix(sign)).unwrap_or(bare).trim();
    let (number, scale) = match plain.strip_suffix('%') {
        Some(percent) => (percent.trim(), 0.01),
        None => (plain, 1.0),
    };
    let value: f64 = number.parse().map_err(|_| format!("'{text}' is not a share such as 1% or 0.01"))?;
    let share = value * scale;
    if share > 0.0 && share < 1.0 {
        Ok(share)
    } else {
        Err(format!("'{text}' must be above 0 % and below 100 %"))
    }
}

/// A duration: `500ms`, `30s`, `2m`, `1h`, or plain seconds.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let split = text.find(|c: char| c.is_alphabetic() || c == 'µ').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let scale = match unit.trim() {
        "ns" => 1e-9,
        "us" | "µs" => 1e-6,
        "ms" => 1e-3,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        other => return Err(format!("'{other}' is not a unit of time: use ns, us, ms, s, m or h")),
    };
    let value: f64 = number.trim().parse().map_err(|_| format!("'{text}' is not a duration such as 30s"))?;
    let seconds = value * scale;
    if seconds > 0.0 {
        Duration::try_from_secs_f64(seconds).map_err(|e| e.to_string())
    } else {
        Err(format!("'{text}' must be above 0"))
    }
}

/// A number of bytes: `0`, `500 MB`, `2 GiB`.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let split = text.find(char::is_alphabetic).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let scale: f64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" | "bytes" => 1.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "tb" => 1e12,
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1_048_576.0,
        "g" | "gib" => 1_073_741_824.0,
        "t" | "tib" => 1_099_511_627_776.0,
        other => return Err(format!("'{other}' is not a unit of size: use B, kB, MB, GB, KiB, MiB or GiB")),
    };
    let value: f64 = number.trim().parse().map_err(|_| format!("'{text}' is not a size such as 2 GiB"))?;
    let bytes = value * scale;
    // From 2^53 on, an f64 does not have every whole number.
    if (0.0..9e15).contains(&bytes) {
        Ok(bytes.round() as u64)
    } else {
        Err(format!("'{text}' is not a size"))
    }
}

/// A part of memory layouts, by its name.
pub(crate) fn layout_part(text: &str) -> Result<LayoutPart, String> {
    LayoutPart::ALL.into_iter().find(|part| part.name() == text).ok_or_else(|| {
        let names = LayoutPart::ALL.map(LayoutPart::name).join(", ");
        format!("there is no such part of a layout; the parts are {names}")
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{duration, share, size};

    #[test]
    fn shares() {
        for (text, expected) in [("1%", 0.01), ("±0.5%", 0.005), ("+-2 %", 0.02), ("0.01", 0.01)] {
            assert!((share(text).unwrap() - expected).abs() < 1e-15, "{text}");
        }
        for bad in ["", "x", "0", "150%", "1", "nan", "inf", "-50%", "-0.1", "±-1%", "--1%"] {
            assert!(share(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes() {
        for (text, bytes) in
            [("0", 0), ("12", 12), ("500 MB", 500_000_000), ("2 GiB", 2 << 30), ("1.5k", 1536)]
        {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for bad in ["", "GiB", "-1", "2 parsecs", "1e300", "nan"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn durations() {
        for (text, millis) in
            [("500ms", 500), ("30s", 30_000), ("1.5", 1500), ("2m", 120_000), ("1 h", 3_600_000)]
        {
            assert_eq!(duration(text).unwrap(), Duration::from_millis(millis), "{text}");
        }
        for bad in ["", "x", "3 parsecs", "-1s", "0", "nan", "1e300h"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }
}
