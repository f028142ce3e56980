/// The tables, version by version.
///
/// Every table of a person's begins its key with the person, so that the rows of one lie together and may be moved to a node of
/// their own. There are no sequences, triggers or advisory locks, and no statement that reads across persons.
enum PostgresSchema {
  /// The version that this hub knows.
  static var version: Int64 { Int64(migrations.count) }

  /// What brings the tables from each version to the next. What was published is never changed.
  static let migrations: [[String]] = [
    [
      // The one counter of a person, which every write of theirs locks. The directory's row is that of the person "".
      """
      CREATE TABLE counter (
        person text COLLATE "C" PRIMARY KEY, head bigint NOT NULL, state text NOT NULL, recent bytea NOT NULL,
        erased boolean NOT NULL)
      """,
      // status: 0 lives, 1 is a tombstone. moment: the place in lists, milliseconds since 1970.
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
      // Tombstones of which only the id is left: the hash of their kind and id.
      """
      CREATE TABLE purged (
        person text COLLATE "C" NOT NULL, hash text COLLATE "C" NOT NULL, PRIMARY KEY (person, hash))
      """,
      // Of the living: which of them refer to an entry.
      """
      CREATE TABLE reference (
        person text COLLATE "C" NOT NULL, to_kind text COLLATE "C" NOT NULL, to_id text COLLATE "C" NOT NULL,
        kind text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL,
        PRIMARY KEY (person, to_kind, to_id, kind, id))
      """,
      // A sync identity: the mark, and where it stood; contacted_at is null where that was forgotten.
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
      // How far the deliveries to a webhook have come.
      """
      CREATE TABLE webhook_standing (
        person text COLLATE "C" NOT NULL, webhook text COLLATE "C" NOT NULL, document text NOT NULL,
        PRIMARY KEY (person, webhook))
      """,
      // What trackers post, as rows of a track log; key and group are unsigned numbers by their bits.
      """
      CREATE TABLE track_row (
        person text COLLATE "C" NOT NULL, kind bigint NOT NULL, high bigint NOT NULL, low bigint NOT NULL,
        moment bigint NOT NULL, bundle bigint NOT NULL, payload bytea NOT NULL,
        PRIMARY KEY (person, kind, high, low))
      """,
      "CREATE INDEX track_row_moment ON track_row (person, kind, bundle, moment)",
      // Which call looks through a person's log, and until when nobody else does.
      """
      CREATE TABLE track_reader (
        person text COLLATE "C" PRIMARY KEY, reader text NOT NULL, until timestamptz NOT NULL)
      """,
      // Files that were taken in.
      """
      CREATE TABLE import (
        person text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, document text NOT NULL,
        PRIMARY KEY (person, id))
      """,
      // The directory: who may come in, and who is told of what changes. A token has the JSON of what its device last said of itself,
      // or ''.
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
      // The lives of this storage; identity: the server and the tables in which it began.
      """
      CREATE TABLE life (
        number bigint PRIMARY KEY, id text NOT NULL, identity text NOT NULL,
        began_at timestamptz NOT NULL DEFAULT now())
      """,
      // How often each hub connected: what a hub knows of, and does not find, was lost.
      """
      CREATE TABLE witness (
        hub text COLLATE "C" PRIMARY KEY, count bigint NOT NULL, seen_at timestamptz NOT NULL DEFAULT now())
      """,
      // Recent attempts to pair, by the hash of an address or a code; times: milliseconds since 1970, separated by commas.
      "CREATE TABLE pairing_attempt (key text COLLATE \"C\" PRIMARY KEY, latest bigint NOT NULL, times text NOT NULL)",
      "CREATE INDEX pairing_attempt_latest ON pairing_attempt (latest)",
    ]
  ]

  /// In the schema that the connection stands in. Two hubs at once: the second waits for the row of the first.
  static func prepare(_ schema: String) -> [String] {
    [
      "CREATE SCHEMA IF NOT EXISTS \(schema)",
      "CREATE TABLE IF NOT EXISTS schema_version (one bigint PRIMARY KEY, number bigint NOT NULL, made_by text NOT NULL)",
      "INSERT INTO schema_version (one, number, made_by) VALUES (1, 0, '') ON CONFLICT (one) DO NOTHING",
    ]
  }
}
