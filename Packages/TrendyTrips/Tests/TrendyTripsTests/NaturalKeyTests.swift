import Testing

@testable import TrendyTrips

@Suite("NaturalKey", .timeLimit(.minutes(10)))
struct NaturalKeyTests {
  @Test func `the id is a UUID of version 8 and always the same`() {
    let id = NaturalKey.id(for: "trip", "phone", "1")
    #expect(id == NaturalKey.id(for: "trip", "phone", "1"))
    #expect(id.count == 36)
    let characters = Array(id)
    #expect([8, 13, 18, 23].allSatisfy { characters[$0] == "-" })
    #expect(characters[14] == "8")
    #expect("89ab".contains(characters[19]))
    #expect(id == id.lowercased())
  }

  @Test func `parts keep to themselves`() {
    let ids = [
      NaturalKey.id(for: "a", "bc"), NaturalKey.id(for: "ab", "c"), NaturalKey.id(for: "abc"),
      NaturalKey.id(for: "a", "b", "c"), NaturalKey.id(for: "", "abc"), NaturalKey.id(for: []),
    ]
    #expect(Set(ids).count == ids.count)
  }
}
