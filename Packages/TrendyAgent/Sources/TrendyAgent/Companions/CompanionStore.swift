public import TrendyFoundation
public import TrendyModels
public import TrendyPersistence
import TrendyTrips

/// Durable queue of notices to and from companions. Each notice is delivered once and in order.
///
/// Notices to send get their sequence numbers when they are added, and are stored until the companion has received
/// them. Received notices are saved together with their sequence numbers. If the process is killed at any time, notices
/// are therefore neither lost nor repeated. The store is separate from the record, belongs to this device only, and is
/// not part of backups.
public struct CompanionStore: Sendable {
  /// Connection from one device to another, as known to this device.
  public struct Link: Hashable, Sendable, Identifiable {
    /// Role of this device in a link.
    public enum Role: String, Hashable, Sendable {
      /// This device sends notices.
      case tracker
      /// This device receives notices.
      case companion
    }

    public let id: String
    public var role: Role
    /// Id of the other device at the hub.
    public var peerId: String
    /// Name of the other device.
    public var peerName: String
    /// Sequence number of the last notice that was added or received.
    public var lastSequence: Int64
    /// Sequence number up to which the companion has acknowledged notices.
    public var acknowledgedThrough: Int64
    /// Sequence number up to which a companion has applied received hub addresses and tokens.
    public var settledThrough: Int64
    /// Account and hub address in the last configuration notice to the companion.
    public var sentConfiguration: String?

    /// Device that the notices describe: the other device or, if the hub sends the notices, the device that posts to
    /// the hub.
    public var device: String { APICompanion.device(of: peerId) }
  }

  /// Received notice with its link.
  public struct Received: Hashable, Sendable {
    public var link: String
    public var notice: CompanionNotice
  }

  /// Trip whose start, but not end, has been announced to companions.
  public struct AnnouncedTrip: Hashable, Sendable {
    public var id: String
    public var device: String

    public init(id: String, device: String) {
      self.id = id
      self.device = device
    }
  }

  private enum Kind {
    static let link: UInt8 = 1
    static let outgoing: UInt8 = 2
    static let received: UInt8 = 3
    static let told: UInt8 = 4
    static let trips: UInt8 = 5
  }

  /// Range of valid sequence numbers. The upper bound leaves room for later numbers.
  fileprivate static let sequences = 0...(SyncRange.counter.upperBound / 2)

  private let engine: StorageEngine

  /// Opens or creates the companion store in the directory of a user's store.
  /// - Throws: `StorageError`.
  public init(storeDirectory: URL) throws(StorageError) {
    try self.init(directory: Self.folder(storeDirectory), fileSystem: PosixFileSystem())
  }

  /// Opens or creates a companion store on any file system. The path of `directory` must not end with a slash.
  /// - Throws: `StorageError`.
  public init(directory: String, fileSystem: any FileSystem) throws(StorageError) {
    let options = StorageEngine.Options(firstChunkBytes: 64 * 1024)
    engine = try StorageEngine.open(directory: directory, fileSystem: fileSystem, options: options)
  }

  /// Returns whether the directory of a user's store contains a companion store.
  public static func exists(storeDirectory: URL) -> Bool {
    FileManager.default.fileExists(atPath: folder(storeDirectory) + "/manifest")
  }

  private static func folder(_ storeDirectory: URL) -> String { storeDirectory.appending(path: "companion").path }

  /// Performs one step of store maintenance.
  /// - Returns: Whether there may be more to do.
  public func maintain() throws(StorageError) -> Bool { try engine.maintain() }

  // MARK: Links

  /// Returns all links in order of their ids.
  public func links() throws -> [Link] {
    try engine.refresh()
    return try engine.scan(kind: Kind.link).map(Link.init(stored:)).sorted { $0.id < $1.id }
  }

