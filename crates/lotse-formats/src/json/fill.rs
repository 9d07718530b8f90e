//! Values that are filled from JSON while it is parsed, so that everything before a syntax error is kept.
//!
//! A [`Fill`] returns the place for the value of a key or for an element. Unknown keys and values of another type than
//! expected are ignored. The parser limits the nesting.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{Number, flaw};
use crate::reading::Diagnostic;

/// A value that JSON is read into. By default every kind of JSON value is ignored.
pub(crate) trait Fill {
    /// Sets the value to a number.
    fn number(&mut self, _number: Number) {}
    /// Sets the value to a string.
    fn text(&mut self, _text: &str) {}
    /// Sets the value to `true` or `false`.
    fn truth(&mut self, _truth: bool) {}
    /// The place for the next element of a list; `None` to ignore it.
    fn element(&mut self) -> Option<&mut dyn Fill> {
        None
    }
    /// The place for the value of a key; `None` to ignore it.
    fn field(&mut self, _key: &str) -> Option<&mut dyn Fill> {
        None
    }
}

/// Reads the text, which must be one JSON value.
pub(crate) fn fill(text: &str, target: &mut dyn Fill) -> Result<(), Diagnostic> {
    super::parse(text, FillSeed(target))
}

/// Reads one JSON value at the start of the text.
pub(crate) fn fill_first(text: &str, target: &mut dyn Fill) -> Result<(), Diagnostic> {
    FillSeed(target).deserialize(&mut serde_json::Deserializer::from_str(text)).map_err(flaw)
}

impl Fill for String {
    fn text(&mut self, text: &str) {
        text.clone_into(self);
    }

    fn number(&mut self, number: Number) {
        match number {
            Number::Missing => {}
            Number::Whole(number) => *self = number.to_string(),
            Number::Large(number) => *self = number.to_string(),
            Number::Real(number) => *self = number.to_string(),
        }
    }
}

impl Fill for bool {
    fn truth(&mut self, truth: bool) {
        *self = truth;
    }
}

impl<T: Fill + Default> Fill for Vec<T> {
    fn element(&mut self) -> Option<&mut dyn Fill> {
        self.push(T::default());
        self.last_mut().map(|last| -> &mut dyn Fill { last })
    }
}

struct FillSeed<'a>(&'a mut dyn Fill);

impl<'de> DeserializeSeed<'de> for FillSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for FillSeed<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("anything")
    }

    fn visit_bool<E>(self, truth: bool) -> Result<(), E> {
        self.0.truth(truth);
        Ok(())
    }

    fn visit_i64<E>(self, number: i64) -> Result<(), E> {
        self.0.number(Number::Whole(number));
        Ok(())
    }

    fn visit_u64<E>(self, number: u64) -> Result<(), E> {
        self.0.number(i64::try_from(number).map_or(Number::Large(number), Number::Whole));
        Ok(())
    }

    fn visit_f64<E>(self, number: f64) -> Result<(), E> {
        self.0.number(Number::Real(number));
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.0.text(text);
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        while elements.next_element_seed(ElementSeed(&mut *self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while let Some(place) = entries.next_key_seed(KeySeed(&mut *self.0))? {
            match place {
                Some(place) => entries.next_value_seed(FillSeed(place))?,
                None => drop(entries.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// Asks for the place of an element only when the parser has found one.
struct ElementSeed<'a>(&'a mut dyn Fill);

impl<'de> DeserializeSeed<'de> for ElementSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.0.element() {
            Some(place) => FillSeed(place).deserialize(deserializer),
            None => deserializer.deserialize_ignored_any(IgnoredAny).map(drop),
        }
    }
}

/// Finds the place for a key's value without allocating the key.
struct KeySeed<'a>(&'a mut dyn Fill);

impl<'de, 'a> DeserializeSeed<'de> for KeySeed<'a> {
    type Value = Option<&'a mut dyn Fill>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'a> Visitor<'_> for KeySeed<'a> {
    type Value = Option<&'a mut dyn Fill>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.field(key))
    }
}

#[cfg(test)]
mod tests {
    use super::{Fill, Number, fill, fill_first};

    #[derive(Debug, Default, PartialEq)]
    struct Pair {
        name: String,
        values: Vec<Number>,
    }

    impl Fill for Pair {
        fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
            match key {
                "name" => Some(&mut self.name),
                "values" => Some(&mut self.values),
                _ => None,
            }
        }
    }

    #[test]
    fn what_came_before_an_error_stays() {
        let mut pairs: Vec<Pair> = Vec::new();
        let text = r#"[{"name": "a", "x": [[{}]], "values": [1, null, 2.5]}, {"values": [7, "8", 9"#;
        assert!(fill(text, &mut pairs).is_err());
        let values =
            [vec![Number::Whole(1), Number::Missing, Number::Real(2.5)], vec![7, 8, 9].whole_numbers()];
        assert_eq!(
            pairs,
            [
                Pair { name: "a".into(), values: values[0].clone() },
                Pair { name: String::new(), values: values[1].clone() }
            ]
        );
    }

    trait WholeNumbers {
        fn whole_numbers(self) -> Vec<Number>;
    }

    impl WholeNumbers for Vec<i64> {
        fn whole_numbers(self) -> Vec<Number> {
            self.into_iter().map(Number::Whole).collect()
        }
    }

    #[test]
    fn other_shapes_are_passed_over() {
        let mut pair = Pair::default();
        fill(r#"{"name": [1, {"a": true}], "values": {"a": [1]}, "values": 3}"#, &mut pair).unwrap();
        assert_eq!(pair, Pair::default());
        fill_first(r#"{"name": 12} and more"#, &mut pair).unwrap();
        assert_eq!(pair.name, "12");
        assert!(fill(&"[".repeat(100_000), &mut Vec::<Number>::new()).is_err());
    }
}
