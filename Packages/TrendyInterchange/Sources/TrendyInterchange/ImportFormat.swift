/// Supported track format. Formats are detected by content, never by file name.
public enum ImportFormat: String, Hashable, Sendable, CaseIterable, Codable {
  case csv
  case geoJSON = "geojson"
  case gpx
  case kml
  case nmea
  case overland
  case ownTracks = "owntracks"
  case ownTracksRecording = "owntracks-rec"

  /// Display name of the format.
  public var name: String {
    switch self {
    case .csv: "CSV"
    case .geoJSON: "GeoJSON"
    case .gpx: "GPX"
    case .kml: "KML"
    case .nmea: "NMEA"
    case .overland: "Overland"
    case .ownTracks: "OwnTracks"
    case .ownTracksRecording: "OwnTracks .rec"
    }
  }

  static var names: String {
    let names = allCases.map { $0 == .csv ? "CSV (with columns lat, lon and time)" : $0.name }
    return names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
  }

  /// Returns the format of a file, or `nil` if its content is not in a supported track format.
  public static func detect(_ bytes: [UInt8]) -> ImportFormat? {
    let content = bytes[...].withoutLeadingSpace
    guard let first = content.first, !isArchive(content) else { return nil }
    switch first {
    case UInt8(ascii: "<"):
      switch rootElement(of: bytes) {
      case "gpx": return .gpx
      case "kml": return .kml
      default: return nil
      }
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      if JSONDocuments.isLines(content) {
        // The first complete line determines the format.
        return content.prefix(1 << 16).textLines.lazy.compactMap { JSONOutline($0.bytes)?.format }.first
      }
      return JSONOutline(content)?.format
    default:
      let start = content.prefix(1 << 16)
      if start.textLines.prefix(8).contains(where: { OwnTracksReader.isRecording($0.bytes) }) {
        return .ownTracksRecording
      }
      if NMEAReader.holdsSentence(start) { return .nmea }
      return CSVTrackReader.isTable(start) ? .csv : nil
    }
  }

  static func refusal(_ bytes: [UInt8]) -> InterchangeError {
    let content = bytes[...].withoutLeadingSpace
    guard let first = content.first else { return .unknownFormat(seen: "an empty file") }
    if content.starts(with: [0x50, 0x4B, 0x03, 0x04]) { return .unknownFormat(seen: "a ZIP archive") }
    if content.starts(with: [0x1F, 0x8B]) { return .unknownFormat(seen: "a gzip archive") }
    if let root = rootElement(of: Array(content)) {
      return .unknownFormat(seen: root.lowercased() == "html" ? "a web page" : "an XML file of <\(root)>")
    }
    switch first {
    case UInt8(ascii: "<"): return .unknownFormat(seen: "a broken XML file")
    case UInt8(ascii: "{"), UInt8(ascii: "["): return .unknownFormat(seen: "an unsupported JSON file")
    case UInt8(ascii: "$"): return .unknownFormat(seen: "NMEA sentences without a valid checksum")
    default:
      if content.prefix(512).contains(0) { return .unknownFormat(seen: "a binary file") }
      let columns = EventTableReader.header(of: content)?.names ?? []
      return columns.count > 1 ? .unknownColumns(columns) : .unknownFormat(seen: "plain text")
    }
  }

  private static func isArchive(_ content: ArraySlice<UInt8>) -> Bool {
    content.starts(with: [0x50, 0x4B, 0x03, 0x04]) || content.starts(with: [0x1F, 0x8B])
  }

  private static func rootElement(of bytes: [UInt8]) -> String? {
    // An error means that the content is not XML, or not within the first 64 KiB. The format is then unknown, which the
    // caller reports.
    guard var reader = try? XMLReader(Array(bytes.prefix(1 << 16))) else { return nil }
    while let event = try? reader.next() {
      if case .start(let name, _) = event { return name }
      if case .finished = event { return nil }
    }
    return nil
  }
}
