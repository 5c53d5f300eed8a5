//! Forsyth-Edwards notation, with the castling fields of Chess960.

use super::{Bitboard, Color, Position, Role, Square, Wing};

/// The standard starting position.
pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Why a field of a FEN cannot be read.
fn unreadable(field: &str, text: &str) -> String {
    format!("FEN: cannot read the {field} in '{text}'")
}

impl Position {
    pub fn start() -> Position {
        Position::from_fen(START).expect("the starting position is legal")
    }

    /// Reads a FEN of at least two fields (placement and side to move). The others default
    /// to `- - 0 1`; text after them is ignored, as in EPD.
    ///
    /// Castling rights may be written `KQkq` (outermost rook) or as rook files
    /// (`HAha`). Rights without their king and rook in place, and an en passant
    /// square on which nothing can take, are dropped. The error names the
    /// reason for a FEN that cannot be read or cannot occur in a game.
    pub fn from_fen(fen: &str) -> Result<Position, String> {
        let mut fields = fen.split_ascii_whitespace();
        let mut position = Position::empty();
        position.read_placement(fields.next().unwrap_or(""))?;
        match fields.next() {
            Some("w") => {}
            Some("b") => position.pass_turn(),
            other => return Err(unreadable("side to move", other.unwrap_or(fen))),
        }
        if let Some(why) = position.impossibility() {
            return Err(format!("FEN: impossible position: {why}"));
        }
        position.read_castling(fields.next().unwrap_or("-"))?;
        position.read_en_passant(fields.next().unwrap_or("-"))?;
        if let Some(count) = fields.next().and_then(|field| field.parse::<u16>().ok()) {
            (position.halfmoves, position.reversible) = (count, count);
            if let Some(count) = fields.next().and_then(|field| field.parse().ok()) {
                position.fullmoves = u16::max(count, 1);
            }
        }
        position.refresh();
        Ok(position)
    }

    fn read_placement(&mut self, field: &str) -> Result<(), String> {
        let error = || unreadable("piece placement", field);
        let ranks: Vec<&str> = field.split('/').collect();
        if ranks.len() != 8 {
            return Err(error());
        }
        for (rank, text) in ranks.into_iter().rev().enumerate() {
            let mut file = 0;
            for letter in text.chars() {
                if let Some(gap @ 1..=8) = letter.to_digit(10) {
                    file += gap as usize;
                } else {
                    let role = Role::from_letter(letter.to_ascii_lowercase());
                    let role = role.filter(|_| file < 8).ok_or_else(error)?;
                    self.put(Color::of_letter(letter), role, Square::at(file, rank));
                    file += 1;
                }
            }
            if file != 8 {
                return Err(error());
            }
        }
        Ok(())
    }

