import TrendyFoundation
import TrendyModels

/// Reads an archive exported from a Dawarich account.
///
/// Version 2 contains one line of JSON per point and visit, whereas version 1 contains all data in `data.json`.
struct DawarichExport {
  private static let lineLimit = 1 << 20

  private let files: ExportFiles
  /// Folder that contains the files of the archive, with a trailing slash.
  private let folder: String
  private let isFirstVersion: Bool

  init?(_ files: ExportFiles) throws {
    for path in files.paths {
      let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...] } ?? path[...]
      guard name == "manifest.json" || name == "data.json" else { continue }
      let outline = JSONOutline(try files.beginning(of: path, count: 1 << 16)[...])
      let members = outline?.members ?? [:]
      let isFirst = name == "data.json"
      let isOne =
        isFirst
        ? members["points"] != nil || members["counts"] != nil && members["settings"] != nil
        : members["format_version"] != nil && members["dawarich_version"] != nil
      guard isOne else { continue }
      self.files = files
      isFirstVersion = isFirst
      folder = String(path.dropLast(name.count))
      return
    }
    return nil
  }

  func read(_ options: ImportOptions, _ body: InterchangeFormat.Handler) throws {
    if isFirstVersion {
      let path = folder + "data.json"
      try JSONElements.read(ByteInput(from: try files.open(path)), arrays: ["points", "visits"]) {
        array, index, bytes in
        let place = "\(path), \(array)[\(index)]"
        guard let value = JSONValue(element: bytes) else { return try body(.bad(reason: "invalid JSON"), place) }
        try give(array == "points" ? Self.point : Self.visit, value, options, place, body)
      }
      return
    }
    var others = 0
    for path in files.paths where path.hasPrefix(folder) && path.hasSuffix(".jsonl") {
      let name = path.dropFirst(folder.count)
      if name.hasPrefix("points/") {
        try lines(path, options, body, Self.point)
      } else if name.hasPrefix("visits/") {
        try lines(path, options, body, Self.visit)
      } else {
        others += 1
      }
    }
    // These files contain settings, or data derived from points and visits: places, tracks and statistics.
    if others > 0 {
      try body(.skip(what: "file with settings, statistics or other data", count: others), "the archive")
    }
  }

  private func lines(
    _ path: String, _ options: ImportOptions, _ body: InterchangeFormat.Handler, _ read: Reading
  ) throws {
    let input = ByteInput(from: try files.open(path))
    var number = 0
    while let (line, isWhole) = try input.line(limit: Self.lineLimit) {
      number += 1
      guard line.contains(where: { !$0.isSpace }) else { continue }
      let value = isWhole ? line.withUnsafeBufferPointer { JSONValue(element: $0) } : nil
      let place = "\(path), line \(number)"
      guard let value else {
        try body(.bad(reason: "incomplete or invalid JSON"), place)
        continue
      }
      try give(read, value, options, place, body)
    }
  }

  private typealias Reading = (JSONValue, ImportOptions, inout FieldCheck) -> InterchangeRecord

  private func give(
    _ read: Reading, _ value: JSONValue, _ options: ImportOptions, _ place: String, _ body: InterchangeFormat.Handler
  ) throws {
    var check = FieldCheck()
    try body(read(value, options, &check), place)
    try check.report(at: place, body)
  }

  // MARK: What they hold

  private static func point(
    _ value: JSONValue, _ options: ImportOptions, _ check: inout FieldCheck
  ) -> InterchangeRecord {
    guard let coordinate = coordinate(value) ?? coordinate(text: value["lonlat"]?.stringValue) else {
      return .bad(reason: "invalid coordinates")
    }
    guard let time = value["timestamp"]?.moment else { return .bad(reason: "missing or invalid time") }
    let accuracy = check.number("accuracy", in: value) ?? -1
    let device = value["tracker_id"]?.stringValue ?? ""
    // Do not import the velocity, because its unit depends on the tracker and is not in the file.
    return .fix(
      Location(
        coordinate: coordinate, horizontalAccuracy: accuracy > 0 ? accuracy : -1, timestamp: time,
        altitude: check.number("altitude", in: value).flatMap { abs($0) < 1e6 ? $0 : nil },
        course: check.number("course", in: value).flatMap { $0 >= 0 && $0 <= 360 ? $0 : nil }),
      device: device.isEmpty ? "Dawarich" : "Dawarich \(device.prefix(64))")
  }

  private static func visit(
    _ value: JSONValue, _ options: ImportOptions, _ check: inout FieldCheck
  ) -> InterchangeRecord {
    if value["status"]?.stringValue == "declined" { return .skip(what: "declined visit") }
    guard let start = value["started_at"]?.moment, let end = value["ended_at"]?.moment, end >= start else {
      return .bad(reason: "missing or invalid times, or end before the start")
    }
    let place = value["place_reference"]
    let name = (value["name"] ?? place?["name"])?.stringValue ?? ""
    let coordinate = check.read("place_reference", place) { Self.coordinate($0) }
    let position = coordinate.map { "\(($0.latitude * 1e5).rounded()) \(($0.longitude * 1e5).rounded())" } ?? name
    var event = ExternalEvent(
      typeName: "Visit", key: ["dawarich", "visit", "\(Int64(start.timeIntervalSince1970))", position],
      timestamp: start)
    event.isKeyUnique = true
    event.hints = ["visit"]
    event.sameness = .time(metres: 150)
    event.endDate = end
    event.timeZone = options.zone.name
    event.coordinate = coordinate
    event.locationName = name.isEmpty ? nil : name
    event.properties["Duration"] = .duration(end.timeIntervalSince(start))
    return .event(event)
  }

  private static func coordinate(_ value: JSONValue) -> Coordinate? {
    guard let latitude = value["latitude"]?.number, let longitude = value["longitude"]?.number else { return nil }
    let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    return coordinate.isValid ? coordinate : nil
  }

  /// Parses a WKT point such as `POINT (5.1 52.1)`.
  private static func coordinate(text: String?) -> Coordinate? {
    guard let text, let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")"), open < close else {
      return nil
    }
    let numbers = text[text.index(after: open)..<close].split(separator: " ").compactMap { FieldText.number($0) }
    guard numbers.count >= 2 else { return nil }
    let coordinate = Coordinate(latitude: numbers[1], longitude: numbers[0])
    return coordinate.isValid ? coordinate : nil
  }
}
