//! Units out of the names of event types: `Time_(10ns)`, `Memory_(bytes)`, `cpu(ms)`.

use lotse_model::profile::EventType;
use lotse_model::unit::Unit;

/// The event type of that name.
pub(super) fn event(name: &str) -> EventType {
    let inside = name.strip_suffix(')').and_then(|name| name.rsplit_once('(')).map(|(_, unit)| unit);
    match inside.and_then(unit) {
        Some((unit, exponent)) => EventType::new(name, unit, exponent),
        None => EventType::count(name),
    }
}

fn unit(text: &str) -> Option<(Unit, i8)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (factor, name) = text.split_at(digits);
    let power = power_of_ten(factor)?;
    let (unit, exponent) = match name {
        "s" | "sec" | "seconds" => (Unit::Seconds, 0),
        "ms" => (Unit::Seconds, -3),
        "us" | "µs" | "μs" => (Unit::Seconds, -6),
        "ns" => (Unit::Seconds, -9),
        "ps" => (Unit::Seconds, -12),
        "bytes" | "B" => (Unit::Bytes, 0),
        _ => return None,
    };
    Some((unit, exponent + power))
}

/// How many zeros follow the one; none where there is no factor.
fn power_of_ten(factor: &str) -> Option<i8> {
    let zeros = factor.strip_prefix('1').unwrap_or(if factor.is_empty() { "" } else { "x" });
    let only_zeros = zeros.len() < 10 && zeros.bytes().all(|byte| byte == b'0');
    only_zeros.then_some(zeros.len() as i8)
}

#[cfg(test)]
mod tests {
    use super::event;

    #[test]
    fn units_come_from_names() {
        let label = |name| event(name).unit_label();
        assert_eq!(label("Time_(10ns)"), "10ns");
        assert_eq!(label("Memory_(bytes)"), "bytes");
        assert_eq!(label("cpu(ms)"), "ms");
        for plain in ["Ir", "Time", "a(b)", "t(25ns)", "()", "x)"] {
            assert_eq!(label(plain), "count", "{plain}");
        }
        assert_eq!(event("Time_(10ns)").name, "Time_(10ns)");
    }
}
