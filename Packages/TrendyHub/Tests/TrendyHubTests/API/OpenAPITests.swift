import Foundation
import Testing
import TrendyHub
import TrendyModels

private struct ExplainingIngest: Ingest {
  func take(_ request: IngestRequest, from sender: IngestSender) async throws -> IngestResponse { IngestResponse() }

  func fixes(in span: ClosedRange<Date>, for desk: UserRecordService) async throws -> [Location] {
    (0..<40).map {
      Location(
        coordinate: Coordinate(latitude: 52 + Double(max($0, 20)) * 0.001, longitude: 5), horizontalAccuracy: 5,
        timestamp: span.lowerBound.addingTimeInterval(Double($0) * 10))
    }
  }

  func route(ofLiveTrip id: String, for desk: UserRecordService) async throws -> [Coordinate]? {
    [Coordinate(latitude: 52, longitude: 5), Coordinate(latitude: 52.1, longitude: 5)]
  }

  func explanation(ofEvent id: String, for desk: UserRecordService) async throws -> APIExplanation? {
    let start = Date(timeIntervalSince1970: 1_704_096_000)
    return APIExplanation(
      id: id, deviceId: "d", deviceName: "phone", start: start, end: start.addingTimeInterval(600), readings: 12,
      isSettled: true,
      isPersonal: false,
      decisions: [APIExplanation.Decision(time: start, rule: "departed", seconds: 30, meters: 120, limit: 100)])
  }
}

/// Checks `/openapi.json` against the hub's responses.
@Suite("OpenAPI")
struct OpenAPITests {
  private let hub: TestHub
  private let files: TemporaryFiles

  init() throws {
    files = TemporaryFiles()
    hub = try TestHub(ingest: ExplainingIngest(), files: files.intake)
  }

  private func document() async throws -> Document {
    let response = await hub.server.handle(
      HTTPRequest(id: "x", method: "GET", target: "/api/v1/openapi.json"))
    #expect(response.status == 200, "asked without a token")
    return Document(value: try WireJSON.decode(JSONValue.self, from: try await response.collectedBody()))
  }

  @Test func `the document contains every kind, and each reference resolves`() async throws {
    let document = try await document()
    #expect(document.value["openapi"] == "3.1.0")
    #expect(document.operations.count > 40)
    for kind in SyncedKind.all {
      let name = kind.name.split(separator: "_").map(\.capitalized).joined()
      let properties = document.schemas[name]?["properties"]?.objectValue ?? [:]
      #expect(kind.fields.allSatisfy { properties[$0.name] != nil }, "\(kind.name)")
    }
    for path in SyncedKind.all.compactMap(\.path) {
      #expect(
        Set(document.operations.filter { $0.path == "/\(path)/{id}" }.map(\.method)).isSuperset(of: ["get", "patch"]))
    }
    let names = document.operations.compactMap { $0.content["operationId"]?.stringValue }
    #expect(Set(names).count == document.operations.count, "each has a name of its own")
    for reference in document.references { #expect(document.schemas[reference] != nil, "\(reference)") }
  }

  /// Requests in order: later operations use the entities that earlier ones created.
  private static let bodies: [(operation: String, body: JSONValue)] = [
    (
      "createEventType",
      [
        "id": "t", "name": "Coffee", "color": "#000000", "icon": "cup",
        "goal": ["amount": 2, "bound": "at_most", "measure": "count", "period": "day"],
      ]
    ),
    ("createGeofence", ["id": "g", "name": "Home", "latitude": 48, "longitude": 11, "radius": 100]),
    (
      "createPropertyDefinition",
      ["id": "p", "event_type_id": "t", "key": "size", "label": "Size", "property_type": "text"]
    ),
    ("createPropertyOfEventType", ["id": "q", "key": "cups", "label": "Cups", "property_type": "number"]),
    (
      "createEvent",
      [
        "id": "e", "event_type_id": "t", "timestamp": "2024-01-01T08:00:00.000Z", "notes": "oat",
        "properties": ["size": ["type": "text", "value": "large"]],
      ]
    ),
    ("createVehicle", ["id": "w", "name": "Car"]),
    ("createSetting", ["id": "s", "key": "hours", "value": "24"]),
    (
      "createSkip",
      [
        "id": "k", "event_type_id": "t", "from": "2024-01-01", "to": "2024-01-02",
      ]
    ),
    ("createEvents", ["events": [["id": "f", "event_type_id": "t", "timestamp": "2024-01-02T08:00:00.000Z"]]]),
    (
      "pushMutations",
      [
        "device": "d", "acked_through": 0,
        "mutations": [
          [
            "id": "m1", "seq": 1, "entity_type": "vehicle", "entity_id": "v", "operation": "create",
            "fields": ["name": ["value": "Car", "base": 0, "stamp": 1]],
          ],
          ["id": "m2", "seq": 2, "entity_type": "event", "entity_id": "none", "operation": "update", "payload": [:]],
        ],
      ]
    ),
  ]

