/** Smaller batches cost less unit by unit. */
const BATCH_FUNCTION_FROM_UNITS = 4

/**
 * `sb_append(request)`: a batch of appends in one round trip. It locks the only row of `log_end`,
 * judges every unit by what is true now, and writes those that hold. No client is waited for while
 * the lock is held. Positions are assigned under the lock: without gaps, and visible in order.
 *
 * Documents come ready from the client, together with the revision each was folded from. If a
 * revision or a version is no longer current, the unit and all after it (their order must not
 * change) are returned with what is current for them, and the client computes them again.
 *
 * `append` of an event is the id of its unit, unique over first events: a unit that is sent again
 * after a broken connection can never be written twice.
 *
 * A batch is first tried as a whole (`sb_append_all`); unit by unit only if one does not hold.
 */
const APPEND_UNITS = `
CREATE OR REPLACE FUNCTION sb_append(request json) RETURNS json LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  log log_end%ROWTYPE;
  clock bigint;
  unit json;
  nth bigint;
  part json;
  event record;
  lease record;
  results json[] := '{}';
  result json;
  answers json[];
  ends jsonb;
  starts bigint[];
  chained boolean[];
  any_chained boolean;
  actual bigint;
  was_at bigint;
  is_stale boolean;
  first bigint;
  total bigint;
  written bigint := 0;
  value text;
  body text;
BEGIN
  SELECT * INTO log FROM log_end FOR UPDATE;
  IF log.folded <> request->>'folded' THEN
    RETURN json_build_object('retry', 'folded');
  END IF;
  clock := coalesce((request->>'now')::bigint, sb_now());
  IF json_array_length(request->'units') >= ${BATCH_FUNCTION_FROM_UNITS} THEN
    result := sb_append_all(request->'units', log, clock);
    IF result IS NOT NULL THEN
      RETURN json_build_object('results', result, 'chained', array_to_json(log.chain_streams));
    END IF;
  END IF;
  <<units>>
  FOR unit, nth IN SELECT u, o FROM json_array_elements(request->'units') WITH ORDINALITY AS r(u, o) LOOP
    result := NULL;
    answers := '{}';
    IF (unit->>'again')::boolean THEN
      SELECT position INTO first FROM events WHERE append = (unit->>'id')::uuid AND ordinal = 0;
      IF first IS NOT NULL THEN
        results := results || json_build_object('ok', (
          SELECT json_agg(json_build_object('version', coalesce(e.version, 0), 'position', coalesce(e.position, 0)) ORDER BY a.nth)
          FROM (
            SELECT p.*, sum(p.count) OVER (ORDER BY p.nth) AS through
            FROM ROWS FROM (json_to_recordset(unit->'appends') AS (stream text, count bigint)) WITH ORDINALITY AS p(stream, count, nth)
          ) AS a
          LEFT JOIN LATERAL (
            SELECT version, position FROM events
            WHERE stream = a.stream AND position < first + a.through
            ORDER BY version DESC LIMIT 1
          ) AS e ON true));
        CONTINUE units;
      END IF;
    END IF;
    IF unit->'fence' IS NOT NULL THEN
      -- Shared: the lease cannot change hands before this append is committed.
      SELECT owner, epoch INTO lease FROM leases WHERE key = unit->'fence'->>'key' FOR SHARE;
      IF lease.owner IS NULL OR lease.owner = '' OR lease.epoch <> (unit->'fence'->>'epoch')::bigint THEN
        results := results || json_build_object('error', 'fenced', 'epoch', coalesce(lease.epoch, 0), 'owner', coalesce(lease.owner, ''));
        CONTINUE units;
      END IF;
    END IF;
    IF clock > (unit->>'notAfter')::bigint THEN
      results := results || json_build_object('error', 'late', 'now', clock);
      CONTINUE units;
    END IF;
    ends := '{}';
    starts := '{}';
    chained := '{}';
    any_chained := false;
    is_stale := false;
    total := log.position;
    FOR part IN SELECT p FROM json_array_elements(unit->'appends') AS p LOOP
      IF ends ? (part->>'stream') THEN
        actual := (ends->(part->>'stream')->>0)::bigint;
        was_at := (ends->(part->>'stream')->>1)::bigint;
      ELSE
        SELECT version, position INTO actual, was_at FROM events WHERE stream = part->>'stream' ORDER BY version DESC LIMIT 1;
        actual := coalesce(actual, 0);
        was_at := coalesce(was_at, 0);
      END IF;
      IF actual <> (part->>'expected')::bigint THEN
        result := json_build_object('error', 'version', 'stream', part->>'stream', 'expected', (part->>'expected')::bigint, 'actual', actual);
        EXIT;
      END IF;
      is_stale := is_stale OR coalesce(actual <> (part->>'assumed')::bigint, false);
      starts := starts || actual;
      IF (part->>'count')::bigint > 0 THEN
        total := total + (part->>'count')::bigint;
        actual := actual + (part->>'count')::bigint;
        was_at := total;
        chained := chained || EXISTS (SELECT 1 FROM unnest(log.chain_streams) AS prefix WHERE starts_with(part->>'stream', prefix));
      ELSE
        chained := chained || false;
      END IF;
      any_chained := any_chained OR chained[cardinality(chained)];
      ends := ends || jsonb_build_object(part->>'stream', jsonb_build_array(actual, was_at));
      answers := answers || json_build_object('version', actual, 'position', was_at);
    END LOOP;
    IF result IS NOT NULL THEN
      results := results || result;
      CONTINUE units;
    END IF;
    is_stale := is_stale OR (any_chained AND NOT (unit->>'canonical')::boolean);
    IF NOT is_stale AND json_array_length(unit->'documents') > 0 THEN
      SELECT count(*) > 0 INTO is_stale
      FROM json_to_recordset(unit->'documents') AS d(projection text, key text, was uuid)
      LEFT JOIN documents AS s USING (projection, key) WHERE s.revision IS DISTINCT FROM d.was;
    END IF;
    IF is_stale THEN
      results := results || json_build_object('retry', true,
        'versions', (SELECT json_agg(json_build_object('stream', s.stream, 'version',
            coalesce((SELECT max(version) FROM events WHERE events.stream = s.stream), 0)))
          FROM (SELECT DISTINCT a.stream FROM json_array_elements(request->'units') WITH ORDINALITY AS r(u, o),
            json_to_recordset(u->'appends') AS a(stream text) WHERE o >= nth) AS s),
        'documents', (SELECT json_agg(json_build_object('projection', d.projection, 'key', d.key, 'revision', s.revision, 'state', s.state))
          FROM (SELECT DISTINCT a.projection, a.key FROM json_array_elements(request->'units') WITH ORDINALITY AS r(u, o),
            json_to_recordset(u->'documents') AS a(projection text, key text) WHERE o >= nth) AS d
          LEFT JOIN documents AS s USING (projection, key)));
      EXIT units;
    END IF;
    IF any_chained THEN
      FOR event IN
        SELECT * FROM json_to_recordset(unit->'events') AS e(part int, nth bigint, type text, at bigint, data text, canonical text, ordinal int)
        ORDER BY ordinal
      LOOP
        body := event.data;
        IF chained[event.part + 1] THEN
          value := unit->'appends'->event.part->>'stream';
          log.chain_value := encode(sha256(convert_to(concat_ws(E'\\n', log.chain_value, value,
            starts[event.part + 1] + event.nth, event.type, event.at, event.canonical), 'UTF8')), 'hex');
          log.chain_position := log.position + 1 + event.ordinal;
          body := left(body, -1) || CASE WHEN length(body) > 2 THEN ',' ELSE '' END || '"chain":"' || log.chain_value || '"}';
        END IF;
        INSERT INTO events (position, stream, version, type, at, data, append, ordinal)
        VALUES (log.position + 1 + event.ordinal, unit->'appends'->event.part->>'stream', starts[event.part + 1] + event.nth,
          event.type, event.at, body, (unit->>'id')::uuid, event.ordinal);
      END LOOP;
    ELSIF total > log.position THEN
      INSERT INTO events (position, stream, version, type, at, data, append, ordinal)
      SELECT log.position + 1 + e.ordinal, unit->'appends'->e.part->>'stream', starts[e.part + 1] + e.nth,
        e.type, e.at, e.data, (unit->>'id')::uuid, e.ordinal
      FROM json_to_recordset(unit->'events') AS e(part int, nth bigint, type text, at bigint, data text, ordinal int);
    END IF;
    IF json_array_length(unit->'documents') > 0 THEN
      INSERT INTO documents (projection, key, state, position, revision)
      SELECT d.projection, d.key, d.state, log.position + 1 + d.ordinal, (unit->>'id')::uuid
      FROM json_to_recordset(unit->'documents') AS d(projection text, key text, state text, ordinal int) WHERE d.state IS NOT NULL
      ON CONFLICT (projection, key) DO UPDATE SET state = excluded.state, position = excluded.position, revision = excluded.revision;
      IF (unit->>'removes')::boolean THEN
        DELETE FROM documents AS s USING json_to_recordset(unit->'documents') AS d(projection text, key text, state text)
        WHERE d.state IS NULL AND s.projection = d.projection AND s.key = d.key;
      END IF;
      IF (unit->>'indexes')::boolean THEN
        DELETE FROM document_fields AS f USING json_to_recordset(unit->'documents') AS d(projection text, key text, fields json)
        WHERE d.fields IS NOT NULL AND f.projection = d.projection AND f.key = d.key;
        INSERT INTO document_fields (projection, key, field, value, number)
        SELECT d.projection, d.key, f.field, f.value, f.number
        FROM json_to_recordset(unit->'documents') AS d(projection text, key text, fields json),
          json_to_recordset(d.fields) AS f(field text, value text, number double precision)
        WHERE d.fields IS NOT NULL;
      END IF;
    END IF;
    IF unit->'failures' IS NOT NULL THEN
      UPDATE projections SET failures = failures + (f.value)::bigint FROM json_each_text(unit->'failures') AS f WHERE name = f.key;
    END IF;
    written := written + total - log.position;
    log.position := total;
    results := results || json_build_object('ok', array_to_json(answers));
  END LOOP;
  IF written > 0 THEN
    UPDATE log_end SET position = log.position, chain_value = log.chain_value, chain_position = log.chain_position;
    PERFORM pg_notify('signalbox_' || current_schema(), log.position::text);
  END IF;
  RETURN json_build_object('results', array_to_json(results), 'chained', array_to_json(log.chain_streams));
END $$`