  /// Updates the links from the hub's list. Deletes links that the hub reports as removed, with their pending notices.
  /// - Parameters:
  ///   - companions: All links on the hub.
  ///   - deviceId: Id of this device at the hub.
  /// - Returns: Links to recreate, because the hub was restored from a backup and does not know them.
  public func update(with companions: [APICompanion], deviceId: String) throws -> [Link] {
    let lost = try links().filter { link in !companions.contains { $0.id == link.id } }
    let held = Dictionary(try links().map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    let isKnown = companions.allSatisfy { companion in
      companion.isRemoved == (held[companion.id] == nil)
        && (held[companion.id].map { $0.peerName == companion.peerName(for: deviceId) } ?? true)
    }
    if isKnown { return lost }
    try write { transaction in
      for companion in companions {
        let stored = try transaction.get(kind: Kind.link, key: RowKey(hashing: companion.id))
        if companion.isRemoved {
          if stored != nil { try Self.forget(companion.id, in: transaction) }
          continue
        }
        var link = try stored.map(Link.init(stored:)) ?? Link(companion, deviceId: deviceId)
        link.peerName = companion.peerName(for: deviceId)
        try Self.put(link, in: transaction)
      }
    }
    return lost
  }

  /// Deletes a link and its pending notices. Received notices remain.
  public func forget(_ link: String) throws { try write { try Self.forget(link, in: $0) } }

  private static func forget(_ link: String, in transaction: WriteTransaction) throws {
    for record in try transaction.scan(
      kind: Kind.outgoing, group: group(link), from: .min, to: .max, descending: false, limit: .max)
    {
      transaction.delete(kind: Kind.outgoing, key: record.key)
    }
    transaction.delete(kind: Kind.link, key: RowKey(hashing: link))
    let hasOthers = try links(in: transaction).contains { $0.role == .tracker && $0.id != link }
    // Without companions, no trip is announced. A new companion will be notified of the trips in progress at that time.
    if !hasOthers { try putTold([], in: transaction) }
  }

  private static func links(in transaction: WriteTransaction) throws -> [Link] {
    try transaction.scan(kind: Kind.link, group: nil, from: .min, to: .max, descending: false, limit: .max)
      .map(Link.init(stored:)).sorted { $0.id < $1.id }
  }

  private static func putTold(_ trips: [AnnouncedTrip], in transaction: WriteTransaction) throws {
    for record in try transaction.scan(
      kind: Kind.told, group: nil, from: .min, to: .max, descending: false, limit: .max)
    {
      transaction.delete(kind: Kind.told, key: record.key)
    }
    for trip in trips {
      let content: JSONValue = ["id": .string(trip.id), "device": .string(trip.device)]
      try transaction.put(
        kind: Kind.told, key: RowKey(hashing: trip.id), sort: 0, group: 0, payload: Array(WireJSON.encode(content)))
    }
  }

  // MARK: Sending

  /// Returns the trips in progress whose start has been announced.
  public func announcedTrips() throws -> [AnnouncedTrip] {
    try engine.refresh()
    return try engine.scan(kind: Kind.told).map { record in
      let members = try Self.document(record)
      return AnnouncedTrip(id: members["id"]?.stringValue ?? "", device: members["device"]?.stringValue ?? "")
    }
  }

  /// Notice without a sequence number.
  public struct Draft: Hashable, Sendable {
    public var kind: String
    public var data: [String: JSONValue]

    public init(kind: String, data: [String: JSONValue] = [:]) {
      self.kind = kind
      self.data = data
    }
  }

  /// Adds notices for one or all companions, and updates the announced trips, in one save.
  /// - Parameters:
  ///   - drafts: Notices in order.
  ///   - date: Time of the notices.
  ///   - link: Id of the only link to use, or `nil` for all links.
  ///   - announcedTrips: Trips in progress that these notices announce, or `nil` for no change.
  ///   - sentConfiguration: Configuration that these notices contain, or `nil` for no change.
  /// - Returns: Whether there is a companion to receive the notices.
  @discardableResult
  public func tell(
    _ drafts: [Draft], at date: Date, only link: String? = nil, announcedTrips: [AnnouncedTrip]? = nil,
    sentConfiguration: String? = nil
  ) throws -> Bool {
    try write { transaction in
      let links = try Self.links(in: transaction).filter { $0.role == .tracker && (link == nil || $0.id == link) }
      for var link in links {
        for draft in drafts {
          link.lastSequence += 1
          let notice = CompanionNotice(sequence: link.lastSequence, kind: draft.kind, at: date, data: draft.data)
          try transaction.put(
            kind: Kind.outgoing, key: RowKey(hashing: "\(link.id)\u{0}\(notice.sequence)"), sort: notice.sequence,
            group: Self.group(link.id), payload: Array(WireJSON.encode(notice)))
        }
        if let sentConfiguration { link.sentConfiguration = sentConfiguration }
        try Self.put(link, in: transaction)
      }
      if let announcedTrips { try Self.putTold(announcedTrips, in: transaction) }
      return !links.isEmpty
    }
  }

  /// Returns at most `limit` pending notices for a link, in order, starting after a sequence number.
  public func waiting(for link: String, after sequence: Int64, limit: Int) throws -> [CompanionNotice] {
    try engine.refresh()
    return try engine.scan(
      kind: Kind.outgoing, group: Self.group(link), from: sequence + 1, to: .max, descending: false, limit: limit
    ).map { try WireJSON.decode(CompanionNotice.self, from: Data($0.payload)) }
  }

  /// Returns the number of pending notices for a link.
  public func waitingCount(for link: String) throws -> Int {
    try engine.refresh()
    return try engine.count(kind: Kind.outgoing, group: Self.group(link))
  }

  /// Deletes the notices that a companion has acknowledged.
  public func acknowledge(_ link: String, through sequence: Int64) throws {
    try write { transaction in
      guard let stored = try transaction.get(kind: Kind.link, key: RowKey(hashing: link)) else { return }
      var known = try Link(stored: stored)
      guard sequence > known.acknowledgedThrough, Self.sequences.contains(sequence) else { return }
      known.acknowledgedThrough = sequence
      // Continue after the hub's number, because the numbers of a recreated store are lower than the hub's.
      known.lastSequence = max(known.lastSequence, sequence)
      try Self.put(known, in: transaction)
      for record in try transaction.scan(
        kind: Kind.outgoing, group: Self.group(link), from: .min, to: sequence + 1, descending: false, limit: .max)
      {
        transaction.delete(kind: Kind.outgoing, key: record.key)
      }
    }
  }

  // MARK: Receiving

  /// Stores new notices in order, together with their last sequence number, in one save.
  ///
  /// If a device's agent and the hub both announce a trip, only the notices from the first sender are kept.
  /// - Returns: The new notices.
  public func take(_ notices: [CompanionNotice], over link: String) throws -> [CompanionNotice] {
    try write { transaction in
      guard let stored = try transaction.get(kind: Kind.link, key: RowKey(hashing: link)) else { return [] }
      var known = try Link(stored: stored)
      let new = notices.sorted { $0.sequence < $1.sequence }
        .filter { $0.sequence > known.lastSequence && Self.sequences.contains($0.sequence) }
      guard let last = new.last else { return [] }
      var trips = try Self.trips(of: known, in: transaction)
      let news = new.filter { trips.take($0, over: link) }
      try Self.put(trips, of: known, in: transaction)
      var place =
        try transaction.scan(
          kind: Kind.received, group: nil, from: .min, to: .max, descending: true, limit: 1
        ).first?.sort ?? 0
      for notice in news {
        place += 1
        let content: JSONValue = [
          "link": .string(link), "notice": .object(try WireJSON.members(of: notice)),
        ]
        try transaction.put(
          kind: Kind.received, key: RowKey(hashing: "\(link)\u{0}\(notice.sequence)"), sort: place,
          group: Self.group(link), payload: Array(WireJSON.encode(content)))
      }
      known.lastSequence = last.sequence
      try Self.put(known, in: transaction)
      return news
    }
  }

  /// Returns the last `limit` received notices, oldest first.
  public func received(limit: Int) throws -> [Received] {
    try engine.refresh()
    return try engine.scan(
      kind: Kind.received, group: nil, from: .min, to: .max, descending: true, limit: limit
    ).map(Self.received).reversed()
  }

  /// Returns whether a trip is in progress on each sending device, according to the device's last notice.
  public func trackers() throws -> [AgentStatus.Tracker] {
    let links = try links().filter { $0.role == .companion }
    return try Dictionary(grouping: links, by: \.device).sorted { $0.key < $1.key }.compactMap { _, ways in
      let said = try ways.flatMap { link in
        // A trip has only a few notices, and one of them contains the state.
        try engine.scan(
          kind: Kind.received, group: Self.group(link.id), from: .min, to: .max, descending: true, limit: 16)
      }.sorted { $0.sort > $1.sort }
      let last = try said.lazy.map { try Self.received($0).notice }
        .first { $0.kind == CompanionNotice.Kind.tripActive }
      return last.map {
        AgentStatus.Tracker(
          device: ways.first?.peerName ?? "", isActive: $0.data["active"]?.boolValue ?? false, announcedAt: $0.at)
      }
    }
  }

  /// Returns the notices received over a link after ``Link/settledThrough``, oldest first.
  public func unsettled(_ link: Link) throws -> [CompanionNotice] {
    try engine.refresh()
    // Read backward to the last notice that was applied.
    var limit = 64
    while true {
      let notices = try engine.scan(
        kind: Kind.received, group: Self.group(link.id), from: .min, to: .max, descending: true, limit: limit
      ).map { try Self.received($0).notice }
      if notices.count < limit || notices.last.map({ $0.sequence <= link.settledThrough }) ?? true {
        return notices.filter { $0.sequence > link.settledThrough }.reversed()
      }
      limit *= 4
    }
  }

  /// Records that received hub addresses and tokens have been applied up to a sequence number.
  public func settle(_ link: String, through sequence: Int64) throws {
    try write { transaction in
      guard let stored = try transaction.get(kind: Kind.link, key: RowKey(hashing: link)) else { return }
      var known = try Link(stored: stored)
      known.settledThrough = max(known.settledThrough, sequence)
      try Self.put(known, in: transaction)
    }
  }

  // MARK: Rows

  private func write<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
    let transaction = try engine.beginWrite()
    do {
      let result = try body(transaction)
      try transaction.commit()
      return result
    } catch {
      transaction.rollback()
      throw error
    }
  }

