/// Random numbers of the last commits under one row's lock, latest first.
///
/// They are stored in that row. The number of a commit shows whether it took effect if its response was lost.
public struct RecentWrites: Hashable, Sendable {
  /// Maximum number of stored numbers.
  public static let most = 16

  public private(set) var numbers: [UInt64]

  public init(_ numbers: [UInt64] = []) { self.numbers = numbers }

  /// Returns the list with the number of a write that is about to be committed.
  public func adding(_ number: UInt64) -> RecentWrites {
    RecentWrites(Array(([number] + numbers.filter { $0 != number }).prefix(Self.most)))
  }

  /// Returns whether a write was committed.
  ///
  /// - Parameters:
  ///   - number: Number of the write.
  ///   - before: List at the start of the write.
  /// - Returns: `nil` if unknown, because so many later commits could have displaced the number.
  public func tells(of number: UInt64, since before: RecentWrites) -> Bool? {
    if numbers.contains(number) { return true }
    guard numbers.count < Self.most || !Set(numbers).isDisjoint(with: before.numbers) else { return nil }
    return false
  }
}
