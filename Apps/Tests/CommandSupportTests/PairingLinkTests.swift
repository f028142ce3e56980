import CommandSupport
import Testing

@Suite("PairingLink")
struct PairingLinkTests {
  @Test(
    "a link survives a round trip for any address",
    arguments: ["https://hub.example", "http://[::1]:8787", "https://hub.example/a%20b/c&d=e", "http://ä.example"])
  func roundTrip(hub: String) {
    let link = PairingLink(hub: hub, code: "4821-0937")
    #expect(PairingLink(link.description) == link)
  }

  @Test func `a link escapes only what it must, and unknown parameters are ignored`() {
    let text = "trendy://connect?hub=http://attic.lan:8787&code=4821-0937"
    #expect(PairingLink(hub: "http://attic.lan:8787", code: "4821-0937").description == text)
    #expect(PairingLink("TRENDY://connect?hub=http%3A%2F%2Fattic.lan%3A8787&v=2&code=4821-0937")?.description == text)
  }

  @Test(
    "an incomplete or malformed link is nil",
    arguments: [
      "trendy://connect", "trendy://connect?hub=https://hub.example", "trendy://connect?hub=&code=1",
      "trendy://connect?hub=https://hub.example&code", "trendy://connect?hub=%zz&code=1",
      "trendy://connect?hub=%ff&code=1", "https://hub.example", "trendy://other?hub=a&code=b",
    ])
  func refused(text: String) {
    #expect(PairingLink(text) == nil)
  }
}
