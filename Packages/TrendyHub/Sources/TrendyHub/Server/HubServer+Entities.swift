import Foundation
import TrendyModels
import TrendyProtocols

// Plain REST. What is written this way is written as a device of its own, one for each token; `Idempotency-Key` takes the
// place of the sequence. A request is read here, and becomes a value that is carried out elsewhere.

extension HubServer {
  func list(_ kind: SyncedKind, _ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let isPaged = kind.name == SyncedKind.event.name
    let offset = isPaged ? try call.integer("offset", in: SyncRange.counter, default: 0) : 0
    let limit = isPaged ? try call.integer("limit", in: 1...1000, default: 50) : .max
    let onlyActive = try kind.name == SyncedKind.geofence.name && call.boolean("active_only")
    let type = kind.name == SyncedKind.propertyDefinition.name ? call.text("event_type_id") : nil
    return .read { reading in
      let entries = try reading.living(kind: kind.name, offset: Int(offset), limit: Int(limit)).filter { entry in
        if onlyActive, entry.fields["is_active"]?.value.boolValue == false { return false }
        if let type, entry.fields["event_type_id"]?.value.stringValue != type { return false }
        return true
      }
      return .json(.array(entries.map { .object($0.document(person: sender.person)) }))
    }
  }

  func show(_ kind: SyncedKind, _ id: String, _ sender: HubDevice) -> HubWork {
    .read { [self] reading in
      guard let entry = try reading.entry(kind: kind.name, id: id), entry.isAlive else { throw missing(kind, id) }
      return .json(.object(entry.document(person: sender.person)))
    }
  }

  func create(
    _ kind: SyncedKind, _ members: [String: JSONValue], _ call: HubCall, _ sender: HubDevice
  ) throws -> HubWork {
    let key = try idempotencyKey(call)
    let now = clock.now
    return .write { [self] transaction in
      let entry = try create(kind, members, key: key, in: transaction, device: sender.restDevice, now: now)
      return .json(.object(entry.document(person: sender.person)), status: 201)
    }
  }

  func update(_ kind: SyncedKind, _ id: String, _ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let mutation = HubMutation(kind: kind.name, id: id, operation: .update, content: .members(try call.body().members))
    let now = clock.now
    return .write { [self] transaction in
      guard try transaction.entry(kind: kind.name, id: id) != nil else { throw missing(kind, id) }
      try carryOut(mutation, in: transaction, device: sender.restDevice, now: now)
      guard let entry = try transaction.entry(kind: kind.name, id: id) else { throw missing(kind, id) }
      return .json(.object(entry.document(person: sender.person)))
    }
  }

  func delete(_ kind: SyncedKind, _ id: String, _ sender: HubDevice) -> HubWork {
    let now = clock.now
    return .write { [self] transaction in
      try carryOut(
        HubMutation(kind: kind.name, id: id, operation: .delete), in: transaction, device: sender.restDevice, now: now)
      return HTTPResponse(status: 204)
    }
  }

  func batch(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let items = try call.body().array("events", limit: 500)
    let key = try idempotencyKey(call)
    let now = clock.now
    return .write { [self] transaction in
      var created: [JSONValue] = []
      var errors: [JSONValue] = []
      for (index, item) in items.enumerated() {
        do {
          let members = try DocumentReader(item, path: "events[\(index)]").members
          let entry = try create(
            .event, members, key: key.map { "\($0)\u{0}\(index)" }, acceptsSame: true, in: transaction,
            device: sender.restDevice, now: now)
          created.append(.object(entry.document(person: sender.person)))
        } catch let problem as Problem {
          errors.append(["index": .int(Int64(index)), "message": .string("\(problem.title): \(problem.detail)")])
        }
      }
      var answer: [String: JSONValue] = [
        "created": .array(created), "total": .int(Int64(items.count)), "success": .int(Int64(created.count)),
        "failed": .int(Int64(errors.count)),
      ]
      if !errors.isEmpty { answer["errors"] = .array(errors) }
      return .json(.object(answer))
    }
  }

