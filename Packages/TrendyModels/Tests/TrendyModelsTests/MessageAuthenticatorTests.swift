import Testing
import TrendyModels

@Suite("MessageAuthenticator", .timeLimit(.minutes(10)))
struct MessageAuthenticatorTests {
  private func code(_ message: [UInt8], key: [UInt8], parts: Int) -> String {
    var authenticator = MessageAuthenticator(key: key)
    for start in stride(from: 0, to: message.count, by: parts) {
      message[start..<min(start + parts, message.count)].withUnsafeBytes { authenticator.update($0) }
    }
    return authenticator.code().map { String($0 >> 4, radix: 16) + String($0 & 0xF, radix: 16) }.joined()
  }

  /// Test cases 1, 2, 3 and 6 of RFC 4231.
  @Test(
    "the codes match RFC 4231, however the message is divided", arguments: [1, 3, 8, 50, 1000])
  func codes(parts: Int) {
    let found = [
      code(Array("Hi There".utf8), key: [UInt8](repeating: 0x0B, count: 20), parts: parts),
      code(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8), parts: parts),
      code([UInt8](repeating: 0xDD, count: 50), key: [UInt8](repeating: 0xAA, count: 20), parts: parts),
      code(
        Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
        key: [UInt8](repeating: 0xAA, count: 131), parts: parts),
    ]
    #expect(
      found == [
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
      ])
  }

  @Test func `a message in parts of any length has the code of the whole message`() {
    let message = (0..<300).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let whole = code(message, key: [1, 2, 3], parts: 300)
    for parts in 1...130 { #expect(code(message, key: [1, 2, 3], parts: parts) == whole, "parts of \(parts)") }
  }

  @Test func `codes of different length or with a different bit are not equal`() {
    let code = (0..<32).map { UInt8($0) }
    #expect(MessageAuthenticator.isEqual(code, code))
    #expect(!MessageAuthenticator.isEqual(code, Array(code.dropLast())))
    for index in code.indices {
      var other = code
      other[index] ^= 1
      #expect(!MessageAuthenticator.isEqual(code, other))
    }
  }
}
