import Foundation
import TrendyModels
import TrendyProtocols

struct ImportHandlers: Sendable {
  let records: HubRecords
  /// Imports in progress, or `nil` if the hub does not accept files.
  let files: ImportJobs?

  private var store: HubStore { records.store }

  func list(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let jobs = try importJobs()
    let kept = try await store.read(user: sender.user) { try $0.imports() }
    let current = jobs.jobs(of: sender.user)
    let keptIds = Set(kept.map(\.id))
    let entries = kept.map { entry in jobs.document(current.first { $0.id == entry.id }, entry) }
    let waiting = current.filter { !keptIds.contains($0.id) }.map { jobs.document($0, nil) }
    return .json(.array(entries + waiting))
  }

  func begin(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let jobs = try importJobs()
    let body = try call.body()
    let (id, name) = (try body.identifier("id"), try body.string("name"))
    guard (1...1024).contains(name.utf8.count) else { throw Problem.invalid("name: expected 1 to 1024 bytes") }
    let size = try body.integer("size", in: 1...Int64.max / 4)
    let quota = records.core.quota
    let (isTaken, room) = try await store.read(user: sender.user) { reading in
      (try reading.imports().contains { $0.id == id }, try reading.room(in: quota))
    }
    guard !isTaken else {
      throw Problem("duplicate", status: 409, title: "Already exists", detail: "id: another import has this id")
    }
    let job = try await store.perform(.writing, for: sender.user) {
      try jobs.begin(id, source: name, size: size, of: sender.user, room: room)
    }
    return .json(jobs.document(job, nil), status: 201)
  }

  func takePart(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let jobs = try importJobs()
    let offset = try call.integer("offset", in: 0...Int64.max / 4, default: 0)
    let job = try await store.perform(.writing, for: sender.user) {
      try jobs.take(call.request.body, at: offset, of: call.id, user: sender.user)
    }
    return .json(jobs.document(job, nil))
  }

  func show(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    .json(try await importDocument(call.id, sender))
  }

  func preview(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let choice = try ImportChoice(call)
    return try await start(call.id, choice, isDryRun: true, sender)
  }

  func commit(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let choice = try ImportChoice(call)
    try await records.begin(for: sender.user)
    return try await start(call.id, choice, isDryRun: false, sender)
  }

  private func start(
    _ id: String, _ choice: ImportChoice, isDryRun: Bool, _ sender: HubDevice
  ) async throws -> HTTPResponse {
    let jobs = try importJobs()
    let job = try jobs.start(id, of: sender.user, isWriting: !isDryRun) { [records] job, onProgress in
      guard let path = job.path else { preconditionFailure("import \(job.id) was started without a file") }
      let desk = HubImportWriter(records: records, user: job.user, id: job.id, source: job.source)
      let file = ImportFile(
        path: path, name: job.source, zone: choice.zone, isDayFirst: choice.isDayFirst, onlyTypes: choice.types,
        typeMap: choice.typeMap, acceptsOtherZone: choice.acceptsOtherZone, isDryRun: isDryRun)
      let summary = try jobs.intake.importer.read(file, into: desk, onProgress: onProgress)
      if isDryRun { jobs.notePreview(summary, of: job.id, job.user) } else { try desk.finish() }
      return summary
    }
    return .json(try await importDocument(job.id, sender), status: 202)
  }

  func undo(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let jobs = try importJobs()
    let id = call.id
    let entry = try await store.read(user: sender.user) { try $0.imports() }.first { $0.id == id }
    guard let entry else { throw Problem.notFound("import \"\(id.prefix(60))\" not found") }
    // A repeated request returns the state of the first undo.
    if entry.undoneThrough == nil {
      _ = try jobs.startUndo(id, source: entry.source, of: sender.user) { [records] onProgress in
        try ImportRemoval(entry, of: sender.user, in: records).run(onProgress)
      }
    }
    return .json(try await importDocument(id, sender), status: 202)
  }

  func cancel(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let jobs = try importJobs()
    try await store.perform(.writing, for: sender.user) { try jobs.cancel(call.id, of: sender.user) }
    return HTTPResponse(status: 204)
  }

