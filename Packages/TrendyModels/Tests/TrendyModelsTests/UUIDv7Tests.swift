import Foundation
import Testing
import TrendyModels

@Suite("UUIDv7", .timeLimit(.minutes(10)))
struct UUIDv7Tests {
  // RFC 9562, A.6: 2022-02-22T19:22:22.00Z, rand_a 0xCC3, rand_b 0x18C4DC0C0C07398F.
  private static let vector = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
  private static let vectorDate = Date(timeIntervalSince1970: 1_645_557_742)

  @Test func `the example of RFC 9562 has its bits where the RFC specifies them`() throws {
    let id = try #require(UUIDv7(Self.vector))
    #expect(id.high >> 16 == 0x017F_22E2_79B0)
    #expect(id.high >> 12 & 0xF == 7)
    #expect(id.high & 0xFFF == 0xCC3)
    #expect(id.low >> 62 == 0b10)
    #expect(id.low & 0x3FFF_FFFF_FFFF_FFFF == 0x18C4_DC0C_0C07_398F)
    #expect(id.date == Self.vectorDate)
    #expect(id.description == Self.vector)
  }

  @Test func `a generator with the time and random bits of the example makes the example`() {
    var random = Scripted([0xCC3, 0x18C4_DC0C_0C07_398F])
    var generator = UUIDv7.Generator()
    #expect(generator.next(at: Self.vectorDate, using: &random).description == Self.vector)
  }

  @Test func `random bits never change version and variant`() {
    for value in [UInt64.min, UInt64.max] {
      var random = ConstantGenerator(value: value)
      var generator = UUIDv7.Generator()
      let id = generator.next(at: Self.vectorDate, using: &random)
      #expect(id.high >> 12 & 0xF == 7)
      #expect(id.low >> 62 == 0b10)
      #expect(id.date == Self.vectorDate)
    }
  }

  @Test("identifiers of one millisecond increase", arguments: UInt64(1)...20)
  func risesWithinOneMillisecond(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var generator = UUIDv7.Generator()
    var last = generator.next(at: Self.vectorDate, using: &random)
    for _ in 0..<2000 {
      let next = generator.next(at: Self.vectorDate, using: &random)
      #expect(next > last)
      #expect(next.date == Self.vectorDate)
      last = next
    }
  }

  @Test("identifiers increase and keep the later time when the clock moves back", arguments: UInt64(1)...20)
  func risesWhenTimeStepsBack(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var generator = UUIDv7.Generator()
    var last = generator.next(at: Self.vectorDate, using: &random)
    for _ in 0..<500 {
      let step = Double(Int.random(in: -3_600_000...10, using: &random)) / 1000
      let next = generator.next(at: last.date + step, using: &random)
      #expect(next > last)
      #expect(next.date >= last.date)
      last = next
    }
  }

  @Test func `a later millisecond is used immediately, with new random bits`() {
    var random = Scripted([0, 0, 0x123, 0x456])
    var generator = UUIDv7.Generator()
    _ = generator.next(at: Self.vectorDate, using: &random)
    let next = generator.next(at: Self.vectorDate + 0.001, using: &random)
    #expect(next.high >> 16 == 0x017F_22E2_79B1)
    #expect(next.high & 0xFFF == 0x123)
    #expect(next.low & 0x3FFF_FFFF_FFFF_FFFF == 0x456)
  }

  @Test func `overflow of the lower 62 bits increments the upper 12 bits`() {
    var random = Scripted([0x0CC3, UInt64.max, 5 << 32])
    var generator = UUIDv7.Generator()
    let first = generator.next(at: Self.vectorDate, using: &random)
    let second = generator.next(at: Self.vectorDate, using: &random)
    #expect(second.high == first.high + 1)
    #expect(second > first)
  }

  @Test func `overflow of all 74 bits uses the next millisecond`() {
    var random = ConstantGenerator(value: .max)
    var generator = UUIDv7.Generator()
    let first = generator.next(at: Self.vectorDate, using: &random)
    let second = generator.next(at: Self.vectorDate, using: &random)
    #expect(second > first)
    #expect(second.date.timeIntervalSince(first.date) > 0.0005)
    #expect(second.date.timeIntervalSince(first.date) < 0.0015)
    // When the clock reaches that millisecond, identifiers still increase.
    #expect(generator.next(at: Self.vectorDate + 0.001, using: &random) > second)
  }

