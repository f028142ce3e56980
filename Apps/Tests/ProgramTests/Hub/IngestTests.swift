import Foundation
import Testing
import TrendyModels

#if canImport(Glibc)
  import Glibc
#endif

/// Tests posting the positions of a recorded drive to a hub and to an agent, as trackers do, over real sockets.
@Suite("Ingest", .waitsForPrograms, .timeLimit(.minutes(10)))
struct IngestTests {
  /// A position of the recorded drive, which is 7.4 km long and takes half an hour.
  struct Fix {
    var latitude: Double
    var longitude: Double
    var time: Date

    var seconds: Int { Int(time.timeIntervalSince1970) }
    var ownTracks: String {
      #"{"_type":"location","tst":\#(seconds),"lat":\#(latitude),"lon":\#(longitude),"acc":5,"topic":"owntracks/a/phone"}"#
    }
    var overland: String {
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[\#(longitude),\#(latitude)]},"#
        + #""properties":{"timestamp":"\#(RFC3339.string(from: time))","horizontal_accuracy":5,"device_id":"phone"}}"#
    }
    var osmAnd: String { "id=phone&timestamp=\(seconds)&lat=\(latitude)&lon=\(longitude)&accuracy=5" }
    var line: String {
      #"{"lat":\#(latitude),"lon":\#(longitude),"time":"\#(RFC3339.string(from: time))","acc":5}"#
    }
  }

  static func drive() throws -> [Fix] {
    try String(contentsOf: Samples.drive, encoding: .utf8).split(separator: "\n").compactMap { line in
      let parts = line.split(separator: "\"")
      guard line.hasPrefix("<trkpt"), parts.count > 4, let time = line.firstRange(of: "<time>"),
        let end = line.firstRange(of: "</time>"), let latitude = Double(parts[1]), let longitude = Double(parts[3]),
        let date = RFC3339.date(from: String(line[time.upperBound..<end.lowerBound]))
      else { return nil }
      return Fix(latitude: latitude, longitude: longitude, time: date)
    }
  }

  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.trendy("init", store: "phone")
  }

  @discardableResult
  private func post(_ body: String, to url: String, user: String = "", headers: [String] = []) throws -> String {
    let file = bench.folder.appending(path: "body-\(UUID().uuidString)")
    try Data(body.utf8).write(to: file)
    var words = "curl -s --max-time 30 --data-binary @'\(file.path)' '\(url)'"
    if !user.isEmpty { words += " -u '\(user)'" }
    for header in headers { words += " -H '\(header)'" }
    let result = try bench.shell(words)
    try #require(result.status == 0, "\(url): \(result.talk)")
    return result.output
  }

  private func token(_ store: String) throws -> String {
    let url = URL(filePath: bench.store(store)).appending(path: "account.json")
    let account = try WireJSON.decode(JSONValue.self, from: Data(contentsOf: url))
    return try #require(account.objectValue?["token"]?.stringValue)
  }

  private func trips(_ store: String) throws -> [[String: JSONValue]] {
    let list = try bench.trendy("trip", "list", "--json", "--utc", store: store).document.objectValue?["trips"]
    return (list?.arrayValue ?? []).compactMap(\.objectValue)
  }

  private func check(_ trips: [[String: JSONValue]], _ what: String) {
    #expect(trips.count == 1, "\(what): \(trips)")
    #expect(abs((trips.first?["distance_m"]?.doubleValue ?? 0) - 7448) < 7448 * 0.03, "\(what)")
    #expect(trips.first?["start"]?.stringValue?.hasPrefix("2014-11-18T09:3") == true, "\(what)")
  }

