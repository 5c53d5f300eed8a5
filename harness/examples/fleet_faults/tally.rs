//! The faults of a campaign and their effects.

/// A kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    KillWorker,
    KillRunner,
    KillServer,
    ReplaceWorker,
    FreezeWorker,
    FreezeServer,
    CutWorker,
    CutRunner,
    FillDisk,
}

impl Fault {
    /// All faults with their weights.
    pub(crate) const ALL: [(Self, u32); 9] = [
        (Self::KillWorker, 40),
        (Self::KillRunner, 45),
        (Self::KillServer, 45),
        (Self::ReplaceWorker, 25),
        (Self::FreezeWorker, 9),
        (Self::FreezeServer, 9),
        (Self::CutWorker, 9),
        (Self::CutRunner, 9),
        (Self::FillDisk, 9),
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::KillWorker => "`kill -9` of a worker",
            Self::KillRunner => "`kill -9` of the run",
            Self::KillServer => "`kill -9` of the server",
            Self::ReplaceWorker => "a worker is stopped in order and replaced",
            Self::FreezeWorker => "a worker stops answering",
            Self::FreezeServer => "the server stops answering",
            Self::CutWorker => "the network of a worker carries nothing",
            Self::CutRunner => "the network of the run carries nothing",
            Self::FillDisk => "the server's disk is full",
        }
    }
}

/// A fault that happened.
struct Occurrence {
    fault: Fault,
    /// Seconds from the end of the fault to the next pair in the ledger.
    next_pair: Option<f64>,
}

/// Everything that is reported at the end.
#[derive(Default)]
pub(crate) struct Tally {
    occurrences: Vec<Occurrence>,
    /// For each killed worker, seconds until all its pairs were in the ledger.
    pub(crate) reassigned: Vec<f64>,
    pub(crate) runs: u32,
    pub(crate) pairs: usize,
    pub(crate) lost: usize,
    pub(crate) doubled: usize,
}

impl Tally {
    pub(crate) fn faults(&self) -> u32 {
        self.occurrences.len() as u32
    }

    pub(crate) fn add(&mut self, fault: Fault, next_pair: Option<f64>) {
        self.occurrences.push(Occurrence { fault, next_pair });
    }

    /// Adds the results of another campaign.
    pub(crate) fn take(&mut self, other: Self) {
        self.occurrences.extend(other.occurrences);
        self.reassigned.extend(other.reassigned);
        self.runs += other.runs;
        self.pairs += other.pairs;
        self.lost += other.lost;
        self.doubled += other.doubled;
    }

    /// A table in Markdown.
    pub(crate) fn table(&self) -> String {
        let mut text = "| fault | moments | next pair after: median | most |\n\
                        |---|---:|---:|---:|\n"
            .to_string();
        for (fault, _) in Fault::ALL {
            let own = self.occurrences.iter().filter(|one| one.fault == fault);
            let seconds = own.clone().filter_map(|one| one.next_pair).collect();
            let [median, most] = median_and_most(seconds);
            let (name, count) = (fault.name(), own.count());
            text += &format!("| {name} | {count} | {median} | {most} |\n");
        }
        let [median, most] = median_and_most(self.reassigned.clone());
        text += &format!(
            "\n{} runs, {} moments, {} pairs: {} lost, {} doubled; games and verdict of each run \
             are those of one machine.\nThe pairs of a killed worker were played by others after \
             {median} (median), {most} (most; {} workers).\n",
            self.runs,
            self.faults(),
            self.pairs,
            self.lost,
            self.doubled,
            self.reassigned.len()
        );
        text
    }
}

fn median_and_most(mut seconds: Vec<f64>) -> [String; 2] {
    seconds.sort_by(f64::total_cmp);
    match seconds.last() {
        None => ["-".to_string(), "-".to_string()],
        Some(most) => {
            let median = seconds[seconds.len() / 2];
            [median, *most].map(|seconds| format!("{seconds:.1} s"))
        }
    }
}
