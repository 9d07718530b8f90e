//! The secret that every request must know. It is in the address that `lotse open` prints, after `#`, so that browsers send
//! it to no server and no other page sees it.

use std::fmt;

/// 128 random bits.
#[derive(Clone)]
pub struct Token {
    digits: String,
}

impl Token {
    /// A new random token.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        Ok(Self { digits: bytes.iter().map(|byte| format!("{byte:02x}")).collect() })
    }

    /// The token as hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.digits
    }

    /// Whether a text is the token. The time that this takes does not depend on how many characters are right.
    pub fn matches(&self, text: &[u8]) -> bool {
        let own = self.digits.as_bytes();
        let mut difference = u8::from(own.len() != text.len());
        for (at, byte) in own.iter().enumerate() {
            difference |= byte ^ text.get(at).copied().unwrap_or(0);
        }
        std::hint::black_box(difference) == 0
    }
}

/// Does not show the secret.
impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::Token;

    #[test]
    fn only_the_whole_token_matches() {
        let token = Token::random().unwrap();
        let text = token.as_str().to_owned();
        assert_eq!(text.len(), 32);
        assert!(token.matches(text.as_bytes()));
        for wrong in [&text[..31], &format!("{text}0"), "", &"0".repeat(32)] {
            assert!(!token.matches(wrong.as_bytes()), "{wrong}");
        }
        assert_ne!(Token::random().unwrap().as_str(), text);
        assert!(!format!("{token:?}").contains(&text));
    }
}