  @Test func `a drive posted in three protocols, late and repeatedly, is one trip on every device`() throws {
    let hub = try TestHub(bench)
    defer { hub.stop() }
    try bench.trendy("init", store: "laptop")
    for device in ["phone", "laptop"] {
      try #require(try bench.trendy("connect", hub.url, hub.code(), "--name", device, store: device).status == 0)
    }
    let token = try token("phone")
    let fixes = try Self.drive()
    let bearer = ["Authorization: Bearer \(token)"]
    // Posts the end of the drive first, together with an invalid feature and a position in the future.
    let last = fixes[100...].map(\.overland) + [#"{"type":"Feature","properties":{}}"#]
    var future = fixes[0]
    future.time = Date() + 200_000
    let answer = try post(
      #"{"locations":[\#((last + [future.overland]).joined(separator: ","))]}"#, to: "\(hub.url)/overland",
      headers: bearer)
    let document = try #require(WireJSON.decode(JSONValue.self, from: Data(answer.utf8)).objectValue)
    #expect(document["result"] == "ok" && document["added"] == .int(Int64(fixes.count - 100)))
    #expect(document["problem_count"] == 2)
    #expect(answer.contains("more than a day ahead"))
    // Posts the start of the drive one position at a time, as OwnTracks does, with basic authentication. Then sends a
    // ping and a last will.
    for fix in fixes[..<60] {
      #expect(try post(fix.ownTracks, to: "\(hub.url)/pub?u=a&d=phone", user: "a:\(token)") == "[]")
    }
    #expect(try post("", to: "\(hub.url)/pub", user: "a:\(token)") == "[]")
    #expect(try post(#"{"_type":"lwt","tst":"1"}"#, to: "\(hub.url)/pub", user: "a:\(token)") == "[]")
    // Send the rest as query parameters, with some positions repeated.
    for fix in fixes[50..<100] {
      let result = try bench.shell("curl -sf '\(hub.url)/?\(fix.osmAnd)&token=\(token)'")
      #expect(result.status == 0)
    }
    try #require(try bench.trendy("sync", store: "laptop").status == 0)
    check(try trips("laptop"), "posted")
    // The hub stores the trip's explanation and returns it to every device that has the trip.
    let why = try bench.trendy("trip", "explain", "@1", "--json", store: "laptop")
    let explanation = try #require(try why.document.objectValue, "\(why.talk)")
    #expect(explanation["at"] == "hub" && explanation["device"] == "phone")
    let rules = explanation["decisions"]?.arrayValue?.compactMap { $0.objectValue?["rule"]?.stringValue } ?? []
    #expect(!rules.isEmpty && explanation["readings"]?.intValue ?? 0 > 100, "\(explanation)")
    #expect(try bench.trendy("trip", "explain", "@1", store: "laptop").output.contains("detected by the hub"))
    // Posting everything again changes nothing.
    try post(
      #"{"locations":[\#(fixes.map(\.overland).joined(separator: ","))]}"#, to: "\(hub.url)/overland", headers: bearer)
    let before = try trips("laptop")
    try #require(try bench.trendy("sync", store: "laptop").status == 0)
    #expect(try trips("laptop") == before)
    // A trip that the user deleted is not detected again, even if the hub is restarted and the drive is posted again.
    let id = try #require(before.first?["id"]?.stringValue)
    try #require(try bench.trendy("rm", id, store: "laptop").status == 0)
    try #require(try bench.trendy("sync", store: "laptop").status == 0)
    hub.kill()
    try bench.trendy("trip", "add", "3km", "--from", "2024-01-01 10:00", "--for", "20m", store: "laptop")
    let unheard = try bench.trendy("trip", "explain", "@1", store: "laptop")
    #expect(unheard.status == 69 && unheard.talk.contains("did not respond"), "\(unheard.talk)")
    #expect(try bench.trendy("trip", "rm", "@1", store: "laptop").status == 0)
    let again = try TestHub(bench, port: hub.port)
    defer { again.stop() }
    try post(
      #"{"locations":[\#(fixes.map(\.overland).joined(separator: ","))]}"#, to: "\(again.url)/overland", headers: bearer
    )
    try post(fixes[30].ownTracks.replacing(#""acc":5"#, with: #""acc":4"#), to: "\(again.url)/pub", headers: bearer)
    try #require(try bench.trendy("sync", store: "laptop").status == 0)
    #expect(try trips("laptop").isEmpty)
  }

  @Test func `a valid post that cannot be stored is rejected, so that the app keeps it, and place check reports it`()
    throws
  {
    let hub = try TestHub(bench)
    defer { hub.stop() }
    try #require(try bench.trendy("connect", hub.url, hub.code(), "--name", "phone", store: "phone").status == 0)
    let token = try token("phone")
    func status(_ body: String, _ path: String = "pub") throws -> String {
      try bench.shell("curl -s -w ' %{http_code}' -u 'a:\(token)' -d '\(body)' \(hub.url)/\(path)").output
    }
    let fix = try Self.drive()[0]
    var future = fix
    future.time = Date() + 200_000
    #expect(try status(fix.ownTracks) == "[] 200")
    let encrypted = try status(#"{"_type":"encrypted","data":"c2VjcmV0"}"#)
    #expect(encrypted.hasSuffix(" 422") && encrypted.contains("not_kept") && encrypted.contains("turn off encryption"))
    #expect(try status(future.ownTracks).hasSuffix(" 422"))
    // A batch is accepted if it contains a valid position. Messages without a current position are accepted and not
    // stored.
    #expect(try status("[\(fix.ownTracks),\(future.ownTracks)]").hasSuffix(" 200"))
    for kind in ["lwt", "status", "waypoint", "transition", "card"] {
      #expect(try status(#"{"_type":"\#(kind)","tst":1,"lat":52,"lon":4}"#) == "[] 200", "\(kind)")
    }
    #expect(try status(#"{"_type":"encrypted","data":"c2VjcmV0"}"#).hasSuffix(" 422"))
    let check = try bench.trendy("place", "check", store: "phone")
    #expect(check.status == 1)
    #expect(
      check.output.contains("phone: 4 posts rejected by the hub")
        && check.output.contains("still queued on the device"),
      "\(check.output)")
    let leftOut = try bench.trendy("place", "check", "--json", store: "phone").document.objectValue?["left_out"]?
      .arrayValue
    #expect(leftOut?.first?.objectValue?["held_by_sender"] == true)
    #expect(hub.log.contains(#""status":422"#))
    // The next accepted post clears the warning.
    #expect(try status(fix.ownTracks) == "[] 200")
    #expect(try !bench.trendy("place", "check", store: "phone").output.contains("rejected"))
  }

  @Test func `a hub that is killed during a drive continues the trip`() throws {
    let hub = try TestHub(bench)
    try #require(try bench.trendy("connect", hub.url, hub.code(), store: "phone").status == 0)
    let fixes = try Self.drive()
    let user = "a:\(try token("phone"))"
    for fix in fixes[..<70] { try post(fix.ownTracks, to: "\(hub.url)/pub", user: user) }
    hub.kill()
    let again = try TestHub(bench, port: hub.port)
    defer { again.stop() }
    for fix in fixes[70...] { try post(fix.ownTracks, to: "\(again.url)/pub", user: user) }
    // The drive is in the past, so the hub detects its end as soon as it applies timeouts after the restart.
    try #require(try bench.trendy("sync", store: "phone").status == 0)
    check(try trips("phone"), "after the kill")
  }

  @Test func `trip commands of a car create a trip at the hub with the matching vehicle and the user's rules`()
    throws
  {
    let hub = try TestHub(bench)
    defer { hub.stop() }
    try #require(try bench.trendy("connect", hub.url, hub.code(), "--name", "phone", store: "phone").status == 0)
    try bench.trendy("vehicle", "add", "Van", "--default", store: "phone")
    try bench.trendy("vehicle", "add", "Roadster", "--device", "phone", store: "phone")
    try bench.trendy("trip", "rule", "add", "all mine", "private", store: "phone")
    try #require(try bench.trendy("sync", store: "phone").status == 0)
    let bearer = ["Authorization: Bearer \(try token("phone"))"]
    let start = Int(Date().timeIntervalSince1970) - 1200
    func call(_ kind: String, _ seconds: Int, _ longitude: Double) throws -> [String: JSONValue] {
      let answer = try post(
        #"{"lat":52,"lng":\#(longitude),"timestamp":\#(start + seconds)}"#, to: "\(hub.url)/webhook/\(kind)",
        headers: bearer)
      return try #require(WireJSON.decode(JSONValue.self, from: Data(answer.utf8)).objectValue, "\(answer)")
    }
    #expect(try call("start", 0, 4)["active"] == true)
    for minute in 1...9 { _ = try call("ping", minute * 60, 4 + Double(minute) * 0.01) }
    let trip = try call("status", 0, 0)["trip"]?.objectValue
    #expect(abs((trip?["distance_m"]?.doubleValue ?? 0) - 9 * 686.5) < 20)
    #expect(try call("end", 600, 4.1)["active"] == true)
    #expect(try call("finalize", 610, 4.1)["active"] == false)
    try #require(try bench.trendy("sync", store: "phone").status == 0)
    let trips = try trips("phone")
    #expect(trips.count == 1)
    #expect(trips.first?["duration_s"] == 600)
    #expect(trips.first?["car"] == "Roadster" && trips.first?["category"] == "private")
    #expect(trips.first?["rule"] == "all mine")
    #expect(abs((trips.first?["distance_m"]?.doubleValue ?? 0) - 6865) < 20)
  }

  @Test func `device and hub recreate a deleted trip type with the same id`() throws {
    let hub = try TestHub(bench)
    defer { hub.stop() }
    try #require(try bench.trendy("connect", hub.url, hub.code(), "--name", "phone", store: "phone").status == 0)
    func tripTypes() throws -> [String] {
      let list = try bench.trendy("type", "list", "--json", store: "phone").document.objectValue?["event_types"]
      let types = (list?.arrayValue ?? []).compactMap(\.objectValue)
      return types.filter { $0["name"] == "Trip" }.compactMap { $0["id"]?.stringValue }
    }
    try #require(try bench.trendy("trip", "add", "12km", "--from", "-3h", "--for", "20m", store: "phone").status == 0)
    try #require(try bench.trendy("sync", store: "phone").status == 0)
    let first = try tripTypes()
    try #require(first.count == 1)
    let token = try token("phone")
    let deleted = try bench.shell(
      "curl -sf -X DELETE '\(hub.url)/api/v1/event-types/\(first[0])' -H 'Authorization: Bearer \(token)'")
    try #require(deleted.status == 0)
    try #require(try bench.trendy("sync", store: "phone").status == 0)
    #expect(try tripTypes().isEmpty && trips("phone").isEmpty)
    // The phone has not synced yet, so the phone and the hub both create the event type.
    try #require(try bench.trendy("trip", "add", "8km", "--from", "-2h", "--for", "20m", store: "phone").status == 0)
    let start = Int(Date().timeIntervalSince1970) - 1200
    func call(_ kind: String, _ seconds: Int, _ longitude: Double) throws {
      try post(
        #"{"lat":52,"lng":\#(longitude),"timestamp":\#(start + seconds)}"#, to: "\(hub.url)/webhook/\(kind)",
        headers: ["Authorization: Bearer \(token)"])
    }
    try call("start", 0, 4)
    for minute in 1...9 { try call("ping", minute * 60, 4 + Double(minute) * 0.01) }
    try call("end", 600, 4.1)
    try call("finalize", 610, 4.1)
    try #require(try bench.trendy("sync", store: "phone").status == 0)
    #expect(try trips("phone").count == 2)
    #expect(try tripTypes().count == 1 && tripTypes() != first)
  }

  @Test func `an agent without a hub detects trips from posts, NMEA and gpsd`() throws {
    let fixes = try Self.drive()
    // gpsd sends its version, receives the WATCH command and then sends reports.
    let gpsd = try TestGPSD(
      fixes.map {
        #"{"class":"TPV","mode":3,"time":"\#(RFC3339.string(from: $0.time + 86_400))","lat":\#($0.latitude),"lon":\#($0.longitude),"epx":6,"epy":8}"#
      })
    let nmea = bench.folder.appending(path: "receiver.nmea")
    try Self.nmea(fixes.map { Fix(latitude: $0.latitude, longitude: $0.longitude, time: $0.time + 2 * 86_400) })
      .write(to: nmea, atomically: true, encoding: .utf8)
    let agent = try Running(
      bench, "trendyd",
      [
        "run", "--role", "agent", "--store", bench.store("phone"), "--ingest", "127.0.0.1:0", "--gpsd",
        "127.0.0.1:\(gpsd.port)", "--nmea", nmea.path,
      ])
    defer { agent.stop() }
    let url = try #require(
      try eventually {
        guard agent.process.isRunning else { throw BenchError(agent.text) }
        guard let start = agent.text.firstRange(of: "post to ")?.upperBound else { return nil as String? }
        return agent.text[start...].split(separator: " ").first.map(String.init)
      })
    let secret = try String(
      contentsOf: URL(filePath: bench.store("phone")).appending(path: "ingest-token"), encoding: .utf8
    ).trimmingCharacters(in: .whitespacesAndNewlines)
    try post(
      #"{"locations":[\#(fixes.map(\.overland).joined(separator: ","))]}"#, to: "\(url)/overland",
      headers: ["Authorization: Bearer \(secret)"])
    #expect(try post("{}", to: "\(url)/overland", headers: ["Authorization: Bearer wrong"]).contains("unauthorized"))
    // The trip is recorded before the receiver has sent its last positions.
    let found = try eventually {
      let distances = try self.trips("phone").compactMap { $0["distance_m"]?.doubleValue }
      return distances.count == 3 && distances.allSatisfy { abs($0 - 7448) < 7448 * 0.03 } ? true : nil
    }
    let trips = try trips("phone")
    #expect(found == true, "\(trips) \(agent.text)")
    for (number, trip) in trips.reversed().enumerated() {
      #expect(trip["start"]?.stringValue?.hasPrefix("2014-11-\(18 + number)") == true)
    }
  }

  @Test func `manually added fixes create the same trip, recompute changes nothing, and explain lists the decisions`()
    throws
  {
    let fixes = try Self.drive()
    let lines = bench.folder.appending(path: "fixes.ndjson")
    try (fixes.reversed().map(\.line) + ["no fix", #"{"lat":1}"#]).joined(separator: "\n")
      .write(to: lines, atomically: true, encoding: .utf8)
    let added = try bench.shell("trendy track add - --store '\(bench.store("phone"))' --json < '\(lines.path)'")
    let document = try #require(try added.document.objectValue, "\(added.talk)")
    #expect(document["added"] == .int(Int64(fixes.count)) && document["problem_count"] == 2)
    check(try trips("phone"), "added")
    let id = try #require(try trips("phone").first?["id"]?.stringValue)
    let again = try bench.trendy("track", "add", Samples.drive.path, "--json", store: "phone").document.objectValue
    #expect(again?["known"] == .int(Int64(fixes.count)) || again?["created"] == [])
    for words in [["trip", "recompute"], ["trip", "recompute", "--since", "2014-11-18"]] {
      let result = try bench.run("trendy", words + ["--store", bench.store("phone")])
      #expect(result.status == 0 && result.output.contains("No changes"))
    }
    let told = try bench.trendy("trip", "explain", id, "--utc", store: "phone")
    #expect(told.output.contains("Departed:"), "\(told.output)\(told.talk)")
    let json = try bench.trendy("trip", "explain", id, "--json", store: "phone").document.objectValue
    #expect(json?["decisions"]?.arrayValue?.isEmpty == false && json?["device"] == "device")
    // Adds a single position given by options, and rejects a position in the future.
    #expect(
      try bench.trendy("track", "add", "--lat", "52", "--lon", "4", "--device", "hand", store: "phone").status == 0)
    let future = try bench.trendy("track", "add", "--lat", "52", "--lon", "4", "--at", "+3d", store: "phone")
    #expect(future.status == 65 && future.output.contains("more than a day ahead"))
    #expect(try bench.trendy("track", "add", "--lat", "95", "--lon", "4", store: "phone").status == 64)
    // An event recorded by hand has no explanation.
    try bench.trendy("log", "coffee", store: "phone")
    #expect(try bench.trendy("trip", "explain", "@2", store: "phone").status == 66)
  }

  /// Returns positions of a drive with a stop: ten minutes without movement, ten of driving, a stop of seven minutes,
  /// and ten of driving.
  private static func driveWithStop(from start: Date) -> [Fix] {
    stride(from: 0.0, to: 4000, by: 15).map { second in
      let driven = min(max(0, second - 600), 600) + min(max(0, second - 1620), 600)
      return Fix(latitude: 52, longitude: 4 + driven * 12 / 68_500, time: start + second)
    }
  }

  @Test func `the stop duration that ends a trip is a setting for agent, hub and recompute`() throws {
    let hub = try TestHub(bench)
    defer { hub.stop() }
    for device in ["phone", "laptop"] {
      if device == "laptop" { try bench.trendy("init", store: "laptop") }
      try #require(try bench.trendy("connect", hub.url, hub.code(), "--name", device, store: device).status == 0)
    }
    let refused = try bench.trendy("config", "set", "trips.stop", "20m", store: "laptop")
    #expect(refused.status == 64 && refused.talk.contains("5m, 10m, 15m"), "\(refused.output)\(refused.talk)")
    let start = Date(timeIntervalSince1970: 1_700_000_000)
    let fixes = bench.folder.appending(path: "stop.ndjson")
    try Self.driveWithStop(from: start).map(\.line).joined(separator: "\n")
      .write(to: fixes, atomically: true, encoding: .utf8)
    try #require(try bench.trendy("track", "add", fixes.path, store: "phone").status == 0)
    #expect(try trips("phone").count == 2)
    try #require(try bench.trendy("config", "set", "trips.stop", "10m", store: "laptop").status == 0)
    for device in ["laptop", "phone"] { try #require(try bench.trendy("sync", store: device).status == 0) }
    #expect(try bench.trendy("config", "get", "trips.stop", store: "phone").output == "10m\n")
    #expect(try trips("phone").count == 2)
    try #require(try bench.trendy("trip", "recompute", store: "phone").status == 0)
    #expect(try trips("phone").count == 1)
    // The setting also applies to positions posted to the hub.
    let posted = Self.driveWithStop(from: start + 86_400).map(\.overland).joined(separator: ",")
    try post(
      #"{"locations":[\#(posted)]}"#, to: "\(hub.url)/overland",
      headers: ["Authorization: Bearer \(try token("phone"))"])
    for device in ["phone", "laptop"] { try #require(try bench.trendy("sync", store: device).status == 0) }
    #expect(try trips("laptop").count == 2)
    // After the change is undone, the stop separates two trips again.
    try bench.trendy("undo", store: "laptop")
    for device in ["laptop", "phone"] { try #require(try bench.trendy("sync", store: device).status == 0) }
    try #require(try bench.trendy("trip", "recompute", store: "phone").status == 0)
    #expect(try trips("phone").count == 3)
  }

  @Test func `concurrent additions beside an agent neither lose nor duplicate a fix`() throws {
    let fixes = try Self.drive()
    let agent = try Running(
      bench, "trendyd", ["run", "--role", "agent", "--store", bench.store("phone"), "--ingest", "127.0.0.1:0"])
    defer { agent.stop() }
    for part in 0..<6 {
      let lines = fixes.enumerated().filter { $0.offset % 5 == part % 5 || $0.offset % 7 == part }.map(\.element.line)
      try lines.joined(separator: "\n")
        .write(to: bench.folder.appending(path: "part-\(part)"), atomically: true, encoding: .utf8)
    }
    let store = bench.store("phone")
    let added = try bench.shell(
      "for i in 0 1 2 3 4 5; do trendy track add '\(bench.folder.path)/part-'$i --store '\(store)' -q & pids=\"$pids $!\"; done; "
        + "for pid in $pids; do wait $pid || exit 1; done")
    #expect(added.status == 0, "\(added.talk)")
    // Whichever process read the log last has processed all positions.
    #expect(try bench.trendy("trip", "recompute", store: "phone").output.contains("No changes"))
    check(try trips("phone"), "added at once")
    let again = try bench.trendy("track", "add", bench.folder.appending(path: "part-0").path, "--json", store: "phone")
    #expect(try again.document.objectValue?["added"] == 0)
  }

  /// Converts positions to NMEA, one RMC sentence for each.
  static func nmea(_ fixes: [Fix]) -> String {
    fixes.map { fix in
      let seconds = fix.seconds % 86_400
      func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
      func angle(_ degrees: Double, width: Int) -> String {
        let whole = Int(abs(degrees))
        let minutes = String(((abs(degrees) - Double(whole)) * 60 * 100_000).rounded() / 100_000)
        let point = minutes.firstIndex(of: ".").map { minutes.distance(from: minutes.startIndex, to: $0) } ?? 1
        let digits = String(whole)
        return String(repeating: "0", count: width - digits.count) + digits + (point < 2 ? "0" : "") + minutes
      }
      let date = RFC3339.string(from: fix.time)
      let day = date.dropFirst(8).prefix(2) + date.dropFirst(5).prefix(2) + date.dropFirst(2).prefix(2)
      let body =
        "GPRMC,\(two(seconds / 3600))\(two(seconds / 60 % 60))\(two(seconds % 60)),A,\(angle(fix.latitude, width: 2)),"
        + "\(fix.latitude < 0 ? "S" : "N"),\(angle(fix.longitude, width: 3)),\(fix.longitude < 0 ? "W" : "E"),,,\(day),,,A"
      let sum = body.utf8.reduce(0, ^)
      let digits = String(sum, radix: 16, uppercase: true)
      return "$\(body)*\(digits.count < 2 ? "0" : "")\(digits)\r\n"
    }.joined()
  }
}

/// Minimal gpsd server that accepts a single client.
final class TestGPSD: Sendable {
  let port: UInt16

  init(_ reports: [String]) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { plain in
        bind(listener, plain, length) == 0 && listen(listener, 4) == 0 && getsockname(listener, plain, &length) == 0
      }
    }
    guard status else { throw BenchError("no port for gpsd") }
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread {
      let client = accept(listener, nil, nil)
      func say(_ text: String) { _ = send(client, text, text.utf8.count, Int32(MSG_NOSIGNAL)) }
      say(#"{"class":"VERSION","release":"3.25","proto_major":3}"# + "\n")
      var heard: [UInt8] = []
      var byte: UInt8 = 0
      while !String(decoding: heard, as: UTF8.self).contains("?WATCH="), recv(client, &byte, 1, 0) == 1 {
        heard.append(byte)
      }
      say(#"{"class":"WATCH","enable":true,"json":true}"# + "\n")
      for report in reports { say(report + "\r\n") }
      // Like a real gpsd, the server keeps the connection open.
      while recv(client, &byte, 1, 0) == 1 {}
      close(client)
      close(listener)
    }
  }
}
