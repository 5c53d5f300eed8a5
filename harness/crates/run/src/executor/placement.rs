//! The processors of each worker (`affinity`).

use hone_base::platform::Processor;

/// The ids of the processors of each worker, `each` per worker: first one of every physical
/// core, then the other hyper-threads. `None` if there are not enough for all workers.
pub fn place(processors: &[Processor], workers: usize, each: usize) -> Option<Vec<Vec<usize>>> {
    let mut ranked: Vec<(usize, Processor)> = processors
        .iter()
        .map(|processor| {
            let thread = processors
                .iter()
                .filter(|other| {
                    (other.package, other.core) == (processor.package, processor.core)
                        && other.id < processor.id
                })
                .count();
            (thread, *processor)
        })
        .collect();
    ranked.sort_by_key(|(thread, processor)| (*thread, processor.package, processor.id));
    let ids: Vec<usize> = ranked.iter().map(|(_, processor)| processor.id).collect();
    (each > 0 && ids.len() >= workers * each).then(|| {
        ids.chunks(each)
            .take(workers)
            .map(<[usize]>::to_vec)
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two packages of two cores with two threads each, numbered as Linux
    /// does: the second threads after all first ones.
    fn machine() -> Vec<Processor> {
        (0..8)
            .map(|id| Processor {
                id,
                package: id / 2 % 2,
                core: id % 2,
            })
            .collect()
    }

    #[test]
    fn physical_cores_come_before_their_second_threads() {
        let placed = place(&machine(), 4, 1).expect("enough");
        assert_eq!(placed, [[0], [1], [2], [3]]);
        let placed = place(&machine(), 8, 1).expect("enough");
        assert_eq!(placed.concat(), [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn engines_with_several_threads_get_several_processors() {
        let placed = place(&machine(), 3, 2).expect("enough");
        assert_eq!(placed, [[0, 1], [2, 3], [4, 5]]);
        assert_eq!(place(&machine(), 5, 2), None);
        assert_eq!(place(&[], 1, 1), None);
    }
}