  private static let ids = [
    "EventType": "t", "Geofence": "g", "PropertyDefinition": "p", "Event": "e", "Vehicle": "w", "Setting": "s",
    "Skip": "k",
  ]

  private static let patches: [String: JSONValue] = [
    "EventType": ["name": "Tea"], "Geofence": ["radius": 200], "PropertyDefinition": ["label": "How large"],
    "Event": ["notes": .null], "Vehicle": ["color": "#000000"], "Setting": ["value": "12"], "Skip": ["note": "ill"],
  ]

  @Test func `every operation succeeds with the documented status and schema`() async throws {
    let document = try await document()
    let watch = try hub.server.accounts.createToken(user: hub.user.id, deviceName: "watch")
    var run = Run(hub: hub, document: document)
    for pairing in ["pair", "beginSession"] {
      try await run.drive(
        pairing,
        body: [
          "code": .string(try hub.server.accounts.createPairingCode(user: hub.user.id)), "device_name": "phone",
        ], headers: [("Host", "localhost:1"), ("Origin", "http://localhost:1")])
    }
    try await run.drive("createPairingCode")
    try await run.drive("createToken", body: ["name": "OwnTracks"])
    try await run.drive("changePerson", body: ["name": "Anna"])
    for (operation, body) in Self.bodies { try await run.drive(operation, id: "t", body: body) }
    try await run.drive(
      "logOdometer", id: "w",
      body: ["id": "reading", "odometer_m": 120_000, "at": "2024-01-01T08:00:00.000Z", "time_zone": "Europe/Paris"])
    let spot: JSONValue = ["latitude": 52, "longitude": 5]
    try await run.drive(
      "addTrip",
      body: [
        "id": "told", "start": "2024-01-03T08:00:00.000Z", "end": "2024-01-03T09:00:00.000Z", "distance_m": 12_000,
        "start_place": spot, "end_place": spot, "vehicle_id": nil, "category": "mixed", "notes": "by hand",
      ])
    try await hub.makeType("tea", name: "Tea")
    for merge in ["mergeEventTypes", "unmergeEventTypes"] {
      try await run.drive(merge, id: "tea", body: ["into": "t", "act": "one"])
    }
    try await run.drive("stopEvent", id: "e", body: ["end_date": "2024-01-01T08:30:00.000Z"])
    _ = try await hub.makeTrip("trip")
    try await run.drive("getTrip", id: "trip")
    try await run.drive("listTripSummaries")
    try await run.drive("updateTrip", id: "trip", body: ["notes": "to Ann"])
    try await run.drive("listTypeActions")
    try await run.drive("getStorage")
    try await run.drive("showSplit", id: "trip")
    try await run.drive("splitTrip", id: "trip", body: ["at": "2024-01-01T08:30:00.000Z", "id": "rest"])
    try await run.drive("mergeTrips", id: "trip", body: ["with": "rest"])
    let link = try await run.drive("makeCompanion", body: ["companion_id": .string(watch.device.id)])
    let companion = try #require(link["id"]?.stringValue)
    try await run.drive(
      "sendNotices", id: companion,
      body: [
        "acked_through": 0, "notices": [["seq": 1, "kind": "note", "at": "2024-01-01T08:00:00.000Z", "data": [:]]],
      ])
    try await run.drive("listNotices", id: companion, token: watch.token)
    for (kind, patch) in Self.patches.sorted(by: { $0.key < $1.key }) {
      let id = Self.ids[kind] ?? ""
      for operation in ["update", "put"] { try await run.drive(operation + kind, id: id, body: patch) }
      try await run.drive("get" + kind, id: id)
      try await run.drive("list\(kind)s")
    }
    for kind in Self.ids.keys.sorted() { try await run.drive("restore" + kind, id: Self.ids[kind] ?? "") }
    for id in ["file", "t"] {
      try await run.drive("beginImport", body: ["id": .string(id), "name": "a.txt", "size": 6])
      try await run.drive("sendImportPart", id: id, bytes: Data("Tea|1\n".utf8))
      if id == "t" { break }
      try await run.drive(
        "previewImport", id: id, body: ["zone": "Europe/Paris", "date_format": "dmy", "type_map": ["Tea": "Coffee"]])
      try await run.drive("commitImport", id: id, body: ["zone": "Europe/Paris", "types": ["tea"]])
      try await run.drive("undoImport", id: id)
    }
    let place: JSONValue = ["id": "place", "name": "Home", "latitude": 52, "longitude": 5, "radius": 100]
    #expect(try await hub.send("POST", "/geofences", place).status == 201)
    try await run.drive("getPlaceInsights", id: "place")
    // The remaining read operations need no preparation.
    for operation in document.operations where operation.method == "get" && !run.driven.contains(operation.name) {
      try await run.drive(operation.name, id: "t")
    }
    for kind in ["Event", "PropertyDefinition", "Geofence", "Vehicle", "Setting", "Skip", "EventType"] {
      try await run.drive("delete" + kind, id: Self.ids[kind] ?? "")
    }
    try await run.drive("cancelImport", id: "t")
    try await run.drive("deleteConflict", id: "none")
    try await run.drive("removeCompanion", id: companion)
    try await run.drive("revokeDevice", id: watch.device.id)
    try await run.drive("endSession")
    #expect(Set(document.operations.map(\.name)).subtracting(run.driven).isEmpty)
  }

