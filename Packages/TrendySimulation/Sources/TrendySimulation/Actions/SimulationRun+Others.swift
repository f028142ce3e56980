import Foundation
import StorageTesting
import TrendyHub
import TrendyModels
import TrendyPersistence
import TrendySync
import TrendyTesting

// MARK: Administrator, plain REST clients, another user, and sources of invalid data
extension SimulationRun {
  /// Performs an action. Returns whether it was possible.
  func carryOutMore(_ action: Action) async -> Bool {
    switch action {
    case .setHubClock(let hours):
      hub.clock.setOffset(Double(hours) * 3600)
      ledger.oracle.isHubSet = true
      return true
    case .restartHub(let times): return await restartHub(times)
    case .limitRecord(let room): return server == nil && hub.limit(room: room)
    case .clearQueue(let number, let marksFailed):
      guard let process = devices[number].process, !devices[number].isOld,
        // A powered-off disk cannot be read.
        let queue = try? process.factory.makeLocalStore().fetchPendingMutations()
      else { return false }
      ledger.onCleared(
        queue.map { Ledger.Key(kind: $0.entityType, id: $0.entityId) }, isMarked: marksFailed)
      return await process.engine.clearPendingMutations(markEntitiesFailed: marksFailed) > 0
    case .writePlainly(let number, let choice): return await writePlainly("t\(number)", choice)
    case .writeAsStranger(let number, let choice): return await writeAsStranger("s\(number)", choice)
    case .recordMany(let number, let edit, let count):
      guard user == nil else { return false }
      var editor = Editor(
        run: self, device: devices[number], choice: UInt64(edit), text: "t\(edit)", isBeside: false)
      editor.recordMany(count)
      return true
    case .lie(let number, let choice):
      wires[number].lies.append(choice)
      return true
    case .pushLies(let choice): return await pushLies(choice)
    default: return false
    }
  }

  private func restartHub(_ times: Int) async -> Bool {
    for wire in wires { wire.loseSignals(isSilent: false) }
    for process in 0..<times {
      _ = restartHubIfOff()
      hub.restart(losing: .nothing)
      // An epoch without a write is never announced.
      _ = await plainRequest(
        "POST", "/event-types",
        ["id": .string("process-\(executor.steps)-\(process)"), "name": "start", "color": "#000000", "icon": "sun"])
    }
    tellHead()
    return true
  }

  // MARK: Plain REST clients

  func plainRequest(
    _ method: String, _ path: String, _ body: [String: JSONValue] = [:], token: String? = nil
  ) async -> Int {
    let data = body.isEmpty ? Data() : (try? WireJSON.encode(JSONValue.object(body))) ?? Data()
    let request = HTTPRequest(
      id: "plain", method: method, target: "/api/v1\(path)",
      headers: HTTPHeaders([("Authorization", "Bearer \(token ?? hub.plainToken)")]), body: data)
    if restartHubIfOff() { return 503 }
    let server = hub.nextServer()
    let losses = hub.losses
    let status = await server.handle(request).status
    if status >= 500 { onFailure(of: request, status: status) }
    // If the hub was killed or lost power in the meantime, a confirmed write may be lost.
    if restartHubIfOff() || losses != hub.losses || !hub.isServing(server) { return 503 }
    return status
  }

  /// Checks that a hub with a working disk returns no server error.
  func onFailure(of request: HTTPRequest, status: Int) {
    guard !hub.isOff, status == 500 else { return }
    ledger.report(nil, "the hub responds with \(status) to \(request.method) \(request.target)")
  }

  /// Writes without a base version. Overwritten values cause no conflict.
  private func writePlainly(_ text: String, _ choice: UInt64) async -> Bool {
    var generator = SeededGenerator(seed: choice)
    let isIngest = Bool.random(using: &generator)
    guard server == nil, !hub.isOff,
      let type = made[.eventType]?.suffix(parameters.newest).randomElement(using: &generator)
    else { return false }
    let event = made[.event]?.suffix(parameters.newest).randomElement(using: &generator)
    switch (Int.random(in: 0..<8, using: &generator), event) {
    case (0..<3, let id?): return await patch(.event, id, text, isIngest: isIngest)
    case (3, _): return await patch(.eventType, type, text, isIngest: isIngest)
    case (4, let id?): return await deletePlainly(.event, id, isIngest: isIngest)
    case (5, _): return await deletePlainly(.eventType, type, isIngest: isIngest)
    default:
      let key = Ledger.Key(kind: .event, id: "event-\(text)")
      let members: [String: JSONValue] = [
        "id": .string(key.id), "event_type_id": .string(type), "timestamp": "2024-01-01T00:00:00.000Z",
        "notes": .string(text),
      ]
      let status = await write("POST", .event, nil, members, isIngest: isIngest)
      if status >= 400, status != 503, hub.entry(kind: key.kind.rawValue, id: key.id)?.isAlive == true {
        ledger.report(.mutationAppliesOnce, "\(key.id) exists although its only request was rejected with \(status)")
      }
      guard status < 300 else { return false }
      ledger.onText(text, key: key, device: Self.plainWriter, isSure: true)
      ledger.onTaken(members)
      made[.event, default: []].append(key.id)
      return true
    }
  }

  /// Device number of plain REST clients in the ledger.
  private static let plainWriter = -1

