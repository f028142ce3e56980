import Testing
import TrendyModels

@Suite("StableHash", .timeLimit(.minutes(10)))
struct StableHashTests {
  func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 0xF, radix: 16) }.joined()
  }

  /// Examples in FIPS 180-4.
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
  func digests(text: String, digest: String) { #expect(hex(StableHash.sha256(Array(text.utf8))) == digest) }

  /// Message lengths near the limit where the padding needs another block.
  @Test(
    "SHA-256 pads a nearly full block",
    arguments: [
      (55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
      (56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
      (63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"),
      (64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
      (119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"),
      (120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"),
    ])
  func edges(count: Int, digest: String) {
    #expect(hex(StableHash.sha256(Array(repeating: UInt8(ascii: "a"), count: count))) == digest)
  }

  @Test func `a sum does not depend on the order and counts repeated entries`() {
    var sum = KindSum()
    var other = KindSum()
    for id in ["a", "b"] { sum.add(kind: "event", id: id, version: 3, incarnation: 0) }
    for id in ["b", "a"] { other.add(kind: "event", id: id, version: 3, incarnation: 0) }
    #expect(sum == other && sum.count == 2)
    other.add(kind: "event", id: "a", version: 3, incarnation: 0)
    #expect(sum != other)
    // The digest is that of "event", "a", 3 and 0, each on its own line.
    var one = KindSum()
    one.add(kind: "event", id: "a", version: 3, incarnation: 0)
    let digest = hex(Array(StableHash.sha256(Array("event\na\n3\n0".utf8)).prefix(8)))
    #expect(one.hexadecimal == digest && KindSum(count: 1, hexadecimal: digest) == one)
    #expect(KindSum(count: 1, hexadecimal: "no number") == nil)
  }
}
