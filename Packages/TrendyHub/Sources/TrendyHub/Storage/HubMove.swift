import TrendyPersistence

/// Copies all of a hub's data from one storage to another, which must be empty.
///
/// The source is only read. The directory is written last, in one transaction. Until then, the target counts as empty,
/// so an interrupted move starts over. Each user's data is read back and compared.
public struct HubMove: Sendable {
  /// Result of a move.
  public struct Report: Hashable, Sendable {
    public var users = 0
    public var devices = 0
    /// Total number of stored records.
    public var records = 0
  }

  /// Reasons why a move fails.
  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The source contains no user.
    case nothingToMove
    /// The target contains another hub, or this hub with later changes.
    case occupied
    /// A user's data in the target differs from the source.
    case differs(user: String)
    /// The source was changed during the move.
    case changed

    public var description: String {
      switch self {
      case .nothingToMove: "the source contains no hub"
      case .occupied: "the target contains another hub, or this hub with later changes"
      case .differs(let user): "the copied data of user \(user) differs from the source"
      case .changed: "the hub was modified during the move"
      }
    }
  }

  private let source: any HubStorage
  private let target: any HubStorage

  /// Creates a move between two storages. No hub may be serving either of them.
  public init(from source: any HubStorage, to target: any HubStorage) {
    self.source = source
    self.target = target
  }

  /// Copies the data, or verifies that the target already contains the same data.
  ///
  /// - Throws: ``Failure`` or a storage error. The source is never changed.
  public func run() throws -> Report {
    let directory = try source.readDirectory { try Directory($0) }
    guard !directory.users.isEmpty else { throw Failure.nothingToMove }
    let there = try target.readDirectory { try Directory($0) }
    // Skip users who are being erased, whose data need not be copied.
    let users = directory.users.filter { !$0.isErasing }.map(\.id)
    var report = Report(users: users.count, devices: directory.devices.count)
    if !there.users.isEmpty {
      guard there == directory else { throw Failure.occupied }
      for user in users {
        let digest = try HubRecordDigest(of: source, user: user)
        guard try HubRecordDigest(of: target, user: user) == digest, try hasSameTracks(user) else {
          throw Failure.occupied
        }
        report.records += digest.count
      }
      return report
    }
    var digests: [String: HubRecordDigest] = [:]
    for user in users {
      let digest = try copy(user)
      try copyTracks(user)
      guard try HubRecordDigest(of: target, user: user) == digest, try hasSameTracks(user) else {
        throw Failure.differs(user: user)
      }
      digests[user] = digest
      report.records += digest.count
    }
    for user in users where try HubRecordDigest(of: source, user: user) != digests[user] {
      throw Failure.changed
    }
    guard try source.readDirectory({ try Directory($0) }) == directory else { throw Failure.changed }
    try target.writeDirectory { try directory.put(in: $0) }
    return report
  }

  /// Copies a user's records and returns their digest.
  private func copy(_ user: String) throws -> HubRecordDigest {
    try source.read(user: user) { reading in
      var digest = HubRecordDigest()
      try target.replace(user: user) { put in
        try reading.forEachRecord { record in
          try digest.add(record, of: user)
          try put(record)
        }
      }
      return digest
    }
  }

  private func copyTracks(_ user: String) throws {
    guard try source.hasTracks(of: user) || target.hasTracks(of: user) else { return }
    try TrackLog.copy(from: source.tracks(of: user), to: target.tracks(of: user))
  }

  private func hasSameTracks(_ user: String) throws -> Bool {
    guard try source.hasTracks(of: user) || target.hasTracks(of: user) else { return true }
    return try TrackLog.isEqual(source.tracks(of: user), target.tracks(of: user))
  }

  private struct Directory: Hashable {
    let users: [HubUser]
    let devices: [HubDevice]
    let codes: [HubPairingCode]
    let webhooks: [HubWebhook]

    init(_ reading: any HubDirectoryReading) throws {
      users = try reading.users()
      devices = try reading.devices()
      codes = try reading.pairingCodes()
      webhooks = try reading.webhooks()
    }

    func put(in transaction: any HubDirectoryTransaction) throws {
      for user in users { try transaction.put(user) }
      for device in devices { try transaction.put(device) }
      for code in codes { try transaction.put(code) }
      for webhook in webhooks { try transaction.put(webhook) }
    }
  }
}
