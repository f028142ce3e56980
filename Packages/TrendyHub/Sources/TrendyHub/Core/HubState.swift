import Foundation
public import TrendyModels

/// Version counter, epochs and totals of one user's record.
public struct HubState: Hashable, Sendable {
  /// Version of the last write, or 0 before the first.
  public var head: Int64
  /// The latest ``maxEpochs`` epochs, and earlier ones that contain a device's position, in ascending order.
  ///
  /// Empty before the hub's first start.
  public var epochs: [HubEpoch]
  /// Version up to which tombstones have been compacted. A device with a lower cursor needs a snapshot.
  public var horizon: Int64
  /// Number and hash of the live entities of each kind.
  public var sums: [String: KindSum]
  /// The user's own quota, which takes precedence over the hub's.
  public var quota: HubQuota
  /// Size of the live entities in bytes, as limited by ``HubQuota/bytes``.
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

  /// Number of recent epochs in each response: four months for a hub that is started daily.
  public static let maxEpochs = 128

  /// Number of the most recently active devices whose epochs stay in the list indefinitely.
  public static let maxActiveContacts = 64

  /// Returns the id of the epoch that a hub start begins for a user.
  ///
  /// `epoch` is the random id of that start. Epoch ids differ between users, and user ids are never reused. Therefore,
  /// if a device connects to a different record, such as one recreated under the same user name, that record contains
  /// none of the device's epochs.
  public static func epoch(of user: String, in epoch: String) -> String {
    String(SHA256Digest.hexadecimal(of: "\(epoch) \(user)").prefix(32))
  }

  /// Begins an epoch that starts with the next version.
  ///
  /// A device whose epoch is missing from the list assumes that the hub was restored and re-offers its whole record.
  /// Therefore only epochs missing from `standing`, the epochs of the known devices, are removed. Consecutive removed
  /// epochs between two retained ones are joined into one with a derived id that no device knows.
  mutating func begin(_ id: String, standing: Set<String>) {
    let new = HubEpoch(id: id, first: head + 1)
    // No position can refer to an epoch without writes.
    if epochs.last?.first == new.first { epochs.removeLast() }
    let recent = (epochs + [new]).suffix(Self.maxEpochs)
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

  /// Joins consecutive epochs into one. Returns an empty array if no retained epoch precedes them.
  private static func joined(_ epochs: [HubEpoch], after kept: [HubEpoch]) -> [HubEpoch] {
    guard let first = epochs.first, !kept.isEmpty else { return [] }
    if epochs.count == 1 { return epochs }
    let id = SHA256Digest.hexadecimal(of: epochs.map(\.id).joined(separator: " "))
    return [HubEpoch(id: String(id.prefix(32)), first: first.first)]
  }
}

extension HubState {
  /// Entity tag of the record's content. Changes with each write and each epoch.
  var tag: String { "\(epochs.last?.id ?? "").\(head)" }

  /// Returns the hub position and hub time for a response. Devices derive their stamps from this time.
  func position(at now: Date) -> HubPosition { HubPosition(head: head, epochs: epochs, now: now.stamp) }
}

extension HTTPResponse {
  /// Adds the record's version and the hub time as headers, which the client sends back with an edit.
  func saying(_ state: HubState, at now: Date) -> HTTPResponse {
    var response = self
    response.headers["Trendy-Version"] = SeenVersion(of: state).text
    response.headers["Trendy-Time"] = "\(now.stamp)"
    return response
  }
}
