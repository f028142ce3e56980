import Foundation
import TrendyHub
import TrendyModels

/// Read and write access to one user's data. Writes are buffered, and sent in one round trip with the commit.
///
/// Several bodies may share a transaction. The writes of a failed body can be removed from the buffer.
final class PostgresTransaction: PostgresReading, HubTransaction {
  private struct Pending {
    var state: HubState?
    var entries: [HubEntryKey: Known] = [:]
    var devices: [String: DeviceRow] = [:]
    var outcomes: [DeviceSequence: StoredOutcome] = [:]
    var forgottenOutcomes: [String: Int64] = [:]
    var purged: Set<HubNameHash> = []
    var keyedWrites: [HubNameHash: KeyedWrite] = [:]
    var companions: [String: CompanionLink] = [:]
    var notices: [DeviceSequence: CompanionNotice] = [:]
    var forgottenNotices: [String: Int64] = [:]
    /// Delivery states to write, where `nil` deletes the state.
    var standings: [String: WebhookDeliveryState?] = [:]
    var imports: [String: HubImport] = [:]

    var isEmpty: Bool {
      state == nil && entries.isEmpty && devices.isEmpty && outcomes.isEmpty && forgottenOutcomes.isEmpty
        && purged.isEmpty && keyedWrites.isEmpty && companions.isEmpty && notices.isEmpty && forgottenNotices.isEmpty
        && standings.isEmpty && imports.isEmpty
    }
  }

  private struct DeviceSequence: Hashable, Comparable {
    let device: String
    let sequence: Int64

    static func < (left: DeviceSequence, right: DeviceSequence) -> Bool {
      (left.device, left.sequence) < (right.device, right.sequence)
    }
  }

  private var pending = Pending()
  private var saved = Pending()
  /// Whether several bodies share the transaction. If so, nothing may be sent until all of them have finished.
  private let isShared: Bool
  private var hasSent = false
  private var sentPurged: Set<HubNameHash> = []
  /// Random number that identifies the commit.
  private let token: UInt64

  init(_ connection: PostgresConnection, user: String, states: StateCache, token: UInt64, isShared: Bool) {
    self.isShared = isShared
    self.token = token
    super.init(connection, user: user, isWriting: true, states: states)
  }

  // MARK: Shared transactions

  func beginBody() { saved = pending }

  func takeBodyBack() { pending = saved }

  override func settle() throws {
    guard !pending.isEmpty else { return }
    guard !isShared else { throw note(DatabaseFailure.needsOwnTransaction) }
    let calls = try writes()
    _ = try run(calls)
    hasSent = true
  }

  // MARK: Reading, including pending writes

  override func state() throws -> HubState { try pending.state ?? super.state() }

  override func entry(kind: String, id: String) throws -> HubEntry? {
    guard case .entry(let entry) = try current(HubEntryKey(kind: kind, id: id)) else { return nil }
    return entry
  }

  override func isPurged(kind: String, id: String) throws -> Bool {
    let hash = HubNameHash.entry(kind, id)
    if pending.purged.contains(hash) || sentPurged.contains(hash) { return true }
    return if case .purged = try current(HubEntryKey(kind: kind, id: id)) { true } else { false }
  }

  private func current(_ key: HubEntryKey) throws -> Known { try pending.entries[key] ?? fetched(key) }

  override func deviceRow(_ device: String) throws -> DeviceRow {
    try pending.devices[device] ?? super.deviceRow(device)
  }

  override func outcome(device: String, sequence: Int64) throws -> StoredOutcome? {
    if let outcome = pending.outcomes[.init(device: device, sequence: sequence)] { return outcome }
    if let forgotten = pending.forgottenOutcomes[device], sequence <= forgotten { return nil }
    return try super.outcome(device: device, sequence: sequence)
  }

  override func keyedWrite(_ hash: HubNameHash) throws -> KeyedWrite? {
    try pending.keyedWrites[hash] ?? super.keyedWrite(hash)
  }

  override func companion(id: String) throws -> CompanionLink? {
    try pending.companions[id] ?? super.companion(id: id)
  }

  override func webhookStanding(of webhook: String) throws -> WebhookDeliveryState? {
    if let standing = pending.standings[webhook] { return standing }
    return try super.webhookStanding(of: webhook)
  }

  override func imports() throws -> [HubImport] {
    (try super.imports().filter { pending.imports[$0.id] == nil } + pending.imports.values)
      .sorted { ($0.startedAt, $0.id) < ($1.startedAt, $1.id) }
  }

  // MARK: Writing

  func setState(_ state: HubState) throws { pending.state = state }

  func put(_ entry: HubEntry) throws {
    let key = HubEntryKey(kind: entry.kind, id: entry.id)
    // Fetch the entry now, because its previous references are needed when it is sent.
    _ = try fetched(key)
    pending.entries[key] = .entry(entry)
  }

  func purge(kind: String, id: String) throws {
    let key = HubEntryKey(kind: kind, id: id)
    _ = try fetched(key)
    pending.entries[key] = .purged
  }