    fn impossibility(&self) -> Option<&'static str> {
        let counts = |role| Color::BOTH.map(|color| self.pieces(color, role).count());
        let ends = Bitboard::rank(0) | Bitboard::rank(7);
        if counts(Role::King) != [1, 1] {
            return Some("each side needs exactly one king");
        }
        if counts(Role::Pawn).into_iter().any(|pawns| pawns > 8) {
            return Some("a side has more than eight pawns");
        }
        if (self.role(Role::Pawn) & ends).any() {
            return Some("a pawn on the first or last rank");
        }
        let attackers = self.attackers(self.king(!self.turn), self.occupied());
        let in_check = (attackers & self.color(self.turn)).any();
        in_check.then_some("the side that has just moved is in check")
    }

    fn read_castling(&mut self, field: &str) -> Result<(), String> {
        for letter in field.chars().filter(|&letter| letter != '-') {
            let color = Color::of_letter(letter);
            let back_rank = Bitboard::relative_rank(color, 0);
            let king = self.king(color);
            let mut rooks = self.pieces(color, Role::Rook) & back_rank;
            let wing = |rook: Square| Wing::BOTH[usize::from(rook.file() < king.file())];
            let found = match letter.to_ascii_lowercase() {
                'k' => rooks.filter(|&rook| wing(rook) == Wing::King).last(),
                'q' => rooks.find(|&rook| wing(rook) == Wing::Queen),
                file @ 'a'..='h' => rooks.find(|rook| rook.file() == file as usize - 'a' as usize),
                _ => return Err(unreadable("castling rights", field)),
            };
            if let Some(rook) = found.filter(|_| back_rank.contains(king)) {
                self.allow_castling(color, wing(rook), rook);
            }
        }
        Ok(())
    }

    fn read_en_passant(&mut self, field: &str) -> Result<(), String> {
        if field == "-" {
            return Ok(());
        }
        let square = Square::parse(field).ok_or_else(|| unreadable("en passant square", field))?;
        let them = !self.turn;
        let possible = square.relative_rank(them) == 2
            && self.pieces(them, Role::Pawn).contains(square.forward(them))
            && self.role_at(square).is_none()
            && self.role_at(square.forward(!them)).is_none();
        if possible {
            self.offer_en_passant(square);
        }
        Ok(())
    }

    /// The position as FEN; castling rights by rook file if `chess960`, or if another rook
    /// stands further out.
    pub fn fen(&self, chess960: bool) -> String {
        let mut placement = self.ranks().join("/");
        for gap in (1..=8).rev() {
            placement = placement.replace(&".".repeat(gap), &gap.to_string());
        }
        let turn = ['w', 'b'][self.turn.index()];
        let castling = self.castling_field(chess960);
        let passed = self.en_passant.map_or("-".into(), |at| at.to_string());
        let (halfmoves, fullmoves) = (self.halfmoves, self.fullmoves);
        format!("{placement} {turn} {castling} {passed} {halfmoves} {fullmoves}")
    }

    /// A diagram: the pieces' letters by rank, from the eighth down, with `.` for an empty
    /// square.
    pub fn ranks(&self) -> [String; 8] {
        let letter = |square| match self.piece_at(square) {
            Some((color, role)) => color.letter(role.letter()),
            None => '.',
        };
        [7, 6, 5, 4, 3, 2, 1, 0]
            .map(|rank| (0..8).map(|file| letter(Square::at(file, rank))).collect())
    }

    fn castling_field(&self, chess960: bool) -> String {
        let mut field = String::new();
        for color in Color::BOTH {
            let mut rooks = self.pieces(color, Role::Rook) & Bitboard::relative_rank(color, 0);
            let outermost = [('k', rooks.last()), ('q', rooks.next())];
            for (wing, (standard, outer)) in Wing::BOTH.into_iter().zip(outermost) {
                if let Some(rook) = self.castling_rook(color, wing) {
                    field.push(color.letter(if chess960 || outer != Some(rook) {
                        (b'a' + rook.file() as u8) as char
                    } else {
                        standard
                    }));
                }
            }
        }
        if field.is_empty() {
            "-".to_owned()
        } else {
            field
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip() {
        for fen in [
            START,
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 3 7",
            "8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1",
            "8/8/8/8/8/8/8/K1k5 b - - 99 120",
        ] {
            assert_eq!(Position::from_fen(fen).unwrap().fen(false), fen);
        }
        let fen = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";
        assert_eq!(Position::from_fen(fen).unwrap().fen(true), fen);
    }

    #[test]
    fn the_right_of_an_inner_rook_has_its_file() {
        for fen in [
            "1r1rk1rr/8/8/8/8/8/8/1R1RK1RR w GDgd - 0 1",
            "1r1rk1rr/8/8/8/8/8/8/1R1RK1RR w KDgq - 0 1",
            "1r1rk1rr/8/8/8/8/8/8/1R1RK1RR w GQkd - 0 1",
        ] {
            assert_eq!(Position::from_fen(fen).unwrap().fen(false), fen);
        }
    }

    #[test]
    fn short_fens_and_epd_operations_are_read() {
        let position = Position::from_fen("4k3/8/8/8/8/8/8/4K2R w K - bm O-O; id \"x\";").unwrap();
        assert_eq!(position.fen(false), "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
        assert!(Position::from_fen("4k3/8/8/8/8/8/8/4K2R b").is_ok());
    }

    #[test]
    fn rights_and_en_passant_squares_that_mean_nothing_are_dropped() {
        let rook_gone = "2r1k2r/2pn1pp1/1p3n1p/p3PP2/4q2B/P1P5/2Q1N1PP/R4RK1 w q - 0 1";
        let position = Position::from_fen(rook_gone).unwrap();
        assert_eq!(position.fen(false), rook_gone, "X-FEN: the rook on c8");
        let no_rook = Position::from_fen("4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1").unwrap();
        assert_eq!(no_rook.fen(false), "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
        let no_taker =
            Position::from_fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1");
        assert_eq!(no_taker.unwrap().en_passant, None);
    }

    #[test]
    fn impossible_positions_are_refused() {
        for fen in [
            "",
            "8/8/8/8/8/8/8/8 w - - 0 1",
            "3q4/8/3n1n2/2b1b3/2B1B3/3N1N2/8/3Q4 w - - 0 1",
            "kk6/8/8/8/8/8/8/K7 w - - 0 1",
            "k7/8/8/8/8/8/8/KR6 b - - x",
            "kR6/8/8/8/8/8/8/K7 w - - 0 1",
            "P1k5/8/8/8/8/8/8/K7 w - - 0 1",
            "k7/8/8/8/8/8/8/K8 w - - 0 1",
            "k7/8/8/8/8/8/K7 w - - 0 1",
            "k7/8/8/8/8/8/8/8/K7 w - - 0 1",
            "k7/9/8/8/8/8/8/K7 w - - 0 1",
            "k7/8/8/8/8/8/8/K7 x - - 0 1",
            "k7/8/8/8/8/8/8/K7 w z - 0 1",
            "k7/8/8/8/8/8/8/K7 w - e9 0 1",
            "k7/pppppppp/p7/8/8/8/8/K7 w - - 0 1",
            "é7/8/8/8/8/8/8/K7 w - - 0 1",
        ] {
            let readable = fen.ends_with('x');
            assert_eq!(Position::from_fen(fen).is_ok(), readable, "{fen}");
        }
    }
}
