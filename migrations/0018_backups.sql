-- Until when changes of the workspace are refused, milliseconds since the epoch by the clock of the database: its rows are
-- being read as of one moment. Nobody needs to reset it.
ALTER TABLE residents ADD COLUMN closed_until INTEGER;
-- Counts the changes of a section, so that a change is seen without its long text.
ALTER TABLE text_sections ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
