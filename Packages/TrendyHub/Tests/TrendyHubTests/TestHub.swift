import Foundation
import StorageTesting
import Testing
import TrendyHub
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendyTesting

/// Hub on an in-memory disk, with one user and one device, called without a socket.
struct TestHub {
  let disk: SimulatedFileSystem
  let clock: ManualClock
  let storage: EmbeddedHubStorage
  private(set) var server: HubServer
  let user: HubUser
  var token: String

  init(
    disk: SimulatedFileSystem = SimulatedFileSystem(), configuration: HubConfiguration = .init(),
    ingest: (any Ingest)? = nil, files: FileIntake? = nil, pairingPicture: PairingPicture.Maker? = nil
  ) throws {
    self.disk = disk
    clock = ManualClock()
    storage = Self.openStorage(disk)
    server = HubServer(
      storage: storage, ingest: ingest, files: files, pairingPicture: pairingPicture, clock: clock,
      generator: SeededGenerator(seed: 1), configuration: configuration)
    user = try server.accounts.createPerson(name: "Anna")
    token = try server.accounts.createToken(user: user.id, deviceName: "phone").token
  }

  /// The same hub with a new server, whose caches are empty.
  var withNothingRead: TestHub {
    var other = self
    other.server = HubServer(storage: storage, clock: clock, generator: SeededGenerator(seed: 2))
    return other
  }

  /// Opens a storage with small chunks, because every test creates a new in-memory disk.
  static func openStorage(_ disk: SimulatedFileSystem, at directory: String = "/hub") -> EmbeddedHubStorage {
    EmbeddedHubStorage(
      directory: directory, fileSystem: disk,
      options: StorageEngine.Options(firstChunkBytes: 16_384, largestChunkBytes: 262_144))
  }

  struct Answer {
    var status: Int
    var headers: HTTPHeaders
    var body: Data

    var json: JSONValue { (try? WireJSON.decode(JSONValue.self, from: body)) ?? .null }
    subscript(_ member: String) -> JSONValue { json[member] }
    /// Problem type without the prefix `urn:trendy:error:`.
    var problem: String? { json["type"].stringValue.map { String($0.dropFirst("urn:trendy:error:".count)) } }
    var detail: String { json["detail"].stringValue ?? "" }

    func decoded<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
      try WireJSON.decode(type, from: body)
    }
  }

  func send(
    _ method: String, _ path: String, _ body: JSONValue? = nil, headers: [(String, String)] = [],
    token: String? = nil, address: String = "127.0.0.1"
  ) async throws -> Answer {
    var all = HTTPHeaders(headers)
    if all["Authorization"] == nil, token ?? self.token != "" {
      all["Authorization"] = "Bearer \(token ?? self.token)"
    }
    let request = HTTPRequest(
      id: "request-1", method: method, target: "/api/v1\(path)", headers: all,
      body: try body.map { try WireJSON.encode($0) } ?? Data(), remoteAddress: address)
    return try await answer(to: request)
  }

  func send(raw body: String, to path: String) async throws -> Answer {
    try await answer(
      to: HTTPRequest(
        id: "request-1", method: "POST", target: "/api/v1\(path)",
        headers: HTTPHeaders([("Authorization", "Bearer \(token)")]), body: Data(body.utf8)))
  }

  func put(_ bytes: Data, to path: String, token: String? = nil) async throws -> Answer {
    try await answer(
      to: HTTPRequest(
        id: "request-1", method: "PUT", target: "/api/v1\(path)",
        headers: HTTPHeaders([("Authorization", "Bearer \(token ?? self.token)")]), body: bytes))
  }

  private func answer(to request: HTTPRequest) async throws -> Answer {
    let response = await server.handle(request)
    return Answer(status: response.status, headers: response.headers, body: try await response.collectedBody())
  }

  // MARK: Common entities

  @discardableResult
  func makeType(_ id: String = "t", name: String = "Coffee") async throws -> Answer {
    try await send(
      "POST", "/event-types", ["id": .string(id), "name": .string(name), "color": "#000000", "icon": "cup"])
  }

  @discardableResult
  func makeEvent(_ id: String, type: String = "t", at timestamp: String = "2024-01-01T08:00:00Z") async throws -> Answer
  {
    try await send(
      "POST", "/events", ["id": .string(id), "event_type_id": .string(type), "timestamp": .string(timestamp)])
  }

  /// Creates a trip ten kilometres north, by default from 8 to 9 o'clock.
  func makeTrip(
    _ id: String, from start: String = "2024-01-01T08:00:00.000Z", to end: String = "2024-01-01T09:00:00.000Z",
    _ more: [String: JSONValue] = [:]
  ) async throws -> Answer {
    var properties: [String: JSONValue] = [
      "distance": ["type": "number", "value": 10_000], "route": ["type": "text", "value": "_gk|H_ajnAoqP?"],
    ]
    for (name, value) in more { properties[name] = value }
    return try await send(
      "POST", "/events",
      [
        "id": .string(id), "event_type_id": "t", "timestamp": .string(start), "end_date": .string(end),
        "source_type": "trip", "location_latitude": 52, "location_longitude": 13, "notes": "to Ann",
        "properties": .object(properties),
      ])
  }

  func push(
    _ mutations: [JSONValue], device: String = "d", acknowledged: Int64 = 0, lastSequence: Int64? = nil
  ) async throws -> Answer {
    var body: [String: JSONValue] = [
      "device": .string(device), "acked_through": .int(acknowledged), "mutations": .array(mutations),
    ]
    body["last_seq"] = lastSequence.map { .int($0) }
    return try await send("POST", "/mutations", .object(body))
  }

  static func mutation(
    _ sequence: Int64, _ operation: String, _ kind: String, _ id: String, _ payload: JSONValue = [:],
    extra: [String: JSONValue] = [:]
  ) -> JSONValue {
    .object(
      [
        "id": .string("m\(sequence)"), "seq": .int(sequence), "entity_type": .string(kind), "entity_id": .string(id),
        "operation": .string(operation), "payload": payload,
      ].merging(extra) { _, new in new })
  }

  static let typePayload: JSONValue = ["id": "t", "name": "Coffee", "color": "#000000", "icon": "cup"]
  static func eventPayload(_ id: String, type: String = "t", notes: JSONValue? = nil) -> JSONValue {
    var members: [String: JSONValue] = [
      "id": .string(id), "event_type_id": .string(type), "timestamp": "2024-01-01T08:00:00.000Z",
    ]
    members["notes"] = notes
    return .object(members)
  }

  func changes(since cursor: Int64 = 0, limit: Int = 100) async throws -> ChangeFeedResponse {
    let answer = try await send("GET", "/changes?since=\(cursor)&limit=\(limit)")
    try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    return try answer.decoded()
  }
}

extension JSONValue {
  subscript(_ member: String) -> JSONValue { objectValue?[member] ?? .null }
  subscript(_ place: Int) -> JSONValue {
    guard let array = arrayValue, array.indices.contains(place) else { return .null }
    return array[place]
  }
}
