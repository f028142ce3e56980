public import Foundation
public import TrendyModels
public import TrendyPersistence

/// Keeps what a hub knows: of each person a feed of entries, and beside the persons who may come in.
///
/// A body runs synchronously and may touch nothing else; it may be run again from the beginning where a transaction has to be
/// made anew, and counts once. One person's writes come one after another; what a body wrote is
/// durable when the call returns, and not there at all when it throws. No call reads across persons. What every storage
/// owes is written down as a suite in HubTesting.
public protocol HubStorage: Sendable {
  /// Reads one person's state as it is durable. A person never written to is empty, not an error.
  func read<Result>(person: String, _ body: (any HubReading) throws -> Result) throws -> Result

  /// Reads and writes one person's state, all or nothing.
  func write<Result>(person: String, _ body: (any HubTransaction) throws -> Result) throws -> Result

  /// Carries out several writes of one person in their order, each all or nothing by itself, and makes them durable together;
  /// by default one after the other.
  ///
  /// A body sees what those before it wrote. When the call returns, everything is durable.
  /// - Returns: of each body the error that it threw, and by which it wrote nothing.
  /// - Throws: where nothing was written at all.
  func write(person: String, together bodies: [(any HubTransaction) throws -> Void]) throws -> [(any Error)?]

  /// Takes away all that is kept of a person, for good; erasing them again changes nothing.
  ///
  /// Who still reads or writes for them, here and until this storage is made anew, gets ``HubStorageError/erased(person:)``. Nobody
  /// else's state is touched, and of the directory nothing.
  func erase(person: String) throws

  func readDirectory<Result>(_ body: (any HubDirectoryReading) throws -> Result) throws -> Result

  func writeDirectory<Result>(_ body: (any HubDirectoryTransaction) throws -> Result) throws -> Result

  /// The rows of the log in which the fixes are that a person's trackers post; made where there is none.
  ///
  /// They are no part of the person's state: ``HubReading/forEachRecord(_:)`` does not give them. By default there is no room
  /// for them.
  /// - Throws: ``HubStorageError/erased(person:)``, and what opening them throws.
  func tracks(of person: String) throws -> any TrackRows

  /// Whether there is such a log; by default there is none.
  func hasTracks(of person: String) throws -> Bool

  /// Bytes that are kept of a person, about: of files their size, of rows what is in them; by default nobody knows.
  func size(of person: String) throws -> Int64?

  /// Called by a hub that starts to serve; a storage that only one may serve at a time refuses the second.
  ///
  /// - Returns: what keeps others out as long as it is referenced; by default nothing, and any number may serve.
  /// - Throws: ``HubStorageError/occupied(_:)``.
  func occupy() throws -> (any Sendable)?

  /// Calls `hear` with what other processes on this storage tell, soon after they wrote, as long as what is returned is held; by
  /// default nobody tells anything.
  ///
  /// Hints may be lost, come twice, or late: they are a reason to look and never what is true.
  func listen(_ hear: @escaping @Sendable (HubHint) -> Void) throws -> (any HubHints)?

  /// Throws why nothing could be saved by now, such as ``HubStorageError/full(_:)``; by default nothing is known to stand in the way.
  func checkReady() throws
}

extension HubStorage {
  public func occupy() throws -> (any Sendable)? { nil }
  public func checkReady() throws {}
  public func listen(_ hear: @escaping @Sendable (HubHint) -> Void) throws -> (any HubHints)? { nil }

  public func size(of person: String) throws -> Int64? { nil }
  public func hasTracks(of person: String) throws -> Bool { false }

  public func tracks(of person: String) throws -> any TrackRows {
    throw HubStorageError.unsupported("this storage keeps no fixes")
  }

  public func write(person: String, together bodies: [(any HubTransaction) throws -> Void]) throws -> [(any Error)?] {
    bodies.map { body in
      do {
        try write(person: person, body)
        return nil
      } catch {
        return error
      }
    }
  }
}

