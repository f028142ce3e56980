import Foundation
import Testing
import TrendyModels

/// Tests one drive that is recorded by several trackers.
@Suite("Witnesses of trips", .waitsForPrograms, .timeLimit(.minutes(10)))
struct WitnessTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
  }

  /// Adds positions of a 15-minute drive to the north on 20 November 2026 at 8:00 UTC, preceded and
  /// followed by half an hour without movement.
  private func record(device: String, every interval: Int, shift: Int = 0) throws {
    let lines = stride(from: -1800 + shift, through: 2700, by: interval).map { second in
      let latitude = 52 + Double(min(900, max(0, second))) * 15 / 111_250
      let time = RFC3339.string(from: Date(timeIntervalSince1970: 1_795_161_600 + Double(second)))
      return #"{"lat":\#(latitude),"lon":4,"time":"\#(time)","acc":5}"#
    }
    let file = bench.folder.appending(path: device)
    try Data(lines.joined(separator: "\n").utf8).write(to: file)
    let result = try bench.trendy("track", "add", file.path, "--device", device, "-q")
    try #require(result.status == 0, "\(result.talk)")
  }

  private func trips() throws -> [[String: JSONValue]] {
    let list = try bench.trendy("trip", "list", "--json").document.objectValue
    return list?["trips"]?.arrayValue?.compactMap(\.objectValue) ?? []
  }

  /// Returns the number of trips and the distance in kilometres from the monthly report.
  private func report() throws -> [Int] {
    let report = try bench.trendy("trip", "report", "--month", "2026-11", "--json").document.objectValue
    let total = report?["total"]?.objectValue
    return [Int(total?["trips"]?.intValue ?? -1), Int(((total?["total_m"]?.doubleValue ?? -1) / 1000).rounded())]
  }

  @Test func `a drive of two trackers and an import counts once, and a witness replaces a deleted trip`() throws {
    try bench.trendy("vehicle", "add", "Van", "--start-odometer", "1000km")
    try record(device: "phone", every: 10)
    try record(device: "car", every: 5, shift: 2)
    var found = try trips()
    #expect(Set(found.map { $0["device"]?.stringValue }) == ["phone", "car"])
    let counted = try #require(found.first { $0["device"] == "car" }?["id"]?.stringValue)
    let witness = try #require(found.first { $0["device"] == "phone" })
    #expect(witness["witness_of"]?.stringValue == counted)
    #expect(found.first { $0["device"] == "car" }?["witness_of"] == .null)
    #expect(try report() == [1, 14])
    #expect(try bench.trendy("trip", "list").output.contains("witness of"))
    #expect(try bench.trendy("trip", "show", witness["id"]?.stringValue ?? "").output.contains("witness"))
    #expect(try bench.trendy("trip", "list", "--plain").output.contains("\t\(counted)\n"))

    // A later import of the same drive, from a receiver whose clock is 3 s slow, is a witness although it has more
    // positions.
    let points = stride(from: -600, through: 1500, by: 1).map { second in
      let latitude = 52 + Double(min(900, max(0, second - 3))) * 15 / 111_250
      let time = RFC3339.string(from: Date(timeIntervalSince1970: 1_795_161_600 + Double(second)))
      return #"<trkpt lat="\#(latitude)" lon="4"><time>\#(time)</time></trkpt>"#
    }
    let file = bench.folder.appending(path: "drive.gpx")
    let gpx = #"<gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>"#
    try Data((gpx + points.joined() + "</trkseg></trk></gpx>").utf8).write(to: file)
    #expect(try bench.trendy("import", file.path).status == 0)
    found = try trips()
    #expect(found.count == 3 && found.filter { $0["witness_of"]?.stringValue == counted }.count == 2)
    #expect(try report() == [1, 14])

    // The drive counts once in the mileage log, the odometer check and the total of the vehicle.
    let table = try bench.trendy("export", "mileage", "-", "--month", "2026-11").output
    #expect(table.split(whereSeparator: \.isNewline).count == 2, "\(table)")
    #expect(
      try bench.trendy("vehicle", "odometer", "log", "Van", "1013.5km", "--at", "2026-11-21T12:00:00Z").status == 0)
    let check = try bench.trendy("vehicle", "odometer", "check", "Van")
    #expect(check.output.contains("13.5 km") && !check.output.contains("27"), "\(check.output)\(check.talk)")
    let vehicles = try bench.trendy("vehicle", "list", "--json").document.objectValue?["vehicles"]?.arrayValue
    #expect(vehicles?.first?.objectValue?["trips"] == 1)

    #expect(try bench.trendy("trip", "rm", counted).status == 0)
    #expect(try report() == [1, 14])
    #expect(try trips().first { $0["device"] == "phone" }?["witness_of"] == .null)
    try bench.trendy("undo")
    #expect(try trips().first { $0["device"] == "phone" }?["witness_of"]?.stringValue == counted)
    #expect(try report() == [1, 14])
  }
}
