/// Decides which reopenable resources stay open: a bounded number, the most recently used.
///
/// It stores only names and the order of use; the owner of the resources closes those that it returns.
public struct RecentlyUsed: Hashable, Sendable {
  /// Number of resources that stay open while none of the others is in use; at least 1.
  public let limit: Int
  private var lastUse: [String: UInt64] = [:]
  private var uses: UInt64 = 0

  public init(limit: Int) { self.limit = max(1, limit) }

  public var count: Int { lastUse.count }

  /// Records a use of a resource.
  ///
  /// - Returns: The names beyond the limit, least recently used first and without `name`. Those that the owner cannot
  ///   close are returned again at the next use.
  public mutating func onUse(_ name: String) -> [String] {
    uses += 1
    lastUse[name] = uses
    guard lastUse.count > limit else { return [] }
    return leastRecent(lastUse.count - limit, but: name)
  }

  /// Returns the `count` least recently used names, without `name`.
  ///
  /// The owner closes them if a shared resource is exhausted.
  public func leastRecent(_ count: Int, but name: String) -> [String] {
    Array(lastUse.filter { $0.key != name }.sorted { $0.value < $1.value }.prefix(count).map(\.key))
  }

  /// Removes a resource that the owner has closed.
  public mutating func onClosed(_ name: String) { lastUse[name] = nil }
}
