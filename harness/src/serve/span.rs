//! Times as people read them.

/// Seconds in their largest units.
pub(super) fn span(seconds: f64) -> String {
    let seconds = seconds.clamp(0.0, 1e10).round() as u64;
    match seconds {
        0..100 => format!("{seconds} s"),
        100..6000 => format!("{} min", (seconds + 30) / 60),
        6000..172_800 => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds % 86_400 / 3600),
    }
}

/// A moment, given in milliseconds since 1970.
pub(super) fn at(moment_ms: i64) -> String {
    match jiff::Timestamp::from_millisecond(moment_ms) {
        Ok(moment) => moment.strftime("%Y-%m-%d %H:%M UTC").to_string(),
        Err(_) => "–".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_have_one_or_two_units() {
        for (seconds, text) in [
            (3.4, "3 s"),
            (119.0, "2 min"),
            (7260.0, "2 h 1 min"),
            (200_000.0, "2 d 7 h"),
            (f64::INFINITY, "115740 d 17 h"),
        ] {
            assert_eq!(span(seconds), text);
        }
        assert_eq!(at(0), "1970-01-01 00:00 UTC");
    }
}
