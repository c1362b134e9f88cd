-- Every program parses the schema when it opens the store, and a hook pays for it each time: CHECKs stand on states,
-- outcomes and verdicts alone.
-- Times are UTC milliseconds. Order is by sequence, never by time. Every table is STRICT.

CREATE TABLE projects (
  id          INTEGER PRIMARY KEY,
  uuid        TEXT    NOT NULL UNIQUE,
  prefix      TEXT    NOT NULL UNIQUE,
  name        TEXT    NOT NULL,
  root        TEXT    NOT NULL,               -- work tree (or plain directory) that init ran in
  next_number INTEGER NOT NULL,     -- the number of the next Issue; never goes back
  created_at  INTEGER NOT NULL
) STRICT;

-- The identities of a project: resolved git common directories, or plain directories.
CREATE TABLE project_paths (
  path       TEXT    PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES projects(id)
) STRICT, WITHOUT ROWID;

-- host '' and project_id 0 mean "all".
CREATE TABLE config (
  project_id INTEGER NOT NULL,
  host       TEXT    NOT NULL,
  key        TEXT    NOT NULL,
  value      TEXT    NOT NULL,
  PRIMARY KEY (project_id, host, key)
) STRICT, WITHOUT ROWID;

-- What goes on from prompt to prompt: the root of a conversation (agent_key ''), or one subagent.
CREATE TABLE lines (
  id          INTEGER PRIMARY KEY,
  host        TEXT    NOT NULL,
  session_key TEXT    NOT NULL,
  agent_key   TEXT    NOT NULL,
  prompts     INTEGER NOT NULL,  -- prompts of origin user so far (root lines)
  last_run    INTEGER NOT NULL,  -- the run that was registered last
  facts       TEXT    NOT NULL,  -- JSON object: what only the machine reads, see runs.Line
  UNIQUE (host, session_key, agent_key)
) STRICT;

