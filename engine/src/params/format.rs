//! The parameter table in formats for people and tuners.

use super::table::{Kind, Parameter, Setting};
use super::{PARAMETERS, Params, SETTINGS, Settings};

/// The name of a format (`stillwater params --format`), and the function that writes it.
pub type Form = (&'static str, fn() -> String);

pub const FORMATS: [Form; 6] = [
    ("text", text),
    ("toml", toml),
    ("json", json),
    ("openbench", openbench),
    ("weather-factory", weather_factory),
    ("markdown", markdown),
];

/// The table in one of [`FORMATS`].
pub fn render(format: &str) -> Result<String, String> {
    let form = FORMATS.iter().find(|(name, _)| *name == format);
    let known = FORMATS.map(|(name, _)| name).join(", ");
    let (_, render) = form.ok_or_else(|| format!("unknown format '{format}'; allowed: {known}"))?;
    Ok(render())
}

/// Formats each numeric parameter by name, default, minimum, maximum and step.
fn spins(separator: &str, entry: impl Fn(&str, i32, i32, i32, i32) -> String) -> String {
    let spin = |row: &Parameter<Params>| match row.kind {
        Kind::Spin { min, max, step } => {
            Some(entry(row.name, (row.get)(&Params::DEFAULT), min, max, step))
        }
        Kind::Combo(_) => None,
    };
    let entries: Vec<String> = PARAMETERS.iter().filter_map(spin).collect();
    entries.join(separator)
}

/// The rows by group; the rows of a group follow one another.
fn groups<T>(table: &[Parameter<T>]) -> impl Iterator<Item = &[Parameter<T>]> {
    table.chunk_by(|row, next| row.group == next.group)
}

fn text() -> String {
    let mut out = String::new();
    for group in groups(PARAMETERS) {
        out += &format!("{}\n", group[0].group);
        for row in group {
            let (name, default) = (row.name, row.value(&Params::DEFAULT));
            let (allowed, about) = (row.allowed(), row.about);
            out += &format!("  {name:<28} {default:<22} {allowed}\n      {about}\n");
        }
    }
    out
}

/// Parameters for the configuration of `hone tune`.
fn toml() -> String {
    spins("", |name, value, min, max, step| {
        format!("{name} = {{ value = {value}, min = {min}, max = {max}, step = {step} }}\n")
    })
}

fn json() -> String {
    let row = |row: &Parameter<Params>| {
        let default = row.value(&Params::DEFAULT);
        let kind = match row.kind {
            Kind::Spin { min, max, step } => format!(
                r#""type":"spin","default":{default},"min":{min},"max":{max},"step":{step}"#
            ),
            Kind::Combo(bool::CHOICES) => format!(r#""type":"check","default":{default}"#),
            Kind::Combo(choices) => format!(
                r#""type":"combo","default":"{default}","choices":["{}"]"#,
                choices.join(r#"",""#)
            ),
        };
        let (name, group, about) = (row.name, row.group, row.about.replace('"', "'"));
        format!(r#"  {{"name":"{name}","group":"{group}",{kind},"about":"{about}"}}"#)
    };
    let rows: Vec<String> = PARAMETERS.iter().map(row).collect();
    format!("[\n{}\n]\n", rows.join(",\n"))
}

/// `name, int, value, min, max, c_end, r_end`, one line each.
fn openbench() -> String {
    spins("", |name, value, min, max, step| {
        format!("{name}, int, {value}.0, {min}.0, {max}.0, {step}.0, 0.002\n")
    })
}

/// The `config.json` of weather-factory.
fn weather_factory() -> String {
    let rows = spins(",\n", |name, value, min, max, step| {
        format!(
            r#"  "{name}": {{"value": {value}, "min_value": {min}, "max_value": {max}, "step": {step}}}"#
        )
    });
    format!("{{\n{rows}\n}}\n")
}

/// The page `engine/parameters.md`.
fn markdown() -> String {
    let mut out = String::from(HEAD);
    rows(&mut out, SETTINGS, &Settings::DEFAULT);
    rows(&mut out, PARAMETERS, &Params::DEFAULT);
    out
}

fn rows<T>(out: &mut String, table: &[Parameter<T>], defaults: &T) {
    for group in groups(table) {
        *out += &format!("\n## {}\n\n{COLUMNS}", group[0].group);
        for row in group {
            let step = match row.kind {
                Kind::Spin { step, .. } => step.to_string(),
                Kind::Combo(_) => String::new(),
            };
            let (name, default) = (row.name, row.value(defaults));
            let (allowed, about) = (row.allowed(), row.about);
            *out += &format!("| `{name}` | {default} | {allowed} | {step} | {about} |\n");
        }
    }
}

const COLUMNS: &str = "\
| Option | Default | Allowed | Step | Meaning |
|---|---|---|---|---|
";

const HEAD: &str = "\
# Parameters of Stillwater

This page lists the UCI options of Stillwater, with their defaults, allowed
values and meanings. Every row is an option and a field that the search reads; the
engine has no other options. `stillwater params --format markdown` writes this
page, and a test fails if it is out of date.

- Step: the distance by which a tuner first moves the value.
- Centipawns are hundredths of a pawn; depths are in plies.
- Numbers are rounded (`1e3` and `12.5` are accepted) and refused if they are
  out of range.

Reading the values from a struct instead of constants has no measurable cost:
0.581 s against 0.580 s (user time of `bench 11`, median of nine alternating runs).
";
