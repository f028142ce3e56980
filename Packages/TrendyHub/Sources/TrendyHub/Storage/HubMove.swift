import TrendyPersistence

/// Copies all data of a hub from one storage to another, empty one.
///
/// The source is only read. The directory is written last, in one transaction: until then the target counts as empty,
/// and an interrupted move starts over. Each user's data is read back and compared.
public struct HubMove: Sendable {
  /// Result of a move.
  public struct Report: Hashable, Sendable {
    public var people = 0
    public var devices = 0
    /// Records of all users.
    public var records = 0
  }

  /// Reasons why a move fails.
  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The source contains no user.
    case nothingToMove
    /// The target contains another hub, or this hub with later changes.
    case occupied
    /// A user's data in the target differs from the source.
    case differs(person: String)
    /// The source was written to during the move.
    case changed

    public var description: String {
      switch self {
      case .nothingToMove: "the source contains no hub"
      case .occupied: "the target contains another hub, or this hub with later changes"
      case .differs(let person): "the copied data of user \(person) differs from the source"
      case .changed: "the hub was modified during the move"
      }
    }
  }

  private let source: any HubStorage
  private let target: any HubStorage

  /// Creates a move between two storages that no hub serves.
  public init(from source: any HubStorage, to target: any HubStorage) {
    self.source = source
    self.target = target
  }

  /// Copies the data, or verifies that the target already contains exactly the same data.
  ///
  /// - Throws: ``Failure``, or an error of a storage. The source is unchanged.
  public func run() throws -> Report {
    let directory = try source.readDirectory { try Directory($0) }
    guard !directory.people.isEmpty else { throw Failure.nothingToMove }
    let there = try target.readDirectory { try Directory($0) }
    // Users being erased have no data left to copy.
    let people = directory.people.filter { !$0.isErasing }.map(\.id)
    var report = Report(people: people.count, devices: directory.devices.count)
    if !there.people.isEmpty {
      guard there == directory else { throw Failure.occupied }
      for person in people {
        let digest = try HubRecordDigest(of: source, person: person)
        guard try HubRecordDigest(of: target, person: person) == digest, try hasSameTracks(person) else {
          throw Failure.occupied
        }
        report.records += digest.count
      }
      return report
    }
    var digests: [String: HubRecordDigest] = [:]
    for person in people {
      let digest = try copy(person)
      try copyTracks(person)
      guard try HubRecordDigest(of: target, person: person) == digest, try hasSameTracks(person) else {
        throw Failure.differs(person: person)
      }
      digests[person] = digest
      report.records += digest.count
    }
    for person in people where try HubRecordDigest(of: source, person: person) != digests[person] {
      throw Failure.changed
    }
    guard try source.readDirectory({ try Directory($0) }) == directory else { throw Failure.changed }
    try target.writeDirectory { try directory.put(in: $0) }
    return report
  }

  /// Copies a user's records and returns their digest.
  private func copy(_ person: String) throws -> HubRecordDigest {
    try source.read(person: person) { reading in
      var digest = HubRecordDigest()
      try target.replace(person: person) { put in
        try reading.forEachRecord { record in
          try digest.add(record, of: person)
          try put(record)
        }
      }
      return digest
    }
  }

  private func copyTracks(_ person: String) throws {
    guard try source.hasTracks(of: person) || target.hasTracks(of: person) else { return }
    try TrackLog.copy(from: source.tracks(of: person), to: target.tracks(of: person))
  }

  private func hasSameTracks(_ person: String) throws -> Bool {
    guard try source.hasTracks(of: person) || target.hasTracks(of: person) else { return true }
    return try TrackLog.isEqual(source.tracks(of: person), target.tracks(of: person))
  }

  private struct Directory: Hashable {
    let people: [HubPerson]
    let devices: [HubDevice]
    let codes: [HubPairingCode]
    let webhooks: [HubWebhook]

    init(_ reading: any HubDirectoryReading) throws {
      people = try reading.people()
      devices = try reading.devices()
      codes = try reading.pairingCodes()
      webhooks = try reading.webhooks()
    }

    func put(in transaction: any HubDirectoryTransaction) throws {
      for person in people { try transaction.put(person) }
      for device in devices { try transaction.put(device) }
      for code in codes { try transaction.put(code) }
      for webhook in webhooks { try transaction.put(webhook) }
    }
  }
}
