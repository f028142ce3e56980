public import Foundation
public import TrendyModels
public import TrendyPersistence

/// Storage for a hub's data: the record of each user, and the directory of users, devices and webhooks.
///
/// Bodies run synchronously. A storage may run a body again to retry a transaction, so a body must have no effects
/// outside the transaction, which takes effect only once. Each user's writes are serialized. A write is durable when it
/// returns. If its body throws, nothing is written. No call spans several users. The module HubTesting contains the
/// tests that every storage must pass.
public protocol HubStorage: Sendable {
  /// Reads the durable state of a user's record. A user without data has an empty record.
  func read<Result>(user: String, _ body: (any HubReadTransaction) throws -> Result) throws -> Result

  /// Reads and writes a user's record atomically.
  func write<Result>(user: String, _ body: (any HubTransaction) throws -> Result) throws -> Result

  /// Performs several writes for a user in order, each atomically, and makes them durable together.
  ///
  /// A body sees the writes of the earlier bodies. The default implementation performs one write after the other.
  ///
  /// - Returns: For each body, the error that it threw and that rolled it back, or `nil`.
  /// - Throws: An error if nothing was written.
  func write(user: String, together bodies: [(any HubTransaction) throws -> Void]) throws -> [(any Error)?]

  /// Permanently deletes all of a user's data. Idempotent.
  ///
  /// Later reads and writes for that user throw ``HubStorageError/erased(user:)`` until the storage is recreated. Other
  /// users and the directory are unaffected.
  func erase(user: String) throws

  /// Reads the directory.
  func readDirectory<Result>(_ body: (any HubDirectoryReading) throws -> Result) throws -> Result

  /// Reads and writes the directory atomically.
  func writeDirectory<Result>(_ body: (any HubDirectoryTransaction) throws -> Result) throws -> Result

  /// Returns the rows of the user's track log, which contains readings from trackers. Creates the log if necessary.
  ///
  /// Tracks are not part of the record: ``HubReadTransaction/forEachRecord(_:)`` does not include them. The default
  /// implementation throws ``HubStorageError/unsupported(_:)``.
  ///
  /// - Throws: ``HubStorageError/erased(user:)``, or an error if the log cannot be opened.
  func tracks(of user: String) throws -> any TrackRows

  /// Returns whether the user has a track log. The default implementation returns `false`.
  func hasTracks(of user: String) throws -> Bool

  /// Returns the approximate size of a user's data in bytes: size of the files, or content of the rows.
  ///
  /// Returns `nil` if unknown, as the default implementation does.
  func size(of user: String) throws -> Int64?

  /// Acquires exclusive access. Called when a hub starts serving, so a storage for only one hub can reject a second
  /// hub.
  ///
  /// - Returns: A value that ends the exclusive access when it is released. The default implementation returns `nil`
  ///   and allows any number of hubs.
  /// - Throws: ``HubStorageError/occupied(_:)``.
  func acquireExclusiveAccess() throws -> (any Sendable)?

  /// Subscribes to hints from other processes on the same storage, until the returned value is released.
  ///
  /// Hints may be lost, repeated or late, so the receiver must read the actual state. The default implementation
  /// returns `nil`.
  func listen(_ hear: @escaping @Sendable (HubHint) -> Void) throws -> (any HintSubscription)?

  /// Checks that the storage can save data. The default implementation checks nothing.
  ///
  /// - Throws: An error with the reason if the storage cannot save data, such as ``HubStorageError/full(_:)``.
  func checkReady() throws
}

extension HubStorage {
  public func acquireExclusiveAccess() throws -> (any Sendable)? { nil }
  public func checkReady() throws {}
  public func listen(_ hear: @escaping @Sendable (HubHint) -> Void) throws -> (any HintSubscription)? { nil }

  public func size(of user: String) throws -> Int64? { nil }
  public func hasTracks(of user: String) throws -> Bool { false }

  public func tracks(of user: String) throws -> any TrackRows {
    throw HubStorageError.unsupported("this storage does not support track logs")
  }

  public func write(user: String, together bodies: [(any HubTransaction) throws -> Void]) throws -> [(any Error)?] {
    bodies.map { body in
      do {
        try write(user: user, body)
        return nil
      } catch {
        return error
      }
    }
  }
}

