//! Every constant of the search, and every other setting, as one table each:
//! from a row follow the field that is read, the UCI option, its checks, and
//! what `stillwater params` prints.

pub mod format;
mod list;
pub mod table;

pub use list::{
    CaptureOrder, CheckExtension, LastMove, NodeDelta, PARAMETERS, Params, QsMoves, QuietGate,
    SETTINGS, Settings,
};
pub use table::{Kind, Parameter};

/// Sets the option `name`, whichever table it is in, and returns its name and
/// value as they were taken, or why not.
pub fn set(
    params: &mut Params,
    settings: &mut Settings,
    name: &str,
    value: &str,
) -> Result<(&'static str, String), String> {
    if let Some(row) = table::find(PARAMETERS, name) {
        return Ok((row.name, row.set(params, value)?));
    }
    if let Some(row) = table::find(SETTINGS, name) {
        return Ok((row.name, row.set(settings, value)?));
    }
    let known = PARAMETERS.iter().map(|row| row.name);
    let known = known.chain(SETTINGS.iter().map(|row| row.name));
    Err(match table::nearest(known, name) {
        Some(nearest) => format!("no option '{name}'; did you mean '{nearest}'?"),
        None => format!("no option '{name}'"),
    })
}
