/** What happened to connection, engine and machine. Bounded by who writes it; `id` grows with each time one happens. */
export const events = /* sql */ `
CREATE TABLE event (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  kind       TEXT NOT NULL,
  detail     TEXT NOT NULL,
  at_ms      REAL NOT NULL,               -- the first time
  last_at_ms REAL NOT NULL,
  times      INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX event_by_kind ON event (kind, detail);
`;