  func setMark(device: String, _ sequence: Int64) throws {
    var row = try deviceRow(device)
    row.mark = sequence
    pending.devices[device] = row
  }

  func putContact(_ contact: HubContact) throws {
    var row = try deviceRow(contact.device)
    row.contact = contact
    pending.devices[contact.device] = row
  }

  func forgetContact(device: String) throws {
    var row = try deviceRow(device)
    row.contact = nil
    pending.devices[device] = row
  }

  func putOutcome(device: String, sequence: Int64, _ outcome: StoredOutcome) throws {
    pending.outcomes[.init(device: device, sequence: sequence)] = outcome
  }

  func forgetOutcomes(device: String, through sequence: Int64) throws {
    guard sequence > 0 else { return }
    pending.outcomes = pending.outcomes.filter { $0.key.device != device || $0.key.sequence > sequence }
    pending.forgottenOutcomes[device] = max(sequence, pending.forgottenOutcomes[device] ?? 0)
  }

  func putKeyedWrite(_ hash: HubNameHash, _ write: KeyedWrite) throws { pending.keyedWrites[hash] = write }

  func putPurged(_ hash: HubNameHash) throws { pending.purged.insert(hash) }

  func clear() throws {
    try settle()
    guard !isShared else { throw note(DatabaseFailure.needsOwnTransaction) }
    _ = try run(PostgresStatement.erasures.map { PostgresCall($0, .text(user)) })
    forgetFetched()
    sentPurged = []
    pending.state = HubState()
    hasSent = true
  }

  func put(_ companion: CompanionLink) throws { pending.companions[companion.id] = companion }

  func put(_ notice: CompanionNotice, companion: String) throws {
    pending.notices[.init(device: companion, sequence: notice.sequence)] = notice
  }

  func forgetNotices(companion: String, through sequence: Int64) throws {
    guard sequence > 0 else { return }
    pending.notices = pending.notices.filter { $0.key.device != companion || $0.key.sequence > sequence }
    pending.forgottenNotices[companion] = max(sequence, pending.forgottenNotices[companion] ?? 0)
  }

  func put(_ standing: WebhookDeliveryState) throws { pending.standings[standing.webhook] = standing }

  func forgetWebhookStanding(of webhook: String) throws { pending.standings.updateValue(nil, forKey: webhook) }

  func put(_ entry: HubImport) throws { pending.imports[entry.id] = entry }

  // MARK: Sending

  var isWritten: Bool { hasSent || !pending.isEmpty || !tracks.isEmpty }

  // MARK: Tracks

  /// Track log rows that have not been sent yet, in order.
  private var tracks: [PostgresCall] = []

  func addTrackWrite(_ call: PostgresCall) { tracks.append(call) }

  /// Called before track rows are read and before the commit.
  func sendTracks() throws {
    guard !tracks.isEmpty else { return }
    let calls = tracks
    tracks = []
    hasSent = true
    _ = try run(calls)
  }

  /// Runs a statement and returns the number of rows it changed.
  func change(_ call: PostgresCall) throws -> Int {
    // Begin the transaction first, because statements sent along with its start may be sent twice.
    _ = try counter()
    let count = try run(call).changedCount
    if count > 0 { hasSent = true }
    return count
  }

  func commit() throws {
    guard isWritten else { return end() }
    try sendTracks()
    _ = try run(writes() + [PostgresCall(.commit)])
  }

  /// Returns the pending writes as statements, starting with the counter, and marks them as written.
  private func writes() throws -> [PostgresCall] {
    let state = try state()
    var calls = [
      PostgresCall(
        .updateCounter, .text(user), .int(state.head), .document(try WireJSON.encode(state.stored)),
        try counter().recent.adding(token).stored)
    ]
    calls += try entryWrites() + deviceWrites() + companionWrites()
    if !pending.purged.isEmpty {
      calls.append(PostgresCall(.putPurged, .text(user), .texts(pending.purged.map(\.description).sorted())))
      sentPurged.formUnion(pending.purged)
    }
    noteState(state)
    pending = Pending()
    return calls
  }

