//! Stillwater, a UCI chess engine whose every search constant is an option.
