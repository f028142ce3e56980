import Foundation
import Synchronization
import TrendyHub
import TrendyModels

/// Cache of the users' parsed states. Each request needs a state, which can list hundreds of epochs.
final class StateCache: Sendable {
  private static let maxUsers = 4096
  private let content = Mutex<[String: (text: Data, state: HubState)]>([:])

  func state(_ text: Data, of user: String) throws -> HubState {
    if let known = content.withLock({ $0[user] }), known.text == text { return known.state }
    guard let state = HubState(stored: try PostgresDocument.parse(text, of: "counter")) else {
      throw PostgresDocument.unreadable("counter")
    }
    content.withLock { content in
      if content.count >= Self.maxUsers { content.removeAll() }
      content[user] = (text, state)
    }
    return state
  }
}

enum PostgresDocument {
  static func parse(_ text: Data, of table: String) throws -> JSONValue {
    do {
      return try WireJSON.decode(JSONValue.self, from: text)
    } catch {
      throw HubStorageError.unreadable("a row of the table \(table) contains invalid JSON: \(error)")
    }
  }

  static func unreadable(_ table: String) -> HubStorageError {
    .unreadable("this version cannot read a row of the table \(table): install a newer version")
  }

  static func entry(line: Data, facts: Data) throws -> HubEntry {
    guard let entry = HubEntry(line: try parse(line, of: "entry"), facts: try parse(facts, of: "entry")) else {
      throw unreadable("entry")
    }
    return entry
  }
}

/// A transaction on a connection, which begins together with its first statements in one round trip.
class PostgresSession: DatabaseSession {
  let connection: PostgresConnection
  /// User whose counter is locked or read.
  let user: String
  let isWriting: Bool
  /// First error in the transaction, even if the body caught it.
  private(set) var failure: DatabaseFailure?
  private(set) var row: CounterRow?
  private let states: StateCache

  struct CounterRow {
    var state: HubState?
    var recent: RecentWrites
    var isErased: Bool
    /// Id of the current epoch, or `nil` if none has begun.
    var epoch: String?
  }

  init(_ connection: PostgresConnection, user: String, isWriting: Bool, states: StateCache) {
    self.connection = connection
    self.user = user
    self.isWriting = isWriting
    self.states = states
  }

  /// Runs statements in one round trip, which also begins the transaction if necessary.
  func run(_ calls: [PostgresCall]) throws -> [PostgresRows] {
    do {
      guard row == nil else { return try connection.run(calls) }
      let (found, rows) = try begin(with: calls)
      row = try counterRow(found)
      if row?.isErased == true { throw HubStorageError.erased(user: user) }
      return rows
    } catch {
      throw note(error)
    }
  }

  func run(_ call: PostgresCall) throws -> PostgresRows { try run([call])[0] }

  func note(_ error: any Error) -> any Error {
    if let error = error as? DatabaseFailure, failure == nil { failure = error }
    return error
  }

  private func begin(
    with calls: [PostgresCall]
  ) throws(DatabaseFailure) -> (counter: PostgresRows, rows: [PostgresRows]) {
    let name = PostgresValue.text(user)
    let begin = PostgresCall(isWriting ? .beginWrite : .beginRead)
    let counter = PostgresCall(isWriting ? .lockCounter : .readCounter, name)
    var rows = try connection.run([begin, counter] + calls)
    guard isWriting, rows[1].count == 0 else { return (rows[1], Array(rows.dropFirst(2))) }
    // This is the user's first write. The results were read without the lock, so read again.
    rows = try connection.run([PostgresCall(.insertCounter, name), counter] + calls)
    return (rows[1], Array(rows.dropFirst(2)))
  }

  private func counterRow(_ rows: PostgresRows) throws -> CounterRow {
    guard rows.count > 0 else { return CounterRow(recent: RecentWrites(), isErased: false) }
    let state = rows.data(0, 0)
    return CounterRow(
      state: state.isEmpty ? nil : try states.state(state, of: user),
      recent: RecentWrites(stored: rows.bytes(0, 1)),
      isErased: rows.bool(0, 2), epoch: rows.isNull(0, 3) ? nil : rows.text(0, 3))
  }

  func counter() throws -> CounterRow {
    if row == nil { _ = try run([]) }
    guard let row else { preconditionFailure("a transaction of user \(user) has no counter") }
    return row
  }

  var recentWrites: RecentWrites? { row?.recent }

  func lockRecentWrites() throws -> RecentWrites { try counter().recent }

