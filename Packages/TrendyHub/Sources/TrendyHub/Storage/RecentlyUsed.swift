/// Decides which of many things that can be opened again stay open: those used last, a bounded number of them.
///
/// It keeps names and the order of their use, nothing else; who owns the things closes what it is told.
public struct RecentlyUsed: Hashable, Sendable {
  /// How many stay open where none of the others is in use; at least 1.
  public let limit: Int
  private var lastUse: [String: UInt64] = [:]
  private var uses: UInt64 = 0

  public init(limit: Int) { self.limit = max(1, limit) }

  public var count: Int { lastUse.count }

  /// Notes a use.
  /// - Returns: what to close where it can be, least recently used first: as many as there are beyond the limit, never
  ///   `name` itself. What could not be closed stays noted, and is named again at the next use.
  public mutating func onUse(_ name: String) -> [String] {
    uses += 1
    lastUse[name] = uses
    guard lastUse.count > limit else { return [] }
    return leastRecent(lastUse.count - limit, but: name)
  }

  /// The ones to close first where there is a shortage of what all need.
  public func leastRecent(_ count: Int, but name: String) -> [String] {
    Array(lastUse.filter { $0.key != name }.sorted { $0.value < $1.value }.prefix(count).map(\.key))
  }

  public mutating func onClosed(_ name: String) { lastUse[name] = nil }
}
