import Foundation
import TrendyHub
import TrendyModels

/// Sends a sequence of fuzzed requests to one hub. No request may cause an internal error, and a device must be able to
/// read the resulting change feed.
struct HubScenario {
  private var source: FuzzSource
  private let hub: FuzzHub
  private let asksOnly: Bool
  /// Highest processed sequence by device.
  private var sequences: [String: Int64] = [:]

  /// Creates a scenario with a new hub.
  /// - Parameter asksOnly: whether to fuzz request targets instead of push requests.
  init(_ source: inout FuzzSource, asksOnly: Bool) throws {
    hub = try FuzzHub(seed: source.next())
    self.asksOnly = asksOnly
    self.source = source
  }

  mutating func run(_ count: Int) async throws -> [String: Int] {
    var outcomes: [String: Int] = [:]
    try await makeCompanion()
    for _ in 0..<count {
      outcomes[asksOnly ? try await askCase() : try await pushCase(), default: 0] += 1
    }
    try await hub.check()
    try await checkServesValidRequests()
    return outcomes
  }

  // MARK: Pushes

  private mutating func pushCase() async throws -> String {
    let device = source.pick(["d", "e"])
    let first = (sequences[device] ?? 0) + 1
    let mutations = (0..<1 + source.below(4)).map {
      mutation($0 == 0 && source.once(in: 20) ? source.integer() : first + Int64($0))
    }
    let known = source.once(in: 12) ? source.numeral() : "0"
    let body =
      #"{"device":"\#(device)","acked_through":\#(known),"last_seq":\#(source.once(in: 12) ? source.numeral() : "4611686018427387903"),"#
      + #""mutations":[\#(mutations.joined(separator: ","))]}"#
    let bytes = source.once(in: 5) ? source.mutated(document: Array(body.utf8), rarity: 12) : Array(body.utf8)
    let answer = try await hub.ask("POST", "/mutations", bytes)
    guard let response = try? WireJSON.decode(PushResponse.self, from: answer.body) else {
      guard answer.status >= 400 else {
        throw Finding("devices cannot decode \(String(decoding: answer.body, as: UTF8.self))")
      }
      return "\(answer.status)"
    }
    if let last = response.outcomes.last, answer.status == 200 {
      // The mutated bytes may name another device.
      let named = (try? WireJSON.decode(PushRequest.self, from: Data(bytes)))?.device ?? device
      if named == device { sequences[device] = max(sequences[device] ?? 0, last.sequence) }
    }
    return response.outcomes.last.map { $0.problem?.type ?? $0.status } ?? "nothing"
  }