/// Errors thrown by a storage. The failed operation has written nothing.
public enum HubStorageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The disk or database is full.
  case full(String)
  /// Another writer did not finish in time.
  case busy(String)
  /// No file descriptor is available. Temporary.
  case exhausted(String)
  /// Another hub is serving the storage.
  case occupied(String)
  /// The database does not respond. Temporary.
  case unreachable(String)
  /// All of this user's data was erased.
  case erased(user: String)
  /// A row cannot be decoded by this version, or is inconsistent with other rows.
  case unreadable(String)
  /// An error in a store's files.
  case store(StorageError)
  /// An error in any other file.
  case file(String)
  /// The database rejected a statement with this SQLSTATE.
  case refused(code: String, text: String)
  /// The tables were created by a newer version of the program.
  case newerSchema(found: Int64, madeBy: String, supported: Int64, program: String)
  /// The address or name of a storage is invalid.
  case invalidAddress(String)
  /// The storage does not support the operation.
  case unsupported(String)

  public var description: String {
    switch self {
    case .full(let text), .busy(let text), .exhausted(let text), .occupied(let text), .unreachable(let text),
      .unreadable(let text), .file(let text), .invalidAddress(let text), .unsupported(let text):
      text
    case .erased(let user): "the data of user \(user) was erased"
    case .store(let error): error.description
    case .refused(let code, let text): "database error \(code): \(text)"
    case .newerSchema(let found, let madeBy, let supported, let program):
      "the database has tables of version \(found), created by \(madeBy), but \(program) supports version \(supported): "
        + "install \(madeBy) or a newer version"
    }
  }
}

/// A message to other processes on the same storage.
public enum HubHint: Hashable, Sendable {
  /// The user's record was changed.
  case head(user: String)
  /// A companion notice is available for a device.
  case notice(device: String)
}

/// Subscription to hints from other hubs on the same storage, which ends when it is released.
public protocol HintSubscription: Sendable {
  /// Whether hints are arriving, as far as known.
  var isHearing: Bool { get }
  /// Sends a hint to the other processes soon, without blocking.
  func tell(_ hint: HubHint)
}

