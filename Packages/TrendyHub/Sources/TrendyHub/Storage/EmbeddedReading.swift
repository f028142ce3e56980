import Foundation
import Synchronization
import TrendyModels
import TrendyPersistence

/// Cache of the decoded state row. Each request reads the row several times, and it may list hundreds of epochs.
final class LastState: Sendable {
  private let content = Mutex<(payload: [UInt8], state: HubState)?>(nil)

  func read(_ record: Row) throws -> HubState {
    try content.withLock { last in
      try record.withPayload { payload in
        if let last, last.payload.elementsEqual(payload) { return last.state }
        guard let state = HubState(stored: try record.document()) else { throw record.unreadable() }
        last = (Array(payload), state)
        return state
      }
    }
  }
}

class EmbeddedReading: HubReadTransaction {
  let records: any RecordReading
  let user: String
  private let lastState: LastState

  init(records: any RecordReading, user: String, lastState: LastState = LastState()) {
    self.records = records
    self.user = user
    self.lastState = lastState
  }

  func state() throws -> HubState {
    guard let record = try records.get(kind: HubRecordKind.state, key: HubRecordKey.state) else { return HubState() }
    return try lastState.read(record)
  }

  func entry(kind: String, id: String) throws -> HubEntry? {
    guard let record = try records.get(kind: HubRecordKind.entry, key: HubRecordKey.entry(kind, id)) else { return nil }
    let entry = try Self.entry(record)
    guard entry.kind == kind, entry.id == id else {
      throw HubStorageError.unreadable("\"\(id)\" has the same row key as \"\(entry.id)\" and cannot be stored")
    }
    return entry
  }

  func entries(after version: Int64, limit: Int) throws -> [HubEntry] {
    guard version < .max - 1 else { return [] }
    return try records.scan(
      kind: HubRecordKind.entry, group: nil, from: version + 1, to: .max, descending: false, limit: limit
    ).map(Self.entry)
  }

  func lines(after version: Int64, limit: Int) throws -> [SerializedEntry] {
    guard version < .max - 1 else { return [] }
    return try records.scan(
      kind: HubRecordKind.entry, group: nil, from: version + 1, to: .max, descending: false, limit: limit
    ).map(Self.line)
  }

  func lines(ofKind kind: String?, after version: Int64, bytes: Int) throws -> [SerializedEntry] {
    if kind == nil, try !hasUnknownKinds() { return [] }
    var lines: [SerializedEntry] = []
    var left = bytes
    var version = version
    while version < .max - 1, left > 0 || lines.isEmpty {
      let records = try records.scan(
        kind: HubRecordKind.entry, group: kind.map { HubRecordKey.group($0) }, from: version + 1, to: .max,
        descending: false, limit: Self.linesAtOnce)
      for record in records where left > 0 || lines.isEmpty {
        version = record.sort
        if kind == nil, Self.knownGroups.contains(record.group) { continue }
        let line = try Self.line(record)
        lines.append(line)
        left -= line.text.count
      }
      if records.count < Self.linesAtOnce { break }
    }
    return lines
  }

  private static let linesAtOnce = 1024
  private static let knownGroups = Set(SyncedKind.all.map { HubRecordKey.group($0.name) })

  /// Returns whether a newer version of the hub has written kinds unknown to this version.
  private func hasUnknownKinds() throws -> Bool {
    var count = try records.count(kind: HubRecordKind.entry, group: nil)
    for group in Self.knownGroups { count -= try records.count(kind: HubRecordKind.entry, group: group) }
    return count > 0
  }

  func allLines() throws -> SerializedEntryList {
    let all = try records.scan(kind: HubRecordKind.entry)
    let ranks = Dictionary(
      uniqueKeysWithValues: SyncedKind.all.map { (HubRecordKey.group($0.name), $0.rank) })
    // Sort by rank and index. Rows of one kind are already in order of version.
    let places = all.indices.map { (rank: ranks[all[$0].group] ?? .max, place: $0) }.sorted { $0 < $1 }.map(\.place)
    return SerializedEntryList(count: all.count) { try Self.line(all[places[$0]]) }
  }

  func living(kind: String, offset: Int, limit: Int) throws -> [HubEntry] {
    let wanted = offset.addingReportingOverflow(limit)
    return try records.scan(
      kind: HubRecordKind.living, group: HubRecordKey.group(kind), from: .min, to: .max, descending: true,
      limit: wanted.overflow ? .max : wanted.partialValue
    ).dropFirst(offset).map { try entry(key: $0.key) }
  }

  func living(kind: String, during moments: Range<Int64>, limit: Int) throws -> [HubEntry] {
    try records.scan(
      kind: HubRecordKind.living, group: HubRecordKey.group(kind), from: moments.lowerBound, to: moments.upperBound,
      descending: true, limit: limit
    ).map { try entry(key: $0.key) }
  }

