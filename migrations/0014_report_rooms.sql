-- When people first edited a report together: it has a room from then on.
ALTER TABLE reports ADD COLUMN room_opened_at INTEGER;

-- Who is in the room of a report, so that a loss of access finds them; rows of those who left by a crash run out.
CREATE TABLE report_room_members (
  report_id TEXT NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  location_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (report_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX report_room_members_of_user ON report_room_members (user_id);
CREATE INDEX report_room_members_of_location ON report_room_members (location_id);

-- What leads from each revision of a draft back to the one before, so that a write made from an older one can be merged.
CREATE TABLE report_changes (
  report_id TEXT NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
  revision INTEGER NOT NULL,
  delta TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (report_id, revision)
) STRICT, WITHOUT ROWID;
CREATE INDEX report_changes_by_age ON report_changes (report_id, created_at);
