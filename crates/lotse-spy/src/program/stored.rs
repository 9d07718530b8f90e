//! The serialised form of a program in a digest.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{MergedMatches, Program, SiteSummary, site_key};
use crate::instance::CodeTable;
use crate::rules::RULES;
use crate::settings::Settings;

/// A serialised program. Rules are stored by name, because another version may number them differently.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StoredProgram<S, M> {
    sites: S,
    matches: Vec<(usize, String, String, M)>,
}

impl Program {
    /// The program in its serialised form.
    pub(crate) fn stored(&self) -> StoredProgram<&[SiteSummary], &MergedMatches> {
        let matches = self
            .matches
            .iter()
            .map(|((site, rule, cause), merged)| {
                (*site, RULES[*rule].rule.id.to_owned(), cause.clone(), merged)
            })
            .collect();
        StoredProgram { sites: &self.sites, matches }
    }

    /// Restores a program; `None` if the stored data are inconsistent.
    pub(crate) fn restored(
        stored: StoredProgram<Vec<SiteSummary>, MergedMatches>,
        codes: &CodeTable,
        settings: &Arc<Settings>,
    ) -> Option<Self> {
        let StoredProgram { sites, matches } = stored;
        let numbered = |(site, id, cause, merged): (usize, String, String, MergedMatches)| {
            let rule = RULES.iter().position(|entry| entry.rule.id == id)?;
            (site < sites.len()).then_some(((site, rule, cause), merged))
        };
        let matches = matches.into_iter().map(numbered).collect::<Option<_>>()?;
        let key = |site: &SiteSummary| site_key(site.site, site.container, codes);
        let numbers = sites.iter().enumerate().map(|(number, site)| (key(site), number)).collect();
        Some(Self { settings: Arc::clone(settings), numbers, sites, matches })
    }
}

/// Serialises the representative of matches. Only those of rules about one history are stored, as that history; rules about the
/// whole program are applied again.
pub(super) mod history {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::Error as _};

    use super::super::merged::Representative;
    use crate::protocol::Protocol;

    pub(in crate::program) fn serialize<S: Serializer>(
        representative: &Representative,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match representative {
            Representative::History(protocol) => protocol.as_ref().serialize(serializer),
            Representative::Match(_) => Err(S::Error::custom("a match of the whole program is not stored")),
        }
    }

    pub(in crate::program) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Representative, D::Error> {
        Protocol::deserialize(deserializer).map(|protocol| Representative::History(Arc::new(protocol)))
    }
}
