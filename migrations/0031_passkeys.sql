-- Passkeys (WebAuthn) that sign a person in.
CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  -- The id that the authenticator gave it, and its public key in COSE form; both base64url.
  credential_id TEXT NOT NULL,
  public_key TEXT NOT NULL,
  -- Signatures that the authenticator has counted; 0 if it does not count.
  counter INTEGER NOT NULL,
  -- JSON list: how browsers reach the authenticator.
  transports TEXT NOT NULL,
  is_backed_up INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX passkeys_by_credential ON passkeys (credential_id);
CREATE INDEX passkeys_of_user ON passkeys (user_id, id);

-- Challenges that an authenticator has to sign, as hashes. Each is used once, for one purpose and by one person.
CREATE TABLE passkey_challenges (
  challenge_hash TEXT PRIMARY KEY,
  purpose TEXT NOT NULL,
  -- Null for a sign-in, which names no person yet.
  user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX passkey_challenges_by_end ON passkey_challenges (expires_at);
CREATE INDEX passkey_challenges_of_user ON passkey_challenges (user_id) WHERE user_id IS NOT NULL;

-- How the session was opened.
ALTER TABLE sessions ADD COLUMN method TEXT NOT NULL DEFAULT 'password';