  private func patch(_ kind: MutationEntityType, _ id: String, _ text: String, isIngest: Bool) async -> Bool {
    let key = Ledger.Key(kind: kind, id: id)
    let field = MergeOracle.textField(ofKind: kind.rawValue)
    let (status, before) = await noting(key, withChildren: false) {
      await write("PATCH", kind, id, [field: .string(text)], isIngest: isIngest)
    }
    guard status < 300 || status == 503 else { return false }
    ledger.onPlainWriteOver(key, before)
    ledger.onText(text, over: before, key: key, device: Self.plainWriter, isSure: status < 300)
    return true
  }

  private func deletePlainly(_ kind: MutationEntityType, _ id: String, isIngest: Bool) async -> Bool {
    let key = Ledger.Key(kind: kind, id: id)
    let (status, before) = await noting(key, withChildren: true) {
      await write("DELETE", kind, id, [:], isIngest: isIngest)
    }
    guard status < 300 || status == 503 else { return false }
    ledger.onPlainWriteOver(key, before)
    if kind == .eventType { ledger.oracle.forgetAll() }
    ledger.onDelete(key, device: Self.plainWriter, isSure: status < 300)
    return true
  }

  /// Writes to the hub with plain REST or, if `isIngest`, in the way the hub writes for trackers.
  private func write(
    _ method: String, _ kind: MutationEntityType, _ id: String?, _ members: [String: JSONValue], isIngest: Bool
  ) async -> Int {
    guard let synced = SyncedKind.named(kind.rawValue), let path = synced.path else { return 404 }
    guard isIngest else {
      return await plainRequest(method, "/\(path)\(id.map { "/\($0)" } ?? "")", members)
    }
    let server = hub.nextServer()
    let losses = hub.losses
    let desk = server.ingestDesk(user: hub.user)
    defer { _ = restartHubIfOff() }
    do {
      switch (method, id) {
      case ("DELETE", let id?): try desk.delete(synced, id: id)
      case ("PATCH", let id?): try desk.update(synced, id: id, JSONValue.object(members))
      default: try desk.create(synced, JSONValue.object(members))
      }
      return losses == hub.losses && hub.isServing(server) ? 200 : 503
    } catch let problem as Problem {
      return problem.status
    } catch {
      return 503
    }
  }

  /// Performs a write and records the texts that it replaced, including those of concurrent writes.
  private func noting(
    _ key: Ledger.Key, withChildren: Bool, _ write: () async -> Int
  ) async -> (status: Int, before: [String]) {
    var texts = Set(textsAtHub(key, withChildren: withChildren))
    hub.database?.beforeCommit = { texts.formUnion(self.textsAtHub(key, withChildren: withChildren)) }
    let status = await write()
    hub.database?.beforeCommit = nil
    return (status, texts.sorted())
  }

  private func textsAtHub(_ key: Ledger.Key, withChildren: Bool) -> [String] {
    let own = [hub.entry(kind: key.kind.rawValue, id: key.id)].compactMap(\.self)
    let children =
      withChildren && key.kind == .eventType ? hub.referring(toKind: key.kind.rawValue, id: key.id) : []
    return (own + children).flatMap { MutationEnvelope.texts(of: $0.members) }
  }

  // MARK: Another user

  private func writeAsStranger(_ text: String, _ choice: UInt64) async -> Bool {
    var generator = SeededGenerator(seed: choice)
    guard server == nil, let id = made[.eventType]?.randomElement(using: &generator) else { return false }
    let status = await plainRequest(
      "POST", "/event-types", ["id": .string(id), "name": .string(text), "color": "#ffffff", "icon": "cup"],
      token: hub.strangerToken)
    if status == 409 {
      _ = await plainRequest("DELETE", "/event-types/\(id)", token: hub.strangerToken)
    }
    return true
  }

  /// Checks that two users of a hub share no data.
  func checkStranger() throws {
    for entry in try hub.strangersEntries() {
      for text in MutationEnvelope.texts(of: entry.members) where !text.hasPrefix("s") {
        ledger.report(nil, "another user of the hub has \(text)")
      }
    }
  }

  // MARK: A device that pushes invalid data

  private func pushLies(_ choice: UInt64) async -> Bool {
    var generator = SeededGenerator(seed: choice)
    guard server == nil,
      let kind = made.keys.sorted(by: { $0.rawValue < $1.rawValue }).randomElement(using: &generator),
      let id = made[kind]?.randomElement(using: &generator)
    else { return false }
    ledger.deviceLied = true
    let field = MergeOracle.textField(ofKind: kind.rawValue)
    let operation = MutationOperation.allCases.randomElement(using: &generator) ?? .update
    func number() -> JSONValue { .int(ResponseCorruptor.numbers.randomElement(using: &generator) ?? .max) }
    var document: JSONValue = [
      "device": "liar", "acked_through": 0, "last_seq": number(),
      "mutations": [
        [
          "id": .string("lie-\(choice)"), "seq": .int(Int64(1 + choice % 3)), "entity_type": .string(kind.rawValue),
          "entity_id": .string(id), "operation": .string(operation.rawValue), "incarnation": number(), "base": number(),
          "fields": [
            field: [
              "value": .string("lie-\(choice % 1000)"), "base": number(), "stamp": number(), "author": "stranger",
            ]
          ],
        ]
      ],
    ]
    if Bool.random(using: &generator) { ResponseCorruptor.distort(&document, using: &generator) }
    guard let members = document.objectValue else { return false }
    let key = Ledger.Key(kind: kind, id: id)
    ledger.onMixed(key)
    ledger.onRestored(key)
    _ = await plainRequest("POST", "/mutations", members, token: hub.liarToken)
    return true
  }
}
