use proptest::prelude::*;

use super::samples::{self, job, played};
use super::*;
use crate::samples::name;

#[test]
fn messages_do_not_change_when_they_are_sent() {
    let sent = job(3);
    let bytes = encode(&sent).expect("sent");
    let received: Job = decode(&bytes).expect("read");
    assert_eq!(received, sent);
    let sent = Reply::Played(Box::new(played(3, "1".repeat(32))));
    let received: Reply = decode(&encode(&sent).expect("sent")).expect("read");
    assert_eq!(received, sent);
}

#[test]
fn other_versions_and_unknown_fields_are_refused() {
    let bytes = encode(&job(3)).expect("sent");
    let text = String::from_utf8(bytes).expect("text");
    let newer = text.replacen(&format!("\"hone\":{VERSION}"), "\"hone\":99", 1);
    assert_eq!(
        decode::<Job>(newer.as_bytes()),
        Err(MessageError::Version(99))
    );
    for (from, to) in [
        ("\"body\"", "\"more\":1,\"body\""),
        ("\"lease\"", "\"more\":1,\"lease\""),
        ("\"lease\":\"0", "\"lease\":\"x"),
        ("\"name\":\"engine\"", "\"name\":\"../engine\""),
        ("\"run\":\"run\"", "\"run\":\"run.>\""),
        ("\"program\":\"new\"", "\"program\":\"/bin/sh\""),
        ("\"dir\":null", "\"dir\":\"/tmp\""),
    ] {
        assert!(text.contains(from), "{from} in {text}");
        let changed = text.replacen(from, to, 1);
        assert!(decode::<Job>(changed.as_bytes()).is_err(), "{to}");
    }
}

#[test]
fn a_message_that_is_too_long_is_refused_before_it_is_parsed() {
    let bytes = vec![b' '; Job::LIMIT + 1];
    let error = decode::<Job>(&bytes).expect_err("too long");
    assert!(matches!(error, MessageError::TooLong { .. }), "{error}");
}

#[test]
fn a_notice_has_room_for_any_number_of_workers_in_quarantine() {
    let reason = "its result was refused".repeat(10);
    let quarantined = (0..500).map(|number| (format!("all/box-{number}"), reason.clone()));
    let mut notice = samples::notice();
    notice.quarantined = quarantined.collect();
    assert!(encode(&notice).is_err());
    let bytes = notice.encode_shortened().expect("it fits");
    let read: Notice = decode(&bytes).expect("read");
    assert!(read.quarantined.len() > 50, "{read:?}");
}

#[test]
fn a_status_has_room_for_any_number_of_refused_runs() {
    let run = |number| name(&format!("run-{number}"));
    let mut status = samples::status(&run(0), &[]);
    let reason = "\u{1b}".repeat(500);
    status.refuses = (0..200)
        .map(|number| (run(number), reason.clone()))
        .collect();
    assert!(encode(&status).is_err());
    let bytes = status.encode_shortened().expect("it fits");
    let read: Status = decode(&bytes).expect("read");
    assert_eq!(read.refuses.len(), 200, "no run is left out");
    let reasons = read.refuses.values().filter(|one| !one.is_empty());
    assert!(reasons.count() > 15);
}

#[test]
fn the_texts_of_a_worker_are_single_lines_without_control_characters() {
    let run = name("run");
    let mut status = samples::status(&run, &[]);
    status.platform = "linux\nall/box 64\u{1b}[2J".to_string();
    status.processor = "x".repeat(10_000);
    let reason = "its disk is full\r\n\nhelp:\tmake room\u{7}".to_string();
    status.refuses.insert(run.clone(), reason.clone());
    let read: Status = decode(&encode(&status).expect("sent")).expect("read");
    assert_eq!(read.platform, "linux; all/box 64\u{fffd}[2J");
    assert_eq!(read.processor.len(), MAX_NAME);
    let clean = "its disk is full; help: make room\u{fffd}";
    assert_eq!(read.refuses[&run], clean);
    let refusal = Refusal {
        pair: 0,
        lease: "0".repeat(32),
        reason,
        stops_run: false,
    };
    let Reply::Refused(read) =
        decode(&encode(&Reply::Refused(refusal)).expect("sent")).expect("read")
    else {
        panic!("another kind");
    };
    assert_eq!(read.reason, clean);
}

#[test]
fn an_impossible_speed_of_a_worker_is_refused() {
    let mut status = samples::status(&name("run"), &[]);
    for (pace, is_valid) in [(0.0, true), (5000.0, true), (1e300, false), (-1.0, false)] {
        status.pace = pace;
        assert_eq!(encode(&status).is_ok(), is_valid, "{pace}");
    }
}

#[test]
fn a_file_with_wrong_content_is_recognized_in_a_reason() {
    let file = job(0).files.remove(0);
    let reason = format!("cannot fetch it: {}", file.wrong_content(&"1b".repeat(32)));
    assert!(file.is_wrong_in(&reason), "{reason}");
    let other = FileRef {
        sha256: "2c".repeat(32),
        ..file.clone()
    };
    assert!(!other.is_wrong_in(&reason), "{reason}");
    assert!(!file.is_wrong_in("its disk is full"));
}

#[test]
fn a_text_with_two_games_is_refused() {
    let mut two = played(0, "1".repeat(32));
    two.texts[0].pgn = two.texts[0].pgn.repeat(2);
    assert!(encode(&Reply::Played(Box::new(two))).is_err());
}

proptest! {
    /// A message with a changed byte is refused or valid.
    #[test]
    fn damaged_messages_never_panic(at in 0usize..4000, byte: u8, cut in 0usize..4000) {
        let mut bytes = encode(&job(3)).expect("sent");
        let at = at % bytes.len();
        bytes[at] = byte;
        if let Ok(read) = decode::<Job>(&bytes) {
            prop_assert!(encode(&read).is_ok());
        }
        bytes.truncate(cut % bytes.len());
        prop_assert!(decode::<Job>(&bytes).is_err());
    }

    #[test]
    fn random_bytes_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..500)) {
        prop_assert!(decode::<Reply>(&bytes).is_err());
        prop_assert!(decode::<Status>(&bytes).is_err());
    }
}
