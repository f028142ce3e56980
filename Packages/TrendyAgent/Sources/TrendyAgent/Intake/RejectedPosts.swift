public import TrendyFoundation
import TrendyModels
public import TrendyPersistence

/// Recent posts that were not stored completely, by device. The list is stored in a file next to the track log, or in a
/// row of the track log.
///
/// A device's entry is deleted once a later post from the device is stored completely. Entries only inform the user
/// (`trendy place check`), so a failure to read or write them has no other effect.
public struct RejectedPosts: Sendable {
  /// Rejected posts of one device.
  public struct Entry: Hashable, Sendable, Codable {
    /// Number of rejected posts since ``first``.
    public var count: Int
    /// Time of the first rejected post.
    public var first: Date
    /// Time of the last rejected post.
    public var last: Date
    /// Reason for rejecting the last post.
    public var reason: String
    /// Whether the last post was rejected as a whole, so that the sender still has it.
    public var isHeldBySender: Bool

    public init(count: Int, first: Date, last: Date, reason: String, isHeldBySender: Bool) {
      self.count = count
      self.first = first
      self.last = last
      self.reason = reason
      self.isHeldBySender = isHeldBySender
    }

    enum CodingKeys: String, CodingKey {
      case count, first, last, reason
      case isHeldBySender = "held_by_sender"
    }
  }

  private enum Place: Sendable {
    case file(URL)
    case rows(any TrackRows)
  }

  private let place: Place

  /// Stores the entries in a file in the directory of a track log.
  public init(directory: URL) { place = .file(directory.appending(path: "refused.json")) }

  /// Stores the entries in a row of a track log.
  public init(rows: any TrackRows) { place = .rows(rows) }

  /// Returns all entries by device, or none if they cannot be read.
  public func load() -> [String: Entry] {
    switch place {
    case .file(let file): FileManager.default.contents(atPath: file.path).map(Self.decoded) ?? [:]
    case .rows(let rows): (try? rows.read { try Self.entries(in: $0) }) ?? [:]
    }
  }

  /// Decodes entries. Returns no entries if the data is damaged, because they only inform the user.
  private static func decoded(_ data: Data) -> [String: Entry] {
    (try? WireJSON.decode([String: Entry].self, from: data)) ?? [:]
  }

  private static let key = RowKey(high: 0, low: 0)

  private static func entries(in rows: any TrackRowReading) throws -> [String: Entry] {
    try rows.row(kind: TrackRow.refusedKind, key: key).map { decoded(Data($0.payload)) } ?? [:]
  }

  /// Records a post that was not stored completely.
  public func note(device: String, reason: String, isHeldBySender: Bool, at now: Date) {
    let device = TrackIntake.name(device)
    change { entries in
      var entry =
        entries[device] ?? Entry(count: 0, first: now, last: now, reason: "", isHeldBySender: isHeldBySender)
      entry.count += 1
      entry.last = now
      entry.reason = String(reason.prefix(500))
      entry.isHeldBySender = isHeldBySender
      entries[device] = entry
    }
  }

  /// Deletes the entry of a device. Call this after storing a complete post.
  public func clear(device: String) {
    let device = TrackIntake.name(device)
    guard load()[device] != nil else { return }
    change { $0[device] = nil }
  }

  private func change(_ body: (inout [String: Entry]) -> Void) {
    // Write errors are ignored, because the entries are only informative.
    switch place {
    case .file(let file):
      var entries = load()
      body(&entries)
      guard let data = try? WireJSON.encode(entries) else { return }
      try? OwnerOnlyFile.replace(file, with: data, isDurable: false)
    case .rows(let rows):
      try? rows.write { transaction in
        var entries = try Self.entries(in: transaction)
        body(&entries)
        try transaction.put(
          TrackRow(kind: TrackRow.refusedKind, key: Self.key, sort: 0, payload: Array(try WireJSON.encode(entries))))
      }
    }
  }
}
