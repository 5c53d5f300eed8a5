//! A parameter, and the macro that declares a table of parameters.

/// The kind of a parameter, with its allowed values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Whole numbers; `step` is the first step of a tuner.
    Spin { min: i32, max: i32, step: i32 },
    /// Named values; a UCI `check` option if they are those of a `bool`.
    Combo(&'static [&'static str]),
}

impl Kind {
    /// A default outside the range, or a step of zero, does not compile.
    pub const fn spin(default: i32, min: i32, max: i32, step: i32) -> Kind {
        assert!(min <= default && default <= max, "default out of range");
        assert!(step > 0 && step <= max - min, "step out of range");
        Kind::Spin { min, max, step }
    }
}

/// One row of a table: a field of `T` that is also a UCI option.
pub struct Parameter<T> {
    /// UCI name.
    pub name: &'static str,
    /// Name of the field: that of the option, in snake case.
    pub field: &'static str,
    pub group: &'static str,
    pub kind: Kind,
    /// One sentence.
    pub about: &'static str,
    /// Reads the field as a number; choices are numbered from 0.
    pub get: fn(&T) -> i32,
    pub put: fn(&mut T, i32),
}

/// Types that a field can have.
pub trait Setting: Copy + 'static {
    /// Names of the values in order; empty for numbers.
    const CHOICES: &'static [&'static str];
    fn from_number(number: i32) -> Self;
}

impl Setting for i32 {
    const CHOICES: &'static [&'static str] = &[];
    fn from_number(number: i32) -> i32 {
        number
    }
}

impl Setting for bool {
    const CHOICES: &'static [&'static str] = &["false", "true"];
    fn from_number(number: i32) -> bool {
        number != 0
    }
}

impl<T> Parameter<T> {
    /// Parses `value`, stores it in `settings`, and returns the stored value: numbers are
    /// rounded, so `1e3` and `12.5` are accepted. The error names the allowed values.
    pub fn set(&self, settings: &mut T, value: &str) -> Result<String, String> {
        let Some(number) = self.parse(value.trim()) else {
            let (name, allowed) = (self.name, self.allowed());
            return Err(format!(
                "option {name} does not take '{value}'; allowed: {allowed}"
            ));
        };
        (self.put)(settings, number);
        Ok(self.value(settings))
    }

    fn parse(&self, value: &str) -> Option<i32> {
        match self.kind {
            Kind::Combo(choices) => {
                let taken = |choice: &&str| choice.eq_ignore_ascii_case(value);
                Some(choices.iter().position(taken)? as i32)
            }
            Kind::Spin { min, max, .. } => {
                let number = number(value)?;
                let allowed = f64::from(min)..=f64::from(max);
                allowed.contains(&number).then_some(number as i32)
            }
        }
    }

    /// A description of the allowed values.
    pub fn allowed(&self) -> String {
        match self.kind {
            Kind::Spin { min, max, .. } => format!("{min} to {max}"),
            Kind::Combo(choices) => choices.join(", "),
        }
    }

    /// The value in `settings`, as in `setoption`.
    pub fn value(&self, settings: &T) -> String {
        let number = (self.get)(settings);
        match self.kind {
            Kind::Spin { .. } => number.to_string(),
            Kind::Combo(choices) => choices[number as usize].to_owned(),
        }
    }

    /// The line that announces the option in the answer to `uci`.
    pub fn announce(&self, defaults: &T) -> String {
        let (name, default) = (self.name, self.value(defaults));
        let kind = match self.kind {
            Kind::Spin { min, max, .. } => format!("spin default {default} min {min} max {max}"),
            Kind::Combo(bool::CHOICES) => format!("check default {default}"),
            Kind::Combo(choices) => {
                format!("combo default {default} var {}", choices.join(" var "))
            }
        };
        format!("option name {name} type {kind}")
    }
}

/// The whole number nearest to `text`, so that `1e3` and `12.5` are accepted.
pub fn number(text: &str) -> Option<f64> {
    let number = text.parse::<f64>().ok().map(f64::round);
    number.filter(|number| !number.is_nan())
}

/// The row of that name, whatever the case of its letters.
pub fn find<T>(table: &'static [Parameter<T>], name: &str) -> Option<&'static Parameter<T>> {
    let name = name.trim();
    table.iter().find(|row| row.name.eq_ignore_ascii_case(name))
}

/// The name of `names` with the smallest edit distance from `name`, unless that exceeds half
/// its length.
pub fn nearest(names: impl Iterator<Item = &'static str>, name: &str) -> Option<&'static str> {
    let wanted = name.to_ascii_lowercase();
    let distance = |known: &str| edits(&known.to_ascii_lowercase(), &wanted);
    let nearest = names.min_by_key(|known| (distance(known), *known))?;
    (distance(nearest) <= nearest.len() / 2).then_some(nearest)
}

/// Levenshtein distance in bytes.
fn edits(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// Declares a struct of settings and its table. Each row is
///
/// ```text
/// /// One sentence.
/// field: type = "UciName", default;                          // bool, combo
/// field: i32 = "UciName", default, min..=max, step;          // spin
/// ```
macro_rules! settings {
    (
        $(#[$attribute:meta])*
        pub struct $name:ident, $table:ident;
        $($group:literal {
            $(
                #[doc = $about:literal]
                $field:ident: $type:ty = $uci:literal, $default:expr
                    $(, $min:literal..=$max:literal, $step:literal)?;
            )*
        })*
    ) => {
        $(#[$attribute])*
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct $name {
            $($(#[doc = $about] pub $field: $type,)*)*
        }

        impl $name {
            pub const DEFAULT: $name = $name { $($($field: $default,)*)* };
        }

        /// The rows in order of declaration.
        pub static $table: &[Parameter<$name>] = &[
            $($(
                Parameter {
                    name: $uci,
                    field: stringify!($field),
                    group: $group,
                    kind: settings!(@kind $type $(, $default, $min, $max, $step)?),
                    about: $about.trim_ascii(),
                    get: |settings| settings.$field as i32,
                    put: |settings, number| settings.$field = Setting::from_number(number),
                },
            )*)*
        ];
    };
    (@kind $type:ty, $($range:expr),*) => { Kind::spin($($range),*) };
    (@kind $type:ty) => { Kind::Combo(<$type>::CHOICES) };
}

/// Declares an enum that can be the type of a combo option.
macro_rules! choices {
    ($(#[$attribute:meta])* pub enum $name:ident { $($variant:ident = $text:literal,)* }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum $name { $($variant,)* }

        impl Setting for $name {
            const CHOICES: &'static [&'static str] = &[$($text,)*];
            fn from_number(number: i32) -> $name {
                const ALL: &[$name] = &[$($name::$variant,)*];
                ALL[number as usize]
            }
        }
    };
}

pub(crate) use {choices, settings};
