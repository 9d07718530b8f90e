//! The choice of the parts of a profile (`--parts`).

use lotse_model::Profile;
use lotse_model::id::PartId;

use crate::parts::part_labels;

/// Which parts to sum.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum PartChoice {
    /// Those that add up to the whole profile, as the format defines.
    #[default]
    Default,
    All,
    /// Each name is a number from 1 in the order of `parts`, a range of numbers (`2-4`), or the name of
    /// a part, as it is listed or as the file has it.
    Named(Vec<String>),
}

/// A chosen part does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no part {name:?}; there are {count}, numbered from 1 (lotse profile parts lists them)")]
pub struct UnknownPart {
    name: String,
    count: usize,
}

impl PartChoice {
    pub(super) fn resolve(&self, profile: &Profile) -> Result<Vec<PartId>, UnknownPart> {
        match self {
            Self::Default => Ok(selected(profile)),
            Self::All => Ok((0..profile.parts.len()).map(PartId::from).collect()),
            Self::Named(names) => named(profile, names),
        }
    }
}

/// The parts that count by default.
pub(super) fn selected(profile: &Profile) -> Vec<PartId> {
    let chosen = profile.parts.iter().enumerate().filter(|(_, part)| part.selected);
    chosen.map(|(index, _)| PartId::from(index)).collect()
}

fn named(profile: &Profile, names: &[String]) -> Result<Vec<PartId>, UnknownPart> {
    let mut chosen = Vec::new();
    for name in names {
        let found = find(profile, name);
        if found.is_empty() {
            return Err(UnknownPart { name: name.clone(), count: profile.parts.len() });
        }
        chosen.extend(found);
    }
    chosen.sort_unstable();
    chosen.dedup();
    Ok(chosen)
}

/// The parts that a number, a range of numbers, or else a name means.
fn find(profile: &Profile, name: &str) -> Vec<PartId> {
    let count = profile.parts.len();
    if let Some((first, last)) = range(name) {
        let within = (1..=count).filter(|number| (first..=last).contains(number));
        return within.map(|number| PartId::from(number - 1)).collect();
    }
    let labels = part_labels(profile);
    let parts = profile.parts.iter().zip(&labels).enumerate();
    let matching = parts.filter(|(_, (part, label))| part.name == name || *label == name);
    matching.map(|(index, _)| PartId::from(index)).collect()
}

fn range(text: &str) -> Option<(usize, usize)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Some((first.parse().ok()?, last.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use lotse_model::Profile;
    use lotse_model::id::PartId;
    use lotse_model::profile::Part;

    use super::PartChoice;

    fn profile() -> Profile {
        let part = |name: &str, selected| Part { selected, ..Part::new(name, 1, false) };
        let parts = vec![part("start", true), part("thread 2", true), part("peak", false), part("end", true)];
        Profile { parts, ..Profile::default() }
    }

    fn chosen(names: &[&str]) -> Result<Vec<u32>, String> {
        let choice = PartChoice::Named(names.iter().map(|name| (*name).to_owned()).collect());
        let parts = choice.resolve(&profile()).map_err(|error| error.to_string())?;
        Ok(parts.into_iter().map(|part| part.0).collect())
    }

    #[test]
    fn parts_are_chosen_by_number_range_and_name() {
        assert_eq!(chosen(&["2"]), Ok(vec![1]));
        assert_eq!(chosen(&["2-9", "start"]), Ok(vec![0, 1, 2, 3]));
        assert_eq!(chosen(&["peak", "3"]), Ok(vec![2]));
        let error = chosen(&["7"]).unwrap_err();
        assert!(error.contains("no part \"7\"; there are 4"), "{error}");
    }

    #[test]
    fn snapshots_do_not_count_by_default() {
        assert_eq!(PartChoice::Default.resolve(&profile()).unwrap(), [0, 1, 3].map(PartId));
        assert_eq!(PartChoice::All.resolve(&profile()).unwrap().len(), 4);
    }
}
