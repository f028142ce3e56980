import Foundation
public import TrendyModels

/// Where one person's counter stands, and the lives of the hub it went through.
public struct HubState: Hashable, Sendable {
  /// The version of the last write; 0 before the first.
  public var head: Int64
  /// The last ``mostEpochs`` and those before in which devices stand, in order. Empty before the first
  /// start.
  public var epochs: [HubEpoch]
  /// Up to here tombstones have shrunk to bare ids: who stands below it needs a snapshot.
  public var horizon: Int64
  /// Count and hash of the living entries by kind.
  public var sums: [String: KindSum]
  /// The person's own quota, which says over that of the hub.
  public var quota: HubQuota
  /// Bytes of the living entries, as ``HubQuota/bytes`` counts them.
  public var contentBytes: Int64

  public init(
    head: Int64 = 0, epochs: [HubEpoch] = [], horizon: Int64 = 0, sums: [String: KindSum] = [:],
    quota: HubQuota = HubQuota(), contentBytes: Int64 = 0
  ) {
    self.head = head
    self.epochs = epochs
    self.horizon = horizon
    self.sums = sums
    self.quota = quota
    self.contentBytes = contentBytes
  }

  /// How many lives are told of in every answer, whoever stands in them: a hub that is started daily tells of four months.
  public static let mostEpochs = 128

  /// Of so many devices the hub knows in which life they stand, however long they are away: those that came last.
  public static let mostStanding = 64

  /// Returns the id of a user's epoch in a life of the hub.
  ///
  /// Each user's record has ids of its own: a device that is connected to another record, as of a user who was erased and created
  /// again, must find that none of its versions were given in it. A user's id is never used again.
  public static func epoch(of person: String, in life: String) -> String {
    String(SHA256Digest.hexadecimal(of: "\(life) \(person)").prefix(32))
  }

  /// Begins a life with the next version.
  ///
  /// A device that finds the life it stands in no longer told of must take the hub for one that was restored, and offer again all
  /// that it holds. So the list is cut where nobody stands: lives between two that stay become one, named after them all, that no
  /// device knows.
  /// - Parameter standing: the lives in which devices stand.
  mutating func begin(_ id: String, standing: Set<String>) {
    let new = HubEpoch(id: id, first: head + 1)
    // A life in which nothing was written left no position behind.
    if epochs.last?.first == new.first { epochs.removeLast() }
    let recent = (epochs + [new]).suffix(Self.mostEpochs)
    var kept: [HubEpoch] = []
    var passed: [HubEpoch] = []
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
  private static func joined(_ lives: [HubEpoch], after kept: [HubEpoch]) -> [HubEpoch] {
    guard let first = lives.first, !kept.isEmpty else { return [] }
    if lives.count == 1 { return lives }
    let id = SHA256Digest.hexadecimal(of: lives.map(\.id).joined(separator: " "))
    return [HubEpoch(id: String(id.prefix(32)), first: first.first)]
  }
}

extension HubState {
  /// Names what the record holds: another after each write, and in each life of the hub.
  var tag: String { "\(epochs.last?.id ?? "").\(head)" }

  /// What every answer to a device says of where the hub stands, and when: devices stamp their edits in hub time.
  func position(at now: Date) -> HubPosition { HubPosition(head: head, epochs: epochs, now: now.stamp) }
}

extension HTTPResponse {
  /// The response with the version of the record that it shows, and the hub's time: an edit names both.
  func saying(_ state: HubState, at now: Date) -> HTTPResponse {
    var response = self
    response.headers["Trendy-Version"] = SeenVersion(of: state).text
    response.headers["Trendy-Time"] = "\(now.stamp)"
    return response
  }
}
