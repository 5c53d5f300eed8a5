//! The frame of all pages.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::assets;
use crate::snapshot::{HEADER, Part, Snapshot};
use hone_base::text::without_direction;
use hone_report::html::section;

/// Features of the server besides runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Site {
    /// Whether there is a form for new runs.
    pub(crate) can_act: bool,
    /// Whether there is a page of a fleet.
    pub(crate) has_fleet: bool,
}

/// How a page is kept up to date.
struct Live<'a> {
    /// URL of its event stream.
    events: &'a str,
    /// See [`Snapshot`].
    identity: &'a str,
}

/// A complete page. `events` is the URL of its event stream.
pub(crate) fn document(page: &Snapshot, events: &str, site: Site) -> Markup {
    let sections = page
        .parts
        .iter()
        .filter(|part| part.heading.is_some() && !part.html.is_empty());
    let (header, main): (Vec<&Part>, _) = page
        .parts
        .iter()
        .filter(|part| !part.is_data)
        .partition(|part| part.name == HEADER);
    let body = html! {
        header { @for part in header { (element(part)) } }
        nav.sections aria-label="Sections" {
            ul {
                @for part in sections {
                    li { a href={ "#" (part.name) } { (part.heading.as_deref().unwrap_or_default()) } }
                }
            }
            // The script shows the state of the connection.
            p #connection role="status" { noscript { "Updates need JavaScript." } }
        }
        main id="main" {
            @for part in main { (element(part)) }
        }
    };
    let live = Live {
        events,
        identity: &page.identity,
    };
    framed(&page.title, &page.description, Some(live), site, &body)
}

/// The element of a part, in a section if it has a heading.
fn element(part: &Part) -> Markup {
    let inner = html! {
        div id={ "part-" (part.name) } data-part=(part.name) data-hash=(part.hash) {
            (PreEscaped(part.html.as_ref()))
        }
    };
    match &part.heading {
        None => inner,
        Some(heading) => section(&part.name, heading, &inner),
    }
}

/// A page without an event stream.
pub(crate) fn still(title: &str, site: Site, main: &Markup) -> Markup {
    let body = html! {
        header { h1 { (title) } }
        main id="main" { (main) }
    };
    framed(title, title, None, site, &body)
}

fn framed(
    title: &str,
    description: &str,
    live: Option<Live<'_>>,
    site: Site,
    body: &Markup,
) -> Markup {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="description" content=(description);
                meta property="og:type" content="website";
                meta property="og:title" content=(title);
                meta property="og:description" content=(description);
                title { (title) }
                link rel="icon" href=(assets::ICON) type="image/svg+xml";
                link rel="stylesheet" href=(assets::style().address);
                script src=(assets::script().address) defer {}
            }
            body data-events=[live.as_ref().map(|live| live.events)] data-page=[live.as_ref().map(|live| live.identity)] data-version=(assets::script().address) {
                a.skip href="#main" { "Skip to the content" }
                nav.site aria-label="Site" {
                    ul {
                        li { a href="/" { "All runs" } }
                        @if site.has_fleet { li { a href="/fleet" { "Fleet" } } }
                        @if site.can_act { li { a href="/submit" { "New run" } } }
                        li { a href="/api" { "API" } }
                    }
                }
                (body)
                footer {
                    p { "hone " (env!("CARGO_PKG_VERSION")) ". These pages load nothing from elsewhere." }
                }
            }
        }
    };
    PreEscaped(without_direction(&page.0).into_owned())
}

/// The page for an unknown URL.
pub(crate) fn not_found(site: Site) -> Markup {
    still(
        "No such page",
        site,
        &html! { p { "This page or run does not exist. " a href="/" { "All runs" } "." } },
    )
}

/// The page of a run that cannot be read.
pub(crate) fn offline(reason: &str, site: Site) -> Markup {
    still(
        "This page is not available",
        site,
        &html! { p { (reason) } },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_live_page_does_not_change_the_direction_of_text() {
        let part = Part::new("lead", None, html! { p { "c\u{202e}d" } });
        let event = String::from_utf8_lossy(&part.event).into_owned();
        let page = Snapshot::new("a\u{202e}b", "", String::new(), vec![part]);
        let site = Site {
            can_act: false,
            has_fleet: false,
        };
        let document = document(&page, "/events", site).into_string();
        assert!(document.contains("<h1>a\u{fffd}b</h1>"), "{document}");
        for text in [&document, &event] {
            assert!(text.contains("c\u{fffd}d"), "{text}");
            assert!(!text.contains('\u{202e}'), "{text}");
        }
    }
}
