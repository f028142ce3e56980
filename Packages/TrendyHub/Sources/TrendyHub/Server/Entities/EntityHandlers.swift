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
    if isPaged, ["from", "to", "source_type"].contains(where: { call.text($0) != nil }) {
      guard offset == 0 else { throw Problem.invalid("offset: goes with no from, no to, and no source_type") }
      let moments = try call.moments()
      if let name = call.text("source_type") {
        guard let source = EventSourceType(rawValue: name) else {
          throw Problem.invalid("source_type: \"\(name.prefix(40))\" is none that this hub knows")
        }
        return .read { reading in
          let entries = try reading.events(from: source, during: moments, limit: Int(limit))
          return .json(.array(entries.map { .object($0.document(person: sender.person)) }))
        }
      }
      return .read { reading in
        .json(
          texts: try reading.documents(kind: kind.name, during: moments, limit: Int(limit), person: sender.person))
      }
    }
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
    .read { [core] in .json(.object(try core.entity(kind, id: id, in: $0).document(person: sender.person))) }
  }

  func create(
    _ kind: SyncedKind, _ members: [String: JSONValue], _ call: HubCall, _ sender: HubDevice
  ) throws -> HubWork {
    let edit = try edit(call)
    let now = clock.now
    return .write { [core] transaction in
      let entry = try core.create(kind, members, edit: edit, by: sender.restDevice, in: transaction, now: now)
      return .json(.object(entry.document(person: sender.person)), status: 201)
    }
  }

  func update(_ kind: SyncedKind, _ id: String, _ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let members = try call.body().members
    let edit = try edit(call)
    let now = clock.now
    return .write { [core] transaction in
      let entry = try core.update(kind, id: id, members, edit: edit, by: sender.restDevice, in: transaction, now: now)
      return .json(.object(entry.document(person: sender.person)))
    }
  }

  /// Answers `POST /events/{id}/stop`: a running event ends; one that has an end keeps it.
  func stop(_ id: String, _ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let end = try call.body().members["end_date"] ?? .null
    guard !end.isNull else { throw Problem.invalid("end_date: expected an RFC 3339 date, found none") }
    let edit = try edit(call)
    let now = clock.now
    return .write { [core] transaction in
      let entry = try core.stop(id: id, at: end, edit: edit, by: sender.restDevice, in: transaction, now: now)
      return .json(.object(entry.document(person: sender.person)))
    }
  }

  func delete(_ kind: SyncedKind, _ id: String, _ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let edit = try edit(call)
    let now = clock.now
    return .write { [core] transaction in
      try core.delete(kind, id: id, edit: edit, by: sender.restDevice, in: transaction, now: now)
      return HTTPResponse(status: 204)
    }
  }

  func restore(_ kind: SyncedKind, _ id: String, _ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let edit = try edit(call)
    let now = clock.now
    return .write { [core] transaction in
      let entry = try core.restore(kind, id: id, edit: edit, by: sender.restDevice, in: transaction, now: now)
      return .json(.object(entry.document(person: sender.person)))
    }
  }

  func batch(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let items = try call.body().array("events", limit: 500)
    let key = try idempotencyKey(call)
    let now = clock.now
    let keys = items.flatMap { item -> [HubEntryKey] in
      guard let members = item.objectValue, let id = members["id"]?.stringValue else { return [] }
      return HubEntryKey.judged(kind: SyncedKind.event.name, id: id) { members[$0] }
    }
    return .write { [core] transaction in
      try transaction.prefetch(keys, device: sender.restDevice)
      var created: [JSONValue] = []
      var errors: [JSONValue] = []
      for (index, item) in items.enumerated() {
        do {
          let members = try DocumentReader(item, path: "events[\(index)]").members
          let entry = try core.create(
            .event, members, edit: key.map { HubEdit(key: "\($0)\u{0}\(index)") }, acceptsSame: true,
            by: sender.restDevice, in: transaction, now: now)
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
    .read { [core] reading in
      _ = try core.entity(.eventType, id: type, in: reading)
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

  /// What the headers say of an edit; `nil` of one without a key.
  func edit(_ call: HubCall) throws -> HubEdit? {
    let headers = call.request.headers
    let key = try idempotencyKey(call)
    let time = try number("Trendy-Time", in: SyncRange.stamp, call)
    let incarnation = try number("Trendy-Incarnation", in: SyncRange.counter, call)
    guard let text = headers["Trendy-Version"] else {
      guard time == nil, incarnation == nil else {
        throw Problem.invalid("Trendy-Version: expected the version that the user saw beside the other headers")
      }
      return key.map { HubEdit(key: $0) }
    }
    guard let seen = SeenVersion(text) else {
      throw Problem.invalid(
        "Trendy-Version: expected one that a response of this hub had, found \"\(text.prefix(60))\"")
    }
    guard let key, let time else {
      throw Problem.invalid("Trendy-Version: expected Idempotency-Key and Trendy-Time beside it")
    }
    return HubEdit(key: key, knowledge: .init(seen: seen, stamp: time, incarnation: incarnation))
  }

  private func number(_ name: String, in range: ClosedRange<Int64>, _ call: HubCall) throws -> Int64? {
    guard let text = call.request.headers[name] else { return nil }
    guard let number = Int64(text), range.contains(number) else {
      throw Problem.invalid(
        "\(name): expected a whole number from \(range.lowerBound) to \(range.upperBound), found \"\(text.prefix(40))\""
      )
    }
    return number
  }

  private func idempotencyKey(_ call: HubCall) throws -> String? {
    let keys = call.request.headers.values(of: "Idempotency-Key")
    guard let key = keys.first else { return nil }
    guard keys.count == 1, (1...255).contains(key.utf8.count) else {
      throw Problem.invalid("Idempotency-Key: expected one of 1 to 255 bytes")
    }
    return key
  }
}

extension HubDevice {
  /// The identity under which plain REST writes are noted.
  var restDevice: String { Self.restDevice(id) }

  static func restDevice(_ id: String) -> String { "rest:\(id)" }
}

extension HubEntry {
  fileprivate var displayOrder: Int64 { fields["display_order"]?.value.intValue ?? 0 }
}
