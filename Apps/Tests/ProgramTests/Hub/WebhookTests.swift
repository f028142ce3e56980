import Foundation
import Testing
import TrendyModels

@Suite("Webhooks of a hub", .waitsForPrograms, .timeLimit(.minutes(10)))
struct WebhookTests {
  let bench: Workbench
  private let data: String

  init() throws {
    bench = try Workbench()
    data = bench.store("hub")
    let made = try bench.run(
      "trendyd", ["hub", "init", "--data", data, "--listen", "127.0.0.1:0"])
    try #require(made.status == 0, "\(made.talk)")
  }

  @Test func `a signed change is delivered and retried after a failure, and the list shows the last response`() throws {
    let receiver = try HTMLServer(failures: 1)
    let url = "http://127.0.0.1:\(receiver.port)/hook?key=1"
    let added = try bench.trendyd("webhook", "add", url, "--kind", "event", "--data", data)
    #expect(added.status == 0, "\(added.talk)")
    let secret = added.output.trimmingCharacters(in: .newlines)
    #expect(try bench.trendyd("webhook", "list", "--data", data).output.contains("no deliveries yet"))

    let token = try #require(
      try bench.trendyd("token", "create", "phone", "--data", data, "--json").document.objectValue?["token"]?
        .stringValue)
    let hub = try Running(bench, "trendyd", ["run", "--role", "hub", "--data", data, "--json"])
    defer { hub.stop() }
    let line = try #require(
      try eventually { hub.text.split(separator: "\n").first { $0.contains("trendyd.run/1") } })
    let address = try #require(
      try WireJSON.decode(JSONValue.self, from: Data(line.utf8))["url"]?.stringValue)
    for (path, body) in [
      ("event-types", ##"{"id":"t","name":"coffee","color":"#000000","icon":"cup"}"##),
      ("events", #"{"id":"e","event_type_id":"t","timestamp":"2026-11-20T08:30:00Z"}"#),
    ] {
      let made = try bench.shell(
        "curl -s -o /dev/null -w '%{http_code}' -H 'Authorization: Bearer \(token)' -H 'Content-Type: application/json' "
          + "-d '\(body)' \(address)/api/v1/\(path)")
      #expect(made.output == "201")
    }
    let requests = try #require(try eventually { receiver.requests.count >= 2 ? receiver.requests : nil })
    #expect(requests.allSatisfy { $0.hasPrefix("POST /hook?key=1 HTTP/1.1\r\n") })
    let (head, body) = try #require(
      requests[1].range(of: "\r\n\r\n").map { end in
        (requests[1][..<end.lowerBound], requests[1][end.upperBound...])
      })
    let document = try WireJSON.decode(JSONValue.self, from: Data(body.utf8))
    #expect(document["schema"] == "trendy.webhook/1")
    #expect(document["changes"]?.arrayValue?.map { $0["entity_id"] } == ["e"])
    // A receiver can verify the signature with openssl.
    let field = try #require(head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("trendy-signature:") })
    let signature = try #require(field.split(separator: " ").last)
    let seconds = try #require(signature.dropFirst(2).split(separator: ",").first)
    let file = bench.folder.appending(path: "signed")
    try Data("\(seconds).\(body)".utf8).write(to: file)
    let digest = try bench.shell("openssl dgst -sha256 -hmac '\(secret)' -r '\(file.path)' | cut -d ' ' -f 1")
    #expect(signature == "t=\(seconds),v1=\(digest.output.trimmingCharacters(in: .newlines))")
    #expect(
      try eventually {
        let list = try bench.trendyd("webhook", "list", "--data", data).output
        return list.contains("status 200") ? true : nil
      } == true)

    let tried = try bench.trendyd("webhook", "try", url, "--data", data)
    #expect(tried.status == 0 && tried.output.contains("status 200"), "\(tried.output)\(tried.talk)")
    #expect(try bench.trendyd("webhook", "rm", url, "--data", data).status == 0)
    #expect(try bench.trendyd("webhook", "list", "--data", data).output.contains("No webhooks yet"))
  }

  @Test func `an unencrypted public address is rejected with a hint`() throws {
    let refused = try bench.trendyd("webhook", "add", "http://example.org/hook", "--data", data)
    #expect(refused.status == 64)
    #expect(refused.talk.contains("use https://"), "\(refused.talk)")
    let unknown = try bench.trendyd("webhook", "rm", "nothing", "--data", data)
    #expect(unknown.status == 66)
    #expect(unknown.talk.contains("trendyd webhook list"), "\(unknown.talk)")
  }
}
