/// All statements that a hub uses to serve requests.
///
/// A test verifies that each statement on user data is restricted to one user.
extension PostgresStatement {
  // MARK: Transactions

  static let beginRead = PostgresStatement("begin_read", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
  // Only the holder of the counter row can write, so reads after locking it return the latest data.
  static let beginWrite = PostgresStatement("begin_write", "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
  static let commit = PostgresStatement("commit", "COMMIT")
  static let rollback = PostgresStatement("rollback", "ROLLBACK")

  // MARK: Counter

  static let readCounter = PostgresStatement(
    "read_counter",
    """
    SELECT state, recent, erased, (SELECT id FROM life ORDER BY number DESC LIMIT 1)
    FROM counter WHERE person = $1
    """)
  static let lockCounter = PostgresStatement("lock_counter", readCounter.sql + " FOR UPDATE")
  static let insertCounter = PostgresStatement(
    "insert_counter",
    """
    INSERT INTO counter (person, head, state, recent, erased) VALUES ($1, 0, '', '', false)
    ON CONFLICT (person) DO NOTHING
    """)
  static let updateCounter = PostgresStatement(
    "update_counter", "UPDATE counter SET head = $2, state = $3, recent = $4 WHERE person = $1")
  static let eraseCounter = PostgresStatement(
    "erase_counter", "UPDATE counter SET head = 0, state = '', erased = true WHERE person = $1")

  // MARK: Entries

  // Look up each entry through the index. For a plain join, the planner may read all of the user's rows, especially if
  // tables have no statistics. The LIMIT prevents this.
  static let readEntries = PostgresStatement(
    "read_entries",
    """
    SELECT wanted.kind, wanted.id, e.facts, e.line
    FROM unnest($2::text[], $3::text[], $4::text[]) AS wanted (kind, id, hash)
    LEFT JOIN LATERAL (
      SELECT facts, line FROM entry WHERE person = $1 AND kind = wanted.kind AND id = wanted.id LIMIT 1) e ON true
    LEFT JOIN LATERAL (SELECT hash FROM purged WHERE person = $1 AND hash = wanted.hash LIMIT 1) p ON true
    WHERE e.line IS NOT NULL OR p.hash IS NOT NULL
    """)
  static let feed = PostgresStatement(
    "feed",
    """
    SELECT version, line, facts FROM entry WHERE person = $1 AND version > $2
    ORDER BY version LIMIT $3
    """)
  static let feedOfKind = PostgresStatement(
    "feed_of_kind",
    """
    SELECT version, line FROM entry WHERE person = $1 AND kind = $2 AND version > $3
    ORDER BY version LIMIT $4
    """)
  static let feedOfOtherKinds = PostgresStatement(
    "feed_of_other_kinds",
    """
    SELECT version, line FROM entry WHERE person = $1 AND kind <> ALL ($2::text[]) AND version > $3
    ORDER BY version LIMIT $4
    """)
  static let allLines = PostgresStatement(
    "all_lines", "SELECT kind, version, line FROM entry WHERE person = $1 ORDER BY version")
  static let living = PostgresStatement(
    "living",
    """
    SELECT line, facts FROM entry WHERE person = $1 AND kind = $2 AND status = 0
    ORDER BY moment DESC, id DESC OFFSET $3 LIMIT $4
    """)
  static let livingDuring = PostgresStatement(
    "living_during",
    """
    SELECT line, facts FROM entry WHERE person = $1 AND kind = $2 AND status = 0 AND moment >= $3 AND moment < $4
    ORDER BY moment DESC, id DESC LIMIT $5
    """)
  static let referring = PostgresStatement(
    "referring",
    """
    SELECT e.line, e.facts FROM reference r
    JOIN entry e ON e.person = $1 AND e.kind = r.kind AND e.id = r.id
    WHERE r.person = $1 AND r.to_kind = $2 AND r.to_id = $3 ORDER BY e.version
    """)
  static let tombstones = PostgresStatement(
    "tombstones",
    """
    SELECT line, facts FROM entry WHERE person = $1 AND version <= $2 AND status = 1 ORDER BY version LIMIT $3
    """)
  static let putEntries = PostgresStatement(
    "put_entries",
    """
    INSERT INTO entry (person, kind, id, version, moment, status, facts, line)
    SELECT $1::text, r.* FROM
    unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[], $8::text[]) AS r
    ON CONFLICT (person, kind, id) DO UPDATE SET version = excluded.version, moment = excluded.moment,
    status = excluded.status, facts = excluded.facts, line = excluded.line
    """)
  static let deleteEntries = PostgresStatement(
    "delete_entries",
    """
    DELETE FROM entry e USING unnest($2::text[], $3::text[]) AS gone (kind, id)
    WHERE e.person = $1 AND e.kind = gone.kind AND e.id = gone.id
    """)
  static let readPurged = PostgresStatement(
    "read_purged", "SELECT hash FROM purged WHERE person = $1 AND hash > $2 ORDER BY hash LIMIT $3")
  static let putPurged = PostgresStatement(
    "put_purged",
    """
    INSERT INTO purged (person, hash) SELECT $1::text, r.* FROM unnest($2::text[]) AS r
    ON CONFLICT (person, hash) DO NOTHING
    """)
  static let putReferences = PostgresStatement(
    "put_references",
    """
    INSERT INTO reference (person, to_kind, to_id, kind, id)
    SELECT $1::text, r.* FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS r
    ON CONFLICT (person, to_kind, to_id, kind, id) DO NOTHING
    """)
  static let deleteReferences = PostgresStatement(
    "delete_references",
    """
    DELETE FROM reference r
    USING unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS gone (to_kind, to_id, kind, id)
    WHERE r.person = $1 AND r.to_kind = gone.to_kind AND r.to_id = gone.to_id AND r.kind = gone.kind AND r.id = gone.id
    """)

  // MARK: Devices

  static let readDevice = PostgresStatement(
    "read_device", "SELECT device, mark, cursor, contacted_at, lives FROM device WHERE person = $1 AND device = $2")
  static let readContacts = PostgresStatement(
    "read_contacts",
    """
    SELECT device, mark, cursor, contacted_at, lives FROM device WHERE person = $1 AND contacted_at IS NOT NULL
    """)
  static let readMarks = PostgresStatement(
    "read_marks", "SELECT device, mark FROM device WHERE person = $1 AND mark <> 0")
  static let putDevices = PostgresStatement(
    "put_devices",
    """
    INSERT INTO device (person, device, mark, cursor, contacted_at, lives)
    SELECT $1::text, r.* FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[]) AS r
    ON CONFLICT (person, device) DO UPDATE SET mark = excluded.mark, cursor = excluded.cursor,
    contacted_at = excluded.contacted_at, lives = excluded.lives
    """)
  static let readOutcomes = PostgresStatement(
    "read_outcomes",
    """
    SELECT sequence, document FROM outcome WHERE person = $1 AND device = $2 AND sequence >= $3
    ORDER BY sequence LIMIT $4
    """)
  static let readAllOutcomes = PostgresStatement(
    "read_all_outcomes",
    """
    SELECT device, sequence, document FROM outcome WHERE person = $1 AND (device, sequence) > ($2, $3)
    ORDER BY device, sequence LIMIT $4
    """)
  static let putOutcomes = PostgresStatement(
    "put_outcomes",
    """
    INSERT INTO outcome (person, device, sequence, document)
    SELECT $1::text, r.* FROM unnest($2::text[], $3::bigint[], $4::text[]) AS r
    ON CONFLICT (person, device, sequence) DO UPDATE SET document = excluded.document
    """)
  static let deleteOutcomes = PostgresStatement(
    "delete_outcomes", "DELETE FROM outcome WHERE person = $1 AND device = $2 AND sequence <= $3")
  static let readKeyedWrite = PostgresStatement(
    "read_keyed_write", "SELECT digest, kind, id FROM keyed_write WHERE person = $1 AND hash = $2")
  static let readKeyedWrites = PostgresStatement(
    "read_keyed_writes",
    "SELECT hash, digest, kind, id FROM keyed_write WHERE person = $1 AND hash > $2 ORDER BY hash LIMIT $3")
  static let putKeyedWrite = PostgresStatement(
    "put_keyed_write",
    """
    INSERT INTO keyed_write (person, hash, digest, kind, id) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (person, hash) DO UPDATE SET digest = excluded.digest, kind = excluded.kind, id = excluded.id
    """)

  // MARK: Companions

  static let readCompanions = PostgresStatement(
    "read_companions", "SELECT document FROM companion WHERE person = $1")
  static let readCompanion = PostgresStatement(
    "read_companion", "SELECT document FROM companion WHERE person = $1 AND id = $2")
  static let putCompanion = PostgresStatement(
    "put_companion",
    """
    INSERT INTO companion (person, id, document) VALUES ($1, $2, $3)
    ON CONFLICT (person, id) DO UPDATE SET document = excluded.document
    """)
  static let readNotices = PostgresStatement(
    "read_notices",
    """
    SELECT document FROM notice WHERE person = $1 AND companion = $2 AND sequence > $3 ORDER BY sequence LIMIT $4
    """)
  static let putNotices = PostgresStatement(
    "put_notices",
    """
    INSERT INTO notice (person, companion, sequence, document)
    SELECT $1::text, r.* FROM unnest($2::text[], $3::bigint[], $4::text[]) AS r
    ON CONFLICT (person, companion, sequence) DO UPDATE SET document = excluded.document
    """)
  static let deleteNotices = PostgresStatement(
    "delete_notices", "DELETE FROM notice WHERE person = $1 AND companion = $2 AND sequence <= $3")

  // MARK: Webhooks

  static let readStanding = PostgresStatement(
    "read_standing", "SELECT document FROM webhook_standing WHERE person = $1 AND webhook = $2")
  static let readStandings = PostgresStatement(
    "read_standings", "SELECT document FROM webhook_standing WHERE person = $1")
  static let putStanding = PostgresStatement(
    "put_standing",
    """
    INSERT INTO webhook_standing (person, webhook, document) VALUES ($1, $2, $3)
    ON CONFLICT (person, webhook) DO UPDATE SET document = excluded.document
    """)
  static let deleteStanding = PostgresStatement(
    "delete_standing", "DELETE FROM webhook_standing WHERE person = $1 AND webhook = $2")

  // MARK: Imports

  static let readImports = PostgresStatement("read_imports", "SELECT document FROM import WHERE person = $1")
  static let putImport = PostgresStatement(
    "put_import",
    """
    INSERT INTO import (person, id, document) VALUES ($1, $2, $3)
    ON CONFLICT (person, id) DO UPDATE SET document = excluded.document
    """)

  // MARK: Erasing

  /// Tables with user data, except the counter.
  static let tables = [
    "entry", "purged", "reference", "device", "outcome", "keyed_write", "companion", "notice", "webhook_standing",
    "import",
  ]

  static let erasures = tables.map {
    PostgresStatement("erase_\($0)", "DELETE FROM \($0) WHERE person = $1")
  }

  static let size = PostgresStatement(
    "size",
    """
    SELECT (SELECT coalesce(sum(octet_length(line) + octet_length(facts)), 0) FROM entry WHERE person = $1)
    + (SELECT coalesce(sum(octet_length(payload)), 0) FROM track_row WHERE person = $1)
    """)

  // MARK: Tracks

  static let hasTracks = PostgresStatement("has_tracks", "SELECT 1 FROM track_row WHERE person = $1 LIMIT 1")
  static let readTrackRow = PostgresStatement(
    "read_track_row",
    """
    SELECT high, low, moment, bundle, payload FROM track_row WHERE person = $1 AND kind = $2 AND high = $3 AND low = $4
    """)
  static let readTrackRows = trackRows("read_track_rows", "", "")
  static let readTrackRowsDown = trackRows("read_track_rows_down", "", " DESC")
  static let readTrackRowsOfGroup = trackRows("read_track_rows_of_group", " AND bundle = $6", "")
  static let readTrackRowsOfGroupDown = trackRows("read_track_rows_of_group_down", " AND bundle = $6", " DESC")

  private static func trackRows(_ name: String, _ condition: String, _ order: String) -> PostgresStatement {
    PostgresStatement(
      name,
      """
      SELECT high, low, moment, bundle, payload FROM track_row
      WHERE person = $1 AND kind = $2 AND moment >= $3 AND moment < $4\(condition)
      ORDER BY moment\(order), high\(order), low\(order) LIMIT $5
      """)
  }

  static let putTrackRow = PostgresStatement(
    "put_track_row",
    """
    INSERT INTO track_row (person, kind, high, low, moment, bundle, payload) VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (person, kind, high, low)
    DO UPDATE SET moment = excluded.moment, bundle = excluded.bundle, payload = excluded.payload
    """)
  static let deleteTrackRow = PostgresStatement(
    "delete_track_row", "DELETE FROM track_row WHERE person = $1 AND kind = $2 AND high = $3 AND low = $4")
  /// Parameter $3 is the duration of the lease in milliseconds.
  static let claimTrackReader = PostgresStatement(
    "claim_track_reader",
    """
    INSERT INTO track_reader AS held (person, reader, until)
    VALUES ($1, $2, clock_timestamp() + $3::bigint * interval '1 millisecond')
    ON CONFLICT (person) DO UPDATE SET reader = excluded.reader, until = excluded.until
    WHERE held.until < clock_timestamp()
    """)
  static let renewTrackReader = PostgresStatement(
    "renew_track_reader",
    """
    UPDATE track_reader SET until = clock_timestamp() + $3::bigint * interval '1 millisecond'
    WHERE person = $1 AND reader = $2
    """)
  static let releaseTrackReader = PostgresStatement(
    "release_track_reader", "UPDATE track_reader SET until = '-infinity' WHERE person = $1 AND reader = $2")

  static let trackTables = ["track_row", "track_reader"]

  static let trackErasures = trackTables.map {
    PostgresStatement("erase_\($0)", "DELETE FROM \($0) WHERE person = $1")
  }

  /// All statements that access one user's data.
  static let ofPersons: [PostgresStatement] =
    [
      readCounter, lockCounter, insertCounter, updateCounter, eraseCounter, readEntries, feed, feedOfKind,
      feedOfOtherKinds, allLines, living, livingDuring, referring, tombstones, putEntries, putReferences,
      deleteReferences, deleteEntries, readPurged, putPurged,
      readDevice, readContacts, readMarks, putDevices, readOutcomes, readAllOutcomes, putOutcomes, deleteOutcomes,
      readKeyedWrite, readKeyedWrites, putKeyedWrite,
      readCompanions, readCompanion, putCompanion, readNotices, putNotices, deleteNotices,
      readStanding, readStandings, putStanding, deleteStanding, size, hasTracks, readTrackRow, readTrackRows,
      readTrackRowsDown, readTrackRowsOfGroup, readTrackRowsOfGroupDown, putTrackRow, deleteTrackRow,
      claimTrackReader, renewTrackReader, releaseTrackReader,
    ] + erasures + trackErasures

  // MARK: Directory, shared by all users

  static let readMembers = PostgresStatement(
    "read_members", "SELECT id, name, created_at, removed_at, erasing FROM member")
  static let readMember = PostgresStatement("read_member", readMembers.sql + " WHERE id = $1")
  static let putMember = PostgresStatement(
    "put_member",
    """
    INSERT INTO member (id, name, created_at, removed_at, erasing) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, created_at = excluded.created_at,
    removed_at = excluded.removed_at, erasing = excluded.erasing
    """)
  static let deleteMember = PostgresStatement("delete_member", "DELETE FROM member WHERE id = $1")
  static let readTokens = PostgresStatement(
    "read_tokens", "SELECT hash, device, person, name, created_at, revoked_at, seen_at, report FROM token")
  static let readToken = PostgresStatement("read_token", readTokens.sql + " WHERE hash = $1")
  static let putToken = PostgresStatement(
    "put_token",
    """
    INSERT INTO token (hash, device, person, name, created_at, revoked_at, seen_at, report)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (hash) DO UPDATE SET device = excluded.device, person = excluded.person, name = excluded.name,
    created_at = excluded.created_at, revoked_at = excluded.revoked_at, seen_at = excluded.seen_at,
    report = excluded.report
    """)
  static let deleteTokens = PostgresStatement("delete_tokens", "DELETE FROM token WHERE person = $1")
  static let readPairingCode = PostgresStatement(
    "read_pairing_code", "SELECT person, expires_at FROM pairing_code WHERE hash = $1")
  static let readPairingCodes = PostgresStatement(
    "read_pairing_codes", "SELECT hash, person, expires_at FROM pairing_code")
  static let putPairingCode = PostgresStatement(
    "put_pairing_code",
    """
    INSERT INTO pairing_code (hash, person, expires_at) VALUES ($1, $2, $3)
    ON CONFLICT (hash) DO UPDATE SET person = excluded.person, expires_at = excluded.expires_at
    """)
  static let deletePairingCode = PostgresStatement("delete_pairing_code", "DELETE FROM pairing_code WHERE hash = $1")
  static let deletePairingCodesOf = PostgresStatement(
    "delete_pairing_codes_of", "DELETE FROM pairing_code WHERE person = $1")
  static let readPairingAttempts = PostgresStatement(
    "read_pairing_attempts", "SELECT times FROM pairing_attempt WHERE key = $1")
  static let putPairingAttempts = PostgresStatement(
    "put_pairing_attempts",
    """
    INSERT INTO pairing_attempt (key, latest, times) VALUES ($1, $2, $3)
    ON CONFLICT (key) DO UPDATE SET latest = excluded.latest, times = excluded.times
    """)
  static let deletePairingAttempts = PostgresStatement(
    "delete_pairing_attempts", "DELETE FROM pairing_attempt WHERE key = $1")
  static let deleteOldPairingAttempts = PostgresStatement(
    "delete_old_pairing_attempts", "DELETE FROM pairing_attempt WHERE latest < $1")
  static let deleteExcessPairingAttempts = PostgresStatement(
    "delete_excess_pairing_attempts",
    """
    DELETE FROM pairing_attempt
    WHERE key IN (SELECT key FROM pairing_attempt ORDER BY latest DESC, key DESC OFFSET $1)
    """)
  static let readWebhooks = PostgresStatement("read_webhooks", "SELECT document FROM webhook")
  static let putWebhook = PostgresStatement(
    "put_webhook",
    """
    INSERT INTO webhook (id, person, document) VALUES ($1, $2, $3)
    ON CONFLICT (id) DO UPDATE SET person = excluded.person, document = excluded.document
    """)
  static let deleteWebhook = PostgresStatement("delete_webhook", "DELETE FROM webhook WHERE id = $1")
  static let deleteWebhooks = PostgresStatement("delete_webhooks", "DELETE FROM webhook WHERE person = $1")
  static let deleteExpiredCodes = PostgresStatement(
    "delete_expired_codes", "DELETE FROM pairing_code WHERE expires_at < $1")
}
