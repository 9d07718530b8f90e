//! Moves the wanted event type to the front, for formats that have only one.

use lotse_model::Profile;
use lotse_model::profile::{Costs, Details};

/// Swaps an event type with the first one, in all tables of costs.
pub(super) fn bring_first(profile: &mut Profile, event: usize) {
    if event == 0 || event >= profile.events.len() {
        return;
    }
    profile.events.swap(0, event);
    profile.default_event = profile.default_event.map(|default| match default {
        0 => event,
        default if default == event => 0,
        default => default,
    });
    for part in &mut profile.parts {
        let costs = [&mut part.own.costs, &mut part.inclusive.costs, &mut part.calls.costs];
        costs.into_iter().chain([&mut part.samples.costs]).for_each(|costs| swap(costs, event));
        for stated in &mut part.stated {
            stated.costs.swap(0, event);
        }
    }
    swap(&mut profile.data.costs, event);
    if let Details::Loaded(detail) = &mut profile.details {
        swap(&mut detail.lines.costs, event);
        swap(&mut detail.sites.costs, event);
    }
}

fn swap(costs: &mut Costs, event: usize) {
    let (width, signed, saturated) = (costs.width(), costs.signed(), costs.saturated());
    let mut cells = std::mem::take(costs).into_cells();
    if width > 0 {
        cells.chunks_exact_mut(width).for_each(|row| row.swap(0, event));
    }
    if let Some(swapped) = Costs::from_raw(width, signed, saturated, cells) {
        *costs = swapped;
    }
}
