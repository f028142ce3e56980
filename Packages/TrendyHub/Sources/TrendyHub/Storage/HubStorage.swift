public import Foundation
public import TrendyModels
public import TrendyPersistence

/// Stores a hub's data: the record of each user, and the directory of users, devices and webhooks.
///
/// A body runs synchronously and must not have other effects, since a storage may run it again to retry a transaction;
/// it takes effect once. Writes of one user are serialized. When a write returns, it is durable; if its body throws,
/// nothing is written. No call spans several users. The module HubTesting contains the tests that every storage must
/// pass.
public protocol HubStorage: Sendable {
  /// Reads the durable state of a user. A user without data is empty, not an error.
  func read<Result>(user: String, _ body: (any HubReadTransaction) throws -> Result) throws -> Result

  /// Reads and writes a user's record atomically.
  func write<Result>(user: String, _ body: (any HubTransaction) throws -> Result) throws -> Result

  /// Performs several writes of a user in order, each atomically, and makes them durable together.
  ///
  /// A body sees the writes of the bodies before it. The default performs them one after the other.
  ///
  /// - Returns: For each body the error that it threw and that rolled it back, or `nil`.
  /// - Throws: An error if nothing was written.
  func write(user: String, together bodies: [(any HubTransaction) throws -> Void]) throws -> [(any Error)?]

  /// Permanently deletes all data of a user; idempotent.
  ///
  /// Later reads and writes of that user throw ``HubStorageError/erased(user:)`` until the storage is created again.
  /// Other users and the directory are unaffected.
  func erase(user: String) throws

  /// Reads the directory.
  func readDirectory<Result>(_ body: (any HubDirectoryReading) throws -> Result) throws -> Result

  /// Reads and writes the directory atomically.
  func writeDirectory<Result>(_ body: (any HubDirectoryTransaction) throws -> Result) throws -> Result

  /// Returns the rows of the user's track log, and creates it if necessary.
  ///
  /// The track log contains the readings of trackers.
  ///
  /// Tracks are not part of the record: ``HubReadTransaction/forEachRecord(_:)`` does not include them. The default throws
  /// ``HubStorageError/unsupported(_:)``.
  ///
  /// - Throws: ``HubStorageError/erased(user:)``, and errors of opening the log.
  func tracks(of user: String) throws -> any TrackRows

  /// Returns whether the user has a track log. The default returns `false`.
  func hasTracks(of user: String) throws -> Bool

  /// Returns the approximate bytes stored for a user: size of files, or content of rows. The default returns `nil`,
  /// unknown.
  func size(of user: String) throws -> Int64?

  /// Called when a hub starts to serve. A storage that supports only one hub rejects the second.
  ///
  /// - Returns: A value whose lifetime is that of the exclusive access. The default returns `nil` and allows any number
  ///   of hubs.
  /// - Throws: ``HubStorageError/occupied(_:)``.
  func acquireExclusiveAccess() throws -> (any Sendable)?

  /// Subscribes to hints of other processes that use the storage, for as long as the returned value exists.
  ///
  /// Hints may be lost, repeated or late: the receiver must read the actual state. The default returns `nil`.
  func listen(_ hear: @escaping @Sendable (HubHint) -> Void) throws -> (any HintSubscription)?

