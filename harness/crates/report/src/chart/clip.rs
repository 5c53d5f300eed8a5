//! Lines cut off at the ends of the axes.

/// A point of a chart.
type Point = (f64, f64);

/// The parts of a line inside of the axes `x` and `y`. A point that is not finite interrupts the
/// line.
pub(super) fn clipped(points: &[Point], x: Point, y: Point) -> Vec<Vec<Point>> {
    let mut parts: Vec<Vec<Point>> = Vec::new();
    for ends in points.windows(2) {
        let Some([from, to]) = inside([ends[0], ends[1]], x, y) else {
            continue;
        };
        match parts.last_mut() {
            Some(part) if part.last() == Some(&from) => part.push(to),
            _ => parts.push(vec![from, to]),
        }
    }
    parts
}

/// The part of a segment inside of the axes, by the method of Liang and Barsky.
fn inside([from, to]: [Point; 2], x: Point, y: Point) -> Option<[Point; 2]> {
    let delta = (to.0 - from.0, to.1 - from.1);
    if !(delta.0.is_finite() && delta.1.is_finite()) {
        return None;
    }
    // Shares of the segment.
    let (mut start, mut end) = (0.0f64, 1.0f64);
    for (at, delta, (low, high)) in [(from.0, delta.0, x), (from.1, delta.1, y)] {
        if delta == 0.0 {
            if at < low || at > high {
                return None;
            }
            continue;
        }
        let [a, b] = [low, high].map(|border| (border - at) / delta);
        start = start.max(a.min(b));
        end = end.min(a.max(b));
    }
    if start >= end {
        return None;
    }
    // The ends of the segment stay exact, so that parts are joined there.
    let point = |share: f64| match share {
        0.0 => from,
        1.0 => to,
        _ => (from.0 + share * delta.0, from.1 + share * delta.1),
    };
    Some([point(start), point(end)])
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: Point = (0.0, 4.0);
    const Y: Point = (-1.0, 1.0);

    #[test]
    fn a_line_inside_of_the_axes_stays() {
        let line = [(0.0, 0.1), (1.3, -1.0), (1.3, 0.7), (4.0, 1.0)];
        assert_eq!(clipped(&line, X, Y), [line.to_vec()]);
        assert!(clipped(&line[..1], X, Y).is_empty());
    }

    #[test]
    fn a_line_ends_where_it_leaves_the_axes() {
        let line = [(0.0, -3.0), (1.0, 1.0), (2.0, 3.0), (3.0, 1.0), (4.0, -3.0)];
        let parts = [vec![(0.5, -1.0), (1.0, 1.0)], vec![(3.0, 1.0), (3.5, -1.0)]];
        assert_eq!(clipped(&line, X, Y), parts);
        let across = [(-2.0, 0.0), (6.0, 0.0), (6.0, 9.0), (0.0, 9.0)];
        assert_eq!(clipped(&across, X, Y), [vec![(0.0, 0.0), (4.0, 0.0)]]);
    }

    #[test]
    fn a_point_that_is_not_finite_interrupts_the_line() {
        let line = [
            (0.0, 0.0),
            (1.0, 0.0),
            (2.0, f64::NAN),
            (3.0, 0.0),
            (4.0, 0.0),
        ];
        let parts = [vec![(0.0, 0.0), (1.0, 0.0)], vec![(3.0, 0.0), (4.0, 0.0)]];
        assert_eq!(clipped(&line, X, Y), parts);
    }
}