  func noteState(_ state: HubState) { row?.state = state }

  func end() {
    guard row != nil || failure != nil else { return }
    connection.runLater(PostgresCall(isWriting ? .rollback : .commit))
  }
}

class PostgresReading: PostgresSession, HubReadTransaction {
  enum Known {
    case absent
    /// A compacted tombstone, of which only the id remains.
    case purged
    case entry(HubEntry)
  }

  struct DeviceRow {
    var mark: Int64 = 0
    var contact: HubContact?
  }

  private(set) var known: [HubEntryKey: Known] = [:]
  private var devices: [String: DeviceRow] = [:]
  private var outcomes: [String: OutcomeWindow] = [:]

  /// A device's outcomes, complete from one sequence number to another.
  private struct OutcomeWindow {
    var start: Int64
    var end: Int64
    var outcomes: [Int64: StoredOutcome]
  }

  private static let outcomesAtOnce: Int64 = 512
  private static let linesAtOnce: Int64 = 512

  func epoch() throws -> String? { try counter().epoch }

  func state() throws -> HubState { try counter().state ?? HubState() }

  func prefetch(_ keys: [HubEntryKey], device: String) throws {
    var wanted: [HubEntryKey] = []
    var seen: Set<HubEntryKey> = []
    for key in keys where known[key] == nil && seen.insert(key).inserted { wanted.append(key) }
    var calls: [PostgresCall] = []
    let isDeviceUnknown = devices[device] == nil
    if isDeviceUnknown { calls.append(readDeviceCall(device)) }
    if !wanted.isEmpty { calls.append(readEntriesCall(wanted)) }
    guard !calls.isEmpty else { return }
    let rows = try run(calls)
    if isDeviceUnknown { devices[device] = try Self.deviceRow(rows[0]) }
    if !wanted.isEmpty, let last = rows.last { try note(wanted, last) }
  }

  /// Returns the stored entry from the cache or, if it is not cached, from the database.
  func fetched(_ key: HubEntryKey) throws -> Known {
    if let found = known[key] { return found }
    try note([key], run(readEntriesCall([key])))
    return known[key] ?? .absent
  }

  func noteWritten(_ key: HubEntryKey, _ value: Known) { known[key] = value }

  private func readEntriesCall(_ keys: [HubEntryKey]) -> PostgresCall {
    PostgresCall(
      .readEntries, .text(user), .texts(keys.map(\.kind)), .texts(keys.map(\.id)),
      .texts(keys.map { HubNameHash.entry($0.kind, $0.id).description }))
  }

  private func note(_ wanted: [HubEntryKey], _ rows: PostgresRows) throws {
    for key in wanted { known[key] = .absent }
    for row in 0..<rows.count {
      let key = HubEntryKey(kind: rows.text(row, 0), id: rows.text(row, 1))
      known[key] =
        rows.isNull(row, 2)
        ? .purged : .entry(try PostgresDocument.entry(line: rows.data(row, 3), facts: rows.data(row, 2)))
    }
  }

  func entry(kind: String, id: String) throws -> HubEntry? {
    guard case .entry(let entry) = try fetched(HubEntryKey(kind: kind, id: id)) else { return nil }
    return entry
  }

  func isPurged(kind: String, id: String) throws -> Bool {
    if case .purged = try fetched(HubEntryKey(kind: kind, id: id)) { true } else { false }
  }

  /// Sends pending writes before a range query. Does nothing in a read transaction.
  func settle() throws {}

  func entries(after version: Int64, limit: Int) throws -> [HubEntry] {
    try settle()
    let rows = try run(PostgresCall(.feed, .text(user), .int(version), .int(Int64(limit))))
    return try (0..<rows.count).map { try PostgresDocument.entry(line: rows.data($0, 1), facts: rows.data($0, 2)) }
  }

  func lines(after version: Int64, limit: Int) throws -> [SerializedEntry] {
    try settle()
    let rows = try run(PostgresCall(.feed, .text(user), .int(version), .int(Int64(limit))))
    return (0..<rows.count).map { SerializedEntry(version: rows.int($0, 0), text: rows.data($0, 1)) }
  }

