-- The size of each database by day, for its growth, and the levels of which administrators were told. Of the directory.
CREATE TABLE database_sizes (
  database TEXT NOT NULL,
  -- Days since the epoch.
  day INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  -- The level of which administrators were told on this day, percent of the largest size; 0 without one.
  told INTEGER NOT NULL,
  PRIMARY KEY (day, database)
) STRICT, WITHOUT ROWID;
-- Whom the service tells.
CREATE INDEX users_admins ON users (id) WHERE is_admin = 1;
CREATE INDEX database_sizes_told ON database_sizes (database, told) WHERE told > 0;
