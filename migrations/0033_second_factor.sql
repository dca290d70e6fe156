-- Since when a sign-in with the password asks for a passkey or a recovery code, too. Null: it does not ask.
ALTER TABLE users ADD COLUMN second_factor_at INTEGER;

-- Codes that take the place of a passkey after the password, as hashes. A code is deleted when it is used.
CREATE TABLE recovery_codes (
  code_hash TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX recovery_codes_of_user ON recovery_codes (user_id);

-- What a session was opened with besides its method. Null: nothing.
ALTER TABLE sessions ADD COLUMN second_factor TEXT;
