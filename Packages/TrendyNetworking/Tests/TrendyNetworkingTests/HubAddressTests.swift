import Foundation
import Testing

@testable import TrendyNetworking

@Suite("HubAddress")
struct HubAddressTests {
  @Test(
    "an address is normalized to the API root",
    arguments: [
      ("https://hub.example", "https://hub.example/api/v1"),
      ("https://hub.example/", "https://hub.example/api/v1"),
      ("https://hub.example/api/v1", "https://hub.example/api/v1"),
      ("https://hub.example/api/v1//", "https://hub.example/api/v1"),
      ("https://hub.example/trendy/", "https://hub.example/trendy/api/v1"),
      ("HTTPS://Hub.Example:8443", "https://hub.example:8443/api/v1"),
      ("  hub.example\n", "https://hub.example/api/v1"),
      ("hub.example:8443", "https://hub.example:8443/api/v1"),
      ("localhost:8080", "http://localhost:8080/api/v1"),
      ("127.0.0.1:8080", "http://127.0.0.1:8080/api/v1"),
      ("[::1]:8080", "http://[::1]:8080/api/v1"),
    ])
  func readsAddress(text: String, root: String) throws {
    #expect(try HubAddress(text).url.absoluteString == root)
  }

  @Test(
    "the name contains host and port",
    arguments: [("https://hub.example", "hub.example"), ("http://[::1]:80", "[::1]:80")])
  func namesHub(text: String, name: String) throws {
    #expect(try HubAddress(text).name == name)
  }

  @Test(
    "http is allowed only for this machine",
    arguments: [
      "127.0.0.1.example.com", "hub.example", "192.168.1.5", "127.0.0", "127.0.0.256", "localhost.example", "128.0.0.1",
    ])
  func refusesClearText(host: String) throws {
    #expect(throws: HubAddressError.insecure(host: host)) { try HubAddress("http://\(host)") }
    #expect(try HubAddress("http://\(host)", allowsInsecureHTTP: true).name == host)
  }

  @Test(
    "http is allowed for every name of this machine",
    arguments: ["127.0.0.1", "127.1.2.3", "localhost", "LOCALHOST", "[::1]"])
  func allowsLoopback(host: String) throws {
    #expect(try HubAddress("http://\(host):1").url.scheme == "http")
  }

  @Test(
    "an invalid address is rejected",
    arguments: [
      "", " ", "ftp://hub.example", "https://", "https://hub.example?x=1", "https://hub.example#top",
      "file:///etc/passwd",
      "two words",
    ])
  func refuses(text: String) {
    #expect(throws: HubAddressError.notAnAddress(text)) { try HubAddress(text) }
  }

  @Test func `a password in an address is rejected and not repeated in the message`() {
    #expect(throws: HubAddressError.notAnAddress("…@hub.example")) {
      try HubAddress("https://ada:secret@hub.example")
    }
  }
}
