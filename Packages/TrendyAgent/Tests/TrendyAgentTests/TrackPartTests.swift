import Foundation
import Testing
import TrendyAgent
import TrendyInterchange
import TrendyModels
import TrendyPersistence
import TrendyProtocols

/// Track log with readings from several devices, read in parts for an export.
@Suite("Parts of a track log")
struct TrackPartTests {
  private static let start = Date(timeIntervalSince1970: 1_700_000_000)

  private static func moment(_ seconds: Double) -> Date { start.addingTimeInterval(seconds) }

  private static func fix(_ seconds: Double) -> TrackReading {
    .fix(
      Location(
        coordinate: Coordinate(latitude: 52, longitude: 5), horizontalAccuracy: 5, timestamp: moment(seconds)))
  }

  private static let ofCar = [0, 3600, 86_399, 86_400, 86_401, 360_000, 28_800_000.0]
  private static let ofPhone = [7200, 10_800.0]

  /// Creates a track log with fixes from a car over a year, fixes from a phone, and the car's detection state.
  private func withLog(_ body: (TrackLog) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "trendy-parts-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let log = try TrackLog(directory: folder)
    _ = try log.append(Self.ofCar.map { Self.fix($0) }, device: "car")
    _ = try log.append(
      Self.ofPhone.map { Self.fix($0) } + [.call(TripCommand(kind: .start, timestamp: Self.moment(7200)))],
      device: "phone"
    )
    var changes = TrackChanges()
    changes.put = [TrackNote(kind: .finding, id: "f", time: Self.moment(3600), content: [1, 2])]
    try log.commit(changes, device: "car")
    try body(log)
  }

  private func parts(_ log: TrackLog, in span: ClosedRange<Date>?) throws -> [[InterchangeRecord]] {
    var parts: [[InterchangeRecord]] = []
    var position: (device: String, moment: Date)?
    repeat {
      let part = try log.part(in: span, after: position)
      if !part.records.isEmpty { parts.append(part.records) }
      position = part.end
    } while position != nil
    return parts
  }

  private func fixes(_ parts: [[InterchangeRecord]], of name: String) -> [Date] {
    parts.joined().compactMap { if case .fix(let fix, name) = $0 { fix.timestamp } else { nil } }
  }

  @Test func `all readings and annotations are returned once, in parts of at most a day`() throws {
    var parts: [[InterchangeRecord]] = []
    try withLog { parts = try self.parts($0, in: nil) }
    #expect(fixes(parts, of: "car") == Self.ofCar.map(Self.moment))
    #expect(fixes(parts, of: "phone") == Self.ofPhone.map(Self.moment))
    let others = parts.joined().filter { if case .fix = $0 { false } else { true } }
    #expect(
      others == [
        .note(kind: "finding", id: "f", time: Self.moment(3600), content: [1, 2], device: "car"),
        .call(kind: "start", time: Self.moment(7200), device: "phone"),
      ])
    for part in parts {
      let times = part.compactMap { if case .fix(let fix, _) = $0 { fix.timestamp } else { nil } }
      if let first = times.first, let last = times.last { #expect(last.timeIntervalSince(first) <= 86_400) }
    }
  }

  @Test func `a period returns only its readings, including both ends, and no annotations`() throws {
    var parts: [[InterchangeRecord]] = []
    try withLog { log in
      parts = try self.parts(log, in: Self.moment(3600)...Self.moment(86_400))
      #expect(try self.parts(log, in: Self.moment(30_000_000)...Self.moment(30_000_001)).isEmpty)
    }
    #expect(fixes(parts, of: "car") == [3600, 86_399, 86_400].map(Self.moment))
    #expect(fixes(parts, of: "phone") == Self.ofPhone.map(Self.moment))
    #expect(parts.joined().count == 6)
  }
}
