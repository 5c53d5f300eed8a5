//! A position: the placement of the pieces and the rest of the state that the rules need.

use super::{Bitboard, Color, Move, MoveKind, Role, Square, attacks, zobrist};
use crate::eval::placement::Placement;

/// The wing a king castles to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wing {
    King,
    Queen,
}

impl Wing {
    pub const BOTH: [Wing; 2] = [Wing::King, Wing::Queen];
}

/// Index of a castling right and its rook in `castling_rooks`.
const fn castling_slot(color: Color, wing: Wing) -> usize {
    color as usize * 2 + wing as usize
}

/// A chess position. Only FEN parsing and moves change it. A move is made on a copy, so
/// nothing is ever unmade.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    roles: [Bitboard; 6],
    colors: [Bitboard; 2],
    board: [Option<Role>; 64],
    pub turn: Color,
    /// The rooks of the castling rights by slot; `None` if a right is lost. In Chess960
    /// they may stand on any file.
    castling_rooks: [Option<Square>; 4],
    /// The en passant square, only if a capture there is legal, so that equal positions have
    /// equal keys.
    pub en_passant: Option<Square>,
    /// Plies since the last capture or pawn move.
    pub halfmoves: u16,
    /// Plies since the last irreversible move or null move: a repetition cannot lie further
    /// back.
    pub reversible: u16,
    pub fullmoves: u16,
    pub key: u64,
    /// Keys of the pawns, of White's pieces and of Black's.
    pub part_keys: [u64; 3],
    /// Material and piece-square values.
    pub placement: Placement,
    /// Game phase: 24 with all pieces, 0 with pawns only; promotions may raise it above 24.
    pub phase: i32,
    /// The pieces that give check.
    pub checkers: Bitboard,
    /// By the colour of a king, the pieces that alone stand between it and an enemy slider:
    /// own pieces are pinned, enemy pieces can discover a check.
    pub blockers: [Bitboard; 2],
}

impl Position {
    pub(crate) fn empty() -> Position {
        Position {
            roles: [Bitboard::EMPTY; 6],
            colors: [Bitboard::EMPTY; 2],
            board: [None; 64],
            turn: Color::White,
            castling_rooks: [None; 4],
            en_passant: None,
            halfmoves: 0,
            reversible: 0,
            fullmoves: 1,
            key: 0,
            part_keys: [0; 3],
            placement: Placement::default(),
            phase: 0,
            checkers: Bitboard::EMPTY,
            blockers: [Bitboard::EMPTY; 2],
        }
    }

    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    pub fn color(&self, color: Color) -> Bitboard {
        self.colors[color.index()]
    }

    pub fn role(&self, role: Role) -> Bitboard {
        self.roles[role.index()]
    }

    pub fn pieces(&self, color: Color, role: Role) -> Bitboard {
        self.color(color) & self.role(role)
    }

    pub fn king(&self, color: Color) -> Square {
        self.pieces(color, Role::King).first()
    }

    pub fn role_at(&self, square: Square) -> Option<Role> {
        self.board[square.index()]
    }

    pub fn piece_at(&self, square: Square) -> Option<(Color, Role)> {
        let black = self.color(Color::Black).contains(square);
        let color = Color::BOTH[usize::from(black)];
        self.role_at(square).map(|role| (color, role))
    }

    /// Key of the placement of pieces, without the rest of the state.
    pub fn pieces_key(&self) -> u64 {
        let [pawns, white, black] = self.part_keys;
        pawns ^ white ^ black
    }

    pub fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// The pieces of `color` other than king and pawns.
    pub fn non_pawn_material(&self, color: Color) -> Bitboard {
        self.color(color) & !self.role(Role::Pawn) & !self.role(Role::King)
    }

    pub fn castling_rook(&self, color: Color, wing: Wing) -> Option<Square> {
        self.castling_rooks[castling_slot(color, wing)]
    }

    /// The piece that `mv` captures.
    pub fn captured(&self, mv: Move) -> Option<Role> {
        if mv.is_normal() {
            return self.role_at(mv.to());
        }
        match mv.kind() {
            MoveKind::Castle => None,
            MoveKind::EnPassant => Some(Role::Pawn),
            _ => self.role_at(mv.to()),
        }
    }