  func eachEvent(
    during moments: Range<Int64>, _ body: (HubEventMoment, _ entry: () throws -> HubEntry) throws -> Void
  ) throws {
    var pools = StoredMoment.Pools()
    let listed = try records.scan(
      kind: HubRecordKind.living, group: HubRecordKey.group(SyncedKind.event.name), from: moments.lowerBound,
      to: moments.upperBound)
    for living in listed {
      let key = living.key
      if let stored = living.withPayload({ StoredMoment.read($0, moment: living.sort, &pools) }) {
        try body(stored) { try entry(key: key) }
        continue
      }
      let unlisted = try entry(key: key)
      if let moment = HubEventMoment(unlisted) { try body(moment) { unlisted } }
    }
  }

  func documents(kind: String, during moments: Range<Int64>, limit: Int, user: String) throws -> [Data] {
    try records.scan(
      kind: HubRecordKind.living, group: HubRecordKey.group(kind), from: moments.lowerBound, to: moments.upperBound,
      descending: true, limit: limit
    ).map { living in
      let record = try entryRecord(key: living.key)
      let text = record.withPayload { bytes in StoredEntry.unrestored(in: bytes).map { Data($0.text) } }
      return try text ?? JSONText.write(.object(Self.entry(record).document(user: user)))
    }
  }

  func referring(toKind kind: String, id: String) throws -> [HubEntry] {
    var entries: [HubEntry] = []
    try eachReferring(toKind: kind, id: id) { entries.append($0) }
    return entries
  }

  func eachReferring(toKind kind: String, id: String, _ body: (HubEntry) throws -> Void) throws {
    var last = HubEntryKey(kind: "", id: "")
    for record in try records.scan(kind: HubRecordKind.reference, group: HubRecordKey.group(kind, id)) {
      let members = try record.document().objectValue
      guard let childKind = members?["kind"]?.stringValue, let childId = members?["id"]?.stringValue,
        let entry = try entry(kind: childKind, id: childId)
      else { throw record.unreadable() }
      let key = HubEntryKey(kind: childKind, id: childId)
      // Skip duplicates, because an entity with two references to the same parent has two adjacent rows.
      if key != last { try body(entry) }
      last = key
    }
  }

  func mark(device: String) throws -> Int64 {
    guard let record = try records.get(kind: HubRecordKind.mark, key: HubRecordKey.device(device)) else { return 0 }
    guard let mark = try record.document().objectValue?["sequence"]?.storedCounter else { throw record.unreadable() }
    return mark
  }

  func outcome(device: String, sequence: Int64) throws -> StoredOutcome? {
    guard let record = try records.get(kind: HubRecordKind.outcome, key: HubRecordKey.outcome(device, sequence)) else {
      return nil
    }
    guard let outcome = StoredOutcome(stored: try record.document()) else { throw record.unreadable() }
    return outcome
  }

  func keyedWrite(_ hash: HubNameHash) throws -> KeyedWrite? {
    try records.get(kind: HubRecordKind.keyedWrite, key: hash.key).map(Self.keyedWrite)
  }

  private static func keyedWrite(_ record: Row) throws -> KeyedWrite {
    let members = try record.document().objectValue
    guard let digest = members?["digest"]?.stringValue, let kind = members?["kind"]?.stringValue,
      let id = members?["id"]?.stringValue
    else { throw record.unreadable() }
    return KeyedWrite(digest: digest, kind: kind, id: id)
  }

  func isPurged(kind: String, id: String) throws -> Bool {
    try records.get(kind: HubRecordKind.purged, key: HubRecordKey.entry(kind, id)) != nil
  }

  func tombstones(through version: Int64, limit: Int) throws -> [HubEntry] {
    try records.scan(
      kind: HubRecordKind.tombstone, group: nil, from: .min, to: min(version, .max - 1) + 1, descending: false,
      limit: limit
    ).map { try entry(key: $0.key) }
  }

  func contact(device: String) throws -> HubContact? {
    try records.get(kind: HubRecordKind.contact, key: HubRecordKey.device(device)).map(Self.contact)
  }

  func contacts() throws -> [HubContact] {
    try records.scan(kind: HubRecordKind.contact).map(Self.contact).sorted { $0.device < $1.device }
  }

  func companions() throws -> [CompanionLink] {
    try records.scan(kind: HubRecordKind.companion).map(Self.companion).sorted { $0.id < $1.id }
  }

  func companion(id: String) throws -> CompanionLink? {
    try records.get(kind: HubRecordKind.companion, key: RowKey(hashing: id)).map(Self.companion)
  }

  func notices(companion: String, after sequence: Int64, limit: Int) throws -> [CompanionNotice] {
    let last = SyncRange.counter.upperBound
    guard sequence < last else { return [] }
    return try records.scan(
      kind: HubRecordKind.notice, group: HubRecordKey.group(companion), from: sequence + 1, to: last + 1,
      descending: false, limit: limit
    ).map { try WireJSON.decode(CompanionNotice.self, from: Data($0.payload)) }
  }