-- One stretch of a conversation.
CREATE TABLE sessions (
  line_id   INTEGER NOT NULL,
  n         INTEGER NOT NULL,
  state     TEXT    NOT NULL CHECK (state IN ('active', 'ended', 'summarized')),
  opened_at INTEGER NOT NULL,
  ended_at  INTEGER NOT NULL,
  end_basis TEXT    NOT NULL,
  reason    TEXT    NOT NULL,
  digest    TEXT    NOT NULL,
  PRIMARY KEY (line_id, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
  id              INTEGER PRIMARY KEY,               -- order of registration
  handle          TEXT    NOT NULL,                  -- run_<32 hex>: names the id, unguessable; shown only to its own run
  line_id         INTEGER NOT NULL,
  stretch         INTEGER NOT NULL,        -- sessions.n of the root line
  turn_key        TEXT    NOT NULL,
  project_id      INTEGER NOT NULL,        -- home project, 0 for none
  kind            TEXT    NOT NULL,
  origin          TEXT    NOT NULL,
  state           TEXT    NOT NULL CHECK (state IN ('running', 'probing', 'waiting', 'ended')),
  outcome         TEXT    NOT NULL CHECK (outcome IN ('', 'completed', 'failed', 'interrupted', 'abandoned', 'lost', 'unknown')),
  end_basis       TEXT    NOT NULL,
  reason          TEXT    NOT NULL,
  revision        INTEGER NOT NULL,
  version         INTEGER NOT NULL,
  issue_id        INTEGER NOT NULL,
  parent_id       INTEGER NOT NULL,
  host_process    TEXT    NOT NULL,       -- the id the host gives, '' unknown
  direct          INTEGER NOT NULL,        -- registered by direct delivery
  n_events        INTEGER NOT NULL,
  facts           TEXT    NOT NULL,                  -- JSON object: what only the machine reads, see runs.Run
  started_at      INTEGER NOT NULL,
  last_seen_at    INTEGER NOT NULL,
  lease_until     INTEGER NOT NULL,
  deadline        INTEGER NOT NULL,        -- end of the quiet time after a recorded Stop, 0 for none
  ended_at        INTEGER NOT NULL,
  person          TEXT    NOT NULL,
  machine         TEXT    NOT NULL,
  UNIQUE (line_id, turn_key)
) STRICT;
CREATE INDEX runs_live ON runs(line_id) WHERE state <> 'ended';

-- Append-only: what hosts reported, and what that did to a run. With the history it is all that ever happened to one.
CREATE TABLE events (
  line_id     INTEGER NOT NULL,
  id          BLOB    NOT NULL,                      -- 16 bytes
  run_id      INTEGER NOT NULL,                      -- 0: belongs to no run
  n           INTEGER NOT NULL,                      -- order of receipt among those of the run; without a run, of the line
  kind        INTEGER NOT NULL,
  disposition INTEGER NOT NULL,
  reason      INTEGER NOT NULL,
  from_state  TEXT    NOT NULL,                      -- the change of the run's state, '' for none
  to_state    TEXT    NOT NULL,
  received_at INTEGER NOT NULL,
  content     BLOB    NOT NULL,                      -- of events with a given id: what it must say when it comes again
  body        TEXT    NOT NULL,                      -- an unattributed event, normalised, until it is adopted
  PRIMARY KEY (line_id, id)
) STRICT, WITHOUT ROWID;

-- Background tasks that a Stop listed, by the first run that listed them.
CREATE TABLE background_tasks (
  line_id INTEGER NOT NULL,
  task_id TEXT    NOT NULL,
  run_id  INTEGER NOT NULL,
  PRIMARY KEY (line_id, task_id)
) STRICT, WITHOUT ROWID;

-- Calls of board's own tools that a hook announced: the proof of an MCP caller.
CREATE TABLE tool_calls (
  host    TEXT    NOT NULL,
  call_id TEXT    NOT NULL,
  run_id  INTEGER NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (host, call_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE evidence (
  run_id     INTEGER NOT NULL,
  project_id INTEGER NOT NULL,
  path       TEXT    NOT NULL,                       -- relative to the project's work tree
  n          INTEGER NOT NULL,
  first_at   INTEGER NOT NULL,
  last_at    INTEGER NOT NULL,
  PRIMARY KEY (run_id, project_id, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE issues (
  id                INTEGER PRIMARY KEY,
  uuid              TEXT    NOT NULL UNIQUE,
  project_id        INTEGER NOT NULL REFERENCES projects(id),
  number            INTEGER NOT NULL,
  title             TEXT    NOT NULL,
  state             TEXT    NOT NULL CHECK (state IN ('todo', 'in_progress', 'paused', 'in_review', 'done', 'canceled')),
  priority          INTEGER NOT NULL,
  rank              INTEGER NOT NULL,
  type              TEXT    NOT NULL,
  due               TEXT    NOT NULL,     -- YYYY-MM-DD or ''
  labels            TEXT    NOT NULL,   -- JSON list of strings
  links             TEXT    NOT NULL,   -- JSON list of strings
  hold              INTEGER NOT NULL,
  archived          INTEGER NOT NULL,
  changes_requested INTEGER NOT NULL,      -- sent back by a person, not begun since
  parent_id         INTEGER NOT NULL,
  open_blockers     INTEGER NOT NULL,
  revision          INTEGER NOT NULL,      -- rises with every change but comments
  version           INTEGER NOT NULL,      -- rises with every write
  fence             INTEGER NOT NULL,
  holder_line       INTEGER NOT NULL,      -- the claim: 0 for none
  holder_run        INTEGER NOT NULL,      -- the run that made the claim
  claimed_at        INTEGER NOT NULL,
  last_line         INTEGER NOT NULL,
  last_move         TEXT    NOT NULL,     -- the last state change, and the line that made it (0: a person)
  last_move_line    INTEGER NOT NULL,
  pause_reason      TEXT    NOT NULL,
  paused_by_person  INTEGER NOT NULL,
  last_reason       TEXT    NOT NULL,     -- the sentence of the last pause, release or request for changes
  closure_summary   TEXT    NOT NULL,
  closure_run       INTEGER NOT NULL,
  closure_revision  INTEGER NOT NULL,      -- the pair that an approval rests on
  closure_evidence  INTEGER NOT NULL,
  evidence_final    INTEGER NOT NULL,     -- evidence when the session that asked went on to another Issue; -1: it has not
  shown_to          TEXT    NOT NULL,     -- the person who was shown a changed pair, and that pair
  requested_at      INTEGER NOT NULL,
  created_by_run    INTEGER NOT NULL,
  created_as        TEXT    NOT NULL,     -- hash of what that run asked for: a repeat is known by it
  next_criterion    INTEGER NOT NULL,      -- the number of the next criterion; never goes back
  person            TEXT    NOT NULL,
  machine           TEXT    NOT NULL,
  created_at        INTEGER NOT NULL,
  updated_at        INTEGER NOT NULL,
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
  description TEXT    NOT NULL
) STRICT;

CREATE TABLE criteria (
  issue_id INTEGER NOT NULL,
  n        INTEGER NOT NULL,
  text     TEXT    NOT NULL,
  verdict  TEXT    NOT NULL CHECK (verdict IN ('', 'met', 'unmet', 'not_applicable')),
  how      TEXT    NOT NULL,
  PRIMARY KEY (issue_id, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE blockers (
  issue_id   INTEGER NOT NULL,
  blocked_by INTEGER NOT NULL,
  PRIMARY KEY (issue_id, blocked_by)
) STRICT, WITHOUT ROWID;
CREATE INDEX blockers_of ON blockers(blocked_by);

CREATE TABLE comments (
  issue_id INTEGER NOT NULL,
  id       INTEGER NOT NULL,                         -- counts from 1 on each Issue
  run_id   INTEGER NOT NULL,
  actor    TEXT    NOT NULL,
  person   TEXT    NOT NULL,
  machine  TEXT    NOT NULL,
  text     TEXT    NOT NULL,
  at       INTEGER NOT NULL,
  PRIMARY KEY (issue_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE notes (
  project_id INTEGER NOT NULL,
  id         INTEGER NOT NULL,                       -- counts from 1 in each project
  run_id     INTEGER NOT NULL,
  actor      TEXT    NOT NULL,
  person     TEXT    NOT NULL,
  machine    TEXT    NOT NULL,
  text       TEXT    NOT NULL,
  at         INTEGER NOT NULL,
  PRIMARY KEY (project_id, id)
) STRICT, WITHOUT ROWID;

-- Every claim that was ever made: who held an Issue under which fence, and how that ended.
CREATE TABLE claims (
  issue_id INTEGER NOT NULL,
  fence    INTEGER NOT NULL,
  line_id  INTEGER NOT NULL,
  run_id   INTEGER NOT NULL,
  since    INTEGER NOT NULL,
  until    INTEGER NOT NULL,               -- 0 while it stands
  ended_by TEXT    NOT NULL,              -- a person's name, or the short handle of a run
  ended_as TEXT    NOT NULL,              -- the event that ended it
  PRIMARY KEY (issue_id, fence)
) STRICT, WITHOUT ROWID;
CREATE INDEX claims_line ON claims(line_id, issue_id);

-- Sessions that a person sent away from an Issue: not theirs again until their next prompt of origin user.
CREATE TABLE displaced (
  issue_id INTEGER NOT NULL,
  line_id  INTEGER NOT NULL,                         -- root line of the session
  prompts  INTEGER NOT NULL,                         -- lines.prompts of that line at that moment
  PRIMARY KEY (issue_id, line_id)
) STRICT, WITHOUT ROWID;

-- Append-only: what changed, by whom, on what proof. What an event did to a run or a session stands with the event.
CREATE TABLE history (
  seq        INTEGER PRIMARY KEY,
  at         INTEGER NOT NULL,
  entity     TEXT    NOT NULL,
  entity_id  INTEGER NOT NULL,
  project_id INTEGER NOT NULL,
  event      TEXT    NOT NULL,
  from_state TEXT    NOT NULL,
  to_state   TEXT    NOT NULL,
  revision   INTEGER NOT NULL,
  actor      TEXT    NOT NULL,
  run_id     INTEGER NOT NULL,
  identity   TEXT    NOT NULL,
  person     TEXT    NOT NULL,
  machine    TEXT    NOT NULL,
  detail     TEXT    NOT NULL           -- JSON object
) STRICT;
CREATE INDEX history_entity ON history(entity, entity_id);
CREATE INDEX history_project ON history(project_id);

-- When an event of a host was seen last, to the minute, and how often events were refused for a reason.
CREATE TABLE host_events (
  host    TEXT    NOT NULL,
  name    TEXT    NOT NULL,
  n       INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (host, name)
) STRICT, WITHOUT ROWID;

-- Spooled events that are stored already: a drain that was killed before it removed the file starts again here.
CREATE TABLE spool_done (
  token TEXT    PRIMARY KEY,
  at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
