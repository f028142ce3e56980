public import TrendyFoundation
public import TrendyModels
public import TrendyPersistence
import TrendyTrips

/// What this device tells its companions, and what it was told as one: durable, in its order, each once.
///
/// On the telling side a notice gets its sequence when it is made and stays until the companion has it. On the told side a notice
/// and the sequence it moves on to are one save, so that a process which ends at any moment neither loses one nor takes one twice.
/// A store of its own beside the record: what is in it is this device's alone, and is in no backup.
public struct CompanionStore: Sendable {
  /// One device telling another, as this side of it knows.
  public struct Link: Hashable, Sendable, Identifiable {
    public enum Role: String, Hashable, Sendable {
      /// This device tells.
      case tracker
      /// This device is told.
      case companion
    }

    public let id: String
    public var role: Role
    /// The other device, at the hub.
    public var peerId: String
    public var peerName: String
    /// The last sequence that was given, or taken.
    public var lastSequence: Int64
    /// Up to here the companion has them, as this side knows.
    public var acknowledgedThrough: Int64
    /// Of a companion: up to here configurations and tokens were looked at.
    public var settledThrough: Int64
    /// What a companion was last told of where the hub is.
    public var toldConfiguration: String?

    /// The device of which is told: the other one, or that which posts to the hub where the hub tells.
    public var device: String { APICompanion.device(of: peerId) }
  }

  /// A notice that came, with where from.
  public struct Received: Hashable, Sendable {
    public var link: String
    public var notice: CompanionNotice
  }

  /// A trip of which companions were told that it goes on.
  public struct ToldTrip: Hashable, Sendable {
    public var id: String
    public var device: String

    public init(id: String, device: String) {
      self.id = id
      self.device = device
    }
  }

  private enum Kind {
    static let link: UInt8 = 1
    /// Sorted by sequence, grouped by link.
    static let outgoing: UInt8 = 2
    /// Sorted by the order in which they came, over all links.
    static let received: UInt8 = 3
    static let told: UInt8 = 4
    /// By the device that is told of: what all ways said of its trips.
    static let trips: UInt8 = 5
  }

  /// The sequences that a notice may have. A larger one is a lie or damage: after the largest integer no notice could follow.
  fileprivate static let sequences = 0...(SyncRange.counter.upperBound / 2)

  private let engine: StorageEngine

  /// Opens the store of a folder, or makes it.
  public init(storeDirectory: URL) throws(StorageError) {
    try self.init(directory: Self.folder(storeDirectory), fileSystem: PosixFileSystem())
  }

  /// The same on any file system. `directory` has no slash at its end.
  public init(directory: String, fileSystem: any FileSystem) throws(StorageError) {
    let options = StorageEngine.Options(firstChunkBytes: 64 * 1024)
    engine = try StorageEngine.open(directory: directory, fileSystem: fileSystem, options: options)
  }

  /// Whether this store's device ever had to do with a companion.
  public static func exists(storeDirectory: URL) -> Bool {
    FileManager.default.fileExists(atPath: folder(storeDirectory) + "/manifest")
  }

  private static func folder(_ storeDirectory: URL) -> String { storeDirectory.appending(path: "companion").path }

  /// A step of what keeps it quick to open.
  public func maintain() throws(StorageError) -> Bool { try engine.maintain() }

  // MARK: Links

  /// By id.
  public func links() throws -> [Link] {
    try engine.refresh()
    return try engine.scan(kind: Kind.link).map(Link.init(stored:)).sorted { $0.id < $1.id }
  }