  private func entryWrites() throws -> [PostgresCall] {
    // All transactions write in key order to avoid deadlocks.
    let keys = pending.entries.keys.sorted { ($0.kind, $0.id) < ($1.kind, $1.id) }
    var (kept, purged): ([HubEntryKey], [HubEntryKey]) = ([], [])
    var (versions, moments, statuses): ([Int64], [Int64], [Int64]) = ([], [], [])
    var (facts, lines): ([Data], [Data]) = ([], [])
    var (gone, new): ([Reference], [Reference]) = ([], [])
    for key in keys {
      let value = pending.entries[key] ?? .absent
      let (before, after) = (Reference.all(of: known[key] ?? .absent), Reference.all(of: value))
      gone += before.subtracting(after)
      new += after.subtracting(before)
      switch value {
      case .entry(let entry):
        let line = entry.line(user: user)
        kept.append(key)
        versions.append(entry.version)
        moments.append(entry.listMoment)
        statuses.append((entry.isAlive ? EntryStatus.living : .tombstone).rawValue)
        facts.append(try WireJSON.encode(entry.storedFacts))
        lines.append(line.text)
      case .purged, .absent: purged.append(key)
      }
      noteWritten(key, value)
    }
    var calls: [PostgresCall] = []
    if !kept.isEmpty {
      calls.append(
        PostgresCall(
          .putEntries, .text(user), .texts(kept.map(\.kind)), .texts(kept.map(\.id)), .ints(versions),
          .ints(moments), .ints(statuses), .documents(facts), .documents(lines)))
    }
    if !purged.isEmpty {
      let hashes = purged.map { HubNameHash.entry($0.kind, $0.id).description }
      calls += [
        PostgresCall(.deleteEntries, .text(user), .texts(purged.map(\.kind)), .texts(purged.map(\.id))),
        PostgresCall(.putPurged, .text(user), .texts(hashes)),
      ]
    }
    for (statement, references) in [(PostgresStatement.deleteReferences, gone), (.putReferences, new)]
    where !references.isEmpty {
      calls.append(
        PostgresCall(
          statement, .text(user), .texts(references.map(\.to.kind)), .texts(references.map(\.to.id)),
          .texts(references.map(\.from.kind)), .texts(references.map(\.from.id))))
    }
    return calls
  }

  private struct Reference: Hashable {
    let to: HubEntryKey
    let from: HubEntryKey

    /// Returns the distinct references of a live entry, or an empty set for any other value.
    static func all(of value: Known) -> Set<Reference> {
      guard case .entry(let entry) = value, entry.isAlive else { return [] }
      return Set(
        entry.references.map {
          Reference(
            to: HubEntryKey(kind: $0.kind, id: $0.id), from: HubEntryKey(kind: entry.kind, id: entry.id))
        })
    }
  }

  private func deviceWrites() throws -> [PostgresCall] {
    var calls: [PostgresCall] = []
    let rows = pending.devices.sorted { $0.key < $1.key }
    if !rows.isEmpty {
      calls.append(
        PostgresCall(
          .putDevices, .text(user), .texts(rows.map(\.key)), .ints(rows.map(\.value.mark)),
          .ints(rows.map(\.value.contact?.cursor)), .ints(rows.map(\.value.contact?.at.millis)),
          .documents(
            try rows.map { row in
              try row.value.contact.map { try WireJSON.encode(JSONValue.array($0.epochs.map { .string($0) })) }
            })))
      for (device, row) in rows { noteWritten(device, row) }
    }
    for (device, sequence) in pending.forgottenOutcomes.sorted(by: { $0.key < $1.key }) {
      calls.append(PostgresCall(.deleteOutcomes, .text(user), .text(device), .int(sequence)))
    }
    let outcomes = pending.outcomes.sorted { $0.key < $1.key }
    if !outcomes.isEmpty {
      calls.append(
        PostgresCall(
          .putOutcomes, .text(user), .texts(outcomes.map(\.key.device)), .ints(outcomes.map(\.key.sequence)),
          .documents(try outcomes.map { try WireJSON.encode($0.value.stored) })))
    }
    if !pending.forgottenOutcomes.isEmpty || !outcomes.isEmpty { forgetFetchedOutcomes() }
    for (hash, write) in pending.keyedWrites.map({ ($0.key.description, $0.value) }).sorted(by: { $0.0 < $1.0 }) {
      calls.append(
        PostgresCall(
          .putKeyedWrite, .text(user), .text(hash), .text(write.digest), .text(write.kind), .text(write.id)))
    }
    return calls
  }

  private func companionWrites() throws -> [PostgresCall] {
    var calls = try pending.companions.sorted { $0.key < $1.key }.map { id, companion in
      PostgresCall(
        .putCompanion, .text(user), .text(id), .document(try WireJSON.encode(companion.stored)))
    }
    for (companion, sequence) in pending.forgottenNotices.sorted(by: { $0.key < $1.key }) {
      calls.append(PostgresCall(.deleteNotices, .text(user), .text(companion), .int(sequence)))
    }
    let notices = pending.notices.sorted { $0.key < $1.key }
    if !notices.isEmpty {
      calls.append(
        PostgresCall(
          .putNotices, .text(user), .texts(notices.map(\.key.device)), .ints(notices.map(\.key.sequence)),
          .documents(try notices.map { try WireJSON.encode($0.value) })))
    }
    for (webhook, standing) in pending.standings.sorted(by: { $0.key < $1.key }) {
      let values = [PostgresValue.text(user), .text(webhook)]
      calls.append(
        try standing.map {
          PostgresCall(.putStanding, values[0], values[1], .document(try WireJSON.encode($0.stored)))
        } ?? PostgresCall(.deleteStanding, values[0], values[1]))
    }
    for (id, entry) in pending.imports.sorted(by: { $0.key < $1.key }) {
      calls.append(
        PostgresCall(.putImport, .text(user), .text(id), .document(try WireJSON.encode(entry.stored))))
    }
    return calls
  }
}
