//! Two tables: the parameters of the search and the other settings. From each row follow the
//! field, the UCI option, its checks, and the output of `stillwater params`.

pub mod format;
mod list;
pub mod table;

pub use list::{
    CaptureOrder, CheckExtension, LastMove, NodeDelta, PARAMETERS, Params, QsMoves, QuietGate,
    SETTINGS, Settings,
};
pub use table::{Kind, Parameter};

/// Sets the option `name` of either table. Returns its name and the value it now has; or the
/// reason why it is unchanged.
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
        Some(nearest) => format!("unknown option '{name}'; did you mean '{nearest}'?"),
        None => format!("unknown option '{name}'"),
    })
}
