-- Every program parses the schema when it opens the store, and a hook pays for every word of it, each time. CHECKs stand
-- on states, outcomes and verdicts alone. No column may be NULL, but NOT NULL stands only where it makes a key whole: what
-- is written names every column, and every test that uses a store looks for NULLs in it afterwards.
-- Times are UTC milliseconds. Order is by sequence, never by time. Every table is STRICT.

CREATE TABLE projects (
  id          INTEGER PRIMARY KEY,
  uuid        TEXT    NOT NULL UNIQUE,
  prefix      TEXT    NOT NULL UNIQUE,
  name        TEXT,
  root        TEXT,     -- work tree (or plain directory) that init ran in
  next_number INTEGER,  -- the number of the next Issue; never goes back
  created_at  INTEGER
) STRICT;

-- The identities of a project: resolved git common directories, or plain directories.
CREATE TABLE project_paths (
  path       TEXT    PRIMARY KEY,
  project_id INTEGER REFERENCES projects(id)
) STRICT, WITHOUT ROWID;

-- host '' and project_id 0 mean "all".
CREATE TABLE config (
  project_id INTEGER,
  host       TEXT,
  key        TEXT,
  value      TEXT,
  PRIMARY KEY (project_id, host, key)
) STRICT, WITHOUT ROWID;

-- What goes on from prompt to prompt: the root of a conversation (agent_key ''), or one subagent.
CREATE TABLE lines (
  id          INTEGER PRIMARY KEY,
  host        TEXT    NOT NULL,
  session_key TEXT    NOT NULL,
  agent_key   TEXT    NOT NULL,
  prompts     INTEGER,  -- prompts of origin user so far (root lines)
  last_run    INTEGER,  -- the run that was registered last
  facts       TEXT,     -- JSON object: what only the machine reads, see runs.Line
  UNIQUE (host, session_key, agent_key)
) STRICT;

