-- The inboxes of users. A notification stores the ids of its subject. Every read checks whether the user may still see it.
CREATE TABLE notifications (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- Grows by one with each notification of a user, so that a client can request missed ones.
  seq INTEGER NOT NULL,
  -- The id of its event: a repeated delivery adds no second row.
  event_id TEXT NOT NULL,
  type TEXT NOT NULL,
  severity TEXT NOT NULL CHECK (severity IN ('info', 'warning', 'error')),
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  -- Null for a notification about the whole personal workspace.
  origin_type TEXT,
  origin_id TEXT,
  origin_data TEXT NOT NULL DEFAULT '{}',
  organization_id TEXT,
  cluster_id TEXT,
  location_id TEXT,
  document_id TEXT,
  created_at INTEGER NOT NULL,
  read_at INTEGER,
  UNIQUE (user_id, event_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX notifications_of_user ON notifications (user_id, seq);
CREATE INDEX notifications_unread ON notifications (user_id, seq) WHERE read_at IS NULL;
CREATE INDEX notifications_read ON notifications (read_at) WHERE read_at IS NOT NULL;

CREATE TABLE notification_sequences (
  user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  last_seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE notification_preferences (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  in_app INTEGER NOT NULL CHECK (in_app IN (0, 1)),
  PRIMARY KEY (user_id, type)
) STRICT, WITHOUT ROWID;

-- Notifications about a resource are deleted with it.
CREATE INDEX notifications_of_organization ON notifications (organization_id) WHERE organization_id IS NOT NULL;
CREATE INDEX notifications_of_cluster ON notifications (cluster_id) WHERE cluster_id IS NOT NULL;
CREATE INDEX notifications_of_location ON notifications (location_id) WHERE location_id IS NOT NULL;
CREATE INDEX notifications_of_document ON notifications (document_id) WHERE document_id IS NOT NULL;
CREATE TRIGGER notifications_without_organization AFTER DELETE ON organizations BEGIN
  DELETE FROM notifications WHERE organization_id = OLD.id;
END;
CREATE TRIGGER notifications_without_cluster AFTER DELETE ON clusters BEGIN
  DELETE FROM notifications WHERE cluster_id = OLD.id;
END;
CREATE TRIGGER notifications_without_location AFTER DELETE ON locations BEGIN
  DELETE FROM notifications WHERE location_id = OLD.id;
END;
CREATE TRIGGER notifications_without_document AFTER DELETE ON documents BEGIN
  DELETE FROM notifications WHERE document_id = OLD.id;
END;
