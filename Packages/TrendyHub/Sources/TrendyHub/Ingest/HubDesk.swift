import Foundation
public import TrendyModels

/// One person's record at a hub, for a part of the hub that writes to it as one more of their devices.
///
/// It asks what a device could ask over HTTP, in the same words, and is answered the same.
public struct HubDesk: Sendable {
  public let person: String
  let server: HubServer
  private let sender: HubDevice

  /// - Parameter device: what stands for the writer in the record's fields.
  init(server: HubServer, person: String, device: String) {
    self.person = person
    self.server = server
    sender = HubDevice(id: device, person: person, name: device, tokenHash: "", createdAt: .distantPast)
  }

  /// All of a kind; of events the newest fifty.
  public func list<Wire: Decodable>(_ kind: SyncedKind) throws -> [Wire] {
    try ask("GET", address(kind)) ?? []
  }

  /// The living of a kind that has no address of its own, as their members; by id.
  public func records(_ kind: SyncedKind) throws -> [(id: String, members: [String: JSONValue])] {
    try server.storage.read(person: person) { try $0.living(kind: kind.name, offset: 0, limit: .max) }
      .map { ($0.id, $0.fields.mapValues(\.value)) }.sorted { $0.0 < $1.0 }
  }

  /// The version of the last write to the record, and whether anything of a kind was written after an earlier one, deletions included.
  public func changes(of kind: SyncedKind, since version: Int64) throws -> (head: Int64, hasChanged: Bool) {
    try server.storage.read(person: person) { reading in
      let head = try reading.state().head
      // The same number in another life of a hub that was restored is above its head, or of other entries: a restart forgets it.
      return (head, try head < version || !reading.lines(ofKind: kind.name, after: version, bytes: 1).isEmpty)
    }
  }

  /// What the person calls a device; `nil` for one that is not theirs.
  public func name(ofDevice id: String) throws -> String? {
    try server.accounts.devices(person: person).first { $0.id == id }?.name
  }

  /// `nil` for what is not there, never was or was deleted.
  public func find<Wire: Decodable>(_ kind: SyncedKind, id: String) throws -> Wire? {
    do {
      return try ask("GET", address(kind, id))
    } catch let problem as Problem where problem.status == 404 {
      return nil
    }
  }

  /// - Throws: a ``Problem``, of kind `entity_deleted` for an id that was deleted.
  public func create(_ kind: SyncedKind, _ request: some Encodable) throws {
    let _: JSONValue? = try ask("POST", address(kind), body: WireJSON.encode(request))
  }

  public func update(_ kind: SyncedKind, id: String, _ request: some Encodable) throws {
    let _: JSONValue? = try ask("PATCH", address(kind, id), body: WireJSON.encode(request))
  }

  /// What is not there is deleted: no error.
  public func delete(_ kind: SyncedKind, id: String) throws {
    let _: JSONValue? = try ask("DELETE", address(kind, id))
  }

  private func address(_ kind: SyncedKind) -> String { kind.path ?? kind.name }

  private func address(_ kind: SyncedKind, _ id: String) -> String {
    "\(address(kind))/\(id.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? id)"
  }

  private func ask<Wire: Decodable>(_ method: String, _ path: String, body: Data = Data()) throws -> Wire? {
    let request = HTTPRequest(id: "ingest", method: method, target: "/api/v1/\(path)", body: body)
    let response = try server.carryOutHere(
      try server.workOnRecord(try HubCall(request), sender), for: person)
    guard case .data(let data) = response.body, !data.isEmpty else { return nil }
    return try WireJSON.decode(Wire.self, from: data)
  }
}

extension HubServer {
  /// A desk for what is found in what devices post.
  public func ingestDesk(person: String) -> HubDesk { HubDesk(server: self, person: person, device: "ingest") }
}
