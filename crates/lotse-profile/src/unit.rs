//! `--unit`: the unit of the weights of collapsed stacks, which the format does not state.

use lotse_model::profile::EventType;
use lotse_model::{Profile, Unit};

/// Why a unit is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadUnit {
    /// The format states its units.
    #[error("--unit is for collapsed stacks; {0} states its own units")]
    Format(String),
    /// A number of samples has no fraction.
    #[error("the weights have fractions, so they are no numbers of samples; state another unit")]
    Fractions,
    #[error("--unit needs a word: samples, ns, us, ms, s, bytes, or what the weights count")]
    Empty,
}

/// Sets the unit of the weights: `samples`, `ns`, `us`, `ms`, `s`, `bytes`, or the name of what they count.
pub fn state_unit(profile: &mut Profile, format: &str, unit: &str) -> Result<(), BadUnit> {
    if format != "collapsed" {
        return Err(BadUnit::Format(format.to_owned()));
    }
    let (name, base, exponent) = match unit.trim() {
        "" => return Err(BadUnit::Empty),
        "ns" => ("time", Unit::Seconds, -9),
        "us" => ("time", Unit::Seconds, -6),
        "ms" => ("time", Unit::Seconds, -3),
        "s" => ("time", Unit::Seconds, 0),
        "bytes" => ("bytes", Unit::Bytes, 0),
        name => (name, Unit::Count, 0),
    };
    if name == "samples" && profile.events.iter().any(|event| event.exponent != 0) {
        return Err(BadUnit::Fractions);
    }
    let single = profile.events.len() == 1;
    for event in &mut profile.events {
        let fraction = event.exponent;
        let base = if base == Unit::Count && fraction != 0 { Unit::Number } else { base };
        // The two event types of a comparison keep their names.
        let name = if single { name } else { &event.name };
        *event = EventType::new(name, base, exponent + fraction);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use lotse_model::profile::EventType;
    use lotse_model::{Profile, Unit};

    use super::{BadUnit, state_unit};

    fn stated(names: &[&str], exponent: i8, unit: &str) -> Result<Vec<(String, String)>, BadUnit> {
        let event = |name: &&str| EventType::new(name, Unit::Number, exponent);
        let mut profile = Profile { events: names.iter().map(event).collect(), ..Profile::default() };
        state_unit(&mut profile, "collapsed", unit)?;
        Ok(profile.events.iter().map(|event| (event.name.clone(), event.unit_label())).collect())
    }

    #[test]
    fn units_name_the_event_type() {
        let one = |unit, exponent| stated(&["weight"], exponent, unit).map(|mut events| events.remove(0));
        let pair = |name: &str, unit: &str| Ok((name.to_owned(), unit.to_owned()));
        assert_eq!(one("samples", 0), pair("samples", "count"));
        assert_eq!(one("us", 0), pair("time", "us"));
        assert_eq!(one("ms", -3), pair("time", "us"));
        assert_eq!(one("cycles", 0), pair("cycles", "count"));
        assert_eq!(one("samples", -1), Err(BadUnit::Fractions));
        assert_eq!(one(" ", 0), Err(BadUnit::Empty));
    }

    #[test]
    fn comparisons_keep_their_names_and_other_formats_their_units() {
        let events = stated(&["before", "after"], 0, "ns").unwrap();
        assert_eq!(events, [("before".to_owned(), "ns".to_owned()), ("after".to_owned(), "ns".to_owned())]);
        let refused = state_unit(&mut Profile::default(), "pprof", "ns");
        assert_eq!(refused, Err(BadUnit::Format("pprof".to_owned())));
    }
}