  func listDefinitions(ofType type: String, _ sender: HubDevice) -> HubWork {
    .read { [self] reading in
      guard let entry = try reading.entry(kind: SyncedKind.eventType.name, id: type), entry.isAlive else {
        throw missing(.eventType, type)
      }
      let definitions = try reading.referring(toKind: SyncedKind.eventType.name, id: type)
        .filter { $0.kind == SyncedKind.propertyDefinition.name }
        .sorted { ($0.displayOrder, $0.id) < ($1.displayOrder, $1.id) }
      return .json(.array(definitions.map { .object($0.document(person: sender.person)) }))
    }
  }

  func createDefinition(ofType type: String, _ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    var members = try call.body().members
    if let given = members["event_type_id"], given.stringValue != type {
      throw Problem.invalid(
        "event_type_id: expected the type of the path, \"\(type.prefix(60))\", found \(given.kindInWords)")
    }
    members["event_type_id"] = .string(type)
    return try create(.propertyDefinition, members, call, sender)
  }

  /// - Parameter acceptsSame: a living entity with the same content is no duplicate but the one that was meant.
  private func create(
    _ kind: SyncedKind, _ members: [String: JSONValue], key: String?, acceptsSame: Bool = false,
    in transaction: any HubTransaction, device: String, now: Date
  ) throws -> HubEntry {
    let reader = try DocumentReader(.object(members))
    let id = try reader.identifier("id")
    let digest = SHA256Digest.hexadecimal(of: JSONText.write([.string(kind.name), .object(members)]))
    if let key, let earlier = try transaction.keyedWrite(device: device, key: key) {
      guard earlier.digest == digest, let entry = try transaction.entry(kind: earlier.kind, id: earlier.id) else {
        throw Problem(
          "idempotency_key_reused", status: 409, title: "Idempotency key reused",
          detail: "this Idempotency-Key came before with other content: every write needs one of its own")
      }
      // A create of an entity that was deleted since is refused below: an answer of 201 would tell the client that it lives.
      if entry.isAlive { return entry }
    }
    if let entry = try transaction.entry(kind: kind.name, id: id), entry.isAlive {
      let fields = try kind.fields(from: members, isCreate: true)
      guard acceptsSame, fields.allSatisfy({ entry.fields[$0.key]?.value == $0.value }) else {
        throw Problem(
          "duplicate", status: 409, title: "Exists already",
          detail: "the \(kind.name) \"\(id)\" exists already: change it with PATCH")
      }
    } else {
      try carryOut(
        HubMutation(kind: kind.name, id: id, operation: .create, content: .members(members)), in: transaction,
        device: device,
        now: now)
    }
    if let key {
      try transaction.putKeyedWrite(
        device: device, key: key, KeyedWrite(digest: digest, kind: kind.name, id: id))
    }
    guard let entry = try transaction.entry(kind: kind.name, id: id) else { throw missing(kind, id) }
    return entry
  }

  private func carryOut(
    _ mutation: HubMutation, in transaction: any HubTransaction, device: String, now: Date
  ) throws {
    if case .refused(let problem) = try core.judge(mutation, device: device, in: transaction, now: now) {
      throw problem
    }
  }

  private func idempotencyKey(_ call: HubCall) throws -> String? {
    let keys = call.request.headers.values(of: "Idempotency-Key")
    guard let key = keys.first else { return nil }
    guard keys.count == 1, (1...255).contains(key.utf8.count) else {
      throw Problem.invalid("Idempotency-Key: expected one of 1 to 255 bytes")
    }
    return key
  }

  private func missing(_ kind: SyncedKind, _ id: String) -> Problem {
    .notFound("there is no \(kind.name) \"\(id.prefix(128))\"")
  }
}

extension HubDevice {
  /// The identity under which plain REST writes are noted.
  var restDevice: String { "rest:\(id)" }
}

extension HubEntry {
  fileprivate var displayOrder: Int64 { fields["display_order"]?.value.intValue ?? 0 }
}
