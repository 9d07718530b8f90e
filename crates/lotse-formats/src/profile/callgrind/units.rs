//! Units in the names of event types, since the format has no other place for them: `Time_(10ns)`, `Memory_(bytes)`,
//! `cpu(ms)`. The name `time_(ns)`, which Lotse writes for `time`, is read back as `time`.

use lotse_model::profile::EventType;
use lotse_model::unit::Unit;

/// The event type of a name, with the unit in parentheses at its end, if any.
pub(super) fn event(name: &str) -> EventType {
    let inside = name.strip_suffix(')').and_then(|name| name.rsplit_once('(')).map(|(_, unit)| unit);
    match inside.and_then(unit) {
        Some((unit, exponent)) => EventType::new(name, unit, exponent),
        None => EventType::count(name),
    }
}

/// The event type of a name in a file that Lotse wrote: removes the unit that [`name_with_unit`] appended.
pub(super) fn own_event(name: &str) -> EventType {
    let read = event(name);
    match name.rsplit_once("_(") {
        Some((plain, _))
            if read.unit != Unit::Count
                && name_with_unit(&EventType::new(plain, read.unit, read.exponent)) == name =>
        {
            EventType { name: plain.to_owned(), ..read }
        }
        _ => read,
    }
}

/// The name of an event type; its unit is appended where it can be read back and the name does not contain it yet.
pub(super) fn name_with_unit(event: &EventType) -> String {
    let gives_unit = |name: &str| {
        let read = self::event(name);
        (read.unit, read.exponent) == (event.unit, event.exponent)
    };
    let with_unit = format!("{}_({})", event.name, event.unit_label());
    if !gives_unit(&event.name) && gives_unit(&with_unit) { with_unit } else { event.name.clone() }
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

/// The exponent of a power of ten; 0 for an empty factor.
fn power_of_ten(factor: &str) -> Option<i8> {
    let zeros = factor.strip_prefix('1').unwrap_or(if factor.is_empty() { "" } else { "x" });
    let only_zeros = zeros.len() < 10 && zeros.bytes().all(|byte| byte == b'0');
    only_zeros.then_some(zeros.len() as i8)
}

#[cfg(test)]
mod tests {
    use lotse_model::profile::EventType;
    use lotse_model::unit::Unit;

    use super::{event, name_with_unit, own_event};

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

    #[test]
    fn a_unit_that_is_written_is_read_back() {
        let table = [
            (EventType::new("time", Unit::Seconds, -9), "time_(ns)"),
            (EventType::new("time", Unit::Seconds, -8), "time_(10ns)"),
            (EventType::new("inuse", Unit::Bytes, 0), "inuse_(bytes)"),
            (EventType::new("Time_(10ns)", Unit::Seconds, -8), "Time_(10ns)"),
            (EventType::count("Ir"), "Ir"),
        ];
        for (event, written) in table {
            assert_eq!(name_with_unit(&event), written);
            let read = own_event(written);
            assert_eq!((read.unit, read.exponent), (event.unit, event.exponent), "{written}");
        }
        assert_eq!(own_event("time_(ns)").name, "time");
    }
}
