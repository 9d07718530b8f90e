//! The part of an index that a list of functions needs: names, functions, event types, and parts without their costs.

use std::collections::BTreeMap;

use lotse_model::Profile;
use lotse_model::id::ObjectId;
use lotse_model::profile::{BuildId, EventType, Formula, Part, Period, StatedSum, Strings};
use lotse_model::unit::Unit;

use super::columns::{ColumnVisitor, IndexError};

/// Visits the head of a profile.
pub fn visit_head(columns: &mut impl ColumnVisitor, profile: &mut Profile) -> Result<(), IndexError> {
    strings(columns, &mut profile.strings)?;
    columns.column(&mut profile.objects)?;
    builds(columns, &mut profile.builds)?;
    columns.column(&mut profile.files)?;
    columns.column(&mut profile.functions.name)?;
    columns.column(&mut profile.functions.object)?;
    columns.column(&mut profile.functions.file)?;
    columns.column(&mut profile.functions.line)?;
    columns.column(&mut profile.functions.column)?;
    columns.list(&mut profile.events, event)?;
    let mut default_event = profile.default_event.map(|event| event as u64);
    columns.optional_number(&mut default_event)?;
    profile.default_event = default_event.and_then(|event| usize::try_from(event).ok());
    let mut periods: Vec<Period> = profile.period.take().into_iter().collect();
    columns.list(&mut periods, |columns, period| {
        event(columns, &mut period.event)?;
        let mut length = period.length as u64;
        columns.number(&mut length)?;
        period.length = length as i64;
        Ok(())
    })?;
    profile.period = periods.pop();
    let mut formulas: Vec<(String, Option<String>, String)> =
        profile.formulas.drain(..).map(|it| (it.name, it.title, it.text)).collect();
    columns.list(&mut formulas, |columns, (name, title, text)| {
        columns.text(name)?;
        columns.optional_text(title)?;
        columns.text(text)
    })?;
    profile.formulas =
        formulas.into_iter().map(|(name, title, text)| Formula { name, title, text }).collect();
    columns.flag(&mut profile.signed)?;
    columns.optional_text(&mut profile.command)?;
    columns.optional_text(&mut profile.creator)?;
    let mut recorded = profile.recorded.map(|time| time as u64);
    columns.optional_number(&mut recorded)?;
    profile.recorded = recorded.map(|time| time as i64);
    let (width, signed) = (profile.events.len(), profile.signed);
    let mut parts: Vec<Option<Part>> = profile.parts.drain(..).map(Some).collect();
    columns.list(&mut parts, |columns, slot| {
        part(columns, slot.get_or_insert_with(|| Part::new("", width, signed)))
    })?;
    profile.parts = parts.into_iter().flatten().collect();
    Ok(())
}

fn strings(columns: &mut impl ColumnVisitor, strings: &mut Strings) -> Result<(), IndexError> {
    let (text, ends) = strings.raw();
    let mut ends: Vec<u64> = ends.iter().map(|&end| end as u64).collect();
    let mut text = text.to_owned();
    columns.text(&mut text)?;
    columns.column(&mut ends)?;
    let ends = ends.into_iter().map(|end| end as usize).collect();
    *strings = Strings::from_raw(text, ends).ok_or(IndexError::Damaged("names do not fill their text"))?;
    Ok(())
}

fn builds(
    columns: &mut impl ColumnVisitor,
    builds: &mut BTreeMap<ObjectId, BuildId>,
) -> Result<(), IndexError> {
    let (mut objects, mut ids): (Vec<ObjectId>, Vec<Vec<u8>>) =
        builds.iter().map(|(&object, id)| (object, id.bytes().to_vec())).unzip();
    columns.column(&mut objects)?;
    columns.list(&mut ids, |columns, id| columns.column(id))?;
    let ids: Option<Vec<BuildId>> = ids.iter().map(|id| BuildId::new(id)).collect();
    let ids = ids.filter(|ids| ids.len() == objects.len());
    let ids = ids.ok_or(IndexError::Damaged("objects and their builds differ in length"))?;
    *builds = objects.into_iter().zip(ids).collect();
    Ok(())
}

fn event(columns: &mut impl ColumnVisitor, event: &mut EventType) -> Result<(), IndexError> {
    const UNITS: [Unit; 4] = [Unit::Seconds, Unit::Bytes, Unit::Count, Unit::Number];
    // Named one by one, so that a new field does not compile until the index has it too.
    let EventType { name, title, unit, exponent, self_only } = event;
    columns.text(name)?;
    columns.optional_text(title)?;
    let mut number = UNITS.iter().position(|known| known == unit).unwrap_or(0);
    columns.size(&mut number)?;
    *unit = *UNITS.get(number).ok_or(IndexError::Damaged("an unknown unit"))?;
    let mut bits = *exponent as u8 as u64;
    columns.number(&mut bits)?;
    *exponent = bits as u8 as i8;
    columns.flag(self_only)
}

fn part(columns: &mut impl ColumnVisitor, part: &mut Part) -> Result<(), IndexError> {
    columns.text(&mut part.name)?;
    columns.optional_number(&mut part.number)?;
    columns.optional_number(&mut part.process)?;
    columns.optional_number(&mut part.thread)?;
    columns.optional_text(&mut part.source)?;
    columns.optional_text(&mut part.trigger)?;
    let mut times: Vec<i64> = part.time.map_or(Vec::new(), |(from, to)| vec![from, to]);
    columns.column(&mut times)?;
    part.time = if let [from, to] = times[..] { Some((from, to)) } else { None };
    columns.flag(&mut part.selected)?;
    let mut stated: Vec<(String, Vec<u64>)> = part.stated.drain(..).map(|it| (it.name, it.costs)).collect();
    columns.list(&mut stated, |columns, (name, costs)| {
        columns.text(name)?;
        columns.column(costs)
    })?;
    part.stated = stated.into_iter().map(|(name, costs)| StatedSum { name, costs }).collect();
    Ok(())
}
