//! The index of a profile: any bytes are either rejected or give a consistent profile that can be saved and loaded again.

use lotse_formats::index::{ColumnReader, ColumnWriter, visit_head, visit_rest};
use lotse_model::Profile;

pub(super) fn fuzz(data: &[u8]) {
    let mut profile = Profile::default();
    let mut load = ColumnReader::new(data);
    if visit_head(&mut load, &mut profile).is_err()
        || visit_rest(&mut load, &mut profile).is_err()
        || profile.check().is_err()
    {
        return;
    }
    let mut bytes = Vec::new();
    let mut save = ColumnWriter::new(&mut bytes);
    let mut copy = profile.clone();
    visit_head(&mut save, &mut copy).expect("memory takes everything");
    visit_rest(&mut save, &mut copy).expect("memory takes everything");
    let (mut again, mut load) = (Profile::default(), ColumnReader::new(&bytes));
    visit_head(&mut load, &mut again).expect("what was written is read");
    visit_rest(&mut load, &mut again).expect("what was written is read");
    assert_eq!(again, profile);
}
