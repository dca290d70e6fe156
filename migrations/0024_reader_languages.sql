-- The language that a person has chosen for the service. Null: none, so the language of their browser counts.
ALTER TABLE users ADD COLUMN language TEXT;

-- The title and the body in each language of the service, as JSON. Null: an event from before has the texts of its row alone.
ALTER TABLE notification_events ADD COLUMN texts TEXT;

-- The language of the pages of an export: of the person who asked for it. Null: an export from before.
ALTER TABLE workspace_exports ADD COLUMN language TEXT;
