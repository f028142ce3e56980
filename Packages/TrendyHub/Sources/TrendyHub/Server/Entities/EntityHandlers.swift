import Foundation
import TrendyModels
import TrendyProtocols

/// Handlers for plain REST access to entities.
///
/// Each token counts as a separate device. An `Idempotency-Key` takes the place of a sequence number.
struct EntityHandlers: Sendable {
  let records: HubRecords

  private var core: HubCore { records.core }
  private var clock: any TimeSource { records.clock }

  func list(_ kind: SyncedKind, _ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let isPaged = kind.name == SyncedKind.event.name
    let offset = isPaged ? try call.integer("offset", in: SyncRange.counter, default: 0) : 0
    let limit = isPaged ? try call.integer("limit", in: 1...1000, default: 50) : .max
    if isPaged, ["from", "to", "source_type"].contains(where: { call.text($0) != nil }) {
      guard offset == 0 else { throw Problem.invalid("offset: cannot be combined with from, to or source_type") }
      let moments = try call.moments()
      if let name = call.text("source_type") {
        guard let source = EventSourceType(rawValue: name) else {
          throw Problem.invalid("source_type: unknown source type \"\(name.prefix(40))\"")
        }
        return .read { reading in
          let entries = try reading.events(from: source, during: moments, limit: Int(limit))
          return .json(.array(entries.map { .object($0.document(user: sender.user)) }))
        }
      }
      return .read { reading in
        .json(
          texts: try reading.documents(kind: kind.name, during: moments, limit: Int(limit), user: sender.user))
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
      return .json(.array(entries.map { .object($0.document(user: sender.user)) }))
    }
  }

  func show(_ kind: SyncedKind, _ call: HubCall, _ sender: HubDevice) -> HubWork {
    .read { [core] in .json(.object(try core.entity(kind, id: call.id, in: $0).document(user: sender.user))) }
  }

  func create(
    _ kind: SyncedKind, _ members: [String: JSONValue], _ call: HubCall, _ sender: HubDevice
  ) throws -> HubWork {
    try write(call, sender, status: 201) { [core] transaction, edit, now in
      try core.create(kind, members, edit: edit, by: sender.restDevice, in: transaction, now: now)
    }
  }

  func update(_ kind: SyncedKind, _ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let members = try call.body().members
    return try write(call, sender) { [core] transaction, edit, now in
      try core.update(kind, id: call.id, members, edit: edit, by: sender.restDevice, in: transaction, now: now)
    }
  }

  /// Ends a running event. An event that has already ended keeps its end.
  func stop(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let end = try call.body().members["end_date"] ?? .null
    guard !end.isNull else { throw Problem.invalid("end_date: expected an RFC 3339 date, found nothing") }
    return try write(call, sender) { [core] transaction, edit, now in
      try core.stop(id: call.id, at: end, edit: edit, by: sender.restDevice, in: transaction, now: now)
    }
  }

  /// Restores a deleted entity and, with `with=entries`, also the entities that were deleted together with a type.
  func restore(_ kind: SyncedKind, _ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let with = kind == .eventType ? call.text("with") : nil
    guard with == nil || with == "entries" else {
      throw Problem.invalid("with: expected entries, found \"\(with?.prefix(40) ?? "")\"")
    }
    return try write(call, sender) { [core] transaction, edit, now in
      let device = sender.restDevice
      if with == nil { return try core.restore(kind, id: call.id, edit: edit, by: device, in: transaction, now: now) }
      try core.restoreType(call.id, edit: edit, by: device, in: transaction, now: now)
      return try core.entity(kind, id: call.id, in: transaction)
    }
  }

  func delete(_ kind: SyncedKind, _ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let edit = try call.edit()
    let now = clock.now
    return .write { [core] transaction in
      try core.delete(kind, id: call.id, edit: edit, by: sender.restDevice, in: transaction, now: now)
      return HTTPResponse(status: 204)
    }
  }

  private func write(
    _ call: HubCall, _ sender: HubDevice, status: Int = 200,
    _ body: @escaping @Sendable (any HubTransaction, HubEdit?, Date) throws -> HubEntry
  ) throws -> HubWork {
    let edit = try call.edit()
    let now = clock.now
    return .write { transaction in
      .json(.object(try body(transaction, edit, now).document(user: sender.user)), status: status)
    }
  }

  func createEvents(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let items = try call.body().array("events", limit: 500)
    let key = try call.idempotencyKey()
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
          created.append(.object(entry.document(user: sender.user)))
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
}

extension HubCall {
  /// Returns the edit described by the request headers, or `nil` without an idempotency key.
  func edit() throws -> HubEdit? {
    let key = try idempotencyKey()
    let time = try number("Trendy-Time", in: SyncRange.stamp)
    let incarnation = try number("Trendy-Incarnation", in: SyncRange.counter)
    guard let text = request.headers["Trendy-Version"] else {
      guard time == nil, incarnation == nil else {
        throw Problem.invalid("Trendy-Version: required with Trendy-Time and Trendy-Incarnation")
      }
      return key.map { HubEdit(key: $0) }
    }
    guard let seen = SeenVersion(text) else {
      throw Problem.invalid(
        "Trendy-Version: expected a version from a response of this hub, found \"\(text.prefix(60))\"")
    }
    guard let key, let time else {
      throw Problem.invalid("Trendy-Version: requires Idempotency-Key and Trendy-Time")
    }
    return HubEdit(key: key, knowledge: .init(seen: seen, stamp: time, incarnation: incarnation))
  }

  private func number(_ name: String, in range: ClosedRange<Int64>) throws -> Int64? {
    guard let text = request.headers[name] else { return nil }
    guard let number = Int64(text), range.contains(number) else {
      throw Problem.invalid(
        "\(name): expected a whole number from \(range.lowerBound) to \(range.upperBound), found \"\(text.prefix(40))\""
      )
    }
    return number
  }

  func idempotencyKey() throws -> String? {
    let keys = request.headers.values(of: "Idempotency-Key")
    guard let key = keys.first else { return nil }
    guard keys.count == 1, (1...255).contains(key.utf8.count) else {
      throw Problem.invalid("Idempotency-Key: expected one value of 1 to 255 bytes")
    }
    return key
  }
}

extension HubDevice {
  /// Device identity used for plain REST writes with this token.
  var restDevice: String { Self.restDevice(id) }

  static func restDevice(_ id: String) -> String { "rest:\(id)" }
}
