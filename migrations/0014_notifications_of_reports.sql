-- The events of a report end with it, as those of a document end with theirs: their texts have its title.
CREATE INDEX notification_events_of_report ON notification_events (origin_id) WHERE origin_type = 'report';
CREATE TRIGGER notification_events_without_report AFTER DELETE ON reports BEGIN
  DELETE FROM notification_events WHERE origin_type = 'report' AND origin_id = OLD.id;
END;
DELETE FROM notification_events WHERE origin_type = 'report' AND origin_id NOT IN (SELECT id FROM reports);