  /// Takes in what the hub says of this device's links. Those it calls ended are forgotten, with what waited for them.
  /// - Parameters:
  ///   - companions: all that the hub knows.
  ///   - deviceId: this device at the hub.
  /// - Returns: links that the hub does not know of at all: it was restored, and they are to be made again.
  public func update(with companions: [APICompanion], deviceId: String) throws -> [Link] {
    let lost = try links().filter { link in !companions.contains { $0.id == link.id } }
    // Nothing to write: most calls.
    let held = Dictionary(try links().map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    let isKnown = companions.allSatisfy { companion in
      companion.isRemoved == (held[companion.id] == nil)
        && (held[companion.id].map { $0.peerName == companion.peerName(for: deviceId) } ?? true)
    }
    if isKnown { return lost }
    try write { transaction in
      for companion in companions {
        let stored = try transaction.get(kind: Kind.link, key: RecordKey(hashing: companion.id))
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

  /// Forgets a link and what waited for it; what came over it stays.
  public func forget(_ link: String) throws { try write { try Self.forget(link, in: $0) } }

  private static func forget(_ link: String, in transaction: WriteTransaction) throws {
    for record in try transaction.scan(
      kind: Kind.outgoing, group: group(link), from: .min, to: .max, descending: false, limit: .max)
    {
      transaction.delete(kind: Kind.outgoing, key: record.key)
    }
    transaction.delete(kind: Kind.link, key: RecordKey(hashing: link))
    let hasOthers = try links(in: transaction).contains { $0.role == .tracker && $0.id != link }
    // Whoever is told next begins with what goes on then.
    if !hasOthers { try putTold([], in: transaction) }
  }

  private static func links(in transaction: WriteTransaction) throws -> [Link] {
    try transaction.scan(kind: Kind.link, group: nil, from: .min, to: .max, descending: false, limit: .max)
      .map(Link.init(stored:)).sorted { $0.id < $1.id }
  }

  private static func putTold(_ trips: [ToldTrip], in transaction: WriteTransaction) throws {
    for record in try transaction.scan(
      kind: Kind.told, group: nil, from: .min, to: .max, descending: false, limit: .max)
    {
      transaction.delete(kind: Kind.told, key: record.key)
    }
    for trip in trips {
      let content: JSONValue = ["id": .string(trip.id), "device": .string(trip.device)]
      try transaction.put(
        kind: Kind.told, key: RecordKey(hashing: trip.id), sort: 0, group: 0, payload: Array(WireJSON.encode(content)))
    }
  }

  // MARK: Telling

  /// The trips that companions believe to go on.
  public func toldTrips() throws -> [ToldTrip] {
    try engine.refresh()
    return try engine.scan(kind: Kind.told).map { record in
      let members = try Self.document(record)
      return ToldTrip(id: members["id"]?.stringValue ?? "", device: members["device"]?.stringValue ?? "")
    }
  }

  /// A notice without its sequence.
  public struct Draft: Hashable, Sendable {
    public var kind: String
    public var data: [String: JSONValue]

    public init(kind: String, data: [String: JSONValue] = [:]) {
      self.kind = kind
      self.data = data
    }
  }

  /// Puts notices behind those that wait, for every companion or one, and notes which trips are told of: one save.
  /// - Returns: whether there is anybody to tell.
  @discardableResult
  public func tell(
    _ drafts: [Draft], at date: Date, only link: String? = nil, toldTrips: [ToldTrip]? = nil,
    toldConfiguration: String? = nil
  ) throws -> Bool {
    try write { transaction in
      let links = try Self.links(in: transaction).filter { $0.role == .tracker && (link == nil || $0.id == link) }
      for var link in links {
        for draft in drafts {
          link.lastSequence += 1
          let notice = CompanionNotice(sequence: link.lastSequence, kind: draft.kind, at: date, data: draft.data)
          try transaction.put(
            kind: Kind.outgoing, key: RecordKey(hashing: "\(link.id)\u{0}\(notice.sequence)"), sort: notice.sequence,
            group: Self.group(link.id), payload: Array(WireJSON.encode(notice)))
        }
        if let toldConfiguration { link.toldConfiguration = toldConfiguration }
        try Self.put(link, in: transaction)
      }
      if let toldTrips { try Self.putTold(toldTrips, in: transaction) }
      return !links.isEmpty
    }
  }

  /// The first that a companion does not have, after a sequence.
  public func waiting(for link: String, after sequence: Int64, limit: Int) throws -> [CompanionNotice] {
    try engine.refresh()
    return try engine.scan(
      kind: Kind.outgoing, group: Self.group(link), from: sequence + 1, to: .max, descending: false, limit: limit
    ).map { try WireJSON.decode(CompanionNotice.self, from: Data($0.payload)) }
  }

  /// How many a companion does not have.
  public func waitingCount(for link: String) throws -> Int {
    try engine.refresh()
    return try engine.count(kind: Kind.outgoing, group: Self.group(link))
  }

  /// Lets go of what the companion has.
  public func acknowledge(_ link: String, through sequence: Int64) throws {
    try write { transaction in
      guard let stored = try transaction.get(kind: Kind.link, key: RecordKey(hashing: link)) else { return }
      var known = try Link(stored: stored)
      guard sequence > known.acknowledgedThrough, Self.sequences.contains(sequence) else { return }
      known.acknowledgedThrough = sequence
      // A hub that knows of more than this store gave: the store was made anew, and goes on behind that.
      known.lastSequence = max(known.lastSequence, sequence)
      try Self.put(known, in: transaction)
      for record in try transaction.scan(
        kind: Kind.outgoing, group: Self.group(link), from: .min, to: sequence + 1, descending: false, limit: .max)
      {
        transaction.delete(kind: Kind.outgoing, key: record.key)
      }
    }
  }

  // MARK: Being told

  /// Takes what came, each once and in its order: the notices and how far they reach are one save. Of a trip that a device's agent and
  /// the hub both tell of, what the second one says is passed over.
  /// - Returns: those that are new.
  public func take(_ notices: [CompanionNotice], over link: String) throws -> [CompanionNotice] {
    try write { transaction in
      guard let stored = try transaction.get(kind: Kind.link, key: RecordKey(hashing: link)) else { return [] }
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
          kind: Kind.received, key: RecordKey(hashing: "\(link)\u{0}\(notice.sequence)"), sort: place,
          group: Self.group(link), payload: Array(WireJSON.encode(content)))
      }
      known.lastSequence = last.sequence
      try Self.put(known, in: transaction)
      return news
    }
  }

  /// What came, the newest last; at most the last `limit`.
  public func received(limit: Int) throws -> [Received] {
    try engine.refresh()
    return try engine.scan(
      kind: Kind.received, group: nil, from: .min, to: .max, descending: true, limit: limit
    ).map(Self.received).reversed()
  }

  /// What was last said of each device that this one is told of: whether a trip goes on there.
  public func trackers() throws -> [AgentStatus.Tracker] {
    let links = try links().filter { $0.role == .companion }
    return try Dictionary(grouping: links, by: \.device).sorted { $0.key < $1.key }.compactMap { _, ways in
      let said = try ways.flatMap { link in
        // Of a trip's few notices one says so.
        try engine.scan(
          kind: Kind.received, group: Self.group(link.id), from: .min, to: .max, descending: true, limit: 16)
      }.sorted { $0.sort > $1.sort }
      let last = try said.lazy.map { try Self.received($0).notice }
        .first { $0.kind == CompanionNotice.Kind.tripActive }
      return last.map {
        AgentStatus.Tracker(
          device: ways.first?.peerName ?? "", isActive: $0.data["active"]?.boolValue ?? false, toldAt: $0.at)
      }
    }
  }

  /// What came over a link and was not looked at by who carries configurations out.
  public func unsettled(_ link: Link) throws -> [CompanionNotice] {
    try engine.refresh()
    // The newest first, and no further than to what was looked at.
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

  public func settle(_ link: String, through sequence: Int64) throws {
    try write { transaction in
      guard let stored = try transaction.get(kind: Kind.link, key: RecordKey(hashing: link)) else { return }
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
    guard let stored = try transaction.get(kind: Kind.trips, key: RecordKey(hashing: link.device)) else {
      return CompanionTrips()
    }
    return try WireJSON.decode(CompanionTrips.self, from: Data(stored.payload))
  }

  private static func put(_ trips: CompanionTrips, of link: Link, in transaction: WriteTransaction) throws {
    try transaction.put(
      kind: Kind.trips, key: RecordKey(hashing: link.device), sort: 0, group: 0,
      payload: Array(WireJSON.encode(trips)))
  }

  private static func group(_ link: String) -> UInt64 { max(1, RecordKey(hashing: link).low) }

  private static func put(_ link: Link, in transaction: WriteTransaction) throws {
    try transaction.put(
      kind: Kind.link, key: RecordKey(hashing: link.id), sort: 0, group: 0, payload: Array(WireJSON.encode(link.stored))
    )
  }

  fileprivate static func document(_ record: Record) throws -> [String: JSONValue] {
    try WireJSON.decode([String: JSONValue].self, from: Data(record.payload))
  }

  private static func received(_ record: Record) throws -> Received {
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
    // A device that begins anew tells behind what was told before it, and takes all that is still there.
    lastSequence = Self.possible(role == .tracker ? companion.heldThrough : companion.acknowledgedThrough)
    acknowledgedThrough = Self.possible(companion.acknowledgedThrough)
    settledThrough = 0
  }

  fileprivate init(stored record: Record) throws {
    let members = try CompanionStore.document(record)
    id = members["id"]?.stringValue ?? ""
    role = members["role"]?.stringValue.flatMap(Role.init(rawValue:)) ?? .companion
    peerId = members["peer_id"]?.stringValue ?? ""
    peerName = members["peer_name"]?.stringValue ?? ""
    lastSequence = Self.possible(members["last"]?.intValue)
    acknowledgedThrough = Self.possible(members["acknowledged"]?.intValue)
    settledThrough = Self.possible(members["settled"]?.intValue)
    toldConfiguration = members["told"]?.stringValue
  }

  /// A stored or received sequence outside the range counts as 0; the hub's next acknowledgement raises it to the real one.
  private static func possible(_ sequence: Int64?) -> Int64 {
    sequence.flatMap { CompanionStore.sequences.contains($0) ? $0 : nil } ?? 0
  }

  fileprivate var stored: [String: JSONValue] {
    var members: [String: JSONValue] = [
      "id": .string(id), "role": .string(role.rawValue), "peer_id": .string(peerId), "peer_name": .string(peerName),
      "last": .int(lastSequence), "acknowledged": .int(acknowledgedThrough), "settled": .int(settledThrough),
    ]
    if let toldConfiguration { members["told"] = .string(toldConfiguration) }
    return members
  }
}

extension APICompanion {
  fileprivate func peerName(for deviceId: String) -> String { trackerId == deviceId ? companionName : trackerName }
}
