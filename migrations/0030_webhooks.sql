-- Events that are announced only where somebody wants them, because they are frequent.
CREATE TABLE wanted_events (
  tenant_id TEXT NOT NULL REFERENCES residents (workspace_id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  PRIMARY KEY (tenant_id, type)
) STRICT, WITHOUT ROWID;

-- Addresses to which an organization has its events sent.
CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES residents (workspace_id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  -- JSON list of types.
  types TEXT NOT NULL,
  -- The person whose access decides what is sent.
  subscriber_id TEXT NOT NULL,
  -- The secrets, encrypted. The former one signs until its end.
  secret TEXT NOT NULL,
  former_secret TEXT,
  former_until INTEGER,
  is_enabled INTEGER NOT NULL,
  disabled_reason TEXT,
  disabled_at INTEGER,
  -- Failed tries since the last success, the time of the first of them, and the time until which nothing is sent.
  failures INTEGER NOT NULL DEFAULT 0,
  failing_since INTEGER,
  paused_until INTEGER NOT NULL DEFAULT 0,
  last_success_at INTEGER,
  -- When the next delivery is due that no job sends already; null without one.
  next_at INTEGER,
  revision INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX webhooks_of_organization ON webhooks (organization_id, id);
CREATE INDEX webhooks_due ON webhooks (next_at) WHERE next_at IS NOT NULL;

-- Events for a webhook. The id is the id of the event, so that an event is delivered once to each webhook.
CREATE TABLE webhook_deliveries (
  webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  organization_id TEXT NOT NULL,
  type TEXT NOT NULL,
  -- JSON of the event; null for a test.
  event TEXT,
  -- The request as it was first sent, so that each try sends the same.
  body TEXT,
  status TEXT NOT NULL CHECK (status IN ('pending', 'succeeded', 'failed', 'withheld')),
  -- Failed tries since the beginning or the last repeat.
  tries INTEGER NOT NULL DEFAULT 0,
  -- When the next try is due. While a worker sends it (claimed_by): when it counts as lost.
  next_at INTEGER NOT NULL,
  claimed_by TEXT,
  -- JSON list of the last tries, and the last answer.
  attempts TEXT NOT NULL DEFAULT '[]',
  answer TEXT,
  created_at INTEGER NOT NULL,
  finished_at INTEGER,
  PRIMARY KEY (webhook_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_at) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_claimed ON webhook_deliveries (webhook_id, next_at) WHERE claimed_by IS NOT NULL;
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at);