  /// Throws the reason why nothing can be saved, for example ``HubStorageError/full(_:)``. The default checks nothing.
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

/// Errors of a storage. Nothing of the operation was written.
public enum HubStorageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The disk or the database has no free space.
  case full(String)
  /// Another writer did not finish in time.
  case busy(String)
  /// No file descriptor is available; temporary.
  case exhausted(String)
  /// Another hub serves the storage.
  case occupied(String)
  /// The database does not respond; temporary.
  case unreachable(String)
  /// All data of this user was erased.
  case erased(user: String)
  /// A row that this version cannot decode, or that is inconsistent with others.
  case unreadable(String)
  /// An error of a store's files.
  case store(StorageError)
  /// An error of another file.
  case file(String)
  /// A statement that the database rejected, with its SQLSTATE.
  case refused(code: String, text: String)
  /// The tables were created by a newer version of the program.
  case newerSchema(found: Int64, madeBy: String, supported: Int64, program: String)
  /// An invalid address or name of a storage.
  case invalidAddress(String)
  /// An operation that this storage does not support.
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

/// Message to other processes on the same storage.
public enum HubHint: Hashable, Sendable {
  /// The user's record was changed.
  case head(user: String)
  /// A companion notice for a device is available.
  case notice(device: String)
}

/// Subscription to hints of other hubs on the same storage; ends when it is released.
public protocol HintSubscription: Sendable {
  /// Whether hints of others are currently received, as far as known.
  var isHearing: Bool { get }
  /// Sends a hint to the others soon, without blocking.
  func tell(_ hint: HubHint)
}

/// Read access to one user's record; valid only inside the body that receives it.
public protocol HubReadTransaction: AnyObject {
  /// Returns the epoch of the storage, or `nil` if each hub start begins an epoch, which is the default.
  ///
  /// A storage shared by several hubs has its own epochs: it begins one when it may have lost commits.
  func epoch() throws -> String?
  /// Announces the rows that will be read, so that a storage over a network can fetch them in one step.
  ///
  /// The default does nothing.
  ///
  /// - Parameters:
  ///   - keys: Keys of entries.
  ///   - device: Device whose high-water mark, contact and outcomes will be read.
  func prefetch(_ keys: [HubEntryKey], device: String) throws
  /// Returns the user's state; the initial value if nothing was written.
  func state() throws -> HubState
  /// Returns an entry or tombstone.
  func entry(kind: String, id: String) throws -> HubEntry?
  /// Returns up to `limit` entries with a version above `version`, in order of version.
  func entries(after version: Int64, limit: Int) throws -> [HubEntry]
  /// Returns the same entries as ``entries(after:limit:)``, serialized for the feed.
  func lines(after version: Int64, limit: Int) throws -> [SerializedEntry]
  /// Returns serialized entries of one kind with a version above `version`, in order of version.
  ///
  /// If `kind` is `nil`, returns those of all kinds that this version does not know. The result ends with the entry
  /// that reaches `bytes`, and contains at least one entry if there is any.
  func lines(ofKind kind: String?, after version: Int64, bytes: Int) throws -> [SerializedEntry]
  /// Returns all serialized entries as of now, by rank of their kind and then by version.
  ///
  /// They may be read after the body has returned.
  func allLines() throws -> SerializedEntryList
  /// Returns live entities of one kind, latest first by `SyncedKind.listOrder`.
  ///
  /// The order of equal times is unspecified.
  func living(kind: String, offset: Int, limit: Int) throws -> [HubEntry]
  /// Returns up to `limit` live entities whose time is in a range of milliseconds since 1970, latest first.
  ///
  /// The time is that of `SyncedKind.listOrder`.
  ///
  /// The default reads all of the kind.
  func living(kind: String, during moments: Range<Int64>, limit: Int) throws -> [HubEntry]
  /// Calls `body` with each live event in a range of milliseconds since 1970, in any order.
  ///
  /// `entry` returns the whole event and is called only if time and type do not suffice. The default uses
  /// ``living(kind:during:limit:)``.
  func eachEvent(
    during moments: Range<Int64>, _ body: (HubEventMoment, _ entry: () throws -> HubEntry) throws -> Void
  ) throws
  /// Returns events in a range of time, latest first, without those that certainly do not match.
  ///
  /// The default returns all events.
  ///
  /// - Parameters:
  ///   - moments: Range in milliseconds since 1970.
  ///   - limit: Maximum number of events to examine.
  ///   - prefilter: Condition that an event must satisfy to match.
  func events(during moments: Range<Int64>, limit: Int, prefilter: EventPrefilter) throws -> PrefilteredEvents
  /// Calls `body` with the text of each live event in a range of time.
  ///
  /// The text contains at least the field values as JSON.
  ///
  /// - Parameters:
  ///   - moments: Range in milliseconds since 1970.
  ///   - body: Receives a text that is valid only during the call.
  /// - Returns: Number of events.
  func eachText(during moments: Range<Int64>, _ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Int
  /// Returns the JSON documents of the entities that ``living(kind:during:limit:)`` returns. The default encodes
  /// entries.
  ///
  /// - Parameters:
  ///   - kind: Kind of the entities.
  ///   - moments: Range in milliseconds since 1970.
  ///   - limit: Maximum number of documents.
  ///   - user: Id of the user.
  func documents(kind: String, during moments: Range<Int64>, limit: Int, user: String) throws -> [Data]
  /// Returns the live entities that refer to an entity, in order of version.
  func referring(toKind kind: String, id: String) throws -> [HubEntry]
  /// Calls `body` with the entities of ``referring(toKind:id:)``, without having all in memory at once.
  func eachReferring(toKind kind: String, id: String, _ body: (HubEntry) throws -> Void) throws
  /// Returns the high-water mark of a device, 0 for an unknown one.
  func mark(device: String) throws -> Int64
  /// Returns the outcome of a mutation until the device has acknowledged it, otherwise `nil`.
  func outcome(device: String, sequence: Int64) throws -> StoredOutcome?
  /// Returns the write with an idempotency key, or `nil` if there was none.
  func keyedWrite(_ hash: HubNameHash) throws -> KeyedWrite?
  /// Returns whether an entity's tombstone was compacted.
  func isPurged(kind: String, id: String) throws -> Bool
  /// Returns up to `limit` tombstones with a version of at most `version`, in order of version.
  func tombstones(through version: Int64, limit: Int) throws -> [HubEntry]
  /// Returns the last contact of a device.
  func contact(device: String) throws -> HubContact?
  /// Returns all contacts, sorted by device identity.
  func contacts() throws -> [HubContact]
  /// Returns all companion links, including ended ones, sorted by id.
  func companions() throws -> [CompanionLink]
  /// Returns a companion link.
  func companion(id: String) throws -> CompanionLink?
  /// Returns up to `limit` notices in transit to a companion, above a sequence number and in order of it.
  func notices(companion: String, after sequence: Int64, limit: Int) throws -> [CompanionNotice]
  /// Returns the delivery state of a webhook.
  func webhookStanding(of webhook: String) throws -> WebhookDeliveryState?
  /// Returns all imports, including undone ones, sorted by start time and id.
  func imports() throws -> [HubImport]
  /// Calls `body` with each record of the user once, in any order.
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

/// Write access to one user's record; valid only inside the body that receives it.
public protocol HubTransaction: HubReadTransaction {
  /// Replaces the user's state.
  func setState(_ state: HubState) throws
  /// Inserts an entry, or replaces the one with its kind and id.
  func put(_ entry: HubEntry) throws
  /// Sets the high-water mark of a device.
  func setMark(device: String, _ sequence: Int64) throws
  /// Stores the outcome of a mutation.
  func putOutcome(device: String, sequence: Int64, _ outcome: StoredOutcome) throws
  /// Deletes the outcomes of a device up to a sequence number.
  func forgetOutcomes(device: String, through sequence: Int64) throws
  /// Stores a write with an idempotency key.
  func putKeyedWrite(_ hash: HubNameHash, _ write: KeyedWrite) throws
  /// Compacts a tombstone: deletes the entry and stores only its id.
  func purge(kind: String, id: String) throws
  /// Stores the id of a tombstone that another storage compacted.
  func putPurged(_ hash: HubNameHash) throws
  /// Deletes all data of the user, who may write again afterwards.
  func clear() throws
  /// Inserts or replaces the contact of a device.
  func putContact(_ contact: HubContact) throws
  /// Deletes the contact of a device.
  func forgetContact(device: String) throws
  /// Inserts or replaces a companion link.
  func put(_ companion: CompanionLink) throws
  /// Stores a notice in transit to a companion.
  func put(_ notice: CompanionNotice, companion: String) throws
  /// Deletes the notices to a companion up to a sequence number.
  func forgetNotices(companion: String, through sequence: Int64) throws
  /// Inserts or replaces the delivery state of a webhook.
  func put(_ standing: WebhookDeliveryState) throws
  /// Deletes the delivery state of a webhook.
  func forgetWebhookStanding(of webhook: String) throws
  /// Inserts or replaces an import.
  func put(_ entry: HubImport) throws
  /// Renews the lease of the process that runs trip detection on the user's readings.
  ///
  /// The default does nothing, which suits storages whose `TrackRows` have no leases. `reader` is the name of the
  /// process in ``HubStorage/tracks(of:)``.
  ///
  /// - Throws: ``HubStorageError/busy(_:)`` if another process has acquired the lease.
  func renewTrackReader(_ reader: String) throws
}

extension HubTransaction {
  public func renewTrackReader(_ reader: String) throws {}
}

/// Last contact of a device, as compaction and epochs need it.
public struct HubContact: Hashable, Sendable {
  public var device: String
  /// Cursor of the device at that time or earlier.
  public var cursor: Int64
  public var at: Date
  /// Epochs in which the device may have received a response.
  ///
  /// They are the epochs of the reported seen head, of the head in the response, and the current one.
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

/// A plain write that was sent with an `Idempotency-Key`.
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
  /// Returns the serialized feed entry for the user's devices.
  public func line(user: String) -> SerializedEntry {
    SerializedEntry(version: version, text: JSONText.write(change(user: user)))
  }
}

/// Serialized entries as of one point in time, each read on access.
public struct SerializedEntryList: Sendable {
  public let count: Int
  private let line: @Sendable (Int) throws -> SerializedEntry

  /// Creates a list; `line` returns the entry at an index from 0 to `count - 1`.
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
  /// Returns a user.
  func user(id: String) throws -> HubUser?
  /// Returns the devices of all users, sorted by id.
  func devices() throws -> [HubDevice]
  /// Returns the device with a token.
  func device(tokenHash: String) throws -> HubDevice?
  /// Returns the pairing code with a hash, expired or not.
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
  /// Deletes a user with their devices, pairing codes and webhooks.
  func deletePerson(id: String) throws
  /// Inserts or replaces a device.
  func put(_ device: HubDevice) throws
  /// Inserts or replaces a pairing code.
  func put(_ code: HubPairingCode) throws
  /// Deletes a pairing code.
  func deletePairingCode(hash: String) throws
  /// Deletes codes that expired before `date`.
  func deletePairingCodes(expiredBefore date: Date) throws
  /// Replaces the times under a key; an empty list deletes the key.
  func putPairingAttempts(key: String, _ times: [Date]) throws
  /// Deletes keys whose last attempt was before `date`, and all but the `count` most recent of the others.
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
  /// Time from which all devices of the user are rejected; `nil` for an active user.
  public var removedAt: Date?
  /// Whether the data of a removed user is being erased.
  public var isErasing: Bool

  public init(id: String, name: String, createdAt: Date, removedAt: Date? = nil, isErasing: Bool = false) {
    self.id = id
    self.name = name
    self.createdAt = createdAt
    self.removedAt = removedAt
    self.isErasing = isErasing
  }
}

/// A paired device with its token, of which only the hash is stored.
public struct HubDevice: Hashable, Sendable, Identifiable {
  public let id: String
  public let user: String
  public var name: String
  /// SHA-256 of the token, in hexadecimal.
  public let tokenHash: String
  public var createdAt: Date
  public var revokedAt: Date?
  /// Time of the last request, updated once an hour; `nil` if there was none.
  public var seenAt: Date?
  /// Status that the device reported with that request; `nil` if it reported none.
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

/// A code that pairs one device, once, until it expires.
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
