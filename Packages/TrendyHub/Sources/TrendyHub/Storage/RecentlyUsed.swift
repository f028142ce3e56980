/// Decides which reopenable resources stay open: a bounded number, those used most recently.
///
/// It tracks only names and the order of use. The owner closes the resources whose names are returned.
public struct RecentlyUsed: Hashable, Sendable {
  /// Number of resources, at least 1, that stay open unless more are in use at the same time.
  public let limit: Int
  private var lastUse: [String: UInt64] = [:]
  private var uses: UInt64 = 0

  public init(limit: Int) { self.limit = max(1, limit) }

  public var count: Int { lastUse.count }

  /// Records a use of a resource.
  ///
  /// - Returns: Names to close because they exceed the limit, least recently used first, never including `name`. If the
  ///   owner cannot close a resource yet, the next use returns its name again.
  public mutating func onUse(_ name: String) -> [String] {
    uses += 1
    lastUse[name] = uses
    guard lastUse.count > limit else { return [] }
    return leastRecent(lastUse.count - limit, but: name)
  }

  /// Returns the `count` least recently used names except `name`, to close when a shared resource is exhausted.
  public func leastRecent(_ count: Int, but name: String) -> [String] {
    Array(lastUse.filter { $0.key != name }.sorted { $0.value < $1.value }.prefix(count).map(\.key))
  }

  /// Removes a resource that the owner has closed.
  public mutating func onClosed(_ name: String) { lastUse[name] = nil }
}
