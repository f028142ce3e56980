import Testing
import TrendyHub

@Suite("Network addresses", .timeLimit(.minutes(10)))
struct NetworkAddressTests {
  @Test(
    "an address has one canonical form",
    arguments: [
      ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("2001:DB8:0:0::1", "2001:db8::1"),
      ("fe80::1%eth0", "fe80::1"), ("::", "::"),
    ])
  func form(text: String, canonical: String) throws {
    #expect(try #require(NetworkAddress(text)).description == canonical)
  }

  @Test(
    "text that is not a numeric address is rejected",
    arguments: ["", "localhost", "1.2.3", "1.2.3.4.5", "1.2.3.4:80", "::g", "01.2.3.256"])
  func none(text: String) { #expect(NetworkAddress(text) == nil) }

  @Test(
    "a block contains the addresses with its prefix",
    arguments: [
      ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.0/8", "::ffff:10.1.2.3", true),
      ("192.168.1.128/25", "192.168.1.127", false), ("192.168.1.128/25", "192.168.1.255", true),
      ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.2", false), ("127.0.0.1", "::1", false),
      ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "2001:db8::1", false), ("::/0", "2001:db8::1", true),
      ("fd00::/8", "fdff::1", true), ("fd00::/8", "fe00::1", false), ("2001:db8::/33", "2001:db8:8000::1", false),
      ("::ffff:10.0.0.0/104", "10.9.9.9", true), ("::ffff:10.0.0.0/104", "11.9.9.9", false),
    ])
  func holds(block: String, address: String, isIn: Bool) throws {
    let range = try #require(NetworkAddressRange(block))
    #expect(range.contains(try #require(NetworkAddress(address))) == isIn)
  }

  @Test(
    "an invalid block is rejected",
    arguments: [
      "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "fd00::/129", "proxy",
      "::ffff:10.0.0.0/8",
    ])
  func noBlock(text: String) { #expect(NetworkAddressRange(text) == nil) }
}