  func lines(ofKind kind: String?, after version: Int64, bytes: Int) throws -> [SerializedEntry] {
    try settle()
    var lines: [SerializedEntry] = []
    var left = bytes
    var version = version
    while left > 0 || lines.isEmpty {
      // Fetch as many lines as will probably be needed, assuming a few hundred bytes each.
      let limit = max(1, min(Self.linesAtOnce, Int64(left / 256)))
      let values = [PostgresValue.int(version), .int(limit)]
      let rows = try run(
        kind.map { PostgresCall(.feedOfKind, .text(user), .text($0), values[0], values[1]) }
          ?? PostgresCall(
            .feedOfOtherKinds, .text(user), .texts(SyncedKind.all.map(\.name)), values[0], values[1]))
      for row in 0..<rows.count where left > 0 || lines.isEmpty {
        let line = SerializedEntry(version: rows.int(row, 0), text: rows.data(row, 1))
        version = line.version
        left -= line.text.count
        lines.append(line)
      }
      if rows.count < limit { break }
    }
    return lines
  }

  /// Returns all serialized entries. They stay in memory until the list is released.
  func allLines() throws -> SerializedEntryList {
    try settle()
    let rows = try run(PostgresCall(.allLines, .text(user)))
    var text = Data(capacity: (0..<rows.count).reduce(0) { $0 + rows.byteCount($1, 2) })
    var places: [(rank: Int, version: Int64, bytes: Range<Int>)] = []
    for row in 0..<rows.count {
      let start = text.count
      text += rows.data(row, 2)
      places.append((SyncedKind.named(rows.text(row, 0))?.rank ?? .max, rows.int(row, 1), start..<text.count))
    }
    places.sort { ($0.rank, $0.version) < ($1.rank, $1.version) }
    return SerializedEntryList(count: places.count) { [places, text] place in
      SerializedEntry(version: places[place].version, text: Data(text[places[place].bytes]))
    }
  }

  func living(kind: String, offset: Int, limit: Int) throws -> [HubEntry] {
    try settle()
    return try entries(
      PostgresCall(.living, .text(user), .text(kind), .int(Int64(offset)), .int(Int64(limit))))
  }

  func living(kind: String, during moments: Range<Int64>, limit: Int) throws -> [HubEntry] {
    try settle()
    return try entries(
      PostgresCall(
        .livingDuring, .text(user), .text(kind), .int(moments.lowerBound), .int(moments.upperBound),
        .int(Int64(limit))))
  }

  func referring(toKind kind: String, id: String) throws -> [HubEntry] {
    try settle()
    return try entries(PostgresCall(.referring, .text(user), .text(kind), .text(id)))
  }

  func tombstones(through version: Int64, limit: Int) throws -> [HubEntry] {
    try settle()
    return try entries(PostgresCall(.tombstones, .text(user), .int(version), .int(Int64(limit))))
  }

  private func entries(_ call: PostgresCall) throws -> [HubEntry] {
    let rows = try run(call)
    return try (0..<rows.count).map { try PostgresDocument.entry(line: rows.data($0, 0), facts: rows.data($0, 1)) }
  }

  // MARK: Devices

  func mark(device: String) throws -> Int64 { try deviceRow(device).mark }

  func contact(device: String) throws -> HubContact? { try deviceRow(device).contact }

  func deviceRow(_ device: String) throws -> DeviceRow {
    if let row = devices[device] { return row }
    let row = try Self.deviceRow(try run(readDeviceCall(device)))
    devices[device] = row
    return row
  }

  func noteWritten(_ device: String, _ row: DeviceRow) { devices[device] = row }

  private func readDeviceCall(_ device: String) -> PostgresCall {
    PostgresCall(.readDevice, .text(user), .text(device))
  }

  private static func deviceRow(_ rows: PostgresRows) throws -> DeviceRow {
    guard rows.count > 0 else { return DeviceRow() }
    return DeviceRow(mark: rows.int(0, 1), contact: try contact(rows, 0))
  }

  private static func contact(_ rows: PostgresRows, _ row: Int) throws -> HubContact? {
    guard let cursor = rows.optionalInt(row, 2), let at = rows.optionalInt(row, 3) else { return nil }
    let epochs = try PostgresDocument.parse(rows.data(row, 4), of: "device")
    return HubContact(
      device: rows.text(row, 0), cursor: cursor, at: Date(millis: at),
      epochs: epochs.arrayValue?.compactMap(\.stringValue) ?? [])
  }

  func contacts() throws -> [HubContact] {
    try settle()
    let rows = try run(PostgresCall(.readContacts, .text(user)))
    return try (0..<rows.count).compactMap { try Self.contact(rows, $0) }.sorted { $0.device < $1.device }
  }

