import Foundation
import StoreBenchmark
import TrendyArchive
import TrendyModels

/// Generates deterministic files of any length in the formats of other tools.
enum InterchangeFiles {
  private static let pieceBytes = 1 << 20

  /// Writes a CSV of events in ascending order with twelve types. Some rows have an end, a note, an amount or a mood,
  /// and quoted fields.
  static func writeTable(rows: Int, to handle: FileHandle) throws {
    var random = SeededGenerator(seed: 11)
    func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
    let types = [
      "Coffee", "Workout", "Reading", "Headache", "Water", "Walk", "Sleep", "Meditation", "Medication", "Call",
      "Meeting",
      "Shopping",
    ]
    let notes = ["", "", "", "good", "with Anna", "felt tired", "\"after lunch, in the sun\"", "first of the day"]
    let moods = ["", "good", "bad", "so-so"]
    var time = 1_262_304_000.0
    func text(_ seconds: Double) -> String {
      RFC3339.string(from: Date(timeIntervalSince1970: seconds), secondsFromGMT: 0, fractionDigits: 0)
    }
    var piece = "type,start,end,note,amount,mood\n"
    for _ in 0..<rows {
      time += Double(10 + below(890))
      let end = below(10) < 4 ? text(time + Double(60 + below(7140))) : ""
      let amount = below(10) < 7 ? "\(1 + below(500))" : ""
      piece +=
        "\(types[below(types.count)]),\(text(time)),\(end),\(notes[below(notes.count)]),\(amount),\(moods[below(moods.count)])\n"
      if piece.utf8.count >= pieceBytes {
        try handle.write(contentsOf: Data(piece.utf8))
        piece = ""
      }
    }
    try handle.write(contentsOf: Data(piece.utf8))
  }

  /// Writes a Google Takeout `Records.json` of about `bytes` bytes: a fix every 30 s, every fourth with a detected
  /// activity.
  static func writeRecords(bytes: Int, to handle: FileHandle) throws {
    var random = SeededGenerator(seed: 12)
    func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
    var (latitude, longitude, time) = (520_907_000, 51_214_000, 1_420_070_400.0)
    var piece = "{\"locations\": ["
    var written = 0
    var isFirst = true
    while written < bytes {
      latitude += below(4001) - 2000
      longitude += below(6001) - 3000
      time += Double(20 + below(20))
      let moment = RFC3339.string(from: Date(timeIntervalSince1970: time))
      piece += isFirst ? "{\n" : ",{\n"
      isFirst = false
      piece += """
            "latitudeE7": \(latitude),
            "longitudeE7": \(longitude),
            "accuracy": \(3 + below(60)),

        """
      if below(4) == 0 {
        piece += """
              "activity": [{
                "activity": [{
                  "type": "STILL",
                  "confidence": \(50 + below(50))
                }, {
                  "type": "ON_FOOT",
                  "confidence": \(below(50))
                }],
                "timestamp": "\(moment)"
              }],

          """
      }
      piece += """
            "source": "WIFI",
            "deviceTag": -71234567,
            "timestamp": "\(moment)"
          }
        """
      if piece.utf8.count >= pieceBytes {
        written += piece.utf8.count
        try handle.write(contentsOf: Data(piece.utf8))
        piece = ""
      }
    }
    try handle.write(contentsOf: Data((piece + "]\n}\n").utf8))
  }
}

extension HealthFile {
  /// Writes an Apple Health export of about `size` bytes, and the ZIP archive that a phone shares.
  static func files(in folder: URL, size: Int) throws -> (file: URL, archive: URL) {
    let file = folder.appending(path: "export-\(size).xml")
    let archive = folder.appending(path: "export-\(size).zip")
    if FileManager.default.fileExists(atPath: archive.path) { return (file, archive) }
    let part = folder.appending(path: "export-\(size).zip.part")
    for url in [file, part] where !FileManager.default.createFile(atPath: url.path, contents: nil) {
      throw InputError(text: "cannot create \(url.path)")
    }
    let handle = try FileHandle(forWritingTo: file)
    var generator = HealthFile(size: size, to: handle)
    try generator.write()
    try handle.close()
    let target = try FileHandle(forWritingTo: part)
    try zip(file, to: target)
    try target.close()
    // Rename the archive once both files are complete, so that an interrupted run leaves no partial archive.
    try FileManager.default.moveItem(at: part, to: archive)
    return (file, archive)
  }

  private static func zip(_ file: URL, to target: FileHandle) throws {
    var writer = ZipWriter { try target.write(contentsOf: $0) }
    try writer.begin("apple_health_export/export.xml")
    let source = try FileHandle(forReadingFrom: file)
    while let bytes = try source.read(upToCount: 1 << 20), !bytes.isEmpty { try writer.write(Array(bytes)) }
    try writer.end()
    try writer.finish()
  }
}
