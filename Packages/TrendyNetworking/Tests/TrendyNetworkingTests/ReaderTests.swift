import Foundation
import Testing
import TrendyModels

@testable import TrendyNetworking

@Suite("Retry-After")
struct RetryAfterTests {
  private static let now = Date(timeIntervalSince1970: 784_111_777)  // Sun, 06 Nov 1994 08:49:37 GMT

  @Test(
    "seconds are read",
    arguments: [
      ("0", 0), ("1", 1), (" 120 ", 120), ("86400", 86_400), ("86401", 86_400), ("99999999999999999999", 86_400),
    ])
  func seconds(text: String, seconds: Int) {
    #expect(RetryAfter.duration(text, date: nil, now: Self.now) == .seconds(seconds))
  }

  @Test(
    "each date format is read",
    arguments: [
      "Sun, 06 Nov 1994 08:50:37 GMT", "Sunday, 06-Nov-94 08:50:37 GMT", "Sun Nov  6 08:50:37 1994",
    ])
  func dates(text: String) {
    #expect(RetryAfter.duration(text, date: nil, now: Self.now) == .seconds(60))
    #expect(
      RetryAfter.duration(text, date: "Sun, 06 Nov 1994 08:50:07 GMT", now: Self.now) == .seconds(30))
  }

  @Test func `a past date gives a delay of zero`() {
    #expect(RetryAfter.duration("Sun, 06 Nov 1994 08:49:36 GMT", date: nil, now: Self.now) == .zero)
  }

  @Test func `the delay is limited to a day`() {
    #expect(RetryAfter.duration("Sun, 06 Nov 2094 08:49:36 GMT", date: nil, now: Self.now) == .seconds(86_400))
  }

  @Test(
    "other values are rejected",
    arguments: [
      "", "soon", "-1", "1.5", "1s", "Sun, 06 Nov 1994 08:49:37 PST", "Sun, 06 Nov 1994 24:49:37 GMT",
      "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT", "٣",
    ])
  func neither(text: String) {
    #expect(RetryAfter.duration(text, date: nil, now: Self.now) == nil)
  }

  @Test(
    "dates in leap years are correct",
    arguments: [("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800), ("Thu, 01 Jan 1970 00:00:00 GMT", 0)])
  func leapDay(text: String, seconds: Int) {
    #expect(HTTPDate.date(from: text) == Date(timeIntervalSince1970: Double(seconds)))
  }
}

@Suite("LineReader")
struct LineReaderTests {
  @Test("lines do not depend on the chunk size", arguments: 1...12)
  func pieces(size: Int) throws {
    let bytes = Data("first\n\nthird é\nrest".utf8)
    var reader = LineReader(limit: 100)
    var lines: [Data] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      lines += try reader.read(bytes[start..<min(start + size, bytes.count)])
    }
    #expect(lines == ["first", "", "third é"].map { Data($0.utf8) })
    #expect(reader.rest == Data("rest".utf8))
  }

  @Test("the line limit applies with and without a line feed", arguments: ["", "\n"])
  func limit(end: String) throws {
    var reader = LineReader(limit: 4)
    #expect(try reader.read(Data("1234\n".utf8)).count == 1)
    #expect(throws: APIError.self) { try reader.read(Data(("12345" + end).utf8)) }
  }
}

@Suite("ServerSentEventReader")
struct ServerSentEventReaderTests {
  private static let stream =
    "\u{FEFF}: comment\nevent: head\ndata: one\ndata:two\nid: 7\nretry: 10\n\nevent: nothing\n\ndata\n\ndata:  x: y\n\n"
    + "data: broken off"
  private static let events = [
    ServerSentEvent(name: "head", data: "one\ntwo"), ServerSentEvent(name: "message", data: ""),
    ServerSentEvent(name: "message", data: " x: y"),
  ]

  @Test("all line endings are accepted", arguments: ["\n", "\r\n", "\r"])
  func lineEnds(end: String) throws {
    var reader = ServerSentEventReader()
    let text = Self.stream.replacingOccurrences(of: "\n", with: end)
    #expect(try reader.read(Data(text.utf8)) == Self.events)
  }

  @Test("events do not depend on the chunk size", arguments: 1...9)
  func pieces(size: Int) throws {
    let bytes = Data(Self.stream.replacingOccurrences(of: "\n", with: "\r\n").utf8)
    var reader = ServerSentEventReader()
    var events: [ServerSentEvent] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      events += try reader.read(bytes[start..<min(start + size, bytes.count)])
    }
    #expect(events == Self.events)
  }

  @Test("the size limit applies", arguments: ["data: x", "data: x\n"])
  func limit(line: String) {
    var reader = ServerSentEventReader()
    #expect(throws: APIError.self) {
      for _ in 1...70_000 { _ = try reader.read(Data(line.utf8)) }
    }
  }
}
