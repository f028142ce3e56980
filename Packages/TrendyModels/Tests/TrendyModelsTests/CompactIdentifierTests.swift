import Testing
import TrendyModels

@Suite("CompactIdentifier", .timeLimit(.minutes(10)))
struct CompactIdentifierTests {
  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `a UUID has its digits as text and is parsed from them`(seed: UInt64) {
    var words = SeededGenerator(seed: seed)
    let high = words.next()
    let low = words.next() >> 2 | 1 << 63
    let digits = [high, low].map { (word: UInt64) in
      let text = String(word, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }.joined()
    var expected = digits
    for place in [20, 16, 12, 8] { expected.insert("-", at: expected.index(expected.startIndex, offsetBy: place)) }
    let identifier = CompactIdentifier(high: high, low: low)
    #expect(identifier.text == expected && identifier.utf8Count == 36)
    #expect(CompactIdentifier(expected) == identifier)
    #expect(CompactIdentifier(expected).bits ?? (0, 0) == (high, low))
  }

  @Test func `text that is not a canonical UUID is stored unchanged`() {
    let canonical = "018c2bb2-7a40-7000-8000-0000000000af"
    #expect(CompactIdentifier(canonical).bits != nil)
    for index in canonical.indices {
      for character in (0..<128 as Range<UInt8>).map({ Character(UnicodeScalar($0)) }) + "éÿ" {
        var text = canonical
        text.replaceSubrange(index...index, with: [character])
        let isDash = canonical[index] == "-"
        let isDigit = "0123456789abcdef".contains(character)
        let isVariant = text.dropFirst(19).first.map { "89ab".contains($0) } ?? false
        #expect((CompactIdentifier(text).bits != nil) == (isDash ? character == "-" : isDigit && isVariant))
        let identifier = CompactIdentifier(text)
        #expect(identifier.text == text && identifier.utf8Count == text.utf8.count)
        #expect((identifier == CompactIdentifier(canonical)) == (text == canonical))
      }
    }
    let others = [
      "", "a", canonical.uppercased(), canonical + "0", String(canonical.dropLast()),
      "018c2bb2-7a40-7000-c000-0000000000af",
    ]
    for text in others {
      #expect(CompactIdentifier(text).bits == nil && CompactIdentifier(text).text == text)
    }
  }
}
