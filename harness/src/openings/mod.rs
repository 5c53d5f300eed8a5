//! Reads opening books and puts them in order.
