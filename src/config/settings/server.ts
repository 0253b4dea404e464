import { boolean, duration, integer, oneOf, string, strings } from '../setting.js'

/** The dashboard and its API, the store, and what several machines share. */
export const serverSettings = {
  server: {
    port: integer(0, 'TCP port of the dashboard; 0 chooses a free port once and keeps it.', { max: 65_535 }),
    bind: string('127.0.0.1', 'Address that the dashboard listens on.'),
    public: boolean(
      false,
      'Allow an address other than loopback. This also requires TLS or a reverse proxy, and a passphrase.',
    ),
    tls_cert: string(null, 'File with the TLS certificate chain.'),
    tls_key: string(null, 'File with the TLS private key.'),
    behind_proxy: boolean(false, 'A reverse proxy terminates TLS in front of the dashboard.'),
    proxies: strings([], 'Addresses of the reverse proxy: forwarded headers are accepted only from them.'),
    hosts: strings([], 'Further values of the Host header that are accepted.'),
    worker_address: string(
      null,
      'Where workers reach this server if that is not the address it listens on, as https://host:4100: in a container, or behind a forwarded port.',
      { pattern: /^https?:\/\/[^/\s]+$/, form: 'an http(s) address without a path' },
    ),
    passphrase_file: string(null, 'File with the passphrase for logins from other machines.'),
    requests_per_s: integer(50, 'Requests per second and credential over TCP and Telegram.', { min: 1, max: 10_000 }),
    requests_burst: integer(100, 'Requests that one credential may send at once.', { min: 1, max: 10_000 }),
    logins_per_15_min: integer(5, 'Failed logins after which logins are refused for 15 minutes.', {
      min: 1,
      max: 1000,
    }),
    decisions_per_min: integer(30, 'Decisions per minute and person.', { min: 1, max: 10_000 }),
    sessions_per_min: integer(10, 'Sessions that may be started per minute.', { min: 1, max: 1000 }),
    max_connections: integer(200, 'Maximum number of open HTTP connections.', { min: 4, max: 10_000 }),
    max_streams: integer(32, 'Maximum number of open event streams.', { min: 1, max: 1000 }),
    max_terminals: integer(64, 'Maximum number of terminals connected over WebSocket.', { min: 1, max: 1000 }),
    max_viewers: integer(8, 'Maximum number of terminals connected to one session.', { min: 1, max: 100 }),
  },

  mcp: {
    decide_as: string(
      null,
      'Id of the person whose MCP clients may allow low-risk requests and deny any; none lets them only read. The ledger names the client.',
    ),
  },

  store: {
    keep_days: duration(
      null,
      'Sessions that ended longer ago than this are no longer listed, and their recordings and uploads are removed; none keeps them. The event log always keeps its events.',
      { min: 1, max: 36_500 },
    ),
    url: string(
      null,
      'The PostgreSQL database that holds the events, as postgres://user@host:5432/database; none: a SQLite file in the data directory. Passwords come from `store.password_file`, `PGPASSFILE` or `PGPASSWORD`.',
    ),
    password_file: string(null, 'A file with the password of the PostgreSQL user and nothing else.'),
    min_free_mb: integer(500, 'Refuse new sessions and recordings if less disk space than this is free.', {
      max: 1_000_000,
    }),
  },

  blobs: {
    url: string(
      null,
      'Where a server keeps recordings and files of its workers: file:///directory (which exists), postgres:, or s3://bucket/prefix?endpoint=https://…&region=…; none: in the PostgreSQL store if there is one, else files in the data directory. Keys of a bucket come from `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`.',
    ),
  },

  recordings: {
    upload: oneOf(
      ['end', 'live'],
      'end',
      'When a worker sends recordings to its server: when a session has ended, or also every few seconds before that.',
    ),
  },

  engine: {
    kind: oneOf(
      ['embedded', 'store', 'restate'],
      'embedded',
      'The engine, which notices when a run can continue. "embedded" is for one server; several servers of one PostgreSQL store use "restate" or "store".',
    ),
    port: integer(4108, 'Where Restate calls this server, on the loopback interface; the same on every machine.', {
      min: 1,
      max: 65_535,
    }),
    url: string(
      null,
      'A Restate that you operate, as restate+http://host:8080, with ?admin=URL if its admin is not at port 9070 there; none: this server starts a node of its own.',
      { pattern: /^restate\+https?:\/\/[^\s@]+$/, form: 'restate+http://host:8080' },
    ),
    endpoint: string(
      null,
      'Where the Restate of `engine.url` reaches this server, or the load balancer of all servers, as http://host:4108; none: `engine.port` on the loopback interface.',
      { pattern: /^https?:\/\/[^\s@]+$/, form: 'an http(s) address' },
    ),
    identity_key: string(
      null,
      'The public key with which the Restate of `engine.url` signs its requests; others are refused.',
      { pattern: /^publickeyv1_[1-9A-HJ-NP-Za-km-z]+$/, form: 'publickeyv1_…' },
    ),
    node: string('node-1', 'The name of this machine’s node of Restate.'),
    nodes: strings(
      [],
      'All nodes of Restate as name=host:5122, or host:5122 if the name is the host, the same on every machine: none, or at least three.',
    ),
    snapshots: string(
      null,
      'Where several nodes of Restate keep snapshots: s3://bucket/prefix, with ?endpoint=URL and &region=NAME for a service other than Amazon’s. Keys come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    ),
    network_is_private: boolean(
      false,
      'Confirms that no other machine can reach the addresses of `engine.nodes`: nodes communicate without encryption and login.',
    ),
  },

  worker: {
    pool: string(null, 'The pool of a worker on this machine, if its invitation named none.', {
      pattern: /^[\w.-]{1,80}$/,
      form: 'letters, digits, dots, dashes and underscores',
    }),
    labels: strings([], 'Labels of a worker on this machine as key=value; labels of its invitation take precedence.', {
      pattern: /^[\w.-]{1,80}=\S{0,200}$/,
      form: 'key=value',
    }),
    max_sessions: integer(50, 'Maximum number of sessions on a worker of this machine; 0: none.', {
      min: 0,
      max: 1000,
    }),
    max_steps: integer(20, 'Maximum number of running steps on a worker of this machine.', { min: 1, max: 1000 }),
    min_free_mb: integer(
      5000,
      'A worker on this machine gets no further runs and sessions if less disk space than this is free, in megabytes.',
      { max: 1_000_000 },
    ),
    lost_after: duration(
      600,
      'A worker that the server has not heard from for this long is lost: its runs move to other workers.',
      { min: 30, max: 86_400 },
    ),
  },

  telemetry: {
    endpoint: string(
      null,
      'The OpenTelemetry collector that receives traces over HTTP, as http://collector:4318; none: `OTEL_EXPORTER_OTLP_ENDPOINT`, or no traces.',
      { pattern: /^https?:\/\/\S+$/, form: 'an http(s) address' },
    ),
  },
}
