import Foundation
import Testing
import TrendyInterchange
import TrendyModels

@Suite("TCX", .timeLimit(.minutes(10)))
struct TCXTests {
  static func read(_ text: String) throws -> [InterchangeRecord] {
    let bytes = Array(text.utf8)
    let format = try #require(try InterchangeFormat.detect(ByteInput(bytes)))
    #expect(format.word == "tcx")
    return try FormatTableTests.records(bytes, as: format)
  }

  @Test func `an activity with several laps is one workout with its track`() throws {
    let records = try Self.read(JourneySamples.tcx)
    let event = try #require(GoogleTests.events(records).first)
    #expect(event.typeName == "Workout" && event.properties["activity"]?.stringValue == "Cycling")
    #expect(event.timestamp == (try GoogleTests.date("2026-03-01T08:00:00Z")))
    #expect(event.endDate == (try GoogleTests.date("2026-03-01T08:50:00Z")))
    #expect(event.properties["duration"]?.doubleValue == 2700)
    #expect(event.properties["distance"]?.doubleValue == 15_000.5)
    #expect(event.properties["energy"]?.doubleValue == 420)
    #expect(event.properties["source"]?.stringValue == "Edge & Co" && event.notes == "wet")
    // The point recorded during the pause has no position, and the invalid altitude is omitted.
    #expect(event.track.map(\.coordinate.latitude) == [52.1, 52.2])
    #expect(event.track.map(\.altitude) == [4, nil] && event.track.map(\.speed) == [5.5, nil])
    #expect(GoogleTests.skipped(records) == ["planned course": 1])
  }

  @Test("any namespace prefix and leading white space are accepted", arguments: ["", "ns3:", "a:"])
  func prefixes(prefix: String) throws {
    let text = """
                <?xml version="1.0" encoding="UTF-8"?>
      <!-- by hand --><\(prefix)TrainingCenterDatabase xmlns:ns3="x" xmlns:a="x"><\(prefix)Activities><\(prefix)Activity Sport="Running">
      <\(prefix)Id>2026-03-01T08:00:00.000+01:00</\(prefix)Id><\(prefix)Lap StartTime="2026-03-01T07:00:00Z">
      <\(prefix)TotalTimeSeconds>600</\(prefix)TotalTimeSeconds></\(prefix)Lap></\(prefix)Activity></\(prefix)Activities>
      </\(prefix)TrainingCenterDatabase>
      """
    let event = try #require(GoogleTests.events(try Self.read(text)).first)
    #expect(event.endDate?.timeIntervalSince(event.timestamp) == 600 && event.track.isEmpty)
    #expect(event.key == ["tcx", "1772348400", ""])
  }

  @Test func `a truncated file gives the activities before and its position`() throws {
    let second = """
      <Activity Sport="Other"><Id>2026-03-02T08:00:00Z</Id><Lap StartTime="2026-03-02T08:00:00Z"><TotalTimeSeconds>6
      """
    let end = try #require(JourneySamples.tcx.range(of: "</Activities>"))
    let text = String(JourneySamples.tcx[..<end.lowerBound]) + second
    var records: [InterchangeRecord] = []
    let format = try #require(InterchangeFormat.named("tcx"))
    let error = #expect(throws: InterchangeError.self) {
      try format.read(ByteInput(Array(text.utf8)), FormatTableTests.options) { record, _ in records.append(record) }
    }
    guard case .truncated? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(GoogleTests.events(records).count == 1)
  }

  @Test func `an activity without a time is rejected`() throws {
    let text = "<TrainingCenterDatabase><Activities><Activity><Lap/></Activity></Activities></TrainingCenterDatabase>"
    #expect(GoogleTests.bad(try Self.read(text)).count == 1)
  }
}