/**
 * Writes a batch with a few statements instead of several for each unit, if every unit holds. A
 * unit may build on those before it: on the versions of their streams, and on their documents.
 * Returns null, and has written nothing, if a unit does not hold or may have been written before.
 */
const APPEND_ALL = `
CREATE OR REPLACE FUNCTION sb_append_all(units json, log log_end, clock bigint) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  fences text[];
  holds boolean;
  results json;
  total bigint;
  any_chained boolean;
  has_documents boolean;
  removes boolean;
  indexes boolean;
  has_failures boolean;
  units_of int[];
  parts int[];
  ids uuid[];
  bases bigint[];
  streams text[];
  starts bigint[];
  chained boolean[];
  event record;
  chain_positions bigint[] := '{}';
  chain_bodies text[] := '{}';
BEGIN
  SELECT array_agg(u->'fence'->>'key') FILTER (WHERE u->'fence' IS NOT NULL),
    NOT coalesce(bool_or((u->>'again')::boolean OR clock > (u->>'notAfter')::bigint), false),
    bool_or(json_array_length(u->'documents') > 0), bool_or((u->>'removes')::boolean),
    bool_or((u->>'indexes')::boolean), bool_or(u->'failures' IS NOT NULL)
  INTO fences, holds, has_documents, removes, indexes, has_failures
  FROM json_array_elements(units) AS r(u);
  IF NOT holds THEN RETURN NULL; END IF;
  IF fences IS NOT NULL THEN
    -- Shared: no lease can change hands before this batch is committed.
    PERFORM 1 FROM leases WHERE key = ANY (fences) ORDER BY key FOR SHARE;
    IF EXISTS (SELECT 1 FROM json_array_elements(units) AS r(u) WHERE u->'fence' IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM leases WHERE key = u->'fence'->>'key' AND owner <> '' AND epoch = (u->'fence'->>'epoch')::bigint
    )) THEN RETURN NULL; END IF;
  END IF;

  WITH batch AS MATERIALIZED (
    SELECT r.o::int AS unit, (r.u->>'id')::uuid AS id, (r.u->>'canonical')::boolean AS canonical, p.n::int AS part,
      p.stream, p.expected, p.assumed, p.count
    FROM json_array_elements(units) WITH ORDINALITY AS r(u, o), ROWS FROM (
      json_to_recordset(r.u->'appends') AS (stream text, expected bigint, assumed bigint, count bigint)
    ) WITH ORDINALITY AS p(stream, expected, assumed, count, n)
  ), ends AS MATERIALIZED (
    SELECT s.stream, e.version, e.position,
      EXISTS (SELECT 1 FROM unnest(log.chain_streams) AS prefix WHERE starts_with(s.stream, prefix)) AS is_chained
    FROM (SELECT DISTINCT stream FROM batch) AS s LEFT JOIN LATERAL (
      SELECT version, position FROM events WHERE events.stream = s.stream ORDER BY version DESC LIMIT 1
    ) AS e ON true
  ), placed AS (
    SELECT b.*, e.is_chained AND b.count > 0 AS is_chained,
      coalesce(e.version, 0) + (sum(b.count) OVER same)::bigint - b.count AS start,
      coalesce(e.position, 0) AS was_at, log.position + (sum(b.count) OVER before)::bigint AS through
    FROM batch AS b JOIN ends AS e USING (stream)
    WINDOW same AS (PARTITION BY b.stream ORDER BY b.unit, b.part), before AS (ORDER BY b.unit, b.part)
  ), ended AS (
    SELECT *, coalesce(max(through) FILTER (WHERE count > 0) OVER same, was_at) AS last,
      min(through - count) OVER (PARTITION BY unit) AS base
    FROM placed WINDOW same AS (PARTITION BY stream ORDER BY unit, part)
  ), answers AS (
    SELECT unit, json_agg(json_build_object('version', start + count, 'position', last) ORDER BY part) AS ok
    FROM ended GROUP BY unit
  )
  SELECT bool_and(coalesce(expected, start) = start AND coalesce(assumed, start) = start AND (canonical OR NOT is_chained)),
    bool_or(is_chained), max(through),
    array_agg(unit), array_agg(part), array_agg(id), array_agg(base), array_agg(stream), array_agg(start), array_agg(is_chained),
    (SELECT json_agg(json_build_object('ok', ok) ORDER BY unit) FROM answers)
  INTO holds, any_chained, total, units_of, parts, ids, bases, streams, starts, chained, results
  FROM ended;
  IF NOT holds THEN RETURN NULL; END IF;

  IF has_documents AND EXISTS (
    SELECT 1 FROM (
      SELECT d.projection, d.key, d.was, row_number() OVER same AS nth,
        lag(CASE WHEN d.state IS NULL THEN NULL ELSE (u->>'id')::uuid END) OVER same AS former
      FROM json_array_elements(units) WITH ORDINALITY AS r(u, o),
        json_to_recordset(u->'documents') AS d(projection text, key text, was uuid, state text)
      WINDOW same AS (PARTITION BY d.projection, d.key ORDER BY o)
    ) AS d
    WHERE d.was IS DISTINCT FROM CASE WHEN d.nth > 1 THEN d.former ELSE (
      SELECT revision FROM documents AS s WHERE s.projection = d.projection AND s.key = d.key
    ) END
  ) THEN RETURN NULL; END IF;

  IF any_chained THEN
    FOR event IN
      SELECT p.base + 1 + e.ordinal AS position, p.stream, p.start + e.nth AS version, e.type, e.at, e.data, e.canonical
      FROM json_array_elements(units) WITH ORDINALITY AS r(u, o),
        json_to_recordset(u->'events') AS e(part int, nth bigint, type text, at bigint, data text, canonical text, ordinal int),
        unnest(units_of, parts, bases, streams, starts, chained) AS p(unit, part, base, stream, start, is_chained)
      WHERE p.unit = r.o AND p.part = e.part + 1 AND p.is_chained ORDER BY 1
    LOOP
      log.chain_value := encode(sha256(convert_to(concat_ws(E'\\n', log.chain_value, event.stream, event.version,
        event.type, event.at, event.canonical), 'UTF8')), 'hex');
      log.chain_position := event.position;
      chain_positions := chain_positions || event.position;
      chain_bodies := chain_bodies || (left(event.data, -1) || CASE WHEN length(event.data) > 2 THEN ',' ELSE '' END
        || '"chain":"' || log.chain_value || '"}');
    END LOOP;
  END IF;
  INSERT INTO events (position, stream, version, type, at, data, append, ordinal)
  SELECT p.base + 1 + e.ordinal, p.stream, p.start + e.nth, e.type, e.at, coalesce(c.body, e.data), p.id, e.ordinal
  FROM json_array_elements(units) WITH ORDINALITY AS r(u, o)
    CROSS JOIN json_to_recordset(u->'events') AS e(part int, nth bigint, type text, at bigint, data text, ordinal int)
    JOIN unnest(units_of, parts, ids, bases, streams, starts) AS p(unit, part, id, base, stream, start)
      ON p.unit = r.o AND p.part = e.part + 1
    LEFT JOIN unnest(chain_positions, chain_bodies) AS c(position, body) ON c.position = p.base + 1 + e.ordinal;

  IF has_documents THEN
    -- Only the last state of each document: the others were never visible.
    INSERT INTO documents (projection, key, state, position, revision)
    SELECT projection, key, state, position, id FROM (
      SELECT DISTINCT ON (d.projection, d.key) d.projection, d.key, d.state, p.base + 1 + d.ordinal AS position, p.id
      FROM json_array_elements(units) WITH ORDINALITY AS r(u, o)
        CROSS JOIN json_to_recordset(u->'documents') AS d(projection text, key text, state text, ordinal int)
        JOIN unnest(units_of, parts, ids, bases) AS p(unit, part, id, base) ON p.unit = r.o AND p.part = 1
      ORDER BY d.projection, d.key, r.o DESC
    ) AS newest WHERE state IS NOT NULL
    ON CONFLICT (projection, key) DO UPDATE SET state = excluded.state, position = excluded.position, revision = excluded.revision;
    IF removes THEN
      DELETE FROM documents AS s USING (
        SELECT DISTINCT ON (d.projection, d.key) d.projection, d.key, d.state
        FROM json_array_elements(units) WITH ORDINALITY AS r(u, o),
          json_to_recordset(u->'documents') AS d(projection text, key text, state text)
        ORDER BY d.projection, d.key, r.o DESC
      ) AS d WHERE d.state IS NULL AND s.projection = d.projection AND s.key = d.key;
    END IF;
    IF indexes THEN
      DELETE FROM document_fields AS f USING json_array_elements(units) AS r(u),
        json_to_recordset(u->'documents') AS d(projection text, key text, fields json)
      WHERE d.fields IS NOT NULL AND f.projection = d.projection AND f.key = d.key;
      INSERT INTO document_fields (projection, key, field, value, number)
      SELECT d.projection, d.key, f.field, f.value, f.number
      FROM (
        SELECT DISTINCT ON (d.projection, d.key) d.projection, d.key, d.fields
        FROM json_array_elements(units) WITH ORDINALITY AS r(u, o),
          json_to_recordset(u->'documents') AS d(projection text, key text, fields json)
        WHERE d.fields IS NOT NULL ORDER BY d.projection, d.key, r.o DESC
      ) AS d, json_to_recordset(d.fields) AS f(field text, value text, number double precision);
    END IF;
  END IF;
  IF has_failures THEN
    UPDATE projections SET failures = projections.failures + f.count
    FROM (
      SELECT e.key AS name, sum(e.value::bigint)::bigint AS count
      FROM json_array_elements(units) AS r(u), json_each_text(u->'failures') AS e GROUP BY e.key
    ) AS f WHERE projections.name = f.name;
  END IF;
  IF total > log.position THEN
    UPDATE log_end SET position = total, chain_value = log.chain_value, chain_position = log.chain_position;
    PERFORM pg_notify('signalbox_' || current_schema(), total::text);
  END IF;
  RETURN results;
END $$`

export const APPEND_FUNCTIONS = `${APPEND_ALL};${APPEND_UNITS}`
