#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import TrendyModels

/// What devices sent lately that was not kept, in whole or in part, by device: a file beside the track log.
///
/// An entry goes when a later post of the device is kept whole. It is told to a person (`trendy place check`), so a
/// file that cannot be read or written changes nothing else.
public struct RefusedPosts: Hashable, Sendable {
  public struct Entry: Hashable, Sendable, Codable {
    /// Posts since ``first``.
    public var count: Int
    public var first: Date
    public var last: Date
    /// Of the last, in words.
    public var reason: String
    /// Whether the last was refused as a whole, so that its sender still has it.
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

  private let file: URL

  /// - Parameter directory: of the track log.
  public init(directory: URL) { file = directory.appending(path: "refused.json") }

  /// By device.
  public func load() -> [String: Entry] {
    guard let data = FileManager.default.contents(atPath: file.path) else { return [:] }
    return (try? WireJSON.decode([String: Entry].self, from: data)) ?? [:]  // see above
  }

  /// Notes a post that was not kept whole.
  public func note(device: String, reason: String, isHeldBySender: Bool, at now: Date) {
    var entries = load()
    let device = TrackIntake.name(device)
    var entry =
      entries[device] ?? Entry(count: 0, first: now, last: now, reason: "", isHeldBySender: isHeldBySender)
    entry.count += 1
    entry.last = now
    entry.reason = String(reason.prefix(500))
    entry.isHeldBySender = isHeldBySender
    entries[device] = entry
    save(entries)
  }

  /// A post of the device was kept whole.
  public func clear(device: String) {
    guard FileManager.default.fileExists(atPath: file.path) else { return }
    var entries = load()
    guard entries.removeValue(forKey: TrackIntake.name(device)) != nil else { return }
    save(entries)
  }

  private func save(_ entries: [String: Entry]) {
    guard let data = try? WireJSON.encode(entries) else { return }  // see above
    try? OwnerOnlyFile.replace(file, with: data, isDurable: false)
  }
}