  private func importDocument(_ id: String, _ sender: HubDevice) async throws -> JSONValue {
    let jobs = try importJobs()
    let entry = try await store.read(user: sender.user) { try $0.imports() }.first { $0.id == id }
    let job = jobs.job(id, of: sender.user)
    guard job != nil || entry != nil else { throw ImportJobs.unknown(id) }
    return jobs.document(job, entry)
  }

  private func importJobs() throws(Problem) -> ImportJobs {
    guard let files else { throw .notFound("this hub does not accept imports") }
    return files
  }
}

private struct ImportChoice: Sendable {
  let zone: String
  let isDayFirst: Bool?
  let types: Set<String>
  let typeMap: [String: String]
  let acceptsOtherZone: Bool

  init(_ call: HubCall) throws(Problem) {
    let body = try call.body()
    zone = try body.string("zone")
    types = Set(
      try body.members["types"] == nil
        ? [] : body.array("types", limit: 10_000).compactMap(\.stringValue))
    typeMap = try Self.typeMap(body)
    guard let acceptsOtherZone = (body.members["other_zone"] ?? .bool(false)).boolValue else {
      throw .invalid("other_zone: expected true or false")
    }
    self.acceptsOtherZone = acceptsOtherZone
    switch try body.optionalString("date_format") {
    case nil: isDayFirst = nil
    case "dmy": isDayFirst = true
    case "mdy": isDayFirst = false
    case let text?: throw .invalid("date_format: expected dmy or mdy, found \"\(text.prefix(40))\"")
    }
  }

  private static func typeMap(_ body: DocumentReader) throws(Problem) -> [String: String] {
    guard let value = body.members["type_map"] else { return [:] }
    guard let names = value.objectValue else {
      throw .invalid("type_map: expected an object, found \(value.kindInWords)")
    }
    var map: [String: String] = [:]
    for (from, to) in names {
      guard let to = to.stringValue, (1...200).contains(to.utf8.count) else {
        throw .invalid("type_map: expected a type name of 1 to 200 bytes for \"\(from.prefix(40))\"")
      }
      map[from.lowercased()] = to
    }
    return map
  }
}

extension ImportJobs {
  /// Returns an import's document from its job in this process, its stored state, or both.
  fileprivate func document(_ job: Job?, _ entry: HubImport?) -> JSONValue {
    var members: [String: JSONValue] = [
      "id": .string(job?.id ?? entry?.id ?? ""), "source": .string(job?.source ?? entry?.source ?? ""),
      "state": .string(job?.stage.word ?? entry?.state ?? ""),
      "started_at": .string(RFC3339.string(from: entry?.startedAt ?? job?.startedAt ?? .distantPast)),
      "import": entry?.document ?? .null,
    ]
    if let job, job.path != nil {
      members["size"] = .int(job.size)
      members["received"] = .int(job.received)
      members["read"] = .int(job.read)
      members["part_bytes"] = .int(Int64(intake.partBytes))
    }
    members["preview"] = job?.preview?.document
    switch job?.stage {
    case .done(let summary): members["result"] = summary.document
    case .failed(let problem): members["problem"] = problem.document
    case .undone(let removed, let left):
      members["removed"] = .int(Int64(removed))
      members["left"] = .int(Int64(left))
    default: break
    }
    return .object(members)
  }
}

extension Problem {
  fileprivate var document: JSONValue {
    [
      "type": .string(details.type), "title": .string(title), "status": .int(Int64(status)), "detail": .string(detail),
    ]
  }
}

extension HubImport {
  fileprivate var state: String { undoneAt != nil ? "undone" : finishedAt == nil ? "interrupted" : "done" }

  fileprivate var document: JSONValue {
    func date(_ date: Date?) -> JSONValue { date.map { .string(RFC3339.string(from: $0)) } ?? .null }
    return [
      "format": .string(format), "finished_at": date(finishedAt), "undone_at": date(undoneAt),
      "made": .object(made.mapValues { .int(Int64($0)) }),
    ]
  }
}
