//! Places of the source in a digest, where every field is written whether it is known or not.

use lotse_model::site::SourceSite;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// File, line, column, function.
#[derive(Serialize, Deserialize)]
struct Place<T>(T, Option<u32>, Option<u32>, Option<T>);

pub(crate) fn serialize<S: Serializer>(sites: &[SourceSite], serializer: S) -> Result<S::Ok, S::Error> {
    let place =
        |site: &'_ SourceSite| Place(site.file.clone(), site.line, site.column, site.function.clone());
    serializer.collect_seq(sites.iter().map(place))
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<SourceSite>, D::Error> {
    let places = Vec::<Place<String>>::deserialize(deserializer)?;
    let site = |Place(file, line, column, function)| SourceSite { file, line, column, function };
    Ok(places.into_iter().map(site).collect())
}