  private mutating func mutation(_ sequence: Int64) -> String {
    let kind = source.once(in: 30) ? "unknown" : source.pick(SyncedKind.all).name
    let id =
      source.once(in: 20) ? source.text() : source.pick(["T", "U", "E", "F", "00000000-0000-8000-8000-000000000000"])
    let operation = source.pick(["create", "create", "update", "update", "delete", "restore"])
    func number(_ usual: String, _ source: inout FuzzSource) -> String {
      source.once(in: 10) ? source.numeral() : source.once(in: 4) ? "\(abs(source.integer() >> 1) >> 10)" : usual
    }
    var text = #"{"id":"m\#(sequence)","seq":\#(sequence),"entity_type":"\#(kind)","operation":"\#(operation)","#
    text += #""entity_id":\#(JSONLiteral.string(id))"#
    if !source.once(in: 3) { text += #","incarnation":\#(number("\(source.below(3))", &source))"# }
    if source.once(in: 3) { text += #","base":\#(number("\(source.below(9))", &source))"# }
    let fields = SyncedKind.named(kind)?.fields ?? []
    if source.once(in: 6) {
      text += #","payload":\#(JSONLiteral.value(.object(payload(fields, id))))"#
    } else {
      var members: [String] = []
      for (name, value) in payload(fields, id).sorted(by: { $0.key < $1.key }) where name != "id" {
        let author = source.once(in: 5) ? #","author":"other""# : ""
        members.append(
          #"\#(JSONLiteral.string(name)):{"value":\#(JSONLiteral.value(value)),"base":\#(number("\(source.below(9))", &source)),"#
            + #""stamp":\#(number("17040672\(10_000 + source.below(90_000))", &source))\#(author)}"#)
      }
      text += #","fields":{\#(members.joined(separator: ","))}"#
    }
    return text + "}"
  }

  private mutating func payload(_ fields: [SyncedKind.Field], _ id: String) -> [String: JSONValue] {
    var members: [String: JSONValue] = ["id": .string(id)]
    for field in fields where field.isRequired || source.once(in: 4) {
      if source.once(in: 12) {
        members[field.name] = source.value()
        continue
      }
      members[field.name] =
        switch field.type {
        case .text: .string(source.text())
        case .word(let words): .string(source.pick(words))
        case .identifier: .string(source.pick(["T", "U", "E"]))
        case .date:
          .string(source.pick(["2024-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999-23:59"]))
        case .boolean: .bool(source.once(in: 2))
        case .number(let range): .double(source.pick([range.lowerBound, range.upperBound, 50, 0]))
        case .integer: .int(source.integer())
        case .day: .string(source.pick(["2024-01-01", "2024-01-09"]))
        case .textList: .array([.string(source.text())])
        case .object: .object([:])
        case .members(let fields): .object(payload(fields, id))
        case .any: source.value()
        }
    }
    if source.once(in: 6) { members[source.text()] = source.value() }
    return members
  }

  // MARK: Request targets

  private var companions: [String] = []

  private mutating func makeCompanion() async throws {
    let devices = try await hub.ask("GET", "/me/devices")
    let user = try hub.server.accounts.users()[0].id
    let other = try hub.server.accounts.createToken(user: user, deviceName: "watch").device.id
    guard devices.status == 200 else { throw Finding("the list of devices returns \(devices.status)") }
    for body in [#"{"companion_id":"\#(other)"}"#, #"{"tracker_id":"\#(other)"}"#] {
      let made = try await hub.ask("POST", "/companions", Array(body.utf8))
      companions.append(try WireJSON.decode(APICompanion.self, from: made.body).id)
    }
    for body in [
      #"{"id":"T","name":"n","color":"c","icon":"i"}"#, #"{"id":"U","name":"n","color":"c","icon":"i"}"#,
    ] { _ = try await hub.ask("POST", "/event-types", Array(body.utf8)) }
  }

  private mutating func askCase() async throws -> String {
    let companion = source.pick(companions)
    var path = source.pick([
      "/changes?since=#&limit=#", "/changes?device=d&seen=#&epoch=a&last_seq=#&since=#", "/events?offset=#&limit=#",
      "/snapshot?part=event.#.#", "/snapshot?part=#&device=#", "/me/sync?device=#",
      "/companions/\(companion)/notices?after=#&limit=#",
      "/geofences?active_only=#", "/property-definitions?event_type_id=#", "/events/#", "/event-types/#/properties",
      "/changes/latest-cursor?#", "/#/#",
    ])
    while let place = path.firstIndex(of: "#") {
      let text = source.once(in: 4) ? source.text() : source.once(in: 3) ? "\(source.below(9))" : source.numeral()
      let escaped = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      path.replaceSubrange(place...place, with: escaped)
    }
    if source.once(in: 4) {
      let body =
        #"{"acked_through":\#(source.numeral()),"notices":[{"seq":\#(source.numeral()),"kind":"token","at":"2024-01-01T00:00:00Z"}]}"#
      return "post \(try await hub.ask("POST", "/companions/\(companion)/notices", Array(body.utf8)).status)"
    }
    return "\(try await hub.ask(source.once(in: 20) ? "HEAD" : "GET", path).status)"
  }

  /// Checks that the hub still accepts valid requests after the fuzzed requests.
  private func checkServesValidRequests() async throws {
    let body =
      #"{"device":"sound","acked_through":0,"last_seq":1,"mutations":[{"id":"s1","seq":1,"entity_type":"event_type","#
      + #""entity_id":"sound","operation":"create","fields":{"name":{"value":"n","base":0,"stamp":1},"#
      + #""color":{"value":"c","base":0,"stamp":1},"icon":{"value":"i","base":0,"stamp":1}}}]}"#
    let answer = try await hub.ask("POST", "/mutations", Array(body.utf8))
    let response = try WireJSON.decode(PushResponse.self, from: answer.body)
    guard response.outcomes.first?.status == "accepted" else {
      throw Finding("a valid push returns \(String(decoding: answer.body, as: UTF8.self))")
    }
    let notices = try await hub.ask("GET", "/companions/\(companions[1])/notices?after=0")
    guard notices.status == 200 else { throw Finding("notices: \(notices.status)") }
    let desk = hub.server.ingestDesk(user: try hub.server.accounts.users()[0].id)
    for device in try hub.server.accounts.devices() {
      for telling in try desk.tellings(ofDevice: device.id) {
        try desk.tell([.init(kind: "trip_started", data: [:])], of: device.id, as: telling)
      }
    }
  }
}

enum JSONLiteral {
  static func value(_ value: JSONValue) -> String {
    // The fuzzer creates no infinite or NaN numbers, which JSON cannot represent.
    (try? WireJSON.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
  }
  static func string(_ text: String) -> String { value(.string(text)) }
}
