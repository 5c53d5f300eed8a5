//! Reads the parameter lists of other tuners.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use super::SpaceError;
use super::import_json::{JsonError, weather_factory};
use super::param::{Param, ParamKind};
use super::space::Space;
use hone_base::text::counted;

/// Decimals of a float parameter of OpenBench.
const FLOAT_DECIMALS: u32 = 6;

/// Why a list could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error(
        "line {line}: `{text}` has {}; OpenBench lines have 7 (name, int|float, \
         value, min, max, C_end, R_end), fishtest lines 6 (name, start, min, max, c_end, r_end)",
        counted(*fields as u64, "field")
    )]
    Fields {
        line: usize,
        text: String,
        fields: usize,
    },
    #[error("line {line}: `{text}` is not a number; {field} must be one")]
    Number {
        line: usize,
        text: String,
        field: &'static str,
    },
    #[error("line {line}: type `{text}` must be `int` or `float`")]
    Type { line: usize, text: String },
    #[error(transparent)]
    Json(#[from] JsonError),
    #[error(transparent)]
    Space(#[from] SpaceError),
}

/// Parameters from OpenBench lines, fishtest lines or weather-factory's JSON
/// (`config.json` or `state.json`), recognised by their form. Empty lines and lines that begin with `#` are
/// skipped. The final perturbation becomes the step, the final gain is kept for
/// the classic methods.
///
/// # Errors
/// Names the line and what is wrong with it.
pub fn parse(text: &str) -> Result<Vec<Param>, ImportError> {
    // Windows editors begin a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let params = if text.trim_start().starts_with('{') {
        weather_factory(text)?
    } else {
        lines(text)?
    };
    // Checks ranges and names.
    Ok(Space::new(params)?.params().to_vec())
}

fn lines(text: &str) -> Result<Vec<Param>, ImportError> {
    let mut params = vec![];
    for (index, line) in text.lines().enumerate() {
        let text = line.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        params.push(line_of(index.saturating_add(1), text)?);
    }
    Ok(params)
}

fn line_of(line: usize, text: &str) -> Result<Param, ImportError> {
    let fields: Vec<&str> = text.split(',').map(str::trim).collect();
    let (name, kind, [start, min, max, step, gain]) = match fields[..] {
        [name, "int", start, min, max, step, gain] | [name, start, min, max, step, gain] => {
            (name, ParamKind::Int, [start, min, max, step, gain])
        }
        [name, "float", start, min, max, step, gain] => {
            let decimals = FLOAT_DECIMALS;
            (
                name,
                ParamKind::Text { decimals },
                [start, min, max, step, gain],
            )
        }
        [_, other, _, _, _, _, _] => {
            return Err(ImportError::Type {
                line,
                text: other.to_owned(),
            });
        }
        _ => {
            return Err(ImportError::Fields {
                line,
                text: text.to_owned(),
                fields: fields.len(),
            });
        }
    };
    let number = |text: &str, field: &'static str| -> Result<f64, ImportError> {
        text.parse().map_err(|_| ImportError::Number {
            line,
            text: text.to_owned(),
            field,
        })
    };
    Ok(Param {
        name: name.to_owned(),
        kind,
        start: number(start, "the value")?,
        min: number(min, "min")?,
        max: number(max, "max")?,
        step: number(step, "C_end")?,
        gain: Some(number(gain, "R_end")?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_openbench_lines() {
        let list =
            parse("# tune\nA, int, 100, 50, 150, 5, 0.002\nB, float, 0.5, 0, 1, .05, .002\n");
        let list = list.unwrap();
        assert_eq!(list[0].name, "A");
        assert_eq!(
            (list[0].start, list[0].min, list[0].max),
            (100.0, 50.0, 150.0)
        );
        assert_eq!((list[0].step, list[0].gain), (5.0, Some(0.002)));
        assert_eq!(list[1].text(0.25), "0.250000");
    }

    #[test]
    fn reads_fishtest_lines() {
        // With the byte order mark of a Windows editor.
        let list = parse("\u{feff}rfp, 74, 20, 200, 9, 0.0020\n").unwrap();
        assert_eq!(list[0].name, "rfp");
        assert_eq!(list[0].kind, ParamKind::Int);
        assert_eq!((list[0].start, list[0].step), (74.0, 9.0));
    }

    #[test]
    fn errors_name_the_line_and_the_fault() {
        let error = |text: &str| parse(text).unwrap_err().to_string();
        assert!(error("A, int, 1, 0, 2, 1\nB, 1, 2\n").contains("line 1"));
        assert!(error("A, 1, 0, 2, 1, 1\nB, 1, 2\n").contains("line 2: `B, 1, 2` has 3 fields"));
        assert!(error("A\n").contains("`A` has 1 field; "));
        assert!(error("A, int, x, 0, 2, 1, 1\n").contains("the value must be one"));
        assert!(error("A, bool, 1, 0, 2, 1, 1\n").contains("`int` or `float`"));
        assert!(error("A, 9, 0, 2, 1, 1\n").contains("start 9 is outside 0 to 2"));
        for gain in ["-0.002", "nan", "inf"] {
            let text = error(&format!("A, int, 1, 0, 2, 1, {gain}\n"));
            assert!(text.contains("at least 0"), "{text}");
        }
        assert!(error("{\"A\": 3}").contains("weather-factory"));
        assert!(error("\n").contains("no parameters"));
    }
}