  func outcome(device: String, sequence: Int64) throws -> StoredOutcome? {
    if let window = outcomes[device], (window.start...window.end).contains(sequence) {
      return window.outcomes[sequence]
    }
    let rows = try run(
      PostgresCall(.readOutcomes, .text(user), .text(device), .int(sequence), .int(Self.outcomesAtOnce)))
    var window = OutcomeWindow(start: sequence, end: .max, outcomes: [:])
    for row in 0..<rows.count {
      guard let outcome = StoredOutcome(stored: try PostgresDocument.parse(rows.data(row, 1), of: "outcome")) else {
        throw PostgresDocument.unreadable("outcome")
      }
      window.outcomes[rows.int(row, 0)] = outcome
    }
    if rows.count == Self.outcomesAtOnce { window.end = rows.int(rows.count - 1, 0) }
    outcomes[device] = window
    return window.outcomes[sequence]
  }

  func forgetFetchedOutcomes() { outcomes = [:] }

  func forgetFetched() {
    known = [:]
    devices = [:]
    outcomes = [:]
  }

  func keyedWrite(_ hash: HubNameHash) throws -> KeyedWrite? {
    let rows = try run(PostgresCall(.readKeyedWrite, .text(user), .text(hash.description)))
    guard rows.count > 0 else { return nil }
    return KeyedWrite(digest: rows.text(0, 0), kind: rows.text(0, 1), id: rows.text(0, 2))
  }

  // MARK: Companions

  func companions() throws -> [CompanionLink] {
    try settle()
    let rows = try run(PostgresCall(.readCompanions, .text(user)))
    return try (0..<rows.count).map { try Self.companion(rows.data($0, 0)) }.sorted { $0.id < $1.id }
  }

  func companion(id: String) throws -> CompanionLink? {
    let rows = try run(PostgresCall(.readCompanion, .text(user), .text(id)))
    return rows.count > 0 ? try Self.companion(rows.data(0, 0)) : nil
  }

  static func companion(_ document: Data) throws -> CompanionLink {
    guard let companion = CompanionLink(stored: try PostgresDocument.parse(document, of: "companion")) else {
      throw PostgresDocument.unreadable("companion")
    }
    return companion
  }

  func webhookStanding(of webhook: String) throws -> WebhookDeliveryState? {
    let rows = try run(PostgresCall(.readStanding, .text(user), .text(webhook)))
    return rows.count > 0 ? try Self.standing(rows.data(0, 0)) : nil
  }

  static func standing(_ document: Data) throws -> WebhookDeliveryState {
    guard
      let standing = WebhookDeliveryState(stored: try PostgresDocument.parse(document, of: "webhook_standing"))
    else { throw PostgresDocument.unreadable("webhook_standing") }
    return standing
  }

  func imports() throws -> [HubImport] {
    let rows = try run(PostgresCall(.readImports, .text(user)))
    return try (0..<rows.count).map { row in
      guard let entry = HubImport(stored: try PostgresDocument.parse(rows.data(row, 0), of: "import")) else {
        throw PostgresDocument.unreadable("import")
      }
      return entry
    }.sorted { ($0.startedAt, $0.id) < ($1.startedAt, $1.id) }
  }

  func notices(companion: String, after sequence: Int64, limit: Int) throws -> [CompanionNotice] {
    try settle()
    let rows = try run(
      PostgresCall(.readNotices, .text(user), .text(companion), .int(sequence), .int(Int64(limit))))
    return try (0..<rows.count).map { try WireJSON.decode(CompanionNotice.self, from: rows.data($0, 0)) }
  }
}

extension RecentWrites {
  /// Decodes the column `recent`, which contains eight-byte big-endian numbers.
  init(stored bytes: [UInt8]) {
    self.init(
      stride(from: 0, to: bytes.count - 7, by: 8).map { place in
        bytes[place..<place + 8].reduce(0) { $0 << 8 | UInt64($1) }
      })
  }

  var stored: PostgresValue {
    .bytes(numbers.flatMap { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } })
  }
}

/// Values in the column `status` of the table `entry`.
enum EntryStatus: Int64 {
  case living = 0
  case tombstone = 1
}

extension Date {
  /// Milliseconds since 1970, rounded and clamped to the range that doubles represent exactly (285,000 years either
  /// way).
  var millis: Int64 {
    let limit = 9_007_199_254_740_991.0
    return Int64(max(-limit, min(limit, (timeIntervalSince1970 * 1000).rounded())))
  }

  init(millis: Int64) { self.init(timeIntervalSince1970: Double(millis) / 1000) }
}
