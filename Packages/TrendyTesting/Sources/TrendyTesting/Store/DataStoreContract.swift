public import TrendyProtocols

/// Contract suite for data stores.
///
/// Pass ``clauses`` as the arguments of a test, and give each clause a function that creates units on one new store:
/// ```swift
/// @Test(arguments: DataStoreContract.clauses)
/// func `the store keeps the contract`(_ clause: DataStoreContract.Clause) throws {
///   let factory = try DefaultDataStoreFactory(directory: newFolder())
///   try clause.check { factory.makeDataStore() }
/// }
/// ```
/// A violated clause throws a ``Violation`` with the actual and the expected value.
public enum DataStoreContract: Sendable {
  /// Creates another unit on the same store.
  public typealias MakeUnit = () throws -> any DataStoreProtocol

  /// One requirement for data stores.
  public struct Clause: Sendable, CustomStringConvertible {
    /// The requirement as a sentence.
    public let description: String
    private let body: @Sendable (MakeUnit) throws -> Void

    init(_ description: String, _ body: @escaping @Sendable (MakeUnit) throws -> Void) {
      self.description = description
      self.body = body
    }

    /// Checks the requirement.
    /// - Parameter makeUnit: creates units on one store that is initially empty.
    /// - Throws: ``Violation``, or an unexpected error from the store.
    public func check(_ makeUnit: MakeUnit) throws {
      try body(makeUnit)
    }
  }

  /// A requirement that a store does not meet.
  public struct Violation: Error, Hashable, Sendable, CustomStringConvertible {
    /// Actual and expected value.
    public let description: String
  }

  /// All requirements.
  public static let clauses: [Clause] = rowClauses + queryClauses + queueClauses + syncStateClauses + unitClauses
}

/// Throws a ``DataStoreContract/Violation`` unless `found` equals the expected value.
func require<Value: Equatable>(_ what: String, _ found: Value, _ expected: Value) throws {
  guard found != expected else { return }
  throw DataStoreContract.Violation(description: "\(what): got \(found), expected \(expected)")
}

/// Throws a ``DataStoreContract/Violation`` unless `body` throws `error`.
func requireThrow(_ what: String, _ error: TestError, _ body: () throws -> Void) throws {
  do {
    try body()
  } catch let thrown as TestError where thrown == error {
    return
  }
  throw DataStoreContract.Violation(description: "\(what): did not throw \(error)")
}
