/// Random numbers of the last commits made under one row lock, latest first.
///
/// The list is stored in the locked row. If the response to a commit is lost, the list shows whether the commit took
/// effect.
public struct RecentWrites: Hashable, Sendable {
  /// Maximum length of the list.
  public static let most = 16

  public private(set) var numbers: [UInt64]

  public init(_ numbers: [UInt64] = []) { self.numbers = numbers }

  /// Returns the list with the number of a write that is about to commit.
  public func adding(_ number: UInt64) -> RecentWrites {
    RecentWrites(Array(([number] + numbers.filter { $0 != number }).prefix(Self.most)))
  }

  /// Returns whether a write was committed, or `nil` if later commits may have displaced its number.
  ///
  /// `before` is the list at the beginning of the write.
  public func tells(of number: UInt64, since before: RecentWrites) -> Bool? {
    if numbers.contains(number) { return true }
    guard numbers.count < Self.most || !Set(numbers).isDisjoint(with: before.numbers) else { return nil }
    return false
  }
}