  @Test(
    "a time that does not fit into 48 bits is clamped",
    arguments: [
      (-1.0, 0), (-1e15, 0), (.nan, 0), (-.infinity, 0), (.infinity, 0xFFFF_FFFF_FFFF), (0.0004, 0), (0.0006, 1),
    ])
  func holdsTime(seconds: Double, milliseconds: Int) {
    let date = Date(timeIntervalSince1970: seconds)
    var random = SeededGenerator(seed: 1)
    var generator = UUIDv7.Generator()
    #expect(generator.next(at: date, using: &random).high >> 16 == UInt64(milliseconds))
  }

  @Test func `generators with equal seeds and times make equal identifiers`() {
    func ids() -> [UUIDv7] {
      var random = SeededGenerator(seed: 7)
      var generator = UUIDv7.Generator()
      return (0..<100).map { generator.next(at: Self.vectorDate + Double($0 / 10), using: &random) }
    }
    #expect(ids() == ids())
    #expect(Set(ids()).count == 100)
  }

  @Test("identifiers survive conversion to text, whose order is theirs", arguments: UInt64(1)...10)
  func textRoundTrip(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var generator = UUIDv7.Generator()
    var lastText = ""
    for _ in 0..<200 {
      let id = generator.next(at: Date(timeIntervalSince1970: 1.7e9), using: &random)
      let text = id.description
      #expect(text.utf8.count == 36)
      #expect(UUIDv7(text) == id)
      #expect(text > lastText)
      lastText = text
    }
  }

  @Test(
    "text that is not a canonical version 7 UUID is rejected",
    arguments: [
      "", "017F22E2-79B0-7CC3-98C4-DC0C0C07398F", "017f22e2-79b0-7cc3-98c4-dc0c0c07398F",
      "017f22e2-79b0-4cc3-98c4-dc0c0c07398f", "017f22e2-79b0-1cc3-98c4-dc0c0c07398f",
      "017f22e2-79b0-8cc3-98c4-dc0c0c07398f", "017f22e2-79b0-7cc3-18c4-dc0c0c07398f",
      "017f22e2-79b0-7cc3-d8c4-dc0c0c07398f", "017f22e2-79b0-7cc3-f8c4-dc0c0c07398f",
      "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
      "017f22e279b07cc398c4dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c07398",
      "017f22e2-79b0-7cc3-98c4-dc0c0c07398f0",
      "{017f22e2-79b0-7cc3-98c4-dc0c0c073}", "017f22e2-79b0-7cc3-98c4_dc0c0c07398f",
      "017f22e27-9b0-7cc3-98c4-dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c07398g",
      " 017f22e2-79b0-7cc3-98c4-dc0c0c07398", "017f22e2-79b0-7cc3-98c4-dc0c0c0739é",
    ])
  func refusesText(text: String) {
    #expect(UUIDv7(text) == nil)
  }

  @Test("all variants 10xx are read", arguments: ["8", "9", "a", "b"])
  func readsVariant(digit: String) {
    #expect(UUIDv7("017f22e2-79b0-7cc3-\(digit)8c4-dc0c0c07398f") != nil)
  }

  @Test func `an identifier is encoded as its text`() throws {
    let id = try #require(UUIDv7(Self.vector))
    let data = try JSONEncoder().encode([id])
    #expect(String(decoding: data, as: UTF8.self) == "[\"\(Self.vector)\"]")
    #expect(try JSONDecoder().decode([UUIDv7].self, from: data) == [id])
    #expect(
      throws: APIError.decodingError(
        "[0]: expected a version 7 UUID of 36 lowercase characters, found \"017F22E2\"")
    ) {
      try WireJSON.decode([UUIDv7].self, from: Data("[\"017F22E2\"]".utf8))
    }
  }

  @Test func `identifiers are ordered by time, then by random bits`() throws {
    let texts = [
      "017f22e2-79af-7fff-bfff-ffffffffffff", "017f22e2-79b0-7000-8000-000000000000",
      "017f22e2-79b0-7000-8000-000000000001", "017f22e2-79b0-7001-8000-000000000000",
      "017f22e2-79b1-7000-8000-000000000000",
    ]
    let ids = try texts.map { try #require(UUIDv7($0)) }
    #expect(ids.reversed().sorted() == ids)
  }
}

/// Generator that returns the given numbers, then zeros.
private struct Scripted: RandomNumberGenerator {
  private var values: [UInt64]
  init(_ values: [UInt64]) { self.values = values.reversed() }
  mutating func next() -> UInt64 { values.popLast() ?? 0 }
}
