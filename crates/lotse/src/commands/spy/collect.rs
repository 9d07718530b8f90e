//! `lotse spy collect`: the collector's process.

use lotse_spy::record::{CollectorOptions, collect};

use crate::args::spy::CollectArgs;
use crate::exit::{Exit, Failure};

pub(crate) fn run(args: &CollectArgs) -> Result<Exit, Failure> {
    let start =
        serde_json::from_str(&args.start).map_err(|error| Failure::usage(format!("--start: {error}")))?;
    let options = CollectorOptions { rings: &args.rings, out: &args.out, start };
    collect(&options).map_err(|error| Failure::new(Exit::Missing, &error))?;
    Ok(Exit::Done)
}
