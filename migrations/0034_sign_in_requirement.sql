-- The members who must sign in with a passkey, or with a second factor after the password.
ALTER TABLE organizations ADD COLUMN sign_in_requirement TEXT NOT NULL DEFAULT 'none'
  CHECK (sign_in_requirement IN ('none', 'admins', 'members'));

-- Whether the session that made a token was opened with one of the two. Earlier tokens do not say, so they have not proven it.
ALTER TABLE access_tokens ADD COLUMN is_proven INTEGER NOT NULL DEFAULT 0 CHECK (is_proven IN (0, 1));