  func webhookStanding(of webhook: String) throws -> WebhookDeliveryState? {
    guard let record = try records.get(kind: HubRecordKind.webhookStanding, key: RowKey(hashing: webhook)) else {
      return nil
    }
    guard let standing = WebhookDeliveryState(stored: try record.document()) else { throw record.unreadable() }
    return standing
  }

  func imports() throws -> [HubImport] {
    try records.scan(kind: HubRecordKind.fileImport).map { record in
      guard let entry = HubImport(stored: try record.document()) else { throw record.unreadable() }
      return entry
    }.sorted { ($0.startedAt, $0.id) < ($1.startedAt, $1.id) }
  }

  /// Calls `body` with every row except derived ones.
  func forEachRecord(_ body: (HubRecord) throws -> Void) throws {
    let state = try state()
    if state != HubState() { try body(.state(state)) }
    for record in try records.scan(kind: HubRecordKind.entry) { try body(.entry(Self.entry(record))) }
    for record in try records.scan(kind: HubRecordKind.purged) { try body(.purged(HubNameHash(record.key))) }
    for record in try records.scan(kind: HubRecordKind.keyedWrite) {
      try body(.keyedWrite(HubNameHash(record.key), Self.keyedWrite(record)))
    }
    for contact in try contacts() { try body(.contact(contact)) }
    for record in try records.scan(kind: HubRecordKind.webhookStanding) {
      guard let standing = WebhookDeliveryState(stored: try record.document()) else { throw record.unreadable() }
      try body(.webhookStanding(standing))
    }
    for entry in try imports() { try body(.import(entry)) }
    try forEachOutcome(body)
    try forEachNotice(body)
  }

  /// Calls `body` with the outcomes of all devices.
  ///
  /// An outcome's row contains only a hash of the device identity. The row with the device's high-water mark contains
  /// the identity.
  private func forEachOutcome(_ body: (HubRecord) throws -> Void) throws {
    var devices: [UInt64: String] = [:]
    for record in try records.scan(kind: HubRecordKind.mark) {
      let members = try record.document().objectValue
      guard let device = members?["device"]?.stringValue, let sequence = members?["sequence"]?.storedCounter else {
        throw record.unreadable()
      }
      devices[HubRecordKey.group(device)] = device
      try body(.mark(device: device, sequence: sequence))
    }
    for record in try records.scan(kind: HubRecordKind.outcome) {
      guard let device = devices[record.group], let outcome = StoredOutcome(stored: try record.document()) else {
        throw record.unreadable()
      }
      try body(.outcome(device: device, sequence: record.sort, outcome))
    }
  }

  private func forEachNotice(_ body: (HubRecord) throws -> Void) throws {
    var companions: [UInt64: String] = [:]
    for companion in try self.companions() {
      companions[HubRecordKey.group(companion.id)] = companion.id
      try body(.companion(companion))
    }
    for record in try records.scan(kind: HubRecordKind.notice) {
      guard let companion = companions[record.group] else { throw record.unreadable() }
      try body(.notice(WireJSON.decode(CompanionNotice.self, from: Data(record.payload)), companion: companion))
    }
  }

  private static func companion(_ record: Row) throws -> CompanionLink {
    guard let companion = CompanionLink(stored: try record.document()) else { throw record.unreadable() }
    return companion
  }

  private static func contact(_ record: Row) throws -> HubContact {
    let members = try record.document().objectValue
    guard let device = members?["device"]?.stringValue, let cursor = members?["cursor"]?.storedCounter,
      let at = members?["at"]?.intValue
    else { throw record.unreadable() }
    return HubContact(
      device: device, cursor: cursor, at: Date(milliseconds: at),
      epochs: members?["lives"]?.arrayValue?.compactMap(\.stringValue) ?? [])
  }

  private func entry(key: RowKey) throws -> HubEntry { try Self.entry(entryRecord(key: key)) }

  func entryRecord(key: RowKey) throws -> Row {
    guard let record = try records.get(kind: HubRecordKind.entry, key: key) else {
      throw HubStorageError.unreadable("an index lists a missing entity: run `trendy doctor` on the hub's store")
    }
    return record
  }

  static func entry(_ record: Row) throws -> HubEntry {
    let entry: HubEntry?
    do {
      entry = try record.withPayload { bytes throws(Problem) in try StoredEntry.read(bytes) }
    } catch {
      throw HubStorageError.unreadable("row of kind \(record.kind) contains invalid JSON: \(error.detail)")
    }
    guard let entry else { throw record.unreadable() }
    return entry
  }

  private static func line(_ record: Row) throws -> SerializedEntry {
    guard let text = record.withPayload({ StoredEntry.line(in: $0) }) else { throw record.unreadable() }
    return SerializedEntry(version: record.sort, text: text)
  }
}
