//! The report as one page of HTML.

use super::outcome::Outcome;
use super::pictures::Pictures;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:1080px;margin:2em auto;\
padding:0 1em;color:#222}pre{background:#f5f5f5;padding:1em;overflow-x:auto;font-size:13px}\
svg{max-width:100%;height:auto}h2{margin-top:2em}";

/// The page of a run.
pub(super) fn html(run: &str, outcome: &Outcome, pictures: &Pictures) -> String {
    let run = escaped(run);
    let mut text = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <title>{run}</title><style>{STYLE}</style></head><body>\n<h1>{run}</h1>\n\
         <pre>{}</pre>\n<h2>Paths</h2>\n{}\n",
        escaped(&outcome.text()),
        pictures.paths
    );
    if let Some(responses) = &pictures.responses {
        text += "<h2>Responses</h2>\n<p>Elo lost by each parameter alone, with its 95 % \
                 interval; red: the interval of the optimum.</p>\n";
        text += responses;
    }
    text += &format!(
        "\n<h2>Values</h2>\n<pre>{}</pre>\n</body></html>\n",
        escaped(&outcome.exports())
    );
    text
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
