//! From `--separate` to the options of a separation.

use lotse_host::quiet::{self, SeparationOptions};
use lotse_model::results::Design;

use crate::args::SeparationArgs;
use crate::exit::{Exit, Failure};

/// Actions that choose CPUs, which a duet does itself.
const CHOOSE_CPUS: [&str; 2] = ["affinity", "cpuset"];

/// What was asked for; nothing where nothing was.
pub(crate) fn options(args: &SeparationArgs, design: Design) -> Result<Option<SeparationOptions>, Failure> {
    let mut actions = quiet::choose(&args.separate).map_err(|error| Failure::new(Exit::Usage, &error))?;
    if design == Design::Duet {
        let chooses = |name: &str| CHOOSE_CPUS.contains(&name);
        if let Some(action) = actions.iter().find(|action| action.named && chooses(action.name)) {
            let message = format!("a duet chooses its CPUs itself: leave out --separate {}", action.name);
            return Err(Failure::usage(message));
        }
        actions.retain(|action| !chooses(action.name));
    }
    if actions.is_empty() {
        return Ok(None);
    }
    // The name under which this very program can be started again, whatever happens to its file.
    let watchdog = ["/proc/self/exe", "bench", "watchdog"].map(Into::into).to_vec();
    let SeparationArgs { separate_keep, separate_only, .. } = args;
    Ok(Some(SeparationOptions {
        actions,
        keep: separate_keep.clone(),
        only: separate_only.clone(),
        watchdog,
    }))
}
