import Testing
import TrendyModels
import TrendyProtocols
import TrendyTesting

@Suite("DataStoreContract", .timeLimit(.minutes(10)))
struct DataStoreContractTests {
  @Test("the mock meets the contract", arguments: DataStoreContract.clauses)
  func mockKeeps(clause: DataStoreContract.Clause) throws {
    // The first unit is the mock. Further units use the store behind the mock.
    let store = MockDataStore()
    var isFirst = true
    try clause.check {
      defer { isFirst = false }
      return isFirst ? store : store.otherUnits.makeDataStore()
    }
  }

  @Test("a store that does nothing violates every clause with an expectation", arguments: DataStoreContract.clauses)
  func forgetfulStoreBreaks(clause: DataStoreContract.Clause) throws {
    let harmless = [
      "finding a missing row returns nil", "deleting or marking a missing row has no effect",
      "a unit released without a save leaves no changes and no lock",
    ]
    if harmless.contains(clause.description) {
      try clause.check { ForgetfulStore() }
    } else {
      #expect(throws: DataStoreContract.Violation.self) { try clause.check { ForgetfulStore() } }
    }
  }

  @Test func `a violation contains the actual and the expected value`() throws {
    let clause = try #require(DataStoreContract.clauses.first { $0.description.contains("cursor") })
    let violation = #expect(throws: DataStoreContract.Violation.self) { try clause.check { ForgetfulStore() } }
    #expect(violation?.description == "the cursor, unsaved: got nil, expected Optional(0)")
  }

  @Test func `every clause has a distinct sentence`() {
    #expect(Set(DataStoreContract.clauses.map(\.description)).count == DataStoreContract.clauses.count)
    #expect(DataStoreContract.clauses.count > 30)
  }
}
