//! Settings with a fixed list of values, each of which has a name.

/// A setting whose values are chosen by name: a flag, a keyword, or a line of a file. Declared by [`choices!`](crate::choices).
pub trait Choice: Copy + PartialEq + Send + Sync + 'static {
    /// All values, in the order in which they are listed.
    const ALL: &'static [Self];

    /// Returns the name of the value.
    fn name(self) -> &'static str;

    /// Returns the lines of the value's documentation. Those before the first blank line describe it to users of any front end.
    fn lines(self) -> &'static [&'static str];

    /// Returns the value with this name.
    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.name() == name)
    }

    /// Returns the description of the value.
    fn text(self) -> String {
        let lines = self.lines().iter().map(|line| line.trim());
        lines
            .take_while(|line| !line.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// Declares an enum whose values have names, under which they are also serialised. `(default)` marks the default value.
#[doc(hidden)]
#[macro_export]
macro_rules! choices {
    ($(#[$meta:meta])* $visibility:vis enum $type:ident {
        $($(#[doc = $line:literal])* $value:ident = $name:literal $(($default:ident))?,)*
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        $visibility enum $type {
            $($(#[doc = $line])* $(#[$default])? #[serde(rename = $name)] $value,)*
        }

        impl $crate::Choice for $type {
            const ALL: &'static [Self] = &[$(Self::$value,)*];

            fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)*
                }
            }

            fn lines(self) -> &'static [&'static str] {
                match self {
                    $(Self::$value => &[$($line,)*],)*
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad($crate::Choice::name(*self))
            }
        }
    };
}