    /// Whether `mv` captures or promotes to a queen.
    pub fn is_noisy(&self, mv: Move) -> bool {
        self.captured(mv).is_some() || mv.promotes_to_queen()
    }

    /// All pieces of both colours that attack `square`.
    pub fn attackers(&self, square: Square, occupied: Bitboard) -> Bitboard {
        attacks::pawn(Color::Black, square) & self.pieces(Color::White, Role::Pawn)
            | attacks::pawn(Color::White, square) & self.pieces(Color::Black, Role::Pawn)
            | attacks::knight(square) & self.role(Role::Knight)
            | attacks::king(square) & self.role(Role::King)
            | attacks::bishop(square, occupied) & self.diagonal_sliders()
            | attacks::rook(square, occupied) & self.straight_sliders()
    }

    /// Bishops and queens of both colours.
    pub fn diagonal_sliders(&self) -> Bitboard {
        self.role(Role::Bishop) | self.role(Role::Queen)
    }

    /// Rooks and queens of both colours.
    pub fn straight_sliders(&self) -> Bitboard {
        self.role(Role::Rook) | self.role(Role::Queen)
    }

    /// On the lines of the king of `color`: enemy sliders that give check, and pieces of both
    /// colours that alone block one.
    fn lines_to_king(&self, color: Color) -> [Bitboard; 2] {
        let (king, occupied) = (self.king(color), self.occupied());
        let snipers = self.color(!color)
            & (attacks::diagonals(king) & self.diagonal_sliders()
                | attacks::file_and_rank(king) & self.straight_sliders());
        let (mut checkers, mut blockers) = (Bitboard::EMPTY, Bitboard::EMPTY);
        for sniper in snipers {
            let screen = attacks::between(king, sniper) & occupied;
            if screen.is_empty() {
                checkers |= Bitboard::of(sniper);
            } else if !screen.more_than_one() {
                blockers |= screen;
            }
        }
        [checkers, blockers]
    }

    pub(super) fn put(&mut self, color: Color, role: Role, square: Square) {
        self.toggle(color, role, square);
        self.board[square.index()] = Some(role);
        self.placement.add(color, role, square);
        self.phase += PHASE[role.index()];
    }

    fn take(&mut self, color: Color, role: Role, square: Square) {
        self.toggle(color, role, square);
        self.board[square.index()] = None;
        self.placement.remove(color, role, square);
        self.phase -= PHASE[role.index()];
    }

    fn toggle(&mut self, color: Color, role: Role, square: Square) {
        let bit = Bitboard::of(square);
        self.roles[role.index()] ^= bit;
        self.colors[color.index()] ^= bit;
        let key = zobrist::piece(color, role, square);
        self.key ^= key;
        let part = usize::from(role != Role::Pawn) * (1 + color.index());
        self.part_keys[part] ^= key;
    }

    /// Allows `color` to castle with `rook`.
    pub(super) fn allow_castling(&mut self, color: Color, wing: Wing, rook: Square) {
        let slot = castling_slot(color, wing);
        if self.castling_rooks[slot].replace(rook).is_none() {
            self.key ^= zobrist::castling(slot);
        }
    }

    pub(super) fn pass_turn(&mut self) {
        self.turn = !self.turn;
        self.key ^= zobrist::black_to_move();
    }

    fn clear_en_passant(&mut self) {
        if let Some(square) = self.en_passant.take() {
            self.key ^= zobrist::en_passant(square);
        }
    }

    /// Sets `square` as the en passant square if the side to move can legally capture there.
    pub(super) fn offer_en_passant(&mut self, square: Square) {
        let takers = attacks::pawn(!self.turn, square) & self.pieces(self.turn, Role::Pawn);
        for taker in takers {
            if self.is_legal(Move::en_passant(taker, square)) {
                self.en_passant = Some(square);
                self.key ^= zobrist::en_passant(square);
                return;
            }
        }
    }

    /// Computes the checkers of the side to move and the blockers of both kings.
    pub(super) fn refresh(&mut self) {
        let (king, enemies) = (self.king(self.turn), self.color(!self.turn));
        let lines = Color::BOTH.map(|color| self.lines_to_king(color));
        let leapers = attacks::pawn(self.turn, king) & self.role(Role::Pawn)
            | attacks::knight(king) & self.role(Role::Knight);
        self.checkers = lines[self.turn.index()][0] | leapers & enemies;
        self.blockers = lines.map(|[_, blockers]| blockers);
    }

