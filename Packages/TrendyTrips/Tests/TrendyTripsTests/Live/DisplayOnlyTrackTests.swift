import Foundation
import Testing
import TrendyModels
import TrendyProtocols
import TrendyTesting
import TrendyTrips

@Suite("KeptPath", .timeLimit(.minutes(10)))
struct DisplayOnlyTrackTests {
  @Test func `no trips are detected in a display-only track`() throws {
    let readings = try DetectionRunnerTests.readings("gotrack-00033")
    let (fixes, _) = RecordingTests.parts(readings)
    let importer = RecordingTests.Importer(now: DetectionRunnerTests.end(readings))
    let device = try #require(DisplayOnlyTrack.device(ofTrack: fixes))
    #expect(DisplayOnlyTrack.isKept(device: device))
    _ = try importer.store.append(readings, device: device)
    #expect(try importer.reader.readAll().isEmpty)
    #expect(try importer.reader.readAgain().isEmpty)
    #expect(try importer.reader.presences().isEmpty && importer.journal.events.isEmpty)
    // Imported as a recording, these fixes do contain trips.
    #expect(try !importer.take(#require(Recording(fixes: fixes))).changes.isEmpty)
  }

  @Test func `the device name of a track depends on its first fix only`() throws {
    let (fixes, _) = RecordingTests.parts(try DetectionRunnerTests.readings("gotrack-00033"))
    let name = try #require(DisplayOnlyTrack.device(ofTrack: fixes))
    #expect(DisplayOnlyTrack.device(ofTrack: fixes.reversed()) == name)
    #expect(DisplayOnlyTrack.device(ofTrack: Array(fixes.dropFirst())) != name)
    #expect(DisplayOnlyTrack.device(ofTrack: []) == nil)
    #expect(DisplayOnlyTrack.device(of: String(repeating: "é", count: 100)).utf8.count <= 128)
  }
}