/// Read access to one user's record. Valid only inside the body that receives it.
public protocol HubReadTransaction: AnyObject {
  /// Returns the storage's epoch, or `nil` if each hub start begins a new one.
  ///
  /// A storage shared by several hubs has its own epochs, and begins a new one when it may have lost commits. The
  /// default implementation returns `nil`.
  func epoch() throws -> String?
  /// Announces rows that will be read, so a remote storage can fetch them in one round trip.
  ///
  /// The default implementation does nothing.
  ///
  /// - Parameters:
  ///   - keys: Keys of the entries.
  ///   - device: Device whose high-water mark, contact and outcomes will be read.
  func prefetch(_ keys: [HubEntryKey], device: String) throws
  /// Returns the user's state, or the initial state if nothing has been written.
  func state() throws -> HubState
  /// Returns an entry or a tombstone.
  func entry(kind: String, id: String) throws -> HubEntry?
  /// Returns up to `limit` entries with versions above `version`, in order of version.
  func entries(after version: Int64, limit: Int) throws -> [HubEntry]
  /// Returns the same entries as ``entries(after:limit:)``, serialized for the feed.
  func lines(after version: Int64, limit: Int) throws -> [SerializedEntry]
  /// Returns serialized entries of one kind with versions above `version`, in order of version.
  ///
  /// If `kind` is `nil`, returns the entries of all kinds unknown to this version. The result ends with the entry at
  /// which the total size reaches `bytes`, and contains at least one entry if there is any.
  func lines(ofKind kind: String?, after version: Int64, bytes: Int) throws -> [SerializedEntry]
  /// Returns all serialized entries as of now, sorted by the rank of their kind and then by version.
  ///
  /// The entries may be read even after the body has returned.
  func allLines() throws -> SerializedEntryList
  /// Returns live entities of one kind in `SyncedKind.listOrder`, latest first.
  ///
  /// The order of equal timestamps is unspecified.
  func living(kind: String, offset: Int, limit: Int) throws -> [HubEntry]
  /// Returns up to `limit` live entities whose timestamp is in a range of milliseconds since 1970, latest first.
  ///
  /// The timestamp is the one by which `SyncedKind.listOrder` sorts. The default implementation reads all entities of
  /// the kind.
  func living(kind: String, during moments: Range<Int64>, limit: Int) throws -> [HubEntry]
  /// Calls `body` with each live event in a range of milliseconds since 1970, in any order.
  ///
  /// `entry` returns the whole event. Call it only if time and type do not suffice. The default implementation uses
  /// ``living(kind:during:limit:)``.
  func eachEvent(
    during moments: Range<Int64>, _ body: (HubEventMoment, _ entry: () throws -> HubEntry) throws -> Void
  ) throws
  /// Returns events in a time range, latest first, except those that cannot match.
  ///
  /// The default implementation returns all events.
  ///
  /// - Parameters:
  ///   - moments: Range in milliseconds since 1970.
  ///   - limit: Maximum number of events to examine.
  ///   - prefilter: Condition that every matching event satisfies.
  func events(during moments: Range<Int64>, limit: Int, prefilter: EventPrefilter) throws -> PrefilteredEvents
  /// Calls `body` with the text of each live event in a time range.
  ///
  /// The text contains at least the field values as JSON.
  ///
  /// - Parameters:
  ///   - moments: Range in milliseconds since 1970.
  ///   - body: Receives text that is valid only during the call.
  /// - Returns: The number of events.
  func eachText(during moments: Range<Int64>, _ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Int
  /// Returns the entities from ``living(kind:during:limit:)`` as JSON documents. The default implementation encodes
  /// entries.
  func documents(kind: String, during moments: Range<Int64>, limit: Int, user: String) throws -> [Data]
  /// Returns the live entities that refer to an entity, in order of version.
  func referring(toKind kind: String, id: String) throws -> [HubEntry]
  /// Calls `body` with each entity from ``referring(toKind:id:)`` without holding all of them in memory.
  func eachReferring(toKind kind: String, id: String, _ body: (HubEntry) throws -> Void) throws
  /// Returns a device's high-water mark, or 0 if the device is unknown.
  func mark(device: String) throws -> Int64
  /// Returns a mutation's outcome, or `nil` after the device has acknowledged it.
  func outcome(device: String, sequence: Int64) throws -> StoredOutcome?
  /// Returns the write with an idempotency key, or `nil` if none is stored.
  func keyedWrite(_ hash: HubNameHash) throws -> KeyedWrite?
  /// Returns whether an entity's tombstone has been compacted.
  func isPurged(kind: String, id: String) throws -> Bool
  /// Returns up to `limit` tombstones with a version of at most `version`, in order of version.
  func tombstones(through version: Int64, limit: Int) throws -> [HubEntry]
  /// Returns a device's last contact, or `nil` if the device is unknown.
  func contact(device: String) throws -> HubContact?
  /// Returns all contacts, sorted by device identity.
  func contacts() throws -> [HubContact]
  /// Returns all companion links, including ended ones, sorted by id.
  func companions() throws -> [CompanionLink]
  /// Returns a companion link, or `nil` if it does not exist.
  func companion(id: String) throws -> CompanionLink?
  /// Returns up to `limit` notices in transit to a companion above a sequence number, in ascending order.
  func notices(companion: String, after sequence: Int64, limit: Int) throws -> [CompanionNotice]
  /// Returns a webhook's delivery state, or `nil` if it does not exist.
  func webhookStanding(of webhook: String) throws -> WebhookDeliveryState?
  /// Returns all imports, including undone ones, sorted by start time and id.
  func imports() throws -> [HubImport]
  /// Calls `body` with each of the user's records exactly once, in any order.
  func forEachRecord(_ body: (HubRecord) throws -> Void) throws
}

extension HubReadTransaction {
  public func documents(kind: String, during moments: Range<Int64>, limit: Int, user: String) throws -> [Data] {
    try living(kind: kind, during: moments, limit: limit).map { JSONText.write(.object($0.document(user: user))) }
  }

  public func living(kind: String, during moments: Range<Int64>, limit: Int) throws -> [HubEntry] {
    var found: [HubEntry] = []
    var offset = 0
    while found.count < limit {
      let page = try living(kind: kind, offset: offset, limit: 1000)
      for entry in page where moments.contains(entry.listMoment) && found.count < limit { found.append(entry) }
      offset += page.count
      guard page.count == 1000, let last = page.last, last.listMoment >= moments.lowerBound else { break }
    }
    return found
  }
}

extension HubReadTransaction {
  public func eachReferring(toKind kind: String, id: String, _ body: (HubEntry) throws -> Void) throws {
    for entry in try referring(toKind: kind, id: id) { try body(entry) }
  }

  public func epoch() throws -> String? { nil }
  public func prefetch(_ keys: [HubEntryKey], device: String) throws {}
}

/// Kind and id of an entity.
public struct HubEntryKey: Hashable, Sendable {
  public var kind: String
  public var id: String

