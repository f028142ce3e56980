public import TrendyProtocols

/// What every data store owes, written once and run on each.
///
/// A test of a store takes ``clauses`` as its argument and gives each the means to make units on one new store:
/// ```swift
/// @Test(arguments: DataStoreContract.clauses)
/// func `the store keeps the contract`(_ clause: DataStoreContract.Clause) throws {
///   let factory = try DefaultDataStoreFactory(directory: newFolder())
///   try clause.check { factory.makeDataStore() }
/// }
/// ```
/// A broken clause throws a ``Violation`` that says what was found and what was owed. The file that holds the clause has
/// the whole of it.
public enum DataStoreContract: Sendable {
  /// Makes one more unit, on the same store as before.
  public typealias MakeUnit = () throws -> any DataStoreProtocol

  /// One thing a store owes.
  public struct Clause: Sendable, CustomStringConvertible {
    /// A sentence in the domain's words.
    public let description: String
    private let body: @Sendable (MakeUnit) throws -> Void

    init(_ description: String, _ body: @escaping @Sendable (MakeUnit) throws -> Void) {
      self.description = description
      self.body = body
    }

    /// - Parameter makeUnit: makes units on one store that is empty at first.
    /// - Throws: ``Violation``, or what the store threw where it had no reason to.
    public func check(_ makeUnit: MakeUnit) throws {
      try body(makeUnit)
    }
  }

  /// That a store does not do what it owes.
  public struct Violation: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
  }

  public static let clauses: [Clause] = rowClauses + queryClauses + queueClauses + syncStateClauses + unitClauses
}

/// - Throws: ``DataStoreContract/Violation`` where `found` is not what was owed.
func owe<Value: Equatable>(_ what: String, _ found: Value, _ expected: Value) throws {
  guard found != expected else { return }
  throw DataStoreContract.Violation(description: "\(what): found \(found), expected \(expected)")
}

/// - Throws: ``DataStoreContract/Violation`` where `body` does not throw `error`.
func requireThrow(_ what: String, _ error: TestError, _ body: () throws -> Void) throws {
  do {
    try body()
  } catch let thrown as TestError where thrown == error {
    return
  }
  throw DataStoreContract.Violation(description: "\(what): threw nothing, expected \(error)")
}