  @Test func `an unsupported method is rejected with the allowed ones`() async throws {
    for (path, allow) in [
      ("/events", "GET, HEAD, POST"), ("/events/x", "GET, HEAD, PUT, PATCH, DELETE"), ("/mutations", "POST"),
      ("/events/batch", "POST"), ("/health", "GET, HEAD"),
    ] {
      let response = await hub.server.handle(
        HTTPRequest(
          id: "x", method: path == "/mutations" || path == "/events/batch" ? "DELETE" : "TRACE",
          target: "/api/v1\(path)", headers: HTTPHeaders([("Authorization", "Bearer \(hub.token)")])))
      #expect(response.status == 405 && response.headers["Allow"] == allow, "\(path)")
    }
  }
}

/// The OpenAPI document, as a code generator would read it.
private struct Document {
  struct Operation {
    var path: String
    var method: String
    var content: [String: JSONValue]
    var name: String { content["operationId"]?.stringValue ?? "" }
  }

  let value: JSONValue

  var schemas: [String: JSONValue] {
    value["components"]?.objectValue?["schemas"]?.objectValue ?? [:]
  }

  var operations: [Operation] {
    (value["paths"]?.objectValue ?? [:]).sorted { $0.key < $1.key }.flatMap { path, item in
      (item.objectValue ?? [:]).sorted { $0.key < $1.key }.compactMap { method, content in
        method == "parameters" ? nil : Operation(path: path, method: method, content: content.objectValue ?? [:])
      }
    }
  }

  var references: Set<String> {
    var found: Set<String> = []
    func look(_ value: JSONValue) {
      if let name = value.objectValue?["$ref"]?.stringValue { found.insert(Self.name(name)) }
      for inner in value.objectValue?.values.map(\.self) ?? value.arrayValue ?? [] { look(inner) }
    }
    look(value)
    return found
  }

  static func name(_ reference: String) -> String { String(reference.split(separator: "/").last ?? "") }

  /// Returns the differences between a value and a schema, or an empty array if the value conforms.
  func faults(_ value: JSONValue, _ schema: JSONValue, at path: String = "") -> [String] {
    guard let rules = schema.objectValue else { return [] }
    if let reference = rules["$ref"]?.stringValue {
      guard let named = schemas[Self.name(reference)] else { return ["\(path): no schema \(reference)"] }
      return faults(value, named, at: path)
    }
    if let choices = rules["anyOf"]?.arrayValue {
      return choices.contains { faults(value, $0, at: path).isEmpty } ? [] : ["\(path): none of those allowed"]
    }
    var found: [String] = []
    if let type = rules["type"]?.stringValue, !Self.isOf(type, value) { found.append("\(path): no \(type): \(value)") }
    if let words = rules["enum"]?.arrayValue, !words.contains(value) { found.append("\(path): \(value)") }
    if let least = rules["minimum"]?.doubleValue, let number = value.doubleValue, number < least {
      found.append("\(path): \(number)")
    }
    if rules["format"] == "date-time", value.stringValue.flatMap({ RFC3339.date(from: $0) }) == nil {
      found.append("\(path): no date: \(value)")
    }
    if rules["format"] == "date", value.stringValue.flatMap({ CivilDate($0) }) == nil {
      found.append("\(path): no day: \(value)")
    }
    if let length = value.stringValue?.count {
      let lengths = (rules["minLength"]?.intValue ?? 0)...(rules["maxLength"]?.intValue ?? .max)
      if !lengths.contains(Int64(length)) { found.append("\(path): \(length) letters") }
    }
    if let members = value.objectValue {
      let properties = rules["properties"]?.objectValue ?? [:]
      for name in rules["required"]?.arrayValue?.compactMap(\.stringValue) ?? [] where members[name] == nil {
        found.append("\(path).\(name) is missing")
      }
      for (name, member) in members {
        if let rule = properties[name] ?? rules["additionalProperties"] {
          found += faults(member, rule, at: "\(path).\(name)")
        } else if !properties.isEmpty {
          found.append("\(path).\(name) is not in the document")
        }
      }
    }
    for (place, item) in (value.arrayValue ?? []).enumerated() {
      if let rule = rules["items"] { found += faults(item, rule, at: "\(path)[\(place)]") }
    }
    return found
  }

