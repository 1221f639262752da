//! Hashes that are equal on every machine.

/// An FNV-1a hash (Fowler, Noll, Vo; 64 bits) over 64-bit values in place of bytes: finds differences between
/// states, and is no protection against forgery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fnv1a(u64);

impl Fnv1a {
    /// Starts a hash.
    pub const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Continues the hash that had this `value`.
    pub const fn continued(value: u64) -> Self {
        Self(value)
    }

    /// Adds a value to the hash.
    pub const fn eat(&mut self, bits: u64) {
        self.0 = (self.0 ^ bits).wrapping_mul(0x0000_0100_0000_01b3);
    }

    /// Returns the hash of the values so far.
    pub const fn value(self) -> u64 {
        self.0
    }
}

impl Default for Fnv1a {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::Fnv1a;

    fn hash(bytes: &[u8]) -> u64 {
        let mut hash = Fnv1a::new();
        bytes.iter().for_each(|&byte| hash.eat(u64::from(byte)));
        hash.value()
    }

    /// Test vectors of draft-eastlake-fnv.
    #[test]
    fn of_bytes_is_that_of_its_authors() {
        assert_eq!(hash(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn goes_on_from_its_value() {
        let mut rest = Fnv1a::continued(hash(b"foo"));
        b"bar".iter().for_each(|&byte| rest.eat(u64::from(byte)));
        assert_eq!(rest.value(), hash(b"foobar"));
    }
}
