//! The form for a new run.

use maud::{Markup, html};

use super::frame::{Site, still};
use hone_run::Kind;

/// The form; it needs the page's script, which sends the token.
pub(crate) fn submit_page(site: Site, needs_approval: bool) -> Markup {
    still(
        "New run",
        site,
        &html! {
            p { "The run starts when a place is free. Relative paths of the configuration start from the folder in which " code { "hone serve" } " was started." }
            @if needs_approval { p { "Somebody with another token must approve it first." } }
            noscript { p { "The form needs JavaScript. Or use the " a href="/api" { "API" } "." } }
            form #submit {
                p { label for="submit-kind" { "Command" } br;
                    select #submit-kind name="kind" {
                        @for kind in Kind::ALL.map(Kind::name) { option value=(kind) { "hone " (kind) } }
                    }
                }
                p { label for="submit-name" { "Name of the run (letters, digits, " code { "-._" } ")" } br;
                    input #submit-name name="name" required pattern="[A-Za-z0-9][A-Za-z0-9._\\-]*" maxlength="100"; }
                p { label for="submit-priority" { "Priority: higher starts first" } br;
                    input #submit-priority name="priority" type="number" value="0" min="-1000" max="1000"; }
                p { label for="submit-config" { "Configuration (TOML)" } br;
                    textarea #submit-config name="config" rows="18" spellcheck="false" required {} }
                p { label for="submit-token" { "Token" } br;
                    input #submit-token type="password" autocomplete="off" required; }
                p { button type="submit" { "Submit" } }
                p #submit-answer role="status" {}
            }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::Submission;

    #[test]
    fn the_form_offers_the_kinds_that_the_api_accepts() {
        let site = Site {
            can_act: true,
            has_fleet: false,
        };
        let page = submit_page(site, false).into_string();
        let options = page.split("<option value=\"").skip(1);
        let offered: Vec<&str> = options.filter_map(|rest| rest.split('"').next()).collect();
        assert_eq!(offered, ["sprt", "match", "tune", "bisect"]);
        for kind in offered {
            let params = [("name", "a"), ("kind", kind)];
            let params = params.map(|(param, value)| (param.to_string(), value.to_string()));
            let submission = Submission::of(&params).expect(kind);
            assert_eq!(submission.kind.name(), kind);
        }
    }
}
