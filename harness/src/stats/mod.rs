//! Pure statistics of engine matches: no I/O, no clock.