/// Why a storage did not do what was asked: nothing of it was written.
public enum HubStorageError: Error, Hashable, Sendable, CustomStringConvertible {
  case full(String)
  /// Another writer did not finish in time.
  case busy(String)
  /// The process, or the machine, has no descriptor left for another file; it passes.
  case exhausted(String)
  /// Another hub serves it.
  case occupied(String)
  /// The database does not answer; it passes.
  case unreachable(String)
  /// Of this person nothing is kept any more.
  case erased(person: String)
  /// A record or a row that this version cannot read, or that does not fit the others.
  case unreadable(String)
  /// A failure of a store's files.
  case store(StorageError)
  /// A failure of another file.
  case file(String)
  /// A statement that the database refused; the code is an SQLSTATE.
  case refused(code: String, text: String)
  /// Tables that another version of the program made.
  case newerSchema(found: Int64, madeBy: String, supported: Int64, program: String)
  /// An address or a name from which no storage can be made.
  case invalidAddress(String)
  /// An operation that this kind of storage does not have.
  case unsupported(String)

  public var description: String {
    switch self {
    case .full(let text), .busy(let text), .exhausted(let text), .occupied(let text), .unreachable(let text),
      .unreadable(let text), .file(let text), .invalidAddress(let text), .unsupported(let text):
      text
    case .erased(let person): "what was kept of the person \(person) was erased"
    case .store(let error): error.description
    case .refused(let code, let text): "the database refuses (\(code)): \(text)"
    case .newerSchema(let found, let madeBy, let supported, let program):
      "the database has tables of version \(found), made by \(madeBy); \(program) knows version \(supported): "
        + "install that one, or a newer"
    }
  }
}

/// What a process tells others on the same storage.
public enum HubHint: Hashable, Sendable {
  /// The person's record was written to.
  case head(person: String)
  /// Something is there for a device as a companion.
  case notice(device: String)
}

/// The way by which hubs on one storage give each other hints; it ends when it is let go.
public protocol HubHints: Sendable {
  /// Whether what others tell is heard by now, as far as is known.
  var isHearing: Bool { get }
  /// Tells the others, soon and without waiting.
  func tell(_ hint: HubHint)
}

