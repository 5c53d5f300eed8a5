//! Every kind of message, for the fuzzer.

use std::fmt::Debug;

use super::live_message::Shown;
use super::message::{Job, Message, Notice, Reply, Status, decode, encode};

/// Decodes bytes as each kind of message. A message that is accepted does not change when it
/// is encoded and decoded again.
///
/// # Panics
/// If it changes.
pub fn read_any_message(bytes: &[u8]) {
    read::<Job>(bytes);
    read::<Reply>(bytes);
    read::<Notice>(bytes);
    read::<Status>(bytes);
    read::<Shown>(bytes);
}

fn read<M: Message + Debug>(bytes: &[u8]) {
    let Ok(message) = decode::<M>(bytes) else {
        return;
    };
    // Its encoding may be longer than the input, and too long.
    let Ok(again) = encode(&message) else {
        return;
    };
    let read = decode::<M>(&again).expect("it was just written");
    assert_eq!(format!("{read:?}"), format!("{message:?}"));
}
