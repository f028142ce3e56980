import Foundation
import Testing
import TrendyInterchange
import TrendyModels

@Suite("Files of wearables and other programs", .timeLimit(.minutes(5)))
struct AppFormatsTests {
  static func describe(_ event: ExternalEvent) -> String {
    let start =
      event.isAllDay
      ? "\(ZoneClock.utc.wall(at: event.timestamp).day)" : RFC3339.string(from: event.timestamp)
    let properties = event.properties.sorted { $0.key < $1.key }.map { key, value in
      let text =
        value.stringValue
        ?? value.doubleValue.map { $0 == $0.rounded() ? "\(Int($0))" : "\(($0 * 1000).rounded() / 1000)" }
      return "\(key)=\(text ?? (value.value == .bool(true) ? "true" : "false"))"
    }
    return
      ([
        event.typeName, event.endDate.map { "\(start)/\(RFC3339.string(from: $0))" } ?? start,
      ] + properties + [event.notes.map { "'\($0)'" }, event.locationName.map { "@\($0)" }].compactMap(\.self))
      .joined(separator: " ").replacing(".000Z", with: "Z")
  }

  @Test("a file has the expected events, which a second import recognizes", arguments: AppSamples.all.indices)
  func events(index: Int) throws {
    let sample = AppSamples.all[index]
    let bytes = Array(sample.text.utf8)
    let format = try #require(try InterchangeFormat.detect(ByteInput(bytes)))
    #expect(format.word == sample.word)
    let outcome = Sample.file(sample.text, named: sample.file).outcome
    let events = GoogleTests.events(outcome.records)
    #expect(events.map(Self.describe) == sample.events)
    #expect(outcome.reports == sample.skipped)
    #expect(Set(events.map(\.key)).count == events.count)
    #expect(
      GoogleTests.events(Sample.file(sample.text, named: sample.file).outcome.records).map(\.key) == events.map(\.key))
  }

  @Test func `a day whose measurements are in several files of an archive is one event`() throws {
    let outcome = Sample.archive([
      "Fitbit/steps-2026-02-01.json": "[{\"dateTime\":\"03/01/26 08:05:00\",\"value\":\"12\"}]",
      "Fitbit/steps-2026-03-01.json": "[{\"dateTime\":\"03/01/26 18:05:00\",\"value\":\"30\"}]",
      // The same steps in the newer layout, of which fewer are known.
      "Fitbit/steps_2026-03-01.csv": "timestamp,steps\n2026-03-01T08:05:00Z,12\n",
    ]).outcome
    #expect(GoogleTests.events(outcome.records).map(Self.describe) == ["Steps 2026-03-01 steps=42"])
  }
}
