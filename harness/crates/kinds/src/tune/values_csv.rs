//! `values.csv`: the values over the pairs.

use hone_experiment::tune::TuneExperiment;
use hone_report::guarded;

const HEADER: [&str; 5] = ["pairs", "parameter", "value", "plus", "minus"];

/// A row for each parameter after each batch with a pair that counts: the pairs that counted so
/// far, the value, not rounded, and the values of both sides in the batch. In the units of
/// `[tune.params]`, like the JSON.
///
/// # Errors
/// If the table cannot be written.
pub(super) fn table(experiment: &TuneExperiment) -> anyhow::Result<String> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(HEADER)?;
    let tuner = experiment.tuner();
    if let Some(history) = tuner.history() {
        for ((pairs, values), batch) in history.path().iter().zip(history.batches()) {
            let sides = batch.played.plus.iter().zip(&batch.played.minus);
            let params = tuner.space().params().iter().zip(values).zip(sides);
            for ((param, value), (plus, minus)) in params {
                let numbers = [value, plus, minus].map(ToString::to_string);
                let [value, plus, minus] = numbers;
                table.write_record([
                    pairs.to_string(),
                    guarded(&param.name),
                    value,
                    plus,
                    minus,
                ])?;
            }
        }
    }
    Ok(String::from_utf8(table.into_inner()?)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hone_experiment::tune::param::Param;
    use hone_experiment::tune::{Space, TuneSection};

    #[test]
    fn every_batch_has_a_row_for_each_parameter() {
        let section: TuneSection = toml::from_str("pairs = 6\nbatch = 2\nwindow = 1\n").unwrap();
        let params = ["A", "B,C"].map(|name| Param::int(name, 50.0, 0.0, 100.0));
        let space = Space::new(params.to_vec()).unwrap();
        let mut experiment = TuneExperiment::new(&section, space, 1);
        assert_eq!(
            table(&experiment).unwrap(),
            "pairs,parameter,value,plus,minus\n"
        );
        // A pair of the first batch does not count, and none of the second.
        for half_points in [None, Some(3), None, None, Some(2), Some(4)] {
            experiment.take(half_points);
        }
        experiment.conclude();
        let text = table(&experiment).unwrap();
        let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        let first: Vec<&str> = rows.iter().map(|row| row[0]).collect();
        assert_eq!(first, ["pairs", "1", "1", "3", "3"], "{text}");
        assert!(text.contains("\n3,\"B,C\","), "{text}");
        let number = |column: usize| rows[3][column].parse::<f64>().unwrap();
        assert_eq!(number(2), experiment.tuner().method().values()[0]);
        assert_ne!(number(3), number(4), "{text}");
    }
}
