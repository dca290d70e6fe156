-- Events that people are notified of, each stored once for all of its recipients. An event stores the ids of its
-- subject. Every read checks whether the user may still see it.
CREATE TABLE notification_events (
  -- The clock at its first page. The clock never goes back, so that no other event gets the number.
  no INTEGER PRIMARY KEY,
  -- The id of its job: a repeated delivery finds the event.
  event_id TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  severity TEXT NOT NULL CHECK (severity IN ('info', 'warning', 'error')),
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  -- Null for an event about the whole personal workspace.
  origin_type TEXT,
  origin_id TEXT,
  origin_data TEXT NOT NULL DEFAULT '{}',
  organization_id TEXT,
  cluster_id TEXT,
  location_id TEXT,
  document_id TEXT,
  created_at INTEGER NOT NULL,
  -- The last page of recipients that was written: the user ids before it and at its end (null: it was the last one), and
  -- the `seq` of its notifications.
  page_after TEXT NOT NULL,
  page_next TEXT,
  page_seq INTEGER NOT NULL,
  -- Number of notifications. The event is deleted with the last of them.
  recipients INTEGER NOT NULL
) STRICT;

-- The inboxes of users. They stay thin: one event can have thousands of recipients.
CREATE TABLE notifications (
  user_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  -- The clock at its page: it grows with each notification of a user, so that a client can request missed ones.
  seq INTEGER NOT NULL,
  -- An event that was deleted with its subject leaves its notifications. No read shows them, and the clean-up deletes them.
  event_no INTEGER NOT NULL,
  read_at INTEGER,
  PRIMARY KEY (user_id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX notifications_unread ON notifications (user_id, seq) WHERE read_at IS NULL;
CREATE TRIGGER notifications_deleted AFTER DELETE ON notifications BEGIN
  UPDATE notification_events SET recipients = recipients - 1 WHERE no = OLD.event_no;
  DELETE FROM notification_events WHERE no = OLD.event_no AND recipients = 0;
END;

-- One row: the last number that a page of notifications got. Milliseconds since the epoch, or more in a busy millisecond.
CREATE TABLE notification_clock (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  seq INTEGER NOT NULL
) STRICT;
INSERT INTO notification_clock (one, seq) VALUES (1, 0);

CREATE TABLE notification_preferences (
  user_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  in_app INTEGER NOT NULL CHECK (in_app IN (0, 1)),
  PRIMARY KEY (user_id, type)
) STRICT, WITHOUT ROWID;

-- Events about a resource are deleted with it.
CREATE INDEX notification_events_of_organization ON notification_events (organization_id) WHERE organization_id IS NOT NULL;
CREATE INDEX notification_events_of_cluster ON notification_events (cluster_id) WHERE cluster_id IS NOT NULL;
CREATE INDEX notification_events_of_location ON notification_events (location_id) WHERE location_id IS NOT NULL;
CREATE INDEX notification_events_of_document ON notification_events (document_id) WHERE document_id IS NOT NULL;
CREATE TRIGGER notification_events_without_organization AFTER DELETE ON organizations BEGIN
  DELETE FROM notification_events WHERE organization_id = OLD.id;
END;
CREATE TRIGGER notification_events_without_cluster AFTER DELETE ON clusters BEGIN
  DELETE FROM notification_events WHERE cluster_id = OLD.id;
END;
CREATE TRIGGER notification_events_without_location AFTER DELETE ON locations BEGIN
  DELETE FROM notification_events WHERE location_id = OLD.id;
END;
CREATE TRIGGER notification_events_without_document AFTER DELETE ON documents BEGIN
  DELETE FROM notification_events WHERE document_id = OLD.id;
END;
