import Testing
import TrendyHub
import TrendyModels

@Suite("Pairing pictures")
struct PairingPictureTests {
  @Test func `the dark modules are runs of a path`() {
    let rows = ["##.", "..#", "###"].map(Array.init)
    let picture = PairingPicture(link: "x", size: 3) { rows[$0][$1] == "#" }
    #expect(picture.path == "M0 0h2v1h-2zM2 1h1v1h-1zM0 2h3v1h-3z")
  }

  @Test func `a pairing code has a picture with the URL of the request`() async throws {
    let hub = try TestHub { code, address in
      address == "http://localhost:1"
        ? nil : PairingPicture(link: "\(address ?? "-") \(code)", size: 1) { _, _ in true }
    }
    let made = try await hub.send("POST", "/me/pairing-codes", headers: [("Host", "127.0.0.1:8")])
    let code = try #require(made["code"].stringValue)
    #expect(
      made["picture"] == ["link": .string("http://127.0.0.1:8 \(code)"), "size": 1, "path": "M0 0h1v1h-1z"])
    let local = try await hub.send("POST", "/me/pairing-codes", headers: [("Host", "localhost:1")])
    #expect(local.status == 201 && local["picture"].isNull)
  }
}