-- One stretch of a conversation.
CREATE TABLE sessions (
  line_id   INTEGER,
  n         INTEGER,
  state     TEXT    NOT NULL CHECK (state IN ('active', 'ended', 'summarized')),
  opened_at INTEGER,
  ended_at  INTEGER,
  end_basis TEXT,
  reason    TEXT,
  digest    TEXT,
  PRIMARY KEY (line_id, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_open ON sessions(state) WHERE state <> 'summarized';

CREATE TABLE runs (
  id           INTEGER PRIMARY KEY,  -- order of registration
  handle       TEXT,                 -- run_<32 hex>: names the id, unguessable; shown only to its own run
  line_id      INTEGER NOT NULL,
  stretch      INTEGER,              -- sessions.n of the root line
  turn_key     TEXT    NOT NULL,
  project_id   INTEGER,              -- home project, 0 for none
  kind         TEXT,
  origin       TEXT,
  state        TEXT    NOT NULL CHECK (state IN ('running', 'probing', 'waiting', 'ended')),
  outcome      TEXT    NOT NULL CHECK (outcome IN ('', 'completed', 'failed', 'interrupted', 'abandoned', 'lost', 'unknown')),
  end_basis    TEXT,
  reason       TEXT,
  revision     INTEGER,
  version      INTEGER,
  issue_id     INTEGER,
  parent_id    INTEGER,
  host_process TEXT,                 -- the id the host gives, '' unknown
  direct       INTEGER,              -- registered by direct delivery
  n_events     INTEGER,
  facts        TEXT,                 -- JSON object: what only the machine reads, see runs.Run
  started_at   INTEGER,
  last_seen_at INTEGER,
  lease_until  INTEGER,
  deadline     INTEGER,              -- end of the quiet time after a recorded Stop, 0 for none
  ended_at     INTEGER,
  person       TEXT,
  machine      TEXT,
  UNIQUE (line_id, turn_key)
) STRICT;
CREATE INDEX runs_live ON runs(line_id) WHERE state <> 'ended';

-- Append-only: what hosts reported, and what that did to a run. With the history it is all that ever happened to one.
CREATE TABLE events (
  line_id     INTEGER,
  id          BLOB,     -- 16 bytes
  run_id      INTEGER,  -- 0: belongs to no run
  n           INTEGER,  -- order of receipt among those of the run; without a run, of the line
  kind        INTEGER,
  disposition INTEGER,
  reason      INTEGER,
  from_state  TEXT,     -- the change of the run's state, '' for none
  to_state    TEXT,
  received_at INTEGER,
  content     BLOB,     -- of events with a given id: what it must say when it comes again
  body        TEXT,     -- an unattributed event, normalised, until it is adopted
  PRIMARY KEY (line_id, id)
) STRICT, WITHOUT ROWID;

-- Background tasks that a Stop listed, by the first run that listed them.
CREATE TABLE background_tasks (
  line_id INTEGER,
  task_id TEXT,
  run_id  INTEGER,
  PRIMARY KEY (line_id, task_id)
) STRICT, WITHOUT ROWID;

-- Calls of board's own tools that a hook announced: the proof of an MCP caller.
CREATE TABLE tool_calls (
  host    TEXT,
  call_id TEXT,
  run_id  INTEGER,
  at      INTEGER,
  PRIMARY KEY (host, call_id)
) STRICT, WITHOUT ROWID;

-- The projects that a run is at work in, with what could be proven of it there when that was decided.
CREATE TABLE scopes (
  run_id      INTEGER,
  project_id  INTEGER,
  capability  TEXT    NOT NULL CHECK (capability IN ('supported', 'unsupported', 'indeterminate')),
  missing     TEXT,     -- the boundary
  rule        TEXT,
  scaffold    INTEGER,  -- 1 proven, 0 never tried, -1 known to be missing
  correlation INTEGER,
  evidence    INTEGER,
  PRIMARY KEY (run_id, project_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE evidence (
  run_id     INTEGER,
  project_id INTEGER,
  path       TEXT,  -- relative to the project's work tree
  n          INTEGER,
  first_at   INTEGER,
  last_at    INTEGER,
  PRIMARY KEY (run_id, project_id, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE issues (
  id                INTEGER PRIMARY KEY,
  uuid              TEXT    NOT NULL UNIQUE,
  project_id        INTEGER NOT NULL REFERENCES projects(id),
  number            INTEGER NOT NULL,
  title             TEXT,
  state             TEXT    NOT NULL CHECK (state IN ('todo', 'in_progress', 'paused', 'in_review', 'done', 'canceled')),
  priority          INTEGER,
  rank              INTEGER,
  type              TEXT,
  due               TEXT,              -- YYYY-MM-DD or ''
  labels            TEXT,              -- JSON list of strings
  links             TEXT,              -- JSON list of strings
  hold              INTEGER,
  archived          INTEGER,
  changes_requested INTEGER,           -- sent back by a person, not begun since
  parent_id         INTEGER,
  open_blockers     INTEGER,
  revision          INTEGER,           -- rises with every change but comments
  version           INTEGER,           -- rises with every write
  fence             INTEGER,
  holder_line       INTEGER NOT NULL,  -- the claim: 0 for none
  holder_run        INTEGER,           -- the run that made the claim
  claimed_at        INTEGER,
  last_line         INTEGER,
  last_move         TEXT,              -- the last state change, and the line that made it (0: a person)
  last_move_line    INTEGER,
  pause_reason      TEXT,
  paused_by_person  INTEGER,
  last_reason       TEXT,              -- the sentence of the last pause, release or request for changes
  closure_summary   TEXT,
  closure_run       INTEGER,
  closure_revision  INTEGER,           -- the pair that an approval rests on
  closure_evidence  INTEGER,
  evidence_final    INTEGER,           -- evidence when the session that asked went on to another Issue; -1: it has not
  shown_to          TEXT,              -- JSON object: what each person was shown, see issues.ground
  requested_at      INTEGER,
  created_by_run    INTEGER,
  created_as        TEXT,              -- hash of what that run asked for: a repeat is known by it
  next_criterion    INTEGER,           -- the number of the next criterion; never goes back
  person            TEXT,
  machine           TEXT,
  created_at        INTEGER,
  updated_at        INTEGER,
  UNIQUE (project_id, number)
) STRICT;
CREATE UNIQUE INDEX issues_holder ON issues(holder_line) WHERE holder_line <> 0;
CREATE INDEX issues_ready ON issues(project_id, changes_requested DESC, priority, id)
  WHERE state = 'todo' AND hold = 0 AND archived = 0 AND open_blockers = 0;
CREATE INDEX issues_open ON issues(project_id, state, priority, id) WHERE state NOT IN ('done', 'canceled');
CREATE INDEX issues_last_line ON issues(last_line) WHERE last_line <> 0;
CREATE INDEX issues_closed ON issues(project_id, state, updated_at, id) WHERE state IN ('done', 'canceled');
CREATE INDEX issues_created ON issues(created_by_run) WHERE created_by_run <> 0;

CREATE TABLE issue_bodies (
  issue_id    INTEGER PRIMARY KEY,
  description TEXT
) STRICT;

CREATE TABLE criteria (
  issue_id INTEGER,
  n        INTEGER,
  text     TEXT,
  verdict  TEXT    NOT NULL CHECK (verdict IN ('', 'met', 'unmet', 'not_applicable')),
  how      TEXT,
  PRIMARY KEY (issue_id, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE blockers (
  issue_id   INTEGER,
  blocked_by INTEGER,
  PRIMARY KEY (issue_id, blocked_by)
) STRICT, WITHOUT ROWID;
CREATE INDEX blockers_of ON blockers(blocked_by);

CREATE TABLE comments (
  issue_id INTEGER,
  id       INTEGER,  -- counts from 1 on each Issue
  run_id   INTEGER,
  actor    TEXT,
  person   TEXT,
  machine  TEXT,
  text     TEXT,
  at       INTEGER,
  PRIMARY KEY (issue_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE notes (
  project_id INTEGER,
  id         INTEGER,  -- counts from 1 in each project
  run_id     INTEGER,
  actor      TEXT,
  person     TEXT,
  machine    TEXT,
  text       TEXT,
  at         INTEGER,
  PRIMARY KEY (project_id, id)
) STRICT, WITHOUT ROWID;

-- Every claim that was ever made: who held an Issue under which fence, and how that ended.
CREATE TABLE claims (
  issue_id INTEGER,
  fence    INTEGER,
  line_id  INTEGER,
  run_id   INTEGER,
  since    INTEGER,
  until    INTEGER,  -- 0 while it stands
  ended_by TEXT,     -- a person's name, or the short handle of a run
  ended_as TEXT,     -- the event that ended it
  PRIMARY KEY (issue_id, fence)
) STRICT, WITHOUT ROWID;
CREATE INDEX claims_line ON claims(line_id, issue_id);

-- Runs that a person put to an Issue afterwards.
CREATE TABLE attachments (
  run_id   INTEGER,
  issue_id INTEGER,
  at       INTEGER,
  person   TEXT,
  PRIMARY KEY (run_id, issue_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX attachments_of ON attachments(issue_id);

-- Sessions that a person sent away from an Issue: not theirs again until their next prompt of origin user.
CREATE TABLE displaced (
  issue_id INTEGER,
  line_id  INTEGER,  -- root line of the session
  prompts  INTEGER,  -- lines.prompts of that line at that moment
  PRIMARY KEY (issue_id, line_id)
) STRICT, WITHOUT ROWID;

-- Append-only: what changed, by whom, on what proof. What an event did to a run stands with the event, and
-- when a session was opened and ended by one in its own row.
CREATE TABLE history (
  seq        INTEGER PRIMARY KEY,
  at         INTEGER,
  entity     TEXT,
  entity_id  INTEGER,
  project_id INTEGER,
  event      TEXT,
  from_state TEXT,
  to_state   TEXT,
  revision   INTEGER,
  actor      TEXT,
  run_id     INTEGER,
  identity   TEXT,
  person     TEXT,
  machine    TEXT,
  detail     TEXT  -- JSON object
) STRICT;
CREATE INDEX history_entity ON history(entity, entity_id);
CREATE INDEX history_project ON history(project_id);

-- When an event of a host was seen last, to the minute, and how often events were refused for a reason.
CREATE TABLE host_events (
  host    TEXT,
  name    TEXT,
  n       INTEGER,
  last_at INTEGER,
  PRIMARY KEY (host, name)
) STRICT, WITHOUT ROWID;

-- Stops that belonged to no run, by the version of the host: that its events belong together is what everything rests on.
CREATE TABLE lost_stops (
  host    TEXT,
  version TEXT,
  n       INTEGER,
  in_row  INTEGER,  -- since the last Stop of the host that had its run
  row_at  INTEGER,  -- when the first of those came
  last_at INTEGER,
  PRIMARY KEY (host, version)
) STRICT, WITHOUT ROWID;

-- Spooled events that are stored already: a drain that was killed before it removed the file starts again here.
CREATE TABLE spool_done (
  token TEXT    PRIMARY KEY,
  at    INTEGER
) STRICT, WITHOUT ROWID;