  private static func trips(of link: Link, in transaction: WriteTransaction) throws -> CompanionTrips {
    guard let stored = try transaction.get(kind: Kind.trips, key: RowKey(hashing: link.device)) else {
      return CompanionTrips()
    }
    return try WireJSON.decode(CompanionTrips.self, from: Data(stored.payload))
  }

  private static func put(_ trips: CompanionTrips, of link: Link, in transaction: WriteTransaction) throws {
    try transaction.put(
      kind: Kind.trips, key: RowKey(hashing: link.device), sort: 0, group: 0,
      payload: Array(WireJSON.encode(trips)))
  }

  private static func group(_ link: String) -> UInt64 { max(1, RowKey(hashing: link).low) }

  private static func put(_ link: Link, in transaction: WriteTransaction) throws {
    try transaction.put(
      kind: Kind.link, key: RowKey(hashing: link.id), sort: 0, group: 0, payload: Array(WireJSON.encode(link.stored))
    )
  }

  fileprivate static func document(_ record: Row) throws -> [String: JSONValue] {
    try WireJSON.decode([String: JSONValue].self, from: Data(record.payload))
  }

  private static func received(_ record: Row) throws -> Received {
    let members = try document(record)
    let notice = try WireJSON.decode(
      CompanionNotice.self, from: WireJSON.encode(members["notice"] ?? .null))
    return Received(link: members["link"]?.stringValue ?? "", notice: notice)
  }
}

