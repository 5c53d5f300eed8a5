//! The parameter table in the forms that people and tuners read.

use super::table::{Kind, Parameter};
use super::{PARAMETERS, Params, SETTINGS, Settings};

/// Names of the forms, as `stillwater params --format` takes them.
pub const FORMATS: [&str; 6] = [
    "text",
    "toml",
    "json",
    "openbench",
    "weather-factory",
    "markdown",
];

/// The table in one of [`FORMATS`].
pub fn render(format: &str) -> Option<String> {
    match format {
        "text" => Some(text()),
        "toml" => Some(toml()),
        "json" => Some(json()),
        "openbench" => Some(openbench()),
        "weather-factory" => Some(weather_factory()),
        "markdown" => Some(markdown()),
        _ => None,
    }
}

type Row = Parameter<Params>;

fn default(row: &Row) -> String {
    row.value(&Params::DEFAULT)
}

fn spins() -> impl Iterator<Item = (&'static Row, i32, i32, i32)> {
    PARAMETERS.iter().filter_map(|row| match row.kind {
        Kind::Spin { min, max, step } => Some((row, min, max, step)),
        _ => None,
    })
}

fn text() -> String {
    let mut out = String::new();
    let mut group = "";
    for row in PARAMETERS {
        if row.group != group {
            group = row.group;
            out += &format!("{group}\n");
        }
        let (name, default) = (row.name, default(row));
        let allowed = row.allowed();
        out += &format!(
            "  {name:<28} {default:<22} {allowed}\n      {}\n",
            row.about
        );
    }
    out
}

/// A table of parameters as `hone tune` reads it.
fn toml() -> String {
    spins()
        .map(|(row, min, max, step)| {
            let (name, default) = (row.name, default(row));
            format!("{name} = {{ value = {default}, min = {min}, max = {max}, step = {step} }}\n")
        })
        .collect()
}

fn json() -> String {
    let rows: Vec<String> = PARAMETERS
        .iter()
        .map(|row| {
            let kind = match row.kind {
                Kind::Check => format!(r#""type":"check","default":{}"#, default(row)),
                Kind::Spin { min, max, step } => format!(
                    r#""type":"spin","default":{},"min":{min},"max":{max},"step":{step}"#,
                    default(row)
                ),
                Kind::Combo { choices } => format!(
                    r#""type":"combo","default":"{}","choices":["{}"]"#,
                    default(row),
                    choices.join(r#"",""#)
                ),
            };
            format!(
                r#"  {{"name":"{}","group":"{}",{kind},"about":"{}"}}"#,
                row.name,
                row.group,
                row.about.replace('"', "'")
            )
        })
        .collect();
    format!("[\n{}\n]\n", rows.join(",\n"))
}

/// `name, int, value, min, max, c_end, r_end`, one line each.
fn openbench() -> String {
    spins()
        .map(|(row, min, max, step)| {
            let (name, default) = (row.name, default(row));
            format!("{name}, int, {default}.0, {min}.0, {max}.0, {step}.0, 0.002\n")
        })
        .collect()
}

/// The `config.json` of weather-factory.
fn weather_factory() -> String {
    let rows: Vec<String> = spins()
        .map(|(row, min, max, step)| {
            let (name, default) = (row.name, default(row));
            format!(
                r#"  "{name}": {{"value": {default}, "min_value": {min}, "max_value": {max}, "step": {step}}}"#
            )
        })
        .collect();
    format!("{{\n{}\n}}\n", rows.join(",\n"))
}

/// The page `docs/parameters.md`.
fn markdown() -> String {
    let mut out = String::from(HEAD);
    rows(&mut out, SETTINGS, &Settings::DEFAULT);
    rows(&mut out, PARAMETERS, &Params::DEFAULT);
    out
}

fn rows<T>(out: &mut String, table: &[Parameter<T>], defaults: &T) {
    let mut group = "";
    for row in table {
        if row.group != group {
            group = row.group;
            *out += &format!(
                "\n## {group}\n\n| Option | Default | Allowed | Step | Meaning |\n|---|---|---|---|---|\n"
            );
        }
        let step = match row.kind {
            Kind::Spin { step, .. } => step.to_string(),
            _ => String::new(),
        };
        let (name, default, allowed) = (row.name, row.value(defaults), row.allowed());
        *out += &format!(
            "| `{name}` | {default} | {allowed} | {step} | {} |\n",
            row.about
        );
    }
}

const HEAD: &str = "\
# Parameters of Stillwater

Every row is a UCI option and a field that the search reads; the engine has no
other list of them. This page is written by
`stillwater params --format markdown`, and a test fails when it is stale.

Spin values are rounded (`1e3` and `12.5` are accepted) and refused when out of
range. Reading them from a struct instead of constants costs nothing measurable:
user time of `bench 11`, median of nine runs in turn, 0.581 s against 0.580 s for
a build with the defaults as constants.

The step is how far a tuner moves the value at first. Centipawns are
hundredths of a pawn; depths are plies.
";
