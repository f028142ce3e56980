import Foundation
import Testing
import TrendyModels

#if canImport(Glibc)
  import Glibc
#endif

/// Tests the options and termination of a hub, and its behaviour if descriptors or disk space run out.
@Suite("Running a hub", .waitsForPrograms, .timeLimit(.minutes(10)))
struct HubRunTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  private func initialise(_ words: String..., name: String = "hub") throws -> String {
    let data = bench.store(name)
    let made = try bench.run("trendyd", ["hub", "init", "--data", data] + words)
    try #require(made.status == 0, "\(made.talk)")
    return data
  }

  /// Waits for the JSON document that a hub prints when it starts.
  private func document(_ running: Running) throws -> [String: JSONValue] {
    try #require(
      try eventually {
        guard running.process.isRunning else { throw BenchError(running.text) }
        guard let line = running.text.split(separator: "\n").first(where: { $0.contains("trendyd.run/1") }) else {
          return nil
        }
        return try WireJSON.decode(JSONValue.self, from: Data(line.utf8)).objectValue
      })
  }

  // MARK: Options

  @Test func `options of hub init are stored and used by run, and pair prints the actual address`() throws {
    let data = try initialise("--listen", "127.0.0.1:0", "--host", "hub.example", "--limit", "requestsPerMinute=5")
    let before = try bench.trendyd("pair", "--data", data)
    #expect(before.output.contains("trendy connect http://NAME:PORT "), "\(before.output)")
    let running = try Running(bench, "trendyd", ["run", "--role", "hub", "--data", data, "--json"])
    defer { running.stop() }
    let url = try #require(try document(running)["url"]?.stringValue)
    let port = try #require(url.split(separator: ":").last)
    let paired = try bench.trendyd("pair", "--data", data, "--json")
    #expect(try paired.document.objectValue?["url"] == .string("http://hub.example:\(port)"), "\(paired.output)")
    let named = try bench.shell("curl -s -o /dev/null -w '%{http_code}' -H 'Host: hub.example' \(url)/api/v1/health")
    #expect(named.output == "200")
    let unknown = try bench.shell(
      "curl -s -o /dev/null -w '%{http_code}' -H 'Host: other.example' \(url)/api/v1/health")
    #expect(unknown.output == "403")
    let token = try #require(
      try bench.trendyd("token", "create", "phone", "--data", data, "--json").document.objectValue?["token"]?
        .stringValue)
    let asked = try bench.shell(
      "for i in 1 2 3 4 5 6; do curl -s -o /dev/null -w '%{http_code} ' -H 'Authorization: Bearer \(token)' "
        + "\(url)/api/v1/changes; done")
    #expect(asked.output == "200 200 200 200 200 429 ")
  }

  @Test func `printed commands contain the folder of the hub`() throws {
    let data = bench.store("my hub")
    let made = try bench.trendyd("hub", "init", "--data", data)
    #expect((made.output + made.talk).contains("trendyd run --role hub --data '\(data)'"), "\(made)")
    let other = try bench.trendyd("pair", "--data", data + "-2")
    #expect(other.talk.contains("--data FOLDER"), "\(other)")
  }

  @Test func `a hub writes only to its folder`() throws {
    let data = try initialise("--listen", "127.0.0.1:0")
    let running = try Running(bench, "trendyd", ["run", "--role", "hub", "--data", data, "--json"])
    defer { running.stop() }
    _ = try document(running)
    let beside = try FileManager.default.contentsOfDirectory(atPath: bench.folder.path)
      .filter { $0 == ".cache" || $0 == ".local" }
    #expect(beside.isEmpty)
  }

  @Test func `an option of run overrides the stored one`() throws {
    let data = try initialise("--listen", "127.0.0.1:0", "--host", "old.example")
    let running = try Running(
      bench, "trendyd", ["run", "--role", "hub", "--data", data, "--host", "new.example", "--json"])
    defer { running.stop() }
    let url = try #require(try document(running)["url"]?.stringValue)
    for (host, status) in [("new.example", "200"), ("old.example", "403")] {
      let asked = try bench.shell("curl -s -o /dev/null -w '%{http_code}' -H 'Host: \(host)' \(url)/api/v1/health")
      #expect(asked.output == status, "\(host)")
    }
  }

  @Test func `pair prints the host of the running hub and the option that allows plain HTTP`() throws {
    let data = try initialise("--listen", "127.0.0.1:0")
    let running = try Running(
      bench, "trendyd", ["run", "--role", "hub", "--data", data, "--host", "attic.lan", "--json"])
    defer { running.stop() }
    let port = try #require(try document(running)["url"]?.stringValue?.split(separator: ":").last)
    let paired = try bench.trendyd("pair", "--data", data)
    #expect(paired.output.contains("trendy connect http://attic.lan:\(port) "), "\(paired.output)")
    #expect(paired.output.contains(" --insecure\n"), "without TLS, the device has to be told so")
    let link = try bench.trendyd("pair", "--data", data, "--json").document.objectValue?["link"]?.stringValue
    #expect(link?.hasPrefix("trendy://connect?hub=http://attic.lan:\(port)&code=") == true)
    // The link contains everything that a device needs, except the user's consent to HTTP without TLS.
    let offered = try bench.trendyd("pair", "--data", data, "--url", "http://127.0.0.1:\(port)", "--json")
    let whole = try #require(offered.document.objectValue?["link"]?.stringValue)
    let code = try #require(offered.document.objectValue?["code"]?.stringValue)
    try bench.trendy("init")
    for (words, words2) in [(whole, code), (whole.replacing("&code", with: "&cod"), "")] {
      let refused = try bench.run(
        "trendy", ["connect", words] + (words2.isEmpty ? [] : [words2]) + ["--store", bench.store()])
      #expect(refused.status == 64, "\(refused.talk)")
    }
    #expect(try bench.trendy("connect", "http://127.0.0.1:\(port)").talk.contains("trendyd pair"))
    let connected = try bench.trendy("connect", whole)
    #expect(connected.status == 0, "\(connected.talk)")
  }

  @Test func `pair prints the public address of a hub behind a proxy`() throws {
    let data = try initialise("--listen", "127.0.0.1:0", "--url", "https://hub.example", "--proxy", "127.0.0.1")
    let paired = try bench.trendyd("pair", "--data", data)
    #expect(paired.output.contains("trendy connect https://hub.example "), "\(paired.output)")
    #expect(!paired.output.contains("--insecure") && !paired.output.contains("\u{1B}"), "a pipe gets no picture")
    let running = try Running(bench, "trendyd", ["run", "--role", "hub", "--data", data, "--json"])
    defer { running.stop() }
    let url = try #require(try document(running)["url"]?.stringValue)
    let asked = try bench.shell("curl -s -o /dev/null -w '%{http_code}' -H 'Host: hub.example' \(url)/api/v1/health")
    #expect(asked.output == "200")
    for wrong in ["hub.example", "ftp://hub.example", "https://"] {
      let refused = try bench.trendyd("pair", "--data", data, "--url", wrong)
      #expect(refused.status == 64 && refused.talk.contains("https://hub.example"), "\(wrong): \(refused.talk)")
    }
  }

  @Test(
    "a terminal shows a QR code if it supports Unicode",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script"), "script is not installed"))
  func picture() throws {
    let data = try initialise("--listen", "127.0.0.1:8787")
    let command = "trendyd pair --data \(data)"
    let shown = try bench.shell("TERM=xterm LANG=C.UTF-8 script -qec '\(command)' /dev/null </dev/null")
    #expect(shown.output.contains("\u{1B}[38;5;16;48;5;231m") && shown.output.contains("▀"), "\(shown.output)")
    let plain = try bench.shell("TERM=xterm LANG=C script -qec '\(command)' /dev/null </dev/null")
    #expect(!plain.output.contains("▀") && plain.output.contains("trendy connect"), "\(plain.output)")
  }

  @Test func `connect names the option that allows a hub without TLS`() throws {
    let result = try bench.trendy("connect", "http://attic.lan:8787", "1234-5678")
    #expect(result.status == 64 && result.talk.contains("--insecure"), "\(result.talk)")
  }

  @Test(
    "an untrusted certificate is reported with a hint on where to install its authority",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"), "openssl is not installed"))
  func untrusted() throws {
    let (key, certificate) = (bench.store("key.pem"), bench.store("certificate.pem"))
    let words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    let made = try bench.run("/usr/bin/openssl", words + ["-keyout", key, "-out", certificate])
    try #require(made.status == 0, "\(made.talk)")
    let server = try Running(
      bench, "/usr/bin/openssl",
      ["s_server", "-4", "-accept", "0", "-key", key, "-cert", certificate, "-www"])
    // openssl does not reset an inherited signal mask, so SIGTERM may be blocked. SIGKILL cannot be blocked.
    defer { server.kill() }
    let port: Substring? = try eventually {
      let line = server.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        .first { $0.hasPrefix("ACCEPT") }
      return line?.split(separator: ":").last
    }
    let result = try bench.trendy("connect", "https://localhost:\(try #require(port))", "1234-5678")
    #expect(result.status == 77 && result.talk.contains("certificate of the hub is not trusted"), "\(result.talk)")
    #expect(result.talk.contains("update-ca-certificates"))
  }

  @Test func `a wildcard address is explained`() throws {
    let data = try initialise("--listen", "0.0.0.0:8787", name: "wide")
    let paired = try bench.trendyd("pair", "--data", data)
    #expect(paired.output.contains("trendy connect http://NAME:8787 "), "\(paired.output)")
    #expect(
      paired.talk.contains("0.0.0.0 means all networks") && paired.talk.contains("--host NAME"), "\(paired.talk)")
    let named = try bench.trendyd("pair", "--data", data, "--host", "attic.lan")
    #expect(named.output.contains("trendy connect http://attic.lan:8787 ") && named.talk.isEmpty, "\(named.talk)")
  }

  @Test(
    "an invalid value is rejected with the valid ones",
    arguments: [
      (["--proxy", "nginx"], "10.0.0.0/8"), (["--proxy", "10.0.0.0/33"], "10.0.0.0/8"),
      (["--limit", "connections"], "connections=400"),
      (["--limit", "connections=0"], "1 to 1048576"), (["--limit", "conections=5"], "Did you mean 'connections'?"),
      (["--limit", "headDeadline=fast"], "1s to 3600s"), (["--limit", "requestsPerMinute=-1"], "none"),
      (["--listen", "8787"], "127.0.0.1:8787"), (["--host", "http://x"], "without http://"),
    ])
  func refused(words: [String], hint: String) throws {
    for command in [["run", "--role", "hub"], ["hub", "init"]] {
      let result = try bench.run("trendyd", command + words + ["--data", bench.store("none")])
      #expect(result.status == 64, "\(words): \(result.talk)")
      #expect(result.talk.contains(hint), "\(words): \(result.talk)")
    }
    #expect(!FileManager.default.fileExists(atPath: bench.store("none")))
  }

  @Test func `an unreadable stored option is reported, and the hub does not start`() throws {
    let data = try initialise()
    try Data(#"{"limits":{"bodyBytes":"much"}}"#.utf8).write(to: URL(filePath: data).appending(path: "hub.json"))
    let result = try bench.trendyd("run", "--role", "hub", "--data", data)
    #expect(
      result.status == 78 && result.talk.contains("hub.json") && result.talk.contains("bodyBytes"), "\(result.talk)")
  }

  @Test func `five wrong codes from one client behind a proxy do not block other clients`() throws {
    let data = try initialise("--listen", "127.0.0.1:0", "--proxy", "127.0.0.0/8")
    let running = try Running(bench, "trendyd", ["run", "--role", "hub", "--data", data, "--json"])
    defer { running.stop() }
    let url = try #require(try document(running)["url"]?.stringValue)
    func pair(_ code: String, for client: String) throws -> String {
      try bench.shell(
        #"curl -s -o /dev/null -w '%{http_code}' -H 'X-Forwarded-For: \#(client)' -d '{"code":"\#(code)","device_name":"x"}' "#
          + "\(url)/api/v1/pair"
      ).output
    }
    for _ in 0..<5 { #expect(try pair("0000-0000", for: "203.0.113.7") == "403") }
    let code = try #require(
      try bench.trendyd("pair", "--data", data, "--json").document.objectValue?["code"]?.stringValue)
    #expect(try pair(code, for: "203.0.113.7") == "429")
    #expect(try pair(code, for: "203.0.113.8") == "201")
    #expect(running.text.contains(#""remote":"203.0.113.7""#))
  }

  // MARK: Log and termination

  @Test func `a hub whose log is not read still answers requests and terminates`() throws {
    let data = try initialise("--listen", "127.0.0.1:0")
    let process = Process()
    process.executableURL = URL(filePath: Workbench.path("trendyd"))
    process.arguments = ["run", "--role", "hub", "--data", data, "--json"]
    let (output, talk) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = talk
    try process.run()
    defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    let url = try #require(
      try WireJSON.decode(JSONValue.self, from: Data(line.utf8)).objectValue?["url"]?.stringValue, "\(line)")
    // Each request is logged with about 200 bytes. A pipe holds 65,536 bytes, and the log buffer 1 MiB.
    let asked = try bench.shell(
      "curl -s -o /dev/null -w '%{http_code}\\n' '\(url)/api/v1/health?[1-9000]' | sort | uniq -c | tr -s ' '")
    #expect(asked.output == " 9000 200\n", "\(asked.output)")
    process.terminate()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    // Some log lines were dropped.
    let text = String(decoding: talk.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(text.split(separator: "\n").count < 9000)
  }

  @Test func `a log that is read again contains the number of lost lines`() throws {
    let data = try initialise("--listen", "127.0.0.1:0")
    let log = bench.folder.appending(path: "log.fifo").path
    try #require(mkfifo(log, 0o600) == 0)
    let reader = open(log, O_RDWR | O_CLOEXEC)
    defer { close(reader) }
    let running = try Running(bench, "trendyd", ["run", "--role", "hub", "--data", data, "--json", "--log", log])
    defer { running.kill() }
    let url = try #require(try document(running)["url"]?.stringValue)
    let asked = try bench.shell("curl -s -o /dev/null '\(url)/api/v1/health?[1-9000]'")
    #expect(asked.status == 0)
    var text = ""
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var waiting = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
    while !text.contains("lost_lines"), poll(&waiting, 1, 120_000) > 0 {
      let count = read(reader, &buffer, buffer.count)
      guard count > 0 else { break }
      text += String(decoding: buffer[..<count], as: UTF8.self)
    }
    let notice = try #require(text.split(separator: "\n").first { $0.contains("lost_lines") })
    let lost = try WireJSON.decode(JSONValue.self, from: Data(notice.utf8)).objectValue?["lost_lines"]?.intValue
    let written = text.split(separator: "\n").count { $0.contains(#""path":"/api/v1/health""#) }
    #expect(Int(lost ?? 0) + written == 9000, "\(lost ?? 0) + \(written)")
  }

  @Test func `SIGHUP makes a hub reopen its log file`() throws {
    let data = try initialise("--listen", "127.0.0.1:0")
    let log = bench.folder.appending(path: "hub.log").path
    let running = try Running(bench, "trendyd", ["run", "--role", "hub", "--data", data, "--json", "--log", log])
    defer { running.stop() }
    let url = try #require(try document(running)["url"]?.stringValue)
    func ask(_ mark: String) throws { #expect(try bench.shell("curl -s '\(url)/\(mark)'").status == 0) }
    func content(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
    try ask("before")
    #expect(try eventually { content(log).contains("/before") ? true : nil } == true)
    try FileManager.default.moveItem(atPath: log, toPath: log + ".1")
    kill(running.process.processIdentifier, SIGHUP)
    #expect(try eventually { FileManager.default.fileExists(atPath: log) ? true : nil } == true)
    try ask("after")
    #expect(try eventually { content(log).contains("/after") ? true : nil } == true)
    #expect(!content(log + ".1").contains("/after"))
    running.stop()
    #expect(running.process.terminationStatus == 0)
  }

  @Test func `a hub terminates although the detection of trips hangs`() throws {
    let data = try initialise("--listen", "127.0.0.1:0")
    // Use a FIFO to simulate a disk that hangs: opening the FIFO blocks until another process opens it for writing.
    let users = try bench.trendyd("user", "list", "--data", data, "--json").document.objectValue?["users"]
    let user = try #require(users?.arrayValue?.first?.objectValue?["id"]?.stringValue)
    let folder = URL(filePath: data).appending(path: "tracks/\(user)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try #require(mkfifo(folder.appending(path: "manifest").path, 0o600) == 0)
    let running = try Running(bench, "trendyd", ["run", "--role", "hub", "--data", data, "--json"])
    defer { running.kill() }
    let url = try #require(try document(running)["url"]?.stringValue)
    #expect(try bench.shell("curl -sf '\(url)/api/v1/health'").status == 0)
    running.stop()
    #expect(running.process.terminationStatus == 0)
    #expect(running.text.contains("did not finish in time"), "\(running.text)")
  }

  // MARK: Resource limits

  @Test func `a hub with few descriptors serves more users than stores fit at once`() throws {
    let data = try initialise("--listen", "127.0.0.1:0", "--limit", "requestsPerMinute=none")
    let log = bench.folder.appending(path: "few.log").path
    let running = try Running(
      bench, "/bin/bash",
      ["-c", "ulimit -n 256; exec \(Workbench.path("trendyd")) run --role hub --data \(data) --json --log \(log)"])
    defer { running.stop() }
    let url = try #require(try document(running)["url"]?.stringValue)
    var tokens: [String] = []
    for number in 0..<60 {
      try #require(try bench.trendyd("user", "add", "p\(number)", "--data", data, "-q").status == 0)
      tokens.append(
        try #require(
          try bench.trendyd("token", "create", "d", "--name", "p\(number)", "--data", data, "--json").document
            .objectValue?[
              "token"]?.stringValue))
    }
    for round in 0..<2 {
      for (number, token) in tokens.enumerated() {
        let type = ##"{"id":"t\##(round)","name":"t\##(round)","color":"#112233","icon":"x"}"##
        let fix = #"{"_type":"location","tst":\#(1_700_000_000 + round * 60),"lat":52,"lon":4,"acc":5}"#
        let answers = try bench.shell(
          "curl -s -o /dev/null -w '%{http_code} ' -H 'Authorization: Bearer \(token)' -d '\(type)' \(url)/api/v1/event-types; "
            + "curl -s -o /dev/null -w '%{http_code}' -u a:\(token) -d '\(fix)' \(url)/pub")
        try #require(answers.output == "201 200", "\(round) \(number): \(running.text)")
      }
    }
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(running.process.processIdentifier)/fd")
      .count
    #expect(open < 256)
  }

  @Test func `a connection limit above the number of file descriptors is rejected`() throws {
    let data = try initialise("--limit", "connections=1000")
    let result = try bench.shell("ulimit -n 512; trendyd run --role hub --data '\(data)'")
    #expect(result.status == 78, "\(result.talk)")
    #expect(
      result.talk.contains("512 file descriptors are too few for 1000 connections")
        && result.talk.contains("--limit connections="))
  }

  @Test func `a full disk fails the readiness check but not the health check`() throws {
    let data = try initialise("--listen", "127.0.0.1:0")
    // Set a file size limit, which has the same effect for the program as a full disk.
    let running = try Running(
      bench, "/bin/bash",
      ["-c", "ulimit -f 64; exec \(Workbench.path("trendyd")) run --role hub --data \(data) --json -q"])
    defer { running.stop() }
    let url = try #require(try document(running)["url"]?.stringValue)
    let ready = try bench.shell("curl -s -w ' %{http_code}' \(url)/api/v1/ready")
    #expect(ready.output.contains("storage_full") && ready.output.hasSuffix(" 507"), "\(ready.output)")
    #expect(try bench.shell("curl -s -w ' %{http_code}' \(url)/api/v1/health").output.hasSuffix(" 200"))
  }
}
