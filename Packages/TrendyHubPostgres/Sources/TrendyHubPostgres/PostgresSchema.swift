/// Table definitions by schema version.
///
/// The primary key of every table with user data begins with the user, so one user's rows are adjacent and can be moved
/// to another node. The schema uses no sequences, triggers or advisory locks, and no statement reads the data of
/// several users.
enum PostgresSchema {
  static var version: Int64 { Int64(migrations.count) }

  /// Migrations from each version to the next. Released ones must never be changed.
  static let migrations: [[String]] = [
    [
      // A user's counter, which every write for the user locks. The row with person '' belongs to the directory.
      """
      CREATE TABLE counter (
        person text COLLATE "C" PRIMARY KEY, head bigint NOT NULL, state text NOT NULL, recent bytea NOT NULL,
        erased boolean NOT NULL)
      """,
      // status: 0 live, 1 tombstone. moment: sort value in lists, in milliseconds since 1970.
      """
      CREATE TABLE entry (
        person text COLLATE "C" NOT NULL, kind text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL,
        version bigint NOT NULL, moment bigint NOT NULL, status bigint NOT NULL, facts text NOT NULL,
        line text NOT NULL, PRIMARY KEY (person, kind, id))
      """,
      "CREATE INDEX entry_feed ON entry (person, version)",
      "CREATE INDEX entry_kind ON entry (person, kind, version)",
      "CREATE INDEX entry_list ON entry (person, kind, moment DESC, id DESC) WHERE status = 0",
      "CREATE INDEX entry_tombstone ON entry (person, version) WHERE status = 1",
      // Compacted tombstones, reduced to a hash of kind and id.
      """
      CREATE TABLE purged (
        person text COLLATE "C" NOT NULL, hash text COLLATE "C" NOT NULL, PRIMARY KEY (person, hash))
      """,
      // References of live entries to other entries.
      """
      CREATE TABLE reference (
        person text COLLATE "C" NOT NULL, to_kind text COLLATE "C" NOT NULL, to_id text COLLATE "C" NOT NULL,
        kind text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL,
        PRIMARY KEY (person, to_kind, to_id, kind, id))
      """,
      // A device identity with its highest sequence number and its last position. contacted_at is null if the position
      // was discarded.
      """
      CREATE TABLE device (
        person text COLLATE "C" NOT NULL, device text COLLATE "C" NOT NULL, mark bigint NOT NULL,
        cursor bigint, contacted_at bigint, lives text, PRIMARY KEY (person, device))
      """,
      """
      CREATE TABLE outcome (
        person text COLLATE "C" NOT NULL, device text COLLATE "C" NOT NULL, sequence bigint NOT NULL,
        document text NOT NULL, PRIMARY KEY (person, device, sequence))
      """,
      """
      CREATE TABLE keyed_write (
        person text COLLATE "C" NOT NULL, hash text COLLATE "C" NOT NULL, digest text NOT NULL, kind text NOT NULL,
        id text NOT NULL, PRIMARY KEY (person, hash))
      """,
      """
      CREATE TABLE companion (
        person text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, document text NOT NULL,
        PRIMARY KEY (person, id))
      """,
      """
      CREATE TABLE notice (
        person text COLLATE "C" NOT NULL, companion text COLLATE "C" NOT NULL, sequence bigint NOT NULL,
        document text NOT NULL, PRIMARY KEY (person, companion, sequence))
      """,
      // Delivery state of a webhook.
      """
      CREATE TABLE webhook_standing (
        person text COLLATE "C" NOT NULL, webhook text COLLATE "C" NOT NULL, document text NOT NULL,
        PRIMARY KEY (person, webhook))
      """,
      // Readings from trackers as rows of a track log. Key and group are unsigned numbers, stored with the same bits.
      """
      CREATE TABLE track_row (
        person text COLLATE "C" NOT NULL, kind bigint NOT NULL, high bigint NOT NULL, low bigint NOT NULL,
        moment bigint NOT NULL, bundle bigint NOT NULL, payload bytea NOT NULL,
        PRIMARY KEY (person, kind, high, low))
      """,
      "CREATE INDEX track_row_moment ON track_row (person, kind, bundle, moment)",
      // Lease of the hub that is processing a user's track log.
      """
      CREATE TABLE track_reader (
        person text COLLATE "C" PRIMARY KEY, reader text NOT NULL, until timestamptz NOT NULL)
      """,
      """
      CREATE TABLE import (
        person text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, document text NOT NULL,
        PRIMARY KEY (person, id))
      """,
      // The directory: users, tokens and webhooks. report is a device's last status report as JSON, or ''.
      """
      CREATE TABLE webhook (
        id text COLLATE "C" PRIMARY KEY, person text COLLATE "C" NOT NULL, document text NOT NULL)
      """,
      """
      CREATE TABLE member (
        id text COLLATE "C" PRIMARY KEY, name text NOT NULL, created_at bigint NOT NULL, removed_at bigint,
        erasing boolean NOT NULL)
      """,
      """
      CREATE TABLE token (
        hash text COLLATE "C" PRIMARY KEY, device text NOT NULL, person text COLLATE "C" NOT NULL, name text NOT NULL,
        created_at bigint NOT NULL, revoked_at bigint, seen_at bigint, report text NOT NULL)
      """,
      "CREATE INDEX token_person ON token (person)",
      """
      CREATE TABLE pairing_code (
        hash text COLLATE "C" PRIMARY KEY, person text COLLATE "C" NOT NULL, expires_at bigint NOT NULL)
      """,
      // Epochs of this storage. identity denotes the server and the tables at the beginning of the epoch.
      """
      CREATE TABLE life (
        number bigint PRIMARY KEY, id text NOT NULL, identity text NOT NULL,
        began_at timestamptz NOT NULL DEFAULT now())
      """,
      // Number of each hub's connections. If a hub finds a lower number than it has written, the database has lost
      // commits.
      """
      CREATE TABLE witness (
        hub text COLLATE "C" PRIMARY KEY, count bigint NOT NULL, seen_at timestamptz NOT NULL DEFAULT now())
      """,
      // Recent pairing attempts, keyed by the hash of an address or a code. times is in milliseconds since 1970,
      // separated by commas.
      "CREATE TABLE pairing_attempt (key text COLLATE \"C\" PRIMARY KEY, latest bigint NOT NULL, times text NOT NULL)",
      "CREATE INDEX pairing_attempt_latest ON pairing_attempt (latest)",
    ]
  ]

  /// Returns statements that create the schema and its version table.
  ///
  /// If two hubs run them at the same time, the second waits for the row inserted by the first.
  static func prepare(_ schema: String) -> [String] {
    [
      "CREATE SCHEMA IF NOT EXISTS \(schema)",
      "CREATE TABLE IF NOT EXISTS schema_version (one bigint PRIMARY KEY, number bigint NOT NULL, made_by text NOT NULL)",
      "INSERT INTO schema_version (one, number, made_by) VALUES (1, 0, '') ON CONFLICT (one) DO NOTHING",
    ]
  }
}
