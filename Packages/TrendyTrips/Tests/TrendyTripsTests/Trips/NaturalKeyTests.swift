import Testing
import TrendyModels

@testable import TrendyTrips

@Suite("NaturalKey", .timeLimit(.minutes(10)))
struct NaturalKeyTests {
  @Test func `the id is a version 8 UUID and reproducible`() {
    let id = NaturalKey.id(for: "trip", "phone", "1")
    #expect(id == NaturalKey.id(for: "trip", "phone", "1"))
    #expect(id.count == 36)
    let characters = Array(id)
    #expect([8, 13, 18, 23].allSatisfy { characters[$0] == "-" })
    #expect(characters[14] == "8")
    #expect("89ab".contains(characters[19]))
    #expect(id == id.lowercased())
  }

  /// Ids must never change, because stored entities refer to them.
  @Test func `ids match those of the first version`() {
    #expect(NaturalKey.id(for: "trip", "phone", "1") == "8a854d27-7854-8146-83fd-a76d0360ef4f")
    let long = ["import", "csv", "Käse", String(repeating: "x", count: 120)]
    #expect(NaturalKey.id(for: long) == "e91a9d2f-e813-83d6-ae08-0ca5a38f66c4")
    #expect(NaturalKey.identifier(for: long).text == NaturalKey.id(for: long))
  }

  @Test func `parts are not interchangeable`() {
    let ids = [
      NaturalKey.id(for: "a", "bc"), NaturalKey.id(for: "ab", "c"), NaturalKey.id(for: "abc"),
      NaturalKey.id(for: "a", "b", "c"), NaturalKey.id(for: "", "abc"), NaturalKey.id(for: []),
    ]
    #expect(Set(ids).count == ids.count)
  }
}
