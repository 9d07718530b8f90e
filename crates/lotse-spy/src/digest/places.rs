//! Serialises source positions with all fields, because the format of digests cannot skip unknown ones.

use lotse_model::site::SourceSite;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// File, line, column, function.
#[derive(Serialize, Deserialize)]
struct SiteFields<T>(T, Option<u32>, Option<u32>, Option<T>);

pub(crate) fn serialize<S: Serializer>(sites: &[SourceSite], serializer: S) -> Result<S::Ok, S::Error> {
    let place =
        |site: &'_ SourceSite| SiteFields(site.file.clone(), site.line, site.column, site.function.clone());
    serializer.collect_seq(sites.iter().map(place))
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<SourceSite>, D::Error> {
    let places = Vec::<SiteFields<String>>::deserialize(deserializer)?;
    let site = |SiteFields(file, line, column, function)| SourceSite { file, line, column, function };
    Ok(places.into_iter().map(site).collect())
}
