-- When the room of the report was first opened. The room exists from then on.
ALTER TABLE reports ADD COLUMN room_opened_at INTEGER;

-- The users in the room of a report, so that a loss of access finds them. Rows that remain after a crash expire.
CREATE TABLE report_room_members (
  report_id TEXT NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  location_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (report_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX report_room_members_of_user ON report_room_members (user_id);
CREATE INDEX report_room_members_of_location ON report_room_members (location_id);

-- The delta from each revision of a draft back to the one before, so that a write with an older base can be merged.
CREATE TABLE report_changes (
  report_id TEXT NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
  revision INTEGER NOT NULL,
  delta TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (report_id, revision)
) STRICT, WITHOUT ROWID;
CREATE INDEX report_changes_by_age ON report_changes (report_id, created_at);
