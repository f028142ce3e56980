/// A format that can be read, found by content and never by name.
public enum ImportFormat: String, Hashable, Sendable, CaseIterable, Codable {
  case gpx

  /// The format of a file by its first bytes; `nil` if it is none of ours.
  public static func detect(_ bytes: [UInt8]) -> ImportFormat? {
    rootElement(of: bytes) == "gpx" ? .gpx : nil
  }

  /// What a file that is none of ours looks like, in words: for the message that says so.
  static func describe(_ bytes: [UInt8]) -> String {
    var bytes = bytes[...]
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    let content = bytes.drop { $0 == 0x20 || $0 == 0x9 || $0 == 0xA || $0 == 0xD }
    guard let first = content.first else { return "an empty file" }
    if content.starts(with: [0x50, 0x4B, 0x03, 0x04]) { return "a ZIP archive" }
    if content.starts(with: [0x1F, 0x8B]) { return "a gzip archive" }
    if let root = rootElement(of: Array(content)) {
      return root.lowercased() == "html" ? "a web page" : "an XML file of <\(root)>"
    }
    switch first {
    case UInt8(ascii: "<"): return "a broken XML file"
    case UInt8(ascii: "{"), UInt8(ascii: "["): return "a JSON file"
    case UInt8(ascii: "$"): return "NMEA sentences"
    default: return content.prefix(512).contains(0) ? "a binary file" : "plain text"
    }
  }

  private static func rootElement(of bytes: [UInt8]) -> String? {
    // A prologue longer than this is none.
    guard var reader = try? XMLReader(Array(bytes.prefix(1 << 16))) else { return nil }  // not XML: the answer is no
    while let event = try? reader.next() {  // a broken prologue: the answer is no
      if case .start(let name, _) = event { return name }
      if case .finished = event { return nil }
    }
    return nil
  }
}
