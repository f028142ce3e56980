import Testing
import TrendyModels

@Suite("NaturalIdentifier")
struct NaturalIdentifierTests {
  @Test func `a canonical version 8 UUID is a natural identifier`() {
    #expect(NaturalIdentifier.isNatural("97f5264b-1dbe-804e-9147-2072a2089afe"))
  }

  @Test(
    "any other text is not a natural identifier",
    arguments: [
      "", "type-1", "97f5264b-1dbe-704e-9147-2072a2089afe", "97F5264B-1DBE-804E-9147-2072A2089AFE",
      "97f5264b-1dbe-804e-9147-2072a2089af", "97f5264b-1dbe-804e-7147-2072a2089afe",
      "97f5264b-1dbe-804e-c147-2072a2089afe", "97f5264b01dbe-804e-9147-2072a2089af",
      "97f5264b-1dbe-804e-9147-2072a2089a-e",
    ])
  func noNaturalIdentifier(id: String) {
    #expect(!NaturalIdentifier.isNatural(id))
  }
}
