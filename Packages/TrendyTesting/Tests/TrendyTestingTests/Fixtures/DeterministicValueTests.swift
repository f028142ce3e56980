import Testing
import TrendyFoundation
import TrendyModels
import TrendyTesting

@Suite("Deterministic values")
struct DeterministicValueTests {
  @Test func `the named dates match their names`() {
    #expect(DeterministicDate.jan1_2024 == Date(timeIntervalSince1970: 1_704_067_200))
    #expect(DeterministicDate.jun15_2024 == Date(timeIntervalSince1970: 1_718_452_800))
    #expect(DeterministicDate.dec31_2024 == Date(timeIntervalSince1970: 1_735_689_599))
  }

  @Test(
    "a date made from its components is written with them",
    arguments: [
      (1970, 1, 1), (1969, 12, 31), (2000, 2, 29), (2023, 2, 28), (2024, 2, 29), (2024, 3, 1), (2100, 3, 1),
      (1600, 1, 1), (9999, 12, 31),
    ])
  func makesDates(year: Int, month: Int, day: Int) throws {
    let date = DeterministicDate.make(year: year, month: month, day: day, hour: 13, minute: 5, second: 59)
    func padded(_ number: Int, _ digits: Int) -> String {
      String(repeating: "0", count: digits - "\(number)".count) + "\(number)"
    }
    #expect(RFC3339.string(from: date) == "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T13:05:59.000Z")
  }

  @Test func `a part beyond its range rolls over`() {
    #expect(
      DeterministicDate.make(year: 2023, month: 2, day: 29) == DeterministicDate.make(year: 2023, month: 3, day: 1))
    #expect(
      DeterministicDate.make(year: 2023, month: 12, day: 31, hour: 24)
        == DeterministicDate.make(year: 2024, month: 1, day: 1))
  }

  @Test func `identifiers contain their numbers`() {
    #expect(DeterministicUUID.zero.uuidString == "00000000-0000-0000-0000-000000000000")
    #expect(DeterministicUUID.uuid(from: 0) == DeterministicUUID.zero)
    #expect(DeterministicUUID.uuid(from: 258).uuidString == "00000000-0000-0000-0000-000000000102")
    #expect(DeterministicUUID.uuid(from: -1).uuidString == "00000000-0000-0000-FFFF-FFFFFFFFFFFF")
    #expect(Set((-500..<500).map { DeterministicUUID.uuid(from: $0) }).count == 1000)
    #expect(DeterministicUUID.uuid(from: 1) == DeterministicUUID.one)
    #expect(DeterministicUUID.uuid(from: 2) == DeterministicUUID.two)
  }

  @Test func `every property type has a fixture of that type`() {
    let values = [
      PropertyValueFixture.makeTextProperty(), PropertyValueFixture.makeNumberProperty(),
      PropertyValueFixture.makeBooleanProperty(), PropertyValueFixture.makeDateProperty(),
      PropertyValueFixture.makeSelectProperty(), PropertyValueFixture.makeDurationProperty(),
      PropertyValueFixture.makeURLProperty(), PropertyValueFixture.makeEmailProperty(),
    ]
    #expect(values.map(\.type) == PropertyType.allCases)
    #expect(values[0].stringValue == "Sample" && values[1].intValue == 42 && values[2].boolValue == true)
    #expect(values[3].dateValue == DeterministicDate.jan1_2024 && values[5].doubleValue == 1800)
  }

  @Test func `the ids of event and type fixtures match`() {
    let event = EventFixture.makeEvent()
    #expect(
      event == Event(id: "evt-1", eventTypeId: "type-1", timestamp: DeterministicDate.jan1_2024, notes: "Test event"))
    #expect(EventFixture.makeEventWithProperties().properties["key"]?.stringValue == "Sample")
    let types = EventTypeFixture.makeCommonEventTypes()
    #expect(types[0] == EventTypeFixture.makeEventType() && types[0].id == event.eventTypeId)
    #expect(Set(types.map(\.id)).count == 3 && Set(types.map(\.name)).count == 3)
  }

  @Test func `a test error is described by its message`() {
    #expect("\(TestError("the disk is full"))" == "the disk is full")
    #expect(TestError("a") != TestError("b"))
  }
}
