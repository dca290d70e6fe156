-- The issuer whose claim brought a membership; NULL: a person gave it.
ALTER TABLE memberships ADD COLUMN origin TEXT;

-- When the newest token was made whose claims changed the memberships of this account, milliseconds since the epoch.
ALTER TABLE users ADD COLUMN claims_at INTEGER;
