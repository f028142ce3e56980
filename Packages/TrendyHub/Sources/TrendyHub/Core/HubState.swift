import Foundation
public import TrendyModels

/// Version counter, epochs and totals of one user's record.
public struct HubState: Hashable, Sendable {
  /// Version of the last write; 0 before the first.
  public var head: Int64
  /// The last ``mostEpochs`` epochs and earlier ones that contain a device's position, in order.
  ///
  /// Empty before the first hub start.
  public var epochs: [HubEpoch]
  /// Version up to which tombstones were compacted; a cursor below it needs a snapshot.
  public var horizon: Int64
  /// Count and hash of the live entities by kind.
  public var sums: [String: KindSum]
  /// The user's own quota, which takes precedence over the hub's.
  public var quota: HubQuota
  /// Bytes of the live entities, as ``HubQuota/bytes`` counts them.
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

  /// Number of recent epochs in every response: four months for a hub that is started daily.
  public static let mostEpochs = 128

  /// Number of devices, by latest contact, whose epochs are kept in the list indefinitely.
  public static let mostStanding = 64

  /// Returns the id of a user's epoch that begins with a start of the hub.
  ///
  /// `epoch` is the random id of that start.
  ///
  /// Ids differ between users: a device that is connected to another record, for example of a user who was erased and
  /// created again, must find that none of its versions were assigned there. A user's id is never reused.
  public static func epoch(of user: String, in epoch: String) -> String {
    String(SHA256Digest.hexadecimal(of: "\(epoch) \(user)").prefix(32))
  }

  /// Begins an epoch with the next version.
  ///
  /// A device whose epoch is missing from the list assumes that the hub was restored and re-offers its whole record.
  /// Therefore only epochs without a device are removed; consecutive ones between two retained epochs are joined into
  /// one with a derived id that no device knows. `standing` contains the epochs of the known devices.
  mutating func begin(_ id: String, standing: Set<String>) {
    let new = HubEpoch(id: id, first: head + 1)
    // No position refers to an epoch in which nothing was written.
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

  /// Joins epochs into one; returns none if no retained epoch precedes them.
  private static func joined(_ epochs: [HubEpoch], after kept: [HubEpoch]) -> [HubEpoch] {
    guard let first = epochs.first, !kept.isEmpty else { return [] }
    if epochs.count == 1 { return epochs }
    let id = SHA256Digest.hexadecimal(of: epochs.map(\.id).joined(separator: " "))
    return [HubEpoch(id: String(id.prefix(32)), first: first.first)]
  }
}

extension HubState {
  /// Entity tag of the record's content: changes with each write and each epoch.
  var tag: String { "\(epochs.last?.id ?? "").\(head)" }

  /// Returns the hub position and hub time for a response; devices derive their stamps from that time.
  func position(at now: Date) -> HubPosition { HubPosition(head: head, epochs: epochs, now: now.stamp) }
}

extension HTTPResponse {
  /// Returns the response with headers for the record's version and the hub time, which a later edit repeats.
  func saying(_ state: HubState, at now: Date) -> HTTPResponse {
    var response = self
    response.headers["Trendy-Version"] = SeenVersion(of: state).text
    response.headers["Trendy-Time"] = "\(now.stamp)"
    return response
  }
}
