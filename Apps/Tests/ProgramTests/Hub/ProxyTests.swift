import Foundation
import Testing
import TrendyModels

#if canImport(Glibc)
  import Glibc
#endif

/// Path of nginx, or `nil` if nginx is not installed.
private let nginx = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/bin/nginx"].first {
  FileManager.default.isExecutableFile(atPath: $0)
}

/// Tests the nginx example in docs/scale.md with two hubs on one database, one on a Unix socket and one on a TCP port.
@Suite(
  "Hubs behind nginx", .onPostgres,
  .enabled(if: nginx != nil, "nginx is not installed: Tools/install-libraries --for-tests"),
  .waitsForPrograms, .timeLimit(.minutes(20)))
struct ProxyTests {
  private let database: DatabaseBench
  private let data: String
  private var bench: Workbench { database.bench }
  private let port: Int

  init() throws {
    database = try DatabaseBench()
    data = try database.initialise()
    // Use a port that was free a moment ago.
    port = Int(try HTMLServer().port)
  }

  private func hub(_ name: String, listen: String) throws -> HubProcess {
    try HubProcess(
      bench,
      [
        "--data", bench.store(name), "--storage", database.storage, "--listen", listen, "--host", "hub.example",
        "--proxy", "127.0.0.1", "--limit", "requestsPerMinute=none",
      ])
  }

  /// Starts nginx with the configuration from docs/scale.md, adapted to the paths and ports of the test.
  private func proxy(_ socket: String, _ address: String) throws -> Running {
    let docs = Samples.repository.appending(path: "docs/scale.md")
    let text = try String(contentsOf: docs, encoding: .utf8)
    let start = try #require(text.range(of: "```nginx\n"))
    let end = try #require(text.range(of: "```", range: start.upperBound..<text.endIndex))
    var example = String(text[start.upperBound..<end.lowerBound])
    for (old, new) in [
      ("unix:/run/trendy/hub.sock", "unix:\(socket)"), ("10.0.0.2:8787", address),
      ("listen 443 ssl", "listen 127.0.0.1:\(port) ssl"), ("/etc/ssl/hub.example.pem", bench.store("cert.pem")),
      ("/etc/ssl/hub.example.key", bench.store("cert.key")),
    ] {
      try #require(example.contains(old), "\(old)")
      example = example.replacing(old, with: new)
    }
    let made = try bench.shell(
      "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=hub.example -keyout '\(bench.store("cert.key"))' "
        + "-out '\(bench.store("cert.pem"))'")
    try #require(made.status == 0, "\(made.talk)")
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(bench.store($0));" }
    let configuration = """
      \(geteuid() == 0 ? "user root;" : "")
      daemon off; pid \(bench.store("nginx.pid")); error_log stderr; worker_processes 1;
      events { worker_connections 256; }
      http { access_log off; \(temporary.joined(separator: " "))
      \(example)
      }
      """
    let file = bench.folder.appending(path: "nginx.conf")
    try Data(configuration.utf8).write(to: file)
    return try Running(bench, try #require(nginx), ["-p", bench.folder.path, "-c", file.path])
  }

  private func ask(_ words: String, token: String? = nil) throws -> (output: String, status: Int32) {
    let bearer = token.map { "-H 'Authorization: Bearer \($0)' " } ?? ""
    let result = try bench.shell(
      "curl -sk --max-time 20 --resolve hub.example:\(port):127.0.0.1 \(bearer)"
        + words.replacing("HUB", with: "https://hub.example:\(port)"))
    return (result.output, result.status)
  }

  @Test func `the example serves, compresses and streams, and continues when a hub is killed`() throws {
    let token = try database.token("phone", data)
    let socket = bench.store("hub.sock")
    let hubs = try [hub("hub-0", listen: "unix:\(socket)"), hub("hub-1", listen: "127.0.0.1:0")]
    defer { for hub in hubs { hub.process.stop() } }
    #expect(hubs[0].url == "unix:\(socket)")
    let server = try proxy(socket, String(hubs[1].url.dropFirst("http://".count)))
    defer { server.stop() }
    let answers: Bool? = try eventually {
      guard server.process.isRunning else { throw BenchError(server.text) }
      return try ask("-f HUB/api/v1/health").status == 0 ? true : nil
    }
    try #require(answers == true)

    let type = ##"{"id":"t","name":"t","color":"#00FF00","icon":"cup"}"##
    #expect(try ask("-f -d '\(type)' HUB/api/v1/event-types", token: token).status == 0)
    let stream = try Running(
      bench, "/bin/bash",
      [
        "-c", "curl -skN --resolve hub.example:\(port):127.0.0.1 -H \"Authorization: Bearer $1\" $2", "stream", token,
        "https://hub.example:\(port)/api/v1/changes/stream",
      ], environment: ["PATH": "/usr/bin:/bin"])
    defer { stream.kill() }
    func post(_ id: String) throws -> Int32 {
      let event = #"{"id":"\#(id)","event_type_id":"t","timestamp":"2026-01-01T00:00:00.000Z"}"#
      return try ask("-f -o /dev/null -d '\(event)' HUB/api/v1/events", token: token).status
    }
    for number in 0..<20 { #expect(try post("before-\(number)") == 0) }
    #expect(try eventually { stream.text.contains("\"cursor\":21}") ? true : nil } == true)

    let feed = "HUB/api/v1/changes?since=0"
    let small = try ask(
      "-o /dev/null -w '%header{content-encoding} %{size_download}' --compressed '\(feed)'", token: token)
    let large = try ask("-o /dev/null -w '%{size_download}' '\(feed)'", token: token)
    #expect(small.output.hasPrefix("gzip "), "\(small.output)")
    #expect((Int(small.output.dropFirst(5)) ?? 0) < (Int(large.output) ?? 0) / 3)
    // Requests through the proxy are not considered local.
    #expect(try ask("-o /dev/null -w '%{http_code}' HUB/metrics").output == "401")

    hubs[0].process.kill()
    for number in 0..<20 { #expect(try post("after-\(number)") == 0) }
    #expect(try ask("-f HUB/api/v1/changes/latest-cursor", token: token).output.contains("41"))
  }

  @Test func `a hub on a Unix socket replaces the socket of a killed one, and a relative path is rejected`() throws {
    let socket = bench.store("hub.sock")
    for _ in 0..<2 {
      let hub = try hub("hub", listen: "unix:\(socket)")
      let asked = try bench.shell("curl -sf --unix-socket '\(socket)' http://localhost/api/v1/health")
      #expect(asked.output.contains("ok"))
      hub.process.kill()
    }
    let refused = try bench.trendyd("hub", "init", "--data", bench.store("other"), "--listen", "unix:relative")
    #expect(refused.status == 64 && refused.talk.contains("unix:/run/trendy/hub.sock"), "\(refused.talk)")
  }
}
