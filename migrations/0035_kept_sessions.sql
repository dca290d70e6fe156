-- Whether the browser keeps the session after it is closed ("keep me signed in").
ALTER TABLE sessions ADD COLUMN is_kept INTEGER NOT NULL DEFAULT 0 CHECK (is_kept IN (0, 1));
