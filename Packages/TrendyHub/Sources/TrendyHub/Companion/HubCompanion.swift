public import Foundation
public import TrendyModels

/// That one device of a person tells another: the notices on their way, and how far they have come.
///
/// The sequences are the tracker's. It keeps each notice until the companion has it, so that a hub which was restored from a
/// backup loses none: what it forgot is offered again.
public struct HubCompanion: Hashable, Sendable, Identifiable {
  /// Follows from the two devices.
  public let id: String
  public let tracker: String
  public let companion: String
  public var createdAt: Date
  /// The last sequence that came of the tracker.
  public var heldThrough: Int64
  /// The last one that the companion has for good.
  public var acknowledgedThrough: Int64
  /// When one of the two ended it.
  public var removedAt: Date?
  /// Where the hub itself tells: the trips of the last days that the companion was told of, by id.
  public var toldTrips: [String: ToldTrip] = [:]

  /// A trip that a companion was told of.
  public struct ToldTrip: Hashable, Sendable {
    /// Whether it goes on, as far as was told.
    public var isOpen: Bool
    /// When it began, or was over.
    public var at: Date

    public init(isOpen: Bool, at: Date) {
      self.isOpen = isOpen
      self.at = at
    }
  }

  public init(
    tracker: String, companion: String, createdAt: Date, heldThrough: Int64 = 0, acknowledgedThrough: Int64 = 0,
    removedAt: Date? = nil
  ) {
    id = Self.id(tracker: tracker, companion: companion)
    self.tracker = tracker
    self.companion = companion
    self.createdAt = createdAt
    self.heldThrough = heldThrough
    self.acknowledgedThrough = acknowledgedThrough
    self.removedAt = removedAt
  }

  public static func id(tracker: String, companion: String) -> String {
    String(SHA256Digest.hexadecimal(of: "companion\u{0}\(tracker)\u{0}\(companion)").prefix(32))
  }
}

extension HubCompanion {
  /// How far ahead of its present a hub's clock may once have been: ten years, in milliseconds.
  private static let clockLead: Int64 = 10 * 366 * 86_400_000

  /// As storages may keep it.
  public var stored: JSONValue {
    var members: [String: JSONValue] = [
      "tracker": .string(tracker), "companion": .string(companion), "created": .int(createdAt.milliseconds),
      "held": .int(heldThrough), "acknowledged": .int(acknowledgedThrough),
    ]
    if let removedAt { members["removed"] = .int(removedAt.milliseconds) }
    if !toldTrips.isEmpty {
      members["told"] = .object(
        toldTrips.mapValues { ["open": .bool($0.isOpen), "at": .int($0.at.milliseconds)] })
    }
    return .object(members)
  }

  /// Reads ``stored``; `nil` for anything else.
  public init?(stored: JSONValue) {
    guard let members = stored.objectValue, let tracker = members["tracker"]?.stringValue,
      let companion = members["companion"]?.stringValue, let created = members["created"]?.intValue,
      let held = members["held"]?.storedCounter, let acknowledged = members["acknowledged"]?.storedCounter
    else { return nil }
    self.init(
      tracker: tracker, companion: companion, createdAt: Date(milliseconds: created), heldThrough: held,
      acknowledgedThrough: acknowledged, removedAt: members["removed"]?.intValue.map(Date.init(milliseconds:)))
    for (id, told) in members["told"]?.objectValue ?? [:] {
      guard let told = told.objectValue, let isOpen = told["open"]?.boolValue, let at = told["at"]?.intValue else {
        return nil
      }
      toldTrips[id] = ToldTrip(isOpen: isOpen, at: Date(milliseconds: at))
    }
  }
}

extension HubCore {
  /// So many notices wait for one companion at most; what is more stays with its tracker.
  static let waitingLimit: Int64 = 10_000

  /// Takes in what a tracker hands over, each notice once and none after a gap.
  /// - Returns: the companion as it is then.
  func receive(
    _ notices: [CompanionNotice], acknowledgedThrough: Int64, for known: HubCompanion,
    in transaction: any HubTransaction, now: Date
  ) throws -> HubCompanion {
    var companion = known
    // More than this hub knows of: it was restored from a backup.
    companion.acknowledge(through: acknowledgedThrough, now: now)
    for notice in notices {
      guard notice.sequence > companion.heldThrough else { continue }
      guard notice.sequence == companion.heldThrough + 1,
        companion.heldThrough - companion.acknowledgedThrough < Self.waitingLimit
      else { break }
      try transaction.put(notice, companion: companion.id)
      companion.heldThrough = notice.sequence
    }
    guard companion != known else { return known }
    try transaction.forgetNotices(companion: companion.id, through: companion.acknowledgedThrough)
    try transaction.put(companion)
    return companion
  }

  /// Notes that the companion has everything up to a sequence.
  func acknowledge(
    through sequence: Int64, for companion: HubCompanion, in transaction: any HubTransaction, now: Date
  ) throws {
    var companion = companion
    companion.acknowledge(through: sequence, now: now)
    try transaction.forgetNotices(companion: companion.id, through: companion.acknowledgedThrough)
    try transaction.put(companion)
  }
}

extension HubCompanion {
  /// A tracker counts from 1, and a hub tells by its clock in milliseconds, which may have been ahead when it told: nobody has had
  /// more than that, whatever they say. What is told later then still has a sequence of its own.
  fileprivate mutating func acknowledge(through sequence: Int64, now: Date) {
    let latest = max(heldThrough, now.stamp + Self.clockLead)
    acknowledgedThrough = max(acknowledgedThrough, min(sequence, latest))
    heldThrough = max(heldThrough, acknowledgedThrough)
  }
}
