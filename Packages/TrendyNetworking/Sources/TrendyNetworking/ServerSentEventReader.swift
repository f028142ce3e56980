import TrendyFoundation
import TrendyModels

struct ServerSentEvent: Hashable, Sendable {
  var name: String
  var data: String
}

/// Parser for a `text/event-stream` (WHATWG HTML, 9.2.6) that arrives in chunks of bytes.
struct ServerSentEventReader: Sendable {
  /// Maximum size in bytes of a line and of an event.
  private static let limit = 64 * 1024

  private var line: [UInt8] = []
  private var endedInReturn = false
  private var isFirstLine = true
  private var name = ""
  private var data: [String] = []
  private var dataBytes = 0

  init() {}

  /// Appends bytes and returns the events that they complete. An incomplete event at the end of the stream is
  /// discarded.
  /// - Throws: ``TrendyModels/APIError/decodingError(_:)`` if a line or an event exceeds the limit.
  mutating func read(_ bytes: Data) throws -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    for byte in bytes {
      let followsReturn = endedInReturn
      endedInReturn = byte == UInt8(ascii: "\r")
      switch byte {
      case UInt8(ascii: "\n") where followsReturn: break
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        if let event = endLine() { events.append(event) }
      default:
        line.append(byte)
      }
    }
    guard line.count <= Self.limit, dataBytes <= Self.limit else {
      throw APIError.decodingError("an event of the stream has more than \(Self.limit) bytes")
    }
    return events
  }

  private mutating func endLine() -> ServerSentEvent? {
    if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    isFirstLine = false
    defer { line.removeAll(keepingCapacity: true) }
    guard !line.isEmpty else {
      defer {
        name = ""
        data = []
        dataBytes = 0
      }
      return data.isEmpty
        ? nil : ServerSentEvent(name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"))
    }
    let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    var value = parts.count > 1 ? parts[1] : []
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    switch String(decoding: parts[0], as: UTF8.self) {
    case "event": name = String(decoding: value, as: UTF8.self)
    case "data":
      data.append(String(decoding: value, as: UTF8.self))
      dataBytes += value.count + 1
    default: break  // comments, ids and retry times are not needed
    }
    return nil
  }
}
