import Testing
import TrendyPersistence

@Suite("Checksum and keys")
struct ChecksumTests {
  @Test(
    "checksums equal those of the reference implementation",
    arguments: [
      ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
      ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
    ] as [(String, UInt64)])
  func vectors(text: String, expected: UInt64) {
    #expect(Checksum.xxh64(text) == expected)
  }

  @Test func `every byte of every length and the seed affect the checksum`() {
    var seen: Set<UInt64> = []
    for length in 0..<100 {
      var bytes = [UInt8](repeating: 0, count: length)
      seen.insert(bytes.withUnsafeBytes { Checksum.xxh64($0) })
      for index in 0..<length {
        bytes[index] = 1
        seen.insert(bytes.withUnsafeBytes { Checksum.xxh64($0) })
        bytes[index] = 0
      }
      seen.insert(bytes.withUnsafeBytes { Checksum.xxh64($0, seed: 1) })
    }
    #expect(seen.count == 100 + 4950 + 100)
  }

  @Test func `the key of a canonical UUID is the UUID, other text has none`() {
    let text = "018c2bb2-7a40-7abc-bdef-00000000abcd"
    let key = RowKey(canonicalUUID: text)
    #expect(key == RowKey(high: 0x018C_2BB2_7A40_7ABC, low: 0xBDEF_0000_0000_ABCD))
    #expect(key?.uuidText == text)
    #expect(key?.description == "018c2bb27a407abcbdef00000000abcd")
    for other in [
      "", "018c2bb2-7a40-7abc-bdef-00000000abc", "018c2bb2-7a40-7abc-bdef-00000000abcde",
      "018C2BB2-7a40-7abc-bdef-00000000abcd", "018c2bb2x7a40-7abc-bdef-00000000abcd",
      "018c2bb2-7a40-7abc-7def-00000000abcd", "018c2bb2-7a40-7abc-fdef-00000000abcd",
      "018c2bb2-7a40-7abc-bdef-00000000abcg", "018c2bb2-7a40-7abc-bdef-0000000é-bcd",
    ] {
      #expect(RowKey(canonicalUUID: other) == nil)
      // The top two bits in the lower half are 10 in a UUID and 11 in a hash.
      #expect(RowKey(hashing: other).low >> 62 == 3)
    }
  }
}