  public init(kind: String, id: String) {
    self.kind = kind
    self.id = id
  }
}

/// Write access to one user's record. Valid only inside the body that receives it.
public protocol HubTransaction: HubReadTransaction {
  /// Replaces the user's state.
  func setState(_ state: HubState) throws
  /// Inserts an entry or replaces the one with the same kind and id.
  func put(_ entry: HubEntry) throws
  /// Sets a device's high-water mark.
  func setMark(device: String, _ sequence: Int64) throws
  /// Stores a mutation's outcome.
  func putOutcome(device: String, sequence: Int64, _ outcome: StoredOutcome) throws
  /// Deletes a device's outcomes up to a sequence number.
  func forgetOutcomes(device: String, through sequence: Int64) throws
  /// Stores a write with an idempotency key.
  func putKeyedWrite(_ hash: HubNameHash, _ write: KeyedWrite) throws
  /// Compacts a tombstone: deletes the entry and stores only its id.
  func purge(kind: String, id: String) throws
  /// Stores the id of a tombstone that was compacted in another storage.
  func putPurged(_ hash: HubNameHash) throws
  /// Deletes all of the user's data. Unlike after ``HubStorage/erase(user:)``, the user can write again.
  func clear() throws
  /// Inserts or replaces a device's contact.
  func putContact(_ contact: HubContact) throws
  /// Deletes a device's contact.
  func forgetContact(device: String) throws
  /// Inserts or replaces a companion link.
  func put(_ companion: CompanionLink) throws
  /// Stores a notice in transit to a companion.
  func put(_ notice: CompanionNotice, companion: String) throws
  /// Deletes a companion's notices up to a sequence number.
  func forgetNotices(companion: String, through sequence: Int64) throws
  /// Inserts or replaces a webhook's delivery state.
  func put(_ standing: WebhookDeliveryState) throws
  /// Deletes a webhook's delivery state.
  func forgetWebhookStanding(of webhook: String) throws
  /// Inserts or replaces an import.
  func put(_ entry: HubImport) throws
  /// Renews the lease of the process that is running trip detection on the user's readings.
  ///
  /// The default implementation does nothing, for storages whose `TrackRows` have no leases. `reader` is the process's
  /// name in ``HubStorage/tracks(of:)``.
  ///
  /// - Throws: ``HubStorageError/busy(_:)`` if another process has acquired the lease.
  func renewTrackReader(_ reader: String) throws
}

extension HubTransaction {
  public func renewTrackReader(_ reader: String) throws {}
}

/// Last contact of a device, as needed for compaction and epochs.
public struct HubContact: Hashable, Sendable {
  public var device: String
  /// The device's cursor at that time or earlier.
  public var cursor: Int64
  public var at: Date
  /// Epochs in which the device may have received a response: those of the seen head that it reported and of the head
  /// in the response, and the current epoch.
  public var epochs: [String]

  public init(device: String, cursor: Int64, at: Date, epochs: [String] = []) {
    self.device = device
    self.cursor = cursor
    self.at = at
    self.epochs = epochs
  }
}

/// Digest and outcome of a mutation, stored until the device has acknowledged it.
public struct StoredOutcome: Hashable, Sendable {
  /// SHA-256 of the mutation's content, in hexadecimal.
  public var digest: String
  public var verdict: MergeResult

  public init(digest: String, verdict: MergeResult) {
    self.digest = digest
    self.verdict = verdict
  }
}

/// A plain REST write that was sent with an `Idempotency-Key`.
public struct KeyedWrite: Hashable, Sendable {
  /// SHA-256 of the request's content, in hexadecimal.
  public var digest: String
  public var kind: String
  public var id: String

  public init(digest: String, kind: String, id: String) {
    self.digest = digest
    self.kind = kind
    self.id = id
  }
}

/// A serialized feed entry: the JSON text of ``HubEntry/change(user:)``.
public struct SerializedEntry: Hashable, Sendable {
  public var version: Int64
  public var text: Data

  public init(version: Int64, text: Data) {
    self.version = version
    self.text = text
  }
}

extension HubEntry {
  /// Returns the feed entry, serialized for the user's devices.
  public func line(user: String) -> SerializedEntry {
    SerializedEntry(version: version, text: JSONText.write(change(user: user)))
  }
}

/// Serialized entries as of one point in time. Each entry is read when it is accessed.
public struct SerializedEntryList: Sendable {
  public let count: Int
  private let line: @Sendable (Int) throws -> SerializedEntry

