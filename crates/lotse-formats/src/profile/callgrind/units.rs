//! Units in the names of event types, where the format has no other place for them: `Time_(10ns)`, `Memory_(bytes)`,
//! `cpu(ms)`. What Lotse writes, `time_(ns)`, is read back as `time`.

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

/// The same in a file that Lotse wrote: what it added to the name is taken off again.
pub(super) fn own_event(name: &str) -> EventType {
    let read = event(name);
    match name.rsplit_once("_(") {
        Some((plain, _))
            if read.unit != Unit::Count
                && named(&EventType::new(plain, read.unit, read.exponent)) == name =>
        {
            EventType { name: plain.to_owned(), ..read }
        }
        _ => read,
    }
}

/// The name of an event type with its unit, where a name can tell it and does not yet.
pub(super) fn named(event: &EventType) -> String {
    let tells = |name: &str| {
        let read = self::event(name);
        (read.unit, read.exponent) == (event.unit, event.exponent)
    };
    let with_unit = format!("{}_({})", event.name, event.unit_label());
    if !tells(&event.name) && tells(&with_unit) { with_unit } else { event.name.clone() }
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
    use lotse_model::profile::EventType;
    use lotse_model::unit::Unit;

    use super::{event, named, own_event};

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
            assert_eq!(named(&event), written);
            let read = own_event(written);
            assert_eq!((read.unit, read.exponent), (event.unit, event.exponent), "{written}");
        }
        assert_eq!(own_event("time_(ns)").name, "time");
    }
}
