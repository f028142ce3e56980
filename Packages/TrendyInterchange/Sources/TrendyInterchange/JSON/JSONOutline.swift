/// Member names of the outermost objects in a JSON document, used to detect the format without parsing everything.
struct JSONOutline {
  /// Members of the first object, with their values if they are short strings.
  private(set) var members: [String: String] = [:]
  /// Member names of the first object nested in the first object.
  private(set) var innerMembers: Set<String> = []
  /// Whether the document ends inside a bracket or a string.
  private(set) var isCutOff = true

  private var bytes: ArraySlice<UInt8>

  /// Scans a document. Returns `nil` if the document does not start with an object or an array.
  init?(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    guard let first = bytes.first(where: { !$0.isSpace }), first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    else {
      return nil
    }
    scan()
  }

  private mutating func scan() {
    var index = bytes.startIndex
    var open: [UInt8] = []
    var outer: Int?
    var inner: Int?
    var hasLeftOuter = false
    var hasLeftInner = false
    var key: String?
    while index < bytes.endIndex {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        open.append(byte)
        key = nil
        if byte == UInt8(ascii: "{") {
          if outer == nil { outer = open.count } else if inner == nil, !hasLeftOuter { inner = open.count }
        }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if open.count == outer { hasLeftOuter = true }
        if open.count == inner { hasLeftInner = true }
        guard open.popLast() == (byte == UInt8(ascii: "}") ? UInt8(ascii: "{") : UInt8(ascii: "[")) else {
          isCutOff = false
          return
        }
        if open.isEmpty {
          isCutOff = false
          return
        }
      case UInt8(ascii: "\""):
        let from = index + 1
        index = from
        while index < bytes.endIndex, bytes[index] != UInt8(ascii: "\"") {
          index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard index < bytes.endIndex else { return }
        let isOuter = open.count == outer && !hasLeftOuter
        let isInner = open.count == inner && !hasLeftInner
        guard (isOuter || isInner), index - from <= 64 else { break }
        let text = String(decoding: bytes[from..<index], as: UTF8.self)
        var next = index + 1
        while next < bytes.endIndex, bytes[next].isSpace { next += 1 }
        if next < bytes.endIndex, bytes[next] == UInt8(ascii: ":") {
          if isOuter {
            members[text] = ""
            key = text
          } else {
            innerMembers.insert(text)
          }
        } else if isOuter, let name = key {
          members[name] = text
          key = nil
        }
      default: break
      }
      index += 1
    }
  }
}

extension JSONOutline {
  /// Track format of the document, or `nil` for any other document.
  var format: ImportFormat? {
    if members["_type"] != nil { return .ownTracks }
    if members["locations"] != nil, innerMembers.contains("latitudeE7") == false { return .overland }
    switch members["type"] {
    case "FeatureCollection", "Feature", "LineString", "MultiLineString", "Point", "MultiPoint", "GeometryCollection":
      return .geoJSON
    default: return nil
    }
  }
}

extension UInt8 {
  var isSpace: Bool { self == 0x20 || self == 0x9 || self == 0xA || self == 0xD }
}

extension ArraySlice<UInt8> {
  /// The bytes without a byte order mark or leading whitespace.
  var withoutLeadingSpace: ArraySlice<UInt8> {
    (starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self).drop { $0.isSpace }
  }

  /// The lines that are not blank, with their line numbers from 1.
  var textLines: [(number: Int, bytes: ArraySlice<UInt8>)] {
    var lines: [(number: Int, bytes: ArraySlice<UInt8>)] = []
    for (index, line) in split(separator: 0xA, omittingEmptySubsequences: false).enumerated() {
      if line.contains(where: { !$0.isSpace }) { lines.append((index + 1, line.last == 0xD ? line.dropLast() : line)) }
    }
    return lines
  }
}