  /// Creates a list. `line` returns the entry at an index from 0 to `count - 1`.
  public init(count: Int, line: @escaping @Sendable (Int) throws -> SerializedEntry) {
    self.count = count
    self.line = line
  }

  /// Returns the entry at an index from 0 to `count - 1`.
  public func line(at place: Int) throws -> SerializedEntry { try line(place) }
}

/// Read access to users, devices, pairing codes and webhooks.
public protocol HubDirectoryReading: AnyObject {
  /// Returns all users, sorted by id.
  func users() throws -> [HubUser]
  /// Returns a user, or `nil` if the user does not exist.
  func user(id: String) throws -> HubUser?
  /// Returns the devices of all users, sorted by id.
  func devices() throws -> [HubDevice]
  /// Returns the device that owns a token, or `nil` if there is none.
  func device(tokenHash: String) throws -> HubDevice?
  /// Returns the pairing code with a hash, even if it has expired, or `nil` if there is none.
  func pairingCode(hash: String) throws -> HubPairingCode?
  /// Returns all pairing codes, including expired ones, sorted by hash.
  func pairingCodes() throws -> [HubPairingCode]
  /// Returns the times of recent pairing attempts under a key, in ascending order.
  func pairingAttempts(key: String) throws -> [Date]
  /// Returns the webhooks of all users, sorted by id.
  func webhooks() throws -> [HubWebhook]
}

/// Write access to users, devices, pairing codes and webhooks.
public protocol HubDirectoryTransaction: HubDirectoryReading {
  /// Inserts or replaces a user.
  func put(_ user: HubUser) throws
  /// Deletes a user together with the user's devices, pairing codes and webhooks.
  func deletePerson(id: String) throws
  /// Inserts or replaces a device.
  func put(_ device: HubDevice) throws
  /// Inserts or replaces a pairing code.
  func put(_ code: HubPairingCode) throws
  /// Deletes a pairing code.
  func deletePairingCode(hash: String) throws
  /// Deletes pairing codes that expired before `date`.
  func deletePairingCodes(expiredBefore date: Date) throws
  /// Replaces the times of attempts under a key. An empty array deletes the key.
  func putPairingAttempts(key: String, _ times: [Date]) throws
  /// Deletes keys whose last attempt was before `date`, then all but the `count` most recent of the remaining keys.
  func deletePairingAttempts(before date: Date, keeping count: Int) throws
  /// Inserts or replaces a webhook.
  func put(_ webhook: HubWebhook) throws
  /// Deletes a webhook.
  func deleteWebhook(id: String) throws
}

/// An account on the hub.
public struct HubUser: Hashable, Sendable, Identifiable {
  public let id: String
  public var name: String
  public var createdAt: Date
  /// Time of removal, or `nil` for an active user. A removed user's devices are rejected.
  public var removedAt: Date?
  /// Whether a removed user's data is being erased.
  public var isErasing: Bool

  public init(id: String, name: String, createdAt: Date, removedAt: Date? = nil, isErasing: Bool = false) {
    self.id = id
    self.name = name
    self.createdAt = createdAt
    self.removedAt = removedAt
    self.isErasing = isErasing
  }
}

/// A paired device. Only the hash of its token is stored.
public struct HubDevice: Hashable, Sendable, Identifiable {
  public let id: String
  public let user: String
  public var name: String
  /// SHA-256 of the token, in hexadecimal.
  public let tokenHash: String
  public var createdAt: Date
  public var revokedAt: Date?
  /// Time of the last request, updated at most once an hour, or `nil` if there was none.
  public var seenAt: Date?
  /// Status that the device reported with its last request, or `nil` if it reported none.
  public var report: HubDeviceReport?

  public init(
    id: String, user: String, name: String, tokenHash: String, createdAt: Date, revokedAt: Date? = nil,
    seenAt: Date? = nil, report: HubDeviceReport? = nil
  ) {
    self.id = id
    self.user = user
    self.name = name
    self.tokenHash = tokenHash
    self.createdAt = createdAt
    self.revokedAt = revokedAt
    self.seenAt = seenAt
    self.report = report
  }
}

/// A code that pairs one device, once, before it expires.
public struct HubPairingCode: Hashable, Sendable {
  /// SHA-256 of the digits, in hexadecimal.
  public let hash: String
  public let user: String
  public var expiresAt: Date

  public init(hash: String, user: String, expiresAt: Date) {
    self.hash = hash
    self.user = user
    self.expiresAt = expiresAt
  }
}
