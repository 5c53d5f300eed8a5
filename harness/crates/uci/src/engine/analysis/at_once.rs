//! Futures that run in parallel on one thread.

use tokio::task::{JoinSet, LocalSet};

/// Runs all futures concurrently on this thread. Returns their outputs in the order in
/// which they end.
///
/// # Errors
/// The first failure; the other futures are cancelled.
pub async fn at_once<W, T, E>(works: impl IntoIterator<Item = W>) -> Result<Vec<T>, E>
where
    W: Future<Output = Result<T, E>> + 'static,
    T: 'static,
    E: 'static,
{
    let local = LocalSet::new();
    let mut tasks = JoinSet::new();
    for work in works {
        tasks.spawn_local_on(work, &local);
    }
    let all = async {
        let mut returned = Vec::new();
        while let Some(result) = tasks.join_next().await {
            returned.push(result.expect("the work does not panic")?);
        }
        Ok(returned)
    };
    local.run_until(all).await
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::rc::Rc;

    use tokio::sync::Barrier;

    use super::*;

    fn run<T>(work: impl Future<Output = T>) -> T {
        let runtime = hone_base::platform::runtime();
        runtime.expect("a runtime").block_on(work)
    }

    #[test]
    fn all_futures_run_concurrently() {
        let both_begun = Rc::new(Barrier::new(2));
        let works = [0, 1].map(|number| {
            let both_begun = Rc::clone(&both_begun);
            async move {
                both_begun.wait().await;
                Ok::<_, ()>(number)
            }
        });
        let mut returned = run(at_once(works)).expect("none fails");
        returned.sort_unstable();
        assert_eq!(returned, [0, 1]);
    }

    #[test]
    fn a_failure_cancels_the_others() {
        let works = [true, false].map(|fails| async move {
            if fails {
                Err("failed")
            } else {
                pending().await
            }
        });
        assert_eq!(run(at_once(works)), Err::<Vec<()>, _>("failed"));
    }
}