    /// The key after a move, exact for normal moves that keep all castling rights: good
    /// enough for a prefetch.
    pub fn likely_key_after(&self, mv: Move) -> u64 {
        let (us, from, to) = (self.turn, mv.from(), mv.to());
        let role = self.board[from.index()].unwrap_or(Role::Pawn);
        let moved = zobrist::piece(us, role, from) ^ zobrist::piece(us, role, to);
        let key = |captured| zobrist::piece(!us, captured, to);
        let captured = self.board[to.index()].map_or(0, key);
        self.key ^ zobrist::black_to_move() ^ moved ^ captured
    }

    /// The position after a legal move.
    pub fn play(&self, mv: Move) -> Position {
        let mut next = self.clone();
        let (us, from, to) = (self.turn, mv.from(), mv.to());
        let role = self.board[from.index()].unwrap_or(Role::Pawn);
        next.clear_en_passant();
        next.halfmoves = next.halfmoves.saturating_add(1);
        next.reversible = next.reversible.saturating_add(1);
        next.fullmoves = next.fullmoves.saturating_add(us as u16);

        let mut passed = None;
        if let MoveKind::Castle = mv.kind() {
            let [king_to, rook_to] = castled(from, to);
            next.take(us, Role::King, from);
            next.take(us, Role::Rook, to);
            next.put(us, Role::King, king_to);
            next.put(us, Role::Rook, rook_to);
        } else {
            if let Some(captured) = self.captured(mv) {
                let square = match mv.kind() {
                    MoveKind::EnPassant => to.forward(!us),
                    _ => to,
                };
                next.take(!us, captured, square);
                (next.halfmoves, next.reversible) = (0, 0);
            }
            next.take(us, role, from);
            match mv.kind() {
                MoveKind::Promotion(promoted) => next.put(us, promoted, to),
                _ => next.put(us, role, to),
            }
            if role == Role::Pawn {
                (next.halfmoves, next.reversible) = (0, 0);
                if from.index().abs_diff(to.index()) == 16 {
                    passed = Some(from.forward(us));
                }
            }
        }
        next.lose_rights(us, role, from, to);
        next.pass_turn();
        if let Some(square) = passed {
            next.offer_en_passant(square);
        }
        next.refresh();
        next
    }

    /// The castling rights that are lost because the king or a rook moves, or a rook is
    /// captured.
    fn lose_rights(&mut self, us: Color, role: Role, from: Square, to: Square) {
        if self.castling_rooks == [None; 4] {
            return;
        }
        for (slot, right) in self.castling_rooks.iter_mut().enumerate() {
            let king_moves = role == Role::King && slot / 2 == us.index();
            if right.is_some_and(|rook| king_moves || rook == from || rook == to) {
                *right = None;
                self.key ^= zobrist::castling(slot);
                self.reversible = 0;
            }
        }
    }

    /// The position after a null move, which must not be made in check. The blockers of both
    /// kings stay the same, and the new side to move is not in check.
    pub fn play_null(&self) -> Position {
        let mut next = self.clone();
        next.clear_en_passant();
        next.halfmoves = next.halfmoves.saturating_add(1);
        next.reversible = 0;
        next.pass_turn();
        next
    }

    /// Whether neither side can ever mate: bare kings, one minor piece, or only bishops on
    /// squares of one colour.
    pub fn insufficient_material(&self) -> bool {
        let heavy = self.role(Role::Pawn) | self.role(Role::Rook) | self.role(Role::Queen);
        let (knights, bishops) = (self.role(Role::Knight), self.role(Role::Bishop));
        let dark = bishops & Bitboard::DARK;
        let like = knights.is_empty() && (dark.is_empty() || dark == bishops);
        heavy.is_empty() && (like || (knights | bishops).count() <= 1)
    }
}

/// Weight of a role in [`Position::phase`].
const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];

/// Destinations of king and rook when the king on `king` castles with the rook on `rook`.
pub fn castled(king: Square, rook: Square) -> [Square; 2] {
    let rank = king.rank();
    if rook.file() > king.file() {
        [Square::at(6, rank), Square::at(5, rank)]
    } else {
        [Square::at(2, rank), Square::at(3, rank)]
    }
}
