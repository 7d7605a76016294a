//! Table: the steps from each version of the schema to the next. A released step is never changed.

/// Step `n` migrates a file from version `n` to version `n + 1`; an empty file has version 0.
///
/// Durations are in microseconds, `at` is in milliseconds since 1970, and money is in nanodollars. Days follow the
/// machine's local time. An unknown value is an empty text in `days`, where it is part of the key, and NULL elsewhere.
/// A session with requests in both arms has the arm `mixed`. `named` is a hash of the name that a client gave its
/// session. Limits are in hundredths of a percent, and `resets` is in seconds since 1970.
pub(crate) const STEPS: &[&str] = &["
CREATE TABLE requests (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    client TEXT, project TEXT, provider TEXT, model TEXT,
    session INTEGER,
    status INTEGER NOT NULL, ended TEXT NOT NULL, missed TEXT,
    took INTEGER NOT NULL, upstream INTEGER, ours INTEGER,
    results INTEGER NOT NULL, changed INTEGER NOT NULL, redacted INTEGER NOT NULL,
    before INTEGER NOT NULL, after INTEGER NOT NULL, fetched INTEGER NOT NULL,
    input INTEGER, cache_read INTEGER, cache_write INTEGER, output INTEGER,
    paid INTEGER, full INTEGER
);
CREATE INDEX requests_at ON requests (at);
CREATE INDEX requests_session ON requests (session) WHERE session IS NOT NULL;
CREATE TABLE results (
    request INTEGER NOT NULL, place INTEGER NOT NULL,
    tool TEXT, kind TEXT NOT NULL, family TEXT NOT NULL,
    status TEXT NOT NULL, stages TEXT NOT NULL,
    before INTEGER NOT NULL, after INTEGER NOT NULL,
    PRIMARY KEY (request, place)
) WITHOUT ROWID;
CREATE TABLE days (
    day TEXT NOT NULL, client TEXT NOT NULL, project TEXT NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL,
    requests INTEGER NOT NULL, failed INTEGER NOT NULL,
    before INTEGER NOT NULL, after INTEGER NOT NULL, fetched INTEGER NOT NULL,
    results INTEGER NOT NULL, changed INTEGER NOT NULL,
    input INTEGER NOT NULL, cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL, output INTEGER NOT NULL,
    priced INTEGER NOT NULL, paid INTEGER NOT NULL, full INTEGER NOT NULL,
    PRIMARY KEY (day, client, project, provider, model)
) WITHOUT ROWID;
CREATE TABLE day_groups (
    day TEXT NOT NULL, tool TEXT NOT NULL, family TEXT NOT NULL,
    results INTEGER NOT NULL, changed INTEGER NOT NULL, before INTEGER NOT NULL, after INTEGER NOT NULL,
    PRIMARY KEY (day, tool, family)
) WITHOUT ROWID;
CREATE TABLE day_stages (
    day TEXT NOT NULL, stage TEXT NOT NULL,
    saved INTEGER NOT NULL, calls INTEGER NOT NULL, fetched INTEGER NOT NULL,
    PRIMARY KEY (day, stage)
) WITHOUT ROWID;
", "
ALTER TABLE requests ADD COLUMN arm TEXT;
ALTER TABLE requests ADD COLUMN would_before INTEGER;
ALTER TABLE requests ADD COLUMN would_after INTEGER;
ALTER TABLE requests ADD COLUMN would_paid INTEGER;
ALTER TABLE days ADD COLUMN untouched INTEGER NOT NULL DEFAULT 0;
ALTER TABLE days ADD COLUMN would_before INTEGER NOT NULL DEFAULT 0;
ALTER TABLE days ADD COLUMN would_after INTEGER NOT NULL DEFAULT 0;
ALTER TABLE days ADD COLUMN would_spare INTEGER NOT NULL DEFAULT 0;
CREATE TABLE trial_sessions (
    session INTEGER PRIMARY KEY,
    arm TEXT NOT NULL, share INTEGER NOT NULL,
    first INTEGER NOT NULL, latest INTEGER NOT NULL,
    turns INTEGER NOT NULL, priced INTEGER NOT NULL, paid INTEGER NOT NULL,
    repeats INTEGER NOT NULL, fetches INTEGER NOT NULL
);
CREATE INDEX trial_sessions_latest ON trial_sessions (latest);
CREATE TABLE trial_calls (
    session INTEGER NOT NULL, asked INTEGER NOT NULL, call INTEGER NOT NULL,
    PRIMARY KEY (session, asked, call)
) WITHOUT ROWID;
", "
ALTER TABLE requests ADD COLUMN named INTEGER;
CREATE INDEX requests_named ON requests (named, session, before, after, fetched) WHERE named IS NOT NULL;
CREATE TABLE limits (
    request INTEGER NOT NULL, name TEXT NOT NULL,
    used INTEGER NOT NULL, resets INTEGER, state TEXT,
    PRIMARY KEY (request, name)
) WITHOUT ROWID;
CREATE TABLE session_limits (
    session INTEGER NOT NULL, name TEXT NOT NULL, sender INTEGER NOT NULL,
    used INTEGER NOT NULL, resets INTEGER, risen INTEGER NOT NULL,
    first INTEGER NOT NULL, latest INTEGER NOT NULL, shared INTEGER NOT NULL,
    PRIMARY KEY (session, name)
) WITHOUT ROWID;
CREATE INDEX session_limits_latest ON session_limits (sender, name, latest);
", "
CREATE TABLE cache_breaks (
    request INTEGER PRIMARY KEY, at INTEGER NOT NULL, session INTEGER,
    cause TEXT NOT NULL, place INTEGER, line INTEGER, tool TEXT,
    owner TEXT NOT NULL, server TEXT, lost INTEGER, cost INTEGER
);
CREATE INDEX cache_breaks_session ON cache_breaks (session, request);
", "
CREATE TABLE prompts (
    request INTEGER PRIMARY KEY, conversation INTEGER, diagnosis TEXT, diagnosed INTEGER
);
", "
ALTER TABLE requests ADD COLUMN tenant TEXT;
ALTER TABLE requests ADD COLUMN key_name TEXT;
CREATE TABLE day_tenants (
    day TEXT NOT NULL, tenant TEXT NOT NULL, key_name TEXT NOT NULL, project TEXT NOT NULL,
    requests INTEGER NOT NULL, failed INTEGER NOT NULL,
    before INTEGER NOT NULL, after INTEGER NOT NULL, fetched INTEGER NOT NULL,
    results INTEGER NOT NULL, changed INTEGER NOT NULL,
    input INTEGER NOT NULL, cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL, output INTEGER NOT NULL,
    priced INTEGER NOT NULL, paid INTEGER NOT NULL, full INTEGER NOT NULL,
    untouched INTEGER NOT NULL, would_before INTEGER NOT NULL, would_after INTEGER NOT NULL,
    would_spare INTEGER NOT NULL,
    PRIMARY KEY (day, tenant, key_name, project)
) WITHOUT ROWID;
INSERT INTO day_tenants
    SELECT day, 'none', 'none', CASE project WHEN '' THEN 'none' ELSE project END,
        sum(requests), sum(failed), sum(before), sum(after), sum(fetched), sum(results), sum(changed),
        sum(input), sum(cache_read), sum(cache_write), sum(output), sum(priced), sum(paid), sum(full),
        sum(untouched), sum(would_before), sum(would_after), sum(would_spare)
    FROM days GROUP BY 1, 4;
"];
