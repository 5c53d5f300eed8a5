//! The results of a run in the formats of OpenBench and fishtest, for commit messages.

use clap::ValueEnum;
use serde::Deserialize;

use hone_stats::{Pentanomial, elo};

/// Formats of other test frameworks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
#[value(rename_all = "lowercase")]
pub enum Form {
    OpenBench,
    Fishtest,
}

/// The results that these formats show, of a run whose first engine plays in every pair.
#[derive(Debug)]
pub struct FormNumbers<'a> {
    /// The limits of the engines.
    pub limit: &'a str,
    /// Wins, draws, losses.
    pub wdl: [u64; 3],
    /// LL, LD, DD+WL, WD, WW.
    pub pentanomial: [u64; 5],
    pub test: Option<FormTest>,
}

/// A sequential test.
#[derive(Debug)]
pub struct FormTest {
    pub llr: f64,
    /// The values of the LLR at which H0 and H1 are accepted.
    pub bounds: [f64; 2],
    /// Elo of H0 and H1.
    pub elos: [f64; 2],
}

impl FormNumbers<'_> {
    /// As lines of text.
    pub fn text(&self, form: Form) -> String {
        match form {
            Form::OpenBench => self.openbench(),
            Form::Fishtest => self.fishtest(),
        }
    }

    /// The format of OpenBench, with its interval: that of a match of fixed length, also
    /// with few pairs; the margin is the larger side.
    /// Source: OpenBench, `stats.Elo` and `longStatBlock`.
    fn openbench(&self) -> String {
        let mut text = String::new();
        if let Some(elo) = elo::elo_by_student(&Pentanomial(self.pentanomial)) {
            let margin = (elo.high - elo.estimate).max(elo.estimate - elo.low);
            text += &format!("Elo   | {:.2} +- {margin:.2} (95%)\n", elo.estimate);
        }
        let kind = match self.test {
            Some(_) => "SPRT ",
            None => "Limit",
        };
        text += &format!("{kind} | {}\n", self.limit);
        if let Some(test) = &self.test {
            let ([lower, upper], [elo0, elo1]) = (test.bounds, test.elos);
            text += &format!(
                "LLR   | {:.2} ({lower:.2}, {upper:.2}) [{elo0:.2}, {elo1:.2}]\n",
                test.llr
            );
        }
        text += &format!("Games | {}\n", self.games("N"));
        text + &format!("Penta | {:?}\n", self.pentanomial)
    }

    /// The format of fishtest, with its interval: that of a match of fixed length, also with
    /// few pairs; the margin is half its width.
    /// Source: fishtest, `stat_util.get_elo`.
    fn fishtest(&self) -> String {
        let mut text = String::new();
        if let Some(test) = &self.test {
            let ([lower, upper], [elo0, elo1]) = (test.bounds, test.elos);
            text += &format!(
                "LLR: {:.2} ({lower:.2},{upper:.2}) <{elo0:.2},{elo1:.2}>\n",
                test.llr
            );
        } else if let Some(elo) = elo::elo(Pentanomial(self.pentanomial)) {
            text += &format!("Elo: {:.2} ± {:.1} (95%)\n", elo.estimate, elo.half_width());
        }
        text += &format!("{}\n", self.games("Total"));
        let counts = self.pentanomial.map(|count| count.to_string());
        text + &format!("Ptnml(0-2): {}\n", counts.join(", "))
    }

    fn games(&self, name: &str) -> String {
        let [wins, draws, losses] = self.wdl;
        let games = wins + draws + losses;
        format!("{name}: {games} W: {wins} L: {losses} D: {draws}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A match with this result.
    fn numbers(pentanomial: [u64; 5]) -> FormNumbers<'static> {
        FormNumbers {
            limit: "nodes=5",
            wdl: [12, 10, 2],
            pentanomial,
            test: None,
        }
    }

    #[test]
    fn forms_have_the_intervals_of_their_programs() {
        let numbers = numbers([0, 1, 3, 5, 3]);
        // Both computed by hand: 45.97 to 302.56, and 56.98 to 282.02.
        let openbench = numbers.text(Form::OpenBench);
        assert!(openbench.starts_with("Elo   | 154.14 +- 148.42 (95%)\n"));
        let fishtest = numbers.text(Form::Fishtest);
        assert!(fishtest.starts_with("Elo: 154.09 ± 112.5 (95%)\n"));
    }

    #[test]
    fn without_pairs_no_form_has_elo() {
        for form in [Form::OpenBench, Form::Fishtest] {
            let text = numbers([0; 5]).text(form);
            assert!(!text.contains("Elo"), "{text}");
        }
    }

    #[test]
    fn a_test_has_its_llr_with_both_kinds_of_bounds() {
        let numbers = FormNumbers {
            limit: "8+0.08",
            test: Some(FormTest {
                llr: 2.951,
                bounds: [-2.944, 2.944],
                elos: [0.0, 5.0],
            }),
            ..numbers([0, 1, 3, 5, 3])
        };
        let rest = "SPRT  | 8+0.08\nLLR   | 2.95 (-2.94, 2.94) [0.00, 5.00]\n\
            Games | N: 24 W: 12 L: 2 D: 10\nPenta | [0, 1, 3, 5, 3]\n";
        assert!(numbers.text(Form::OpenBench).ends_with(rest));
        assert_eq!(
            numbers.text(Form::Fishtest),
            "LLR: 2.95 (-2.94,2.94) <0.00,5.00>\nTotal: 24 W: 12 L: 2 D: 10\n\
             Ptnml(0-2): 0, 1, 3, 5, 3\n"
        );
    }
}
