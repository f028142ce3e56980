import Foundation
import TrendyModels

/// Where one person's counter stands, and the lives of the hub it went through.
public struct HubState: Hashable, Sendable {
  public struct Epoch: Hashable, Sendable {
    /// Random, made at a start of the hub.
    public var id: String
    /// The first version given in it.
    public var first: Int64

    public init(id: String, first: Int64) {
      self.id = id
      self.first = first
    }
  }

  /// What the living of one kind add up to, for a device to compare its own with.
  public struct KindSum: Hashable, Sendable {
    public var count: Int64
    /// The sum modulo 2^64 over them of the first 8 bytes of SHA-256 of kind, id, version and incarnation.
    public var hash: UInt64

    public init(count: Int64 = 0, hash: UInt64 = 0) {
      self.count = count
      self.hash = hash
    }
  }

  /// The version of the last write; 0 before the first.
  public var head: Int64
  /// The last ``mostEpochs`` and those before in which devices stand, in order. Empty before the first
  /// start.
  public var epochs: [Epoch]
  /// Up to here tombstones have shrunk to bare ids: who stands below it needs a snapshot.
  public var horizon: Int64
  /// By kind; `nil` where they have not been added up yet.
  public var sums: [String: KindSum]?
  /// Whether every entry is known to hold only numbers that devices take; an earlier hub took any.
  public var isChecked: Bool

  public init(
    head: Int64 = 0, epochs: [Epoch] = [], horizon: Int64 = 0, sums: [String: KindSum]? = nil, isChecked: Bool = false
  ) {
    self.head = head
    self.epochs = epochs
    self.horizon = horizon
    self.sums = sums
    self.isChecked = isChecked
  }

  /// How many lives are told of in every answer, whoever stands in them: a hub that is started daily tells of four months.
  public static let mostEpochs = 128

  /// Of so many devices the hub knows in which life they stand, however long they are away: those that came last.
  public static let mostStanding = 64

  /// Begins a life with the next version.
  ///
  /// A device that finds the life it stands in no longer told of must take the hub for one that was restored, and offer again all
  /// that it holds. So the list is cut where nobody stands: lives between two that stay become one, named after them all, that no
  /// device knows.
  /// - Parameter standing: the lives in which devices stand.
  mutating func begin(_ id: String, standing: Set<String>) {
    let new = Epoch(id: id, first: head + 1)
    // A life in which nothing was written left no position behind.
    if epochs.last?.first == new.first { epochs.removeLast() }
    let recent = (epochs + [new]).suffix(Self.mostEpochs)
    var kept: [Epoch] = []
    var passed: [Epoch] = []
    for epoch in (epochs + [new]).dropLast(recent.count) {
      guard standing.contains(epoch.id) else {
        passed.append(epoch)
        continue
      }
      kept += Self.joined(passed, after: kept) + [epoch]
      passed = []
    }
    epochs = kept + Self.joined(passed, after: kept) + recent
  }

  /// Lives as one; before the first that stays, none.
  private static func joined(_ lives: [Epoch], after kept: [Epoch]) -> [Epoch] {
    guard let first = lives.first, !kept.isEmpty else { return [] }
    if lives.count == 1 { return lives }
    let id = SHA256Digest.hexadecimal(of: lives.map(\.id).joined(separator: " "))
    return [Epoch(id: String(id.prefix(32)), first: first.first)]
  }

  /// The life in which a version was given; of a version before those that are told of, the first of them.
  public func epoch(at version: Int64) -> String? { (epochs.last { $0.first <= version } ?? epochs.first)?.id }
}

extension HubState {
  /// What every answer to a device says of where the hub stands, and when: devices stamp their edits in hub time.
  func wire(at now: Date) -> [String: JSONValue] {
    var members: [String: JSONValue] = ["head": .int(head), "epochs": wireEpochs, "now": .int(now.stamp)]
    if let epoch = epochs.last { members["epoch"] = .string(epoch.id) }
    return members
  }

  var wireEpochs: JSONValue { .array(epochs.map { ["id": .string($0.id), "first": .int($0.first)] }) }
}

extension HubState.KindSum {
  /// The hash as 16 hexadecimal digits: a number of JSON does not hold it in every reader.
  var wire: JSONValue {
    let digits = String(hash, radix: 16)
    return ["count": .int(count), "hash": .string(String(repeating: "0", count: 16 - digits.count) + digits)]
  }
}