  private static func isOf(_ type: String, _ value: JSONValue) -> Bool {
    switch type {
    case "string": value.stringValue != nil
    case "boolean": value.boolValue != nil
    case "integer": value.intValue != nil
    case "number": value.doubleValue != nil
    case "array": value.arrayValue != nil
    case "object": value.objectValue != nil
    case "null": value.isNull
    default: false
    }
  }
}

extension JSONValue {
  fileprivate subscript(_ name: String) -> JSONValue? { objectValue?[name] }
}

/// Calls documented operations and checks the responses against the document.
private struct Run {
  let hub: TestHub
  let document: Document
  private(set) var driven: Set<String> = []

  init(hub: TestHub, document: Document) {
    self.hub = hub
    self.document = document
  }

  @discardableResult
  mutating func drive(
    _ name: String, id: String = "", body: JSONValue? = nil, bytes: Data? = nil, token: String? = nil,
    headers: [(String, String)] = []
  ) async throws -> JSONValue {
    let operation = try #require(document.operations.first { $0.name == name }, "\(name)")
    driven.insert(name)
    let request = operation.content["requestBody"]?["content"]?["application/json"]?["schema"]
    #expect((request == nil) == (body == nil), "\(name) takes \(request == nil ? "no" : "a") document")
    let takesBytes = operation.content["requestBody"]?["content"]?["application/octet-stream"] != nil
    #expect(takesBytes == (bytes != nil), "\(name) takes \(takesBytes ? "" : "no ")bytes")
    if let request, let body { #expect(document.faults(body, request) == [], "\(name): what is sent") }
    let response = await hub.server.handle(
      HTTPRequest(
        id: "x", method: operation.method.uppercased(),
        target: "/api/v1" + operation.path.replacing("{id}", with: id) + query(of: operation),
        headers: HTTPHeaders([("Authorization", "Bearer \(token ?? hub.token)")] + headers),
        body: try bytes ?? body.map { try WireJSON.encode($0) } ?? Data()))
    let answers = operation.content["responses"]?.objectValue ?? [:]
    let answer = try #require(answers["\(response.status)"], "\(name) is answered \(response.status)")
    guard let content = answer["content"]?.objectValue, !content.isEmpty else {
      #expect(try await response.collectedBody().isEmpty, "\(name)")
      return .null
    }
    let form = response.headers["Content-Type"] ?? ""
    #expect(content[form] != nil, "\(name)")
    // An event stream never ends, and a table has no schema.
    if form == "text/event-stream" || form == "text/csv" { return .null }
    let data = try await response.collectedBody()
    guard form == "application/json", let schema = content[form]?["schema"] else {
      for line in data.split(separator: UInt8(ascii: "\n")).dropFirst() {
        let entry = try WireJSON.decode(JSONValue.self, from: Data(line))
        #expect(document.faults(entry, ["$ref": "#/components/schemas/Entry"]) == [], "\(name)")
      }
      return .null
    }
    let value = try WireJSON.decode(JSONValue.self, from: data)
    #expect(document.faults(value, schema) == [], "\(name)")
    return value
  }

  /// Passes the minimum of each parameter that has one, to verify that documented minimums are accepted.
  private func query(of operation: Document.Operation) -> String {
    let items = (operation.content["parameters"]?.arrayValue ?? []).compactMap { parameter -> String? in
      guard let name = parameter["name"]?.stringValue, let schema = parameter["schema"] else { return nil }
      if operation.name == "showSplit" { return name == "at" ? "at=2024-01-01T08:30:00.000Z" : nil }
      if let least = schema["minimum"]?.intValue { return name == "last_seq" ? nil : "\(name)=\(least)" }
      if let word = schema["enum"]?.arrayValue?.first?.stringValue { return "\(name)=\(word)" }
      // Operations on dates need a period.
      if operation.name == "countEventsByDay", name == "from" || name == "to" { return "\(name)=2024-01-01" }
      if operation.name == "getFixedDay", name == "date" { return "date=2024-01-01" }
      return name == "event_type_id" ? "event_type_id=t" : nil
    }
    return items.isEmpty ? "" : "?" + items.joined(separator: "&")
  }
}