extension CompanionStore.Link {
  fileprivate init(_ companion: APICompanion, deviceId: String) {
    id = companion.id
    role = companion.trackerId == deviceId ? .tracker : .companion
    peerId = role == .tracker ? companion.companionId : companion.trackerId
    peerName = companion.peerName(for: deviceId)
    // A recreated store continues after the hub's last notice, and receives all notices that the hub still has.
    lastSequence = Self.possible(role == .tracker ? companion.heldThrough : companion.acknowledgedThrough)
    acknowledgedThrough = Self.possible(companion.acknowledgedThrough)
    settledThrough = 0
  }

  fileprivate init(stored record: Row) throws {
    let members = try CompanionStore.document(record)
    id = members["id"]?.stringValue ?? ""
    role = members["role"]?.stringValue.flatMap(Role.init(rawValue:)) ?? .companion
    peerId = members["peer_id"]?.stringValue ?? ""
    peerName = members["peer_name"]?.stringValue ?? ""
    lastSequence = Self.possible(members["last"]?.intValue)
    acknowledgedThrough = Self.possible(members["acknowledged"]?.intValue)
    settledThrough = Self.possible(members["settled"]?.intValue)
    sentConfiguration = members["told"]?.stringValue
  }

  /// Returns 0 for an out-of-range sequence number. The hub's next acknowledgement corrects it.
  private static func possible(_ sequence: Int64?) -> Int64 {
    sequence.flatMap { CompanionStore.sequences.contains($0) ? $0 : nil } ?? 0
  }

  fileprivate var stored: [String: JSONValue] {
    var members: [String: JSONValue] = [
      "id": .string(id), "role": .string(role.rawValue), "peer_id": .string(peerId), "peer_name": .string(peerName),
      "last": .int(lastSequence), "acknowledged": .int(acknowledgedThrough), "settled": .int(settledThrough),
    ]
    if let sentConfiguration { members["told"] = .string(sentConfiguration) }
    return members
  }
}

extension APICompanion {
  fileprivate func peerName(for deviceId: String) -> String { trackerId == deviceId ? companionName : trackerName }
}
