//! The colours of charts. Charts are drawn in the colours of the light theme; on a page,
//! each colour is replaced by a variable of the style sheet.

use plotters::style::RGBColor;

/// A colour by its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// Text and axes.
    Ink,
    /// Less important text.
    Faint,
    /// Grid lines.
    Soft,
    /// The first engine, and the main line.
    First,
    /// The second engine.
    Second,
    Good,
    Bad,
}

impl Paint {
    const ALL: [Self; 7] = [
        Self::Ink,
        Self::Faint,
        Self::Soft,
        Self::First,
        Self::Second,
        Self::Good,
        Self::Bad,
    ];

    /// The colour in the light theme.
    pub(crate) fn rgb(self) -> RGBColor {
        match self {
            Self::Ink => RGBColor(0x24, 0x29, 0x2f),
            Self::Faint => RGBColor(0x57, 0x60, 0x6a),
            Self::Soft => RGBColor(0xc8, 0xce, 0xd6),
            Self::First => RGBColor(0x0b, 0x62, 0xc4),
            Self::Second => RGBColor(0xc2, 0x4d, 0x00),
            Self::Good => RGBColor(0x18, 0x7a, 0x39),
            Self::Bad => RGBColor(0xc6, 0x28, 0x2d),
        }
    }

    /// The variable of the style sheet.
    pub fn css(self) -> &'static str {
        match self {
            Self::Ink => "var(--ink)",
            Self::Faint => "var(--faint)",
            Self::Soft => "var(--soft)",
            Self::First => "var(--first)",
            Self::Second => "var(--second)",
            Self::Good => "var(--good)",
            Self::Bad => "var(--bad)",
        }
    }
}

/// An SVG whose colours follow the theme of its page.
pub(super) fn themed(mut svg: String) -> String {
    for paint in Paint::ALL {
        let RGBColor(r, g, b) = paint.rgb();
        svg = svg.replace(&format!("#{r:02X}{g:02X}{b:02X}"), paint.css());
    }
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_style_sheet_defines_every_colour() {
        let style = include_str!("../html/theme.css");
        for paint in Paint::ALL {
            let name = paint.css().trim_start_matches("var(").trim_end_matches(')');
            let light = format!("{name}: ");
            assert_eq!(style.matches(&light).count(), 2, "{name}, light and dark");
        }
    }
}
