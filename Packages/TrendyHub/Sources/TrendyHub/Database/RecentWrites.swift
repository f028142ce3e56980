/// Random numbers of the last writes behind one row's lock, the latest first.
///
/// They lie in that row: by its number a commit is found again whose answer did not come.
public struct RecentWrites: Hashable, Sendable {
  /// So many are kept.
  public static let most = 16

  public private(set) var numbers: [UInt64]

  public init(_ numbers: [UInt64] = []) { self.numbers = numbers }

  /// With a write that is about to be committed.
  public func adding(_ number: UInt64) -> RecentWrites {
    RecentWrites(Array(([number] + numbers.filter { $0 != number }).prefix(Self.most)))
  }

  /// Whether a write was committed.
  /// - Parameters:
  ///   - number: of the write.
  ///   - before: those that were there when it began.
  /// - Returns: `nil` where nobody can tell any more: so many others came since that it would have been pushed out.
  public func tells(of number: UInt64, since before: RecentWrites) -> Bool? {
    if numbers.contains(number) { return true }
    guard numbers.count < Self.most || !Set(numbers).isDisjoint(with: before.numbers) else { return nil }
    return false
  }
}