/// One person's state. Used inside the body it was given to and nowhere else.
public protocol HubReading: AnyObject {
  /// The life of the storage that this reads and writes in, where it is the storage that lives and dies and not the process;
  /// by default `nil`, and each start of a hub is a life.
  ///
  /// A storage that several hubs share begins a new life where it may have lost what it had confirmed.
  func epoch() throws -> String?
  /// Says what will be asked for, so that a storage behind a network fetches it in one step; by default does nothing.
  /// - Parameters:
  ///   - keys: of entries.
  ///   - device: whose mark, contact and outcomes will be asked for.
  func prefetch(_ keys: [HubEntryKey], device: String) throws
  func state() throws -> HubState
  /// The entry or tombstone.
  func entry(kind: String, id: String) throws -> HubEntry?
  /// Entries with a version above `version`, by version, at most `limit`.
  func entries(after version: Int64, limit: Int) throws -> [HubEntry]
  /// Those entries as the feed gives them.
  func lines(after version: Int64, limit: Int) throws -> [HubLine]
  /// Lines of one kind, or of `nil` those of kinds that this version does not know, with a version above `version`, by version:
  /// as many as fill `bytes` and one at least, unless there are no more.
  func lines(ofKind kind: String?, after version: Int64, bytes: Int) throws -> [HubLine]
  /// All lines as of this moment, by rank of their kind and then by version; may be read after the body has returned.
  func allLines() throws -> HubLineList
  /// The living of one kind, the latest by `SyncedKind.listOrder` first, equal ones by id in no order that means anything.
  func living(kind: String, offset: Int, limit: Int) throws -> [HubEntry]
  /// Those of them whose moment by `SyncedKind.listOrder`, in milliseconds since 1970, is in a range, at most `limit`; by default
  /// found among all.
  func living(kind: String, during moments: Range<Int64>, limit: Int) throws -> [HubEntry]
  /// Calls `body` with each living event whose moment is in a range, in milliseconds since 1970, in no order; by default of all that
  /// ``living(kind:during:limit:)`` gives.
  /// - Parameters:
  ///   - moments: the range.
  ///   - body: is given the entry by a call, for what the moment does not tell.
  func eachEvent(
    during moments: Range<Int64>, _ body: (HubEventMoment, _ entry: () throws -> HubEntry) throws -> Void
  ) throws
  /// Events whose moment is in a range, the latest first, but for those that are certain not to be found; by default all.
  /// - Parameters:
  ///   - moments: the range, in milliseconds since 1970.
  ///   - limit: how many are looked at, at most.
  ///   - prefilter: says which are certain.
  func events(during moments: Range<Int64>, limit: Int, prefilter: EventPrefilter) throws -> PrefilteredEvents
  /// Calls `body` with what stands in each living event whose moment is in a range: at least the values of its fields, as JSON has
  /// them.
  /// - Parameters:
  ///   - moments: the range, in milliseconds since 1970.
  ///   - body: is given a text that it must not keep.
  /// - Returns: how many there were.
  func eachText(during moments: Range<Int64>, _ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Int
  /// The texts of the documents of what ``living(kind:during:limit:)`` gives, as the wire has them; by default made of the entries.
  /// - Parameters:
  ///   - kind: of the entries.
  ///   - moments: the range, in milliseconds since 1970.
  ///   - limit: how many at most.
  ///   - person: whose they are.
  func documents(kind: String, during moments: Range<Int64>, limit: Int, person: String) throws -> [Data]
  /// The living that refer to an entity, by version.
  func referring(toKind kind: String, id: String) throws -> [HubEntry]
  /// Shows the living that refer to an entity, by version: where there are many, they need not be in memory at once.
  func eachReferring(toKind kind: String, id: String, _ body: (HubEntry) throws -> Void) throws
  /// The highest sequence that was judged of a device; 0 of an unknown one.
  func mark(device: String) throws -> Int64
  func outcome(device: String, sequence: Int64) throws -> StoredOutcome?
  func keyedWrite(_ hash: HubNameHash) throws -> KeyedWrite?
  /// Whether only the id is left of a tombstone.
  func isPurged(kind: String, id: String) throws -> Bool
  /// Tombstones with a version of at most `version`, by version, at most `limit`.
  func tombstones(through version: Int64, limit: Int) throws -> [HubEntry]
  func contact(device: String) throws -> HubContact?
  /// By device.
  func contacts() throws -> [HubContact]
  /// By id; those that were ended, too.
  func companions() throws -> [HubCompanion]
  func companion(id: String) throws -> HubCompanion?
  /// On their way to a companion, after a sequence, by sequence, at most `limit`.
  func notices(companion: String, after sequence: Int64, limit: Int) throws -> [CompanionNotice]
  func webhookStanding(of webhook: String) throws -> HubWebhookStanding?
  /// Files that were taken in, by the time they were begun, equal ones by id; those that were taken back, too.
  func imports() throws -> [HubImport]
  /// Calls `body` with everything that is kept of the person, each record once, in any order.
  func forEachRecord(_ body: (HubRecord) throws -> Void) throws
}

extension HubReading {
  public func documents(kind: String, during moments: Range<Int64>, limit: Int, person: String) throws -> [Data] {
    try living(kind: kind, during: moments, limit: limit).map { JSONText.write(.object($0.document(person: person))) }
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

extension HubReading {
  public func eachReferring(toKind kind: String, id: String, _ body: (HubEntry) throws -> Void) throws {
    for entry in try referring(toKind: kind, id: id) { try body(entry) }
  }

  public func epoch() throws -> String? { nil }
  public func prefetch(_ keys: [HubEntryKey], device: String) throws {}
}

/// What names an entry among those of a person.
public struct HubEntryKey: Hashable, Sendable {
  public var kind: String
  public var id: String

  public init(kind: String, id: String) {
    self.kind = kind
    self.id = id
  }
}

public protocol HubTransaction: HubReading {
  func setState(_ state: HubState) throws
  /// Puts the entry in place of the one with its kind and id.
  func put(_ entry: HubEntry) throws
  func setMark(device: String, _ sequence: Int64) throws
  func putOutcome(device: String, sequence: Int64, _ outcome: StoredOutcome) throws
  func forgetOutcomes(device: String, through sequence: Int64) throws
  func putKeyedWrite(_ hash: HubNameHash, _ write: KeyedWrite) throws
  /// Leaves of a tombstone the bare id: the entry is gone from the feed and from all lists.
  func purge(kind: String, id: String) throws
  /// Keeps the bare id of a tombstone that another storage compacted away.
  func putPurged(_ hash: HubNameHash) throws
  /// Takes away all that is kept of the person, who may go on to write.
  func clear() throws
  func putContact(_ contact: HubContact) throws
  func forgetContact(device: String) throws
  func put(_ companion: HubCompanion) throws
  func put(_ notice: CompanionNotice, companion: String) throws
  func forgetNotices(companion: String, through sequence: Int64) throws
  func put(_ standing: HubWebhookStanding) throws
  func forgetWebhookStanding(of webhook: String) throws
  /// Puts the import in place of the one with its id.
  func put(_ entry: HubImport) throws
  /// Makes sure that whoever looks through the person's fixes may go on; by default, where `TrackRows` name no reader, nothing.
  /// - Parameter reader: their name by the rows of ``HubStorage/tracks(of:)``.
  /// - Throws: ``HubStorageError/busy(_:)`` where another has begun to.
  func renewTrackReader(_ reader: String) throws
}

extension HubTransaction {
  public func renewTrackReader(_ reader: String) throws {}
}

/// Where a device stood when it last asked, as far as the hub needs to know.
public struct HubContact: Hashable, Sendable {
  public var device: String
  /// Not above where it stands now.
  public var cursor: Int64
  public var at: Date
  /// The lives of the hub in which it may stand: those of what it said to have seen and of the head that it was told, and the one in
  /// which it was answered.
  public var lives: [String]

  public init(device: String, cursor: Int64, at: Date, lives: [String] = []) {
    self.device = device
    self.cursor = cursor
    self.at = at
    self.lives = lives
  }
}

/// What a mutation was and what became of it, kept until the device has said that it knows.
public struct StoredOutcome: Hashable, Sendable {
  /// SHA-256 of the mutation's content.
  public var digest: String
  public var verdict: HubVerdict

  public init(digest: String, verdict: HubVerdict) {
    self.digest = digest
    self.verdict = verdict
  }
}

/// A plain create that came with an `Idempotency-Key`.
public struct KeyedWrite: Hashable, Sendable {
  /// SHA-256 of the request's content.
  public var digest: String
  public var kind: String
  public var id: String

  public init(digest: String, kind: String, id: String) {
    self.digest = digest
    self.kind = kind
    self.id = id
  }
}

/// An entry as the feed and a snapshot give it: the text of ``HubEntry/change(person:)``.
public struct HubLine: Hashable, Sendable {
  public var version: Int64
  public var text: Data

  public init(version: Int64, text: Data) {
    self.version = version
    self.text = text
  }
}

extension HubEntry {
  /// Its line for devices of the person whose it is.
  public func line(person: String) -> HubLine {
    HubLine(version: version, text: JSONText.write(change(person: person)))
  }
}

/// Lines as of one moment, read one by one when asked for.
public struct HubLineList: Sendable {
  public let count: Int
  private let line: @Sendable (Int) throws -> HubLine

  /// `line` gives the line at a place from 0 to `count - 1`.
  public init(count: Int, line: @escaping @Sendable (Int) throws -> HubLine) {
    self.count = count
    self.line = line
  }

  public func line(at place: Int) throws -> HubLine { try line(place) }
}

/// Who may come in: persons, their devices' tokens, and pairing codes on their way; and who is told of what changes.
public protocol HubDirectoryReading: AnyObject {
  /// By id.
  func people() throws -> [HubPerson]
  func person(id: String) throws -> HubPerson?
  /// By id.
  func devices() throws -> [HubDevice]
  func device(tokenHash: String) throws -> HubDevice?
  func pairingCode(hash: String) throws -> HubPairingCode?
  /// By hash; those that expired and were not forgotten, too.
  func pairingCodes() throws -> [HubPairingCode]
  /// Times of the recent attempts to pair that count under a key, rising.
  func pairingAttempts(key: String) throws -> [Date]
  /// By id.
  func webhooks() throws -> [HubWebhook]
}

public protocol HubDirectoryTransaction: HubDirectoryReading {
  func put(_ person: HubPerson) throws
  /// Forgets the person, their devices, their pairing codes and their webhooks.
  func deletePerson(id: String) throws
  func put(_ device: HubDevice) throws
  func put(_ code: HubPairingCode) throws
  func deletePairingCode(hash: String) throws
  /// Forgets codes that expired before `date`.
  func deletePairingCodes(expiredBefore date: Date) throws
  /// Replaces the times under a key; an empty list removes the key.
  func putPairingAttempts(key: String, _ times: [Date]) throws
  /// Removes keys whose last attempt was before `date`, and keeps at most the `count` most recent of the others.
  func deletePairingAttempts(before date: Date, keeping count: Int) throws
  func put(_ webhook: HubWebhook) throws
  func deleteWebhook(id: String) throws
}

/// Someone whose devices meet at this hub.
public struct HubPerson: Hashable, Sendable, Identifiable {
  public let id: String
  public var name: String
  public var createdAt: Date
  /// Since when none of their devices may come in.
  public var removedAt: Date?
  /// Whether what is kept of them is to be erased, or being erased; only of those who were removed.
  public var isErasing: Bool

  public init(id: String, name: String, createdAt: Date, removedAt: Date? = nil, isErasing: Bool = false) {
    self.id = id
    self.name = name
    self.createdAt = createdAt
    self.removedAt = removedAt
    self.isErasing = isErasing
  }
}

/// A device that was paired: one token, of which only the hash is kept.
public struct HubDevice: Hashable, Sendable, Identifiable {
  public let id: String
  public let person: String
  public var name: String
  /// SHA-256 of the token, in hexadecimal.
  public let tokenHash: String
  public var createdAt: Date
  public var revokedAt: Date?
  /// When it last came in, noted once an hour; `nil` for never.
  public var seenAt: Date?
  /// What it said of itself then; `nil` of one that says nothing.
  public var report: HubDeviceReport?

  public init(
    id: String, person: String, name: String, tokenHash: String, createdAt: Date, revokedAt: Date? = nil,
    seenAt: Date? = nil, report: HubDeviceReport? = nil
  ) {
    self.id = id
    self.person = person
    self.name = name
    self.tokenHash = tokenHash
    self.createdAt = createdAt
    self.revokedAt = revokedAt
    self.seenAt = seenAt
    self.report = report
  }
}

/// A code that pairs one device, once, for a while.
public struct HubPairingCode: Hashable, Sendable {
  /// SHA-256 of the digits, in hexadecimal.
  public let hash: String
  public let person: String
  public var expiresAt: Date

  public init(hash: String, person: String, expiresAt: Date) {
    self.hash = hash
    self.person = person
    self.expiresAt = expiresAt
  }
}
