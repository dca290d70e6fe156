-- The person has put the notification out of the inbox. It is read then, so that the clean-up deletes it after the retention.
ALTER TABLE notifications ADD COLUMN archived_at INTEGER;
CREATE INDEX notifications_archived ON notifications (user_id, seq) WHERE archived_at IS NOT NULL;
