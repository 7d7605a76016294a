//! Any text in fewer tokens: phrases that repeat get a sign, lines alike become rows of values under a template, and lines
//! that come together again and again become one row.
//!
//! It knows lines, words and about what tokens cost, and nothing of any tool.

mod alarm;
mod block;
mod column;
mod cost;
mod field;
mod fold;
mod mine;
mod name;
mod notation;
mod pair;
mod phrase;
mod read;
mod select;
mod sheet;
mod source;
mod span;
mod suffix;
mod template;
mod word;
mod write;

use crate::plan::{Loss, Mode, Reader};
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage};

use self::sheet::Sheet;
use self::source::Source;
use self::write::Written;

/// A text in which something repeats.
pub(crate) struct General;

/// Shorter texts hold nothing that is worth a head.
const MIN_BYTES: usize = 200;

impl Stage for General {
    fn name(&self) -> &'static str {
        "general"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn reader(&self) -> Reader {
        Reader::Strong
    }

    fn least_percent(&self) -> usize {
        10
    }

    fn apply(&self, _: Scene<'_>, text: &str) -> Option<Edit> {
        if text.len() < MIN_BYTES || text.len() > 1 << 20 || text.starts_with(notation::HEAD) {
            return None;
        }
        let plain = written(text, None);
        let folded =
            fold::ends(text).into_iter().filter_map(|end| written(&fold::fold(text, end), Some(end)));
        let best = plain.into_iter().chain(folded).min_by_key(|written| written.cost)?;
        Some(Edit { text: best.text, loss: Loss::None, note: String::new() })
    }

    fn restore(&self, room: Room, _: &str, text: &str) -> Option<String> {
        read::read(room, text)
    }
}

/// A text as it would be written; where its long lines were broken, behind what.
fn written(text: &str, fold: Option<&'static str>) -> Option<Written> {
    let source = Source::new(text);
    let sheet = Sheet::of(&source, true);
    write::write(&source, &sheet, fold)
}
