//! A program as it is kept in an index.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Merged, Program, SiteSummary, site_key};
use crate::instance::CodeTable;
use crate::rules::RULES;
use crate::settings::Settings;

/// What is kept of a program; rules by name, for another version may number them otherwise.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StoredProgram<S, M> {
    sites: S,
    matches: Vec<(usize, String, String, M)>,
}

impl Program {
    pub(crate) fn stored(&self) -> StoredProgram<&[SiteSummary], &Merged> {
        let matches = self
            .matches
            .iter()
            .map(|((site, rule, cause), merged)| {
                (*site, RULES[*rule].rule.id.to_owned(), cause.clone(), merged)
            })
            .collect();
        StoredProgram { sites: &self.sites, matches }
    }

    /// The program that was stored; nothing where it does not fit together.
    pub(crate) fn restored(
        stored: StoredProgram<Vec<SiteSummary>, Merged>,
        codes: &CodeTable,
        settings: &Arc<Settings>,
    ) -> Option<Self> {
        let StoredProgram { sites, matches } = stored;
        let numbered = |(site, id, cause, merged): (usize, String, String, Merged)| {
            let rule = RULES.iter().position(|entry| entry.rule.id == id)?;
            (site < sites.len()).then_some(((site, rule, cause), merged))
        };
        let matches = matches.into_iter().map(numbered).collect::<Option<_>>()?;
        let key = |site: &SiteSummary| site_key(site.site, site.container, codes);
        let numbers = sites.iter().enumerate().map(|(number, site)| (key(site), number)).collect();
        Some(Self { settings: Arc::clone(settings), numbers, sites, matches })
    }
}

/// Only matches of rules about one history are stored, as that history; the others are found again.
pub(super) mod history {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::Error as _};

    use super::super::merged::Shown;
    use crate::protocol::Protocol;

    pub(in crate::program) fn serialize<S: Serializer>(
        shown: &Shown,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match shown {
            Shown::History(protocol) => protocol.as_ref().serialize(serializer),
            Shown::Match(_) => Err(S::Error::custom("a match of the whole program is not stored")),
        }
    }

    pub(in crate::program) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Shown, D::Error> {
        Protocol::deserialize(deserializer).map(|protocol| Shown::History(Arc::new(protocol)))
    }
}
