import Foundation
import HubTesting
import Testing
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendyTesting

@testable import TrendyHub

@Suite("Metrics of a hub")
struct HubMetricsTests {
  /// Returns the status, the text, and the values of the metrics keyed by name and labels.
  private func metrics(
    of server: HubServer, address: String = "127.0.0.1", headers: [(String, String)] = []
  ) async throws -> (status: Int, values: [String: Double], text: String) {
    let response = await server.handle(
      HTTPRequest(
        id: "r", method: "GET", target: "/metrics", headers: HTTPHeaders(headers), body: Data(), remoteAddress: address)
    )
    let text = String(decoding: try await response.collectedBody(), as: UTF8.self)
    var values: [String: Double] = [:]
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      guard let space = line.lastIndex(of: " ") else { continue }
      values[String(line[..<space])] = Double(line[line.index(after: space)...])
    }
    return (response.status, values, text)
  }

  @Test func `requests are counted by route and commits by the storage`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    try await hub.makeEvent("a")
    _ = try await hub.send("GET", "/events/nothing")
    _ = try await hub.send("GET", "/changes?since=0")
    _ = try await hub.send("GET", "/elsewhere")
    let (status, values, text) = try await metrics(of: hub.server)
    #expect(status == 200)
    #expect(values["trendy_hub_requests_total{route=\"entities\",status=\"201\"}"] == 2)
    #expect(values["trendy_hub_requests_total{route=\"entities\",status=\"404\"}"] == 1)
    #expect(values["trendy_hub_requests_total{route=\"sync\",status=\"200\"}"] == 1)
    #expect(values["trendy_hub_requests_total{route=\"other\",status=\"404\"}"] == 1)
    #expect(values["trendy_hub_request_duration_seconds_bucket{route=\"entities\",le=\"+Inf\"}"] == 3)
    #expect(values["trendy_hub_request_duration_seconds_count{route=\"entities\"}"] == 3)
    let commits = try #require(values["trendy_hub_storage_commits_total"])
    #expect(commits >= 2)
    #expect(values["trendy_hub_storage_commit_writes_sum"] == commits)
    #expect(values["trendy_hub_storage_errors_total{reason=\"full\"}"] == 0)
    #expect(!text.contains(hub.user.id) && !text.contains("Anna"))
  }

  @Test func `storage errors are counted by reason`() async throws {
    let hub = try TestHub()
    try hub.storage.erase(user: hub.user.id)
    #expect(try await hub.send("GET", "/changes?since=0").status == 401)
    #expect(try await metrics(of: hub.server).values["trendy_hub_storage_errors_total{reason=\"erased\"}"] ?? 0 > 0)
  }

  @Test func `other machines and proxies need a token`() async throws {
    let hub = try TestHub()
    let token = [("Authorization", "Bearer \(hub.token)")]
    let forwarded = [("X-Forwarded-For", "192.0.2.7")]
    #expect(try await metrics(of: hub.server, address: "::1").status == 200)
    #expect(try await metrics(of: hub.server, address: "192.0.2.7").status == 401)
    #expect(try await metrics(of: hub.server, headers: forwarded).status == 401)
    #expect(try await metrics(of: hub.server, headers: [("Via", "1.1 proxy")]).status == 401)
    #expect(try await metrics(of: hub.server, address: "192.0.2.7", headers: token).status == 200)
    #expect(try await metrics(of: hub.server, headers: forwarded + token).status == 200)
    #expect(try await metrics(of: hub.server, headers: [("Origin", "https://elsewhere.example")]).status == 403)
  }

  @Test func `a bucket counts all values up to its bound`() {
    var histogram = MetricHistogram(bounds: [1, 2])
    for value in [0.5, 1, 1.5, 2, 2.5] { histogram.add(value) }
    var text = PrometheusText()
    text.histogram("h", "Help.", [([("a", "b")], histogram)])
    #expect(
      text.description == """
        # HELP h Help.
        # TYPE h histogram
        h_bucket{a="b",le="1"} 2
        h_bucket{a="b",le="2"} 4
        h_bucket{a="b",le="+Inf"} 5
        h_sum{a="b"} 7.5
        h_count{a="b"} 5

        """)
  }

  @Test func `the dashboard uses only existing metrics and labels, and every metric`() async throws {
    let file = URL(filePath: #filePath).appending(path: "../../../../../docs/grafana-hub.json").standardized
    let dashboard = try WireJSON.decode(JSONValue.self, from: Data(contentsOf: file))
    let panels = try #require(dashboard["panels"].arrayValue)
    let asked = panels.flatMap { $0["targets"].arrayValue ?? [] }.compactMap { $0["expr"].stringValue }
    #expect(asked.count >= panels.count)
    let hub = try TestHub()
    try await hub.makeType()
    let known = try await metrics(of: hub.server).text
    let types = known.matches(of: /# TYPE (\w+) (\w+)/).map { (String($0.output.1), String($0.output.2)) }
    var names: Set<String> = []
    for (name, type) in types {
      names.formUnion(type == "histogram" ? ["_bucket", "_sum", "_count"].map { name + $0 } : [name])
    }
    let used = Set(asked.flatMap { $0.matches(of: /trendy_\w+/).map { String($0.output) } })
    #expect(used.subtracting(names).isEmpty)
    for (name, _) in types { #expect(used.contains { $0.hasPrefix(name) }, "no panel shows \(name)") }
    let groupings = asked.flatMap { $0.matches(of: /by \(([a-z, ]+)\)/).map { String($0.output.1) } }
    let labels = Set(groupings.flatMap { $0.split(separator: ",").map { String($0.drop { $0 == " " }) } })
    for label in labels where label != "instance" {
      #expect(known.contains("\(label)=\""), "\(label)")
    }
  }
}
