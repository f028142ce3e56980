import Testing

@testable import TrendyTrips

@Suite("NaturalKey", .timeLimit(.minutes(10)))
struct NaturalKeyTests {
  func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 0xF, radix: 16) }.joined()
  }

  /// FIPS 180-4 examples, and the lengths at which a block is full.
  @Test(
    "SHA-256 gives the digests of the standard",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (String(repeating: "a", count: 1_000), "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
    ])
  func digests(text: String, digest: String) { #expect(hex(SHA256.hash(Array(text.utf8))) == digest) }

  @Test func `the id is a UUID of version 8 and always the same`() {
    let id = NaturalKey.id(for: "trip", "phone", "1")
    #expect(id == NaturalKey.id(for: "trip", "phone", "1"))
    #expect(id.count == 36)
    let characters = Array(id)
    #expect([8, 13, 18, 23].allSatisfy { characters[$0] == "-" })
    #expect(characters[14] == "8")
    #expect("89ab".contains(characters[19]))
    #expect(id == id.lowercased())
  }

  @Test func `parts keep to themselves`() {
    let ids = [
      NaturalKey.id(for: "a", "bc"), NaturalKey.id(for: "ab", "c"), NaturalKey.id(for: "abc"),
      NaturalKey.id(for: "a", "b", "c"), NaturalKey.id(for: "", "abc"), NaturalKey.id(for: []),
    ]
    #expect(Set(ids).count == ids.count)
  }
}
