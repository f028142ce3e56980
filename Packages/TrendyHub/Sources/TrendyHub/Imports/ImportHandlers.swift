import Foundation
import TrendyModels
import TrendyProtocols

// Files that a person sends: read through and told of first, taken in when they say so, and taken back.

extension HubServer {
  /// Answers `GET /imports`: what was taken in, and files that wait, the oldest first.
  func listImports(_ sender: HubDevice) async throws -> HTTPResponse {
    let jobs = try importJobs()
    let kept = try await store.read(person: sender.person) { try $0.imports() }
    let current = jobs.jobs(of: sender.person)
    let keptIds = Set(kept.map(\.id))
    let entries = kept.map { entry in jobs.document(current.first { $0.id == entry.id }, entry) }
    let waiting = current.filter { !keptIds.contains($0.id) }.map { jobs.document($0, nil) }
    return .json(.array(entries + waiting))
  }

  /// Answers `POST /imports`: a file is about to be sent.
  func beginImport(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let jobs = try importJobs()
    let body = try call.body()
    let (id, name) = (try body.identifier("id"), try body.string("name"))
    guard (1...1024).contains(name.utf8.count) else { throw Problem.invalid("name: expected 1 to 1024 bytes") }
    let size = try body.integer("size", in: 1...Int64.max / 4)
    let quota = core.quota
    let (isTaken, room) = try await store.read(person: sender.person) { reading in
      (try reading.imports().contains { $0.id == id }, try reading.room(in: quota))
    }
    guard !isTaken else {
      throw Problem("duplicate", status: 409, title: "Exists already", detail: "id: a file was taken in under this id")
    }
    let job = try await store.perform(.writing, for: sender.person) {
      try jobs.begin(id, source: name, size: size, of: sender.person, room: room)
    }
    return .json(jobs.document(job, nil), status: 201)
  }

  /// Answers `PUT /imports/{id}/content`: a part of the file.
  func takeImportPart(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let jobs = try importJobs()
    let offset = try call.integer("offset", in: 0...Int64.max / 4, default: 0)
    let job = try await store.perform(.writing, for: sender.person) {
      try jobs.take(call.request.body, at: offset, of: call.path[1], person: sender.person)
    }
    return .json(jobs.document(job, nil))
  }

  /// Answers `GET /imports/{id}`.
  func showImport(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    .json(try await importDocument(call.path[1], sender))
  }

  /// Answers `POST /imports/{id}/preview`: what the file would bring; nothing is written.
  func previewImport(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let choice = try ImportChoice(call)
    return try await startImport(call.path[1], choice, isDryRun: true, sender)
  }

  /// Answers `POST /imports/{id}/commit`: what is in the file is taken in.
  func commitImport(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let choice = try ImportChoice(call)
    try await begin(for: sender.person)
    return try await startImport(call.path[1], choice, isDryRun: false, sender)
  }

  private func startImport(
    _ id: String, _ choice: ImportChoice, isDryRun: Bool, _ sender: HubDevice
  ) async throws -> HTTPResponse {
    let jobs = try importJobs()
    let job = try jobs.start(id, of: sender.person, isWriting: !isDryRun) { [self] job, onProgress in
      guard let path = job.path else { preconditionFailure("a job without a file was begun: \(job.id)") }
      let desk = HubImportDesk(server: self, person: job.person, id: job.id, source: job.source)
      let file = ImportFile(
        path: path, name: job.source, zone: choice.zone, isDayFirst: choice.isDayFirst, onlyTypes: choice.types,
        typeMap: choice.typeMap, acceptsOtherZone: choice.acceptsOtherZone, isDryRun: isDryRun)
      let summary = try jobs.intake.importer.read(file, into: desk, onProgress: onProgress)
      if isDryRun { jobs.notePreview(summary, of: job.id, job.person) } else { try desk.finish() }
      return summary
    }
    return .json(try await importDocument(job.id, sender), status: 202)
  }

  /// Answers `POST /imports/{id}/undo`.
  func undoImport(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let jobs = try importJobs()
    let id = call.path[1]
    let entry = try await store.read(person: sender.person) { try $0.imports() }.first { $0.id == id }
    guard let entry else { throw Problem.notFound("no file of yours was taken in as \"\(id.prefix(60))\"") }
    // Asked again where no answer came.
    if entry.undoneThrough == nil {
      _ = try jobs.startUndo(id, source: entry.source, of: sender.person) { [self] onProgress in
        try takeBack(entry, of: sender.person, onProgress)
      }
    }
    return .json(try await importDocument(id, sender), status: 202)
  }

  /// Answers `DELETE /imports/{id}`: the file is thrown away, or what is done with it is stopped.
  func cancelImport(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let jobs = try importJobs()
    try await store.perform(.writing, for: sender.person) { try jobs.cancel(call.path[1], of: sender.person) }
    return HTTPResponse(status: 204)
  }

  private func importDocument(_ id: String, _ sender: HubDevice) async throws -> JSONValue {
    let jobs = try importJobs()
    let entry = try await store.read(person: sender.person) { try $0.imports() }.first { $0.id == id }
    let job = jobs.job(id, of: sender.person)
    guard job != nil || entry != nil else { throw ImportJobs.unknown(id) }
    return jobs.document(job, entry)
  }

  private func importJobs() throws(Problem) -> ImportJobs {
    guard let imports else { throw .notFound("this hub takes in no files") }
    return imports
  }
}

/// How a person has a file read.
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
        ? [] : body.array("types", limit: 10_000).compactMap { $0.stringValue?.lowercased() })
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
        throw .invalid("type_map: expected the name of a type for \"\(from.prefix(40))\", of 1 to 200 bytes")
      }
      map[from.lowercased()] = to
    }
    return map
  }
}

extension ImportJobs {
  /// A file as the API has it: what is done with it now, what is kept of it, or both.
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

// MARK: Taking back

extension HubServer {
  private static let takenBackAtOnce = 500

  /// Deletes what an import made and nobody edited since: first what refers to others, then types without anything of their own.
  private func takeBack(
    _ begun: HubImport, of person: String, _ onProgress: (Int64) throws -> Void
  ) throws -> (removed: Int, left: Int) {
    let now = clock.now
    var entry = begun
    var authors: Set<String> = []
    try writeHere(person: person) { transaction in
      // What came again had the author of an import that was taken back.
      authors = Set(try transaction.imports().filter { $0.undoneAt != nil }.map(\.author) + [begun.author])
      entry = try transaction.imports().first { $0.id == begun.id } ?? begun
      let head = try transaction.state().head
      entry.undoneAt = entry.undoneAt ?? now
      // Of one that was interrupted nobody wrote down how far it came.
      if entry.finishedAt == nil { entry.through = head }
      try transaction.put(entry)
    }
    var removed = 0
    for isTypes in [false, true] {
      removed += try takeBack(entry, of: person, authors, isTypes: isTypes) { try onProgress(Int64($0)) }
    }
    try writeHere(person: person) { transaction in
      entry.undoneThrough = try transaction.state().head
      try transaction.put(entry)
    }
    return (removed, max(0, entry.made.values.reduce(0, +) - removed))
  }

  private func takeBack(
    _ entry: HubImport, of person: String, _ authors: Set<String>, isTypes: Bool, _ onProgress: (Int) throws -> Void
  ) throws -> Int {
    var removed = 0
    var after = entry.before
    while after < entry.through {
      let page = try storage.read(person: person) { try $0.entries(after: after, limit: Self.takenBackAtOnce) }
      guard let last = page.last else { break }
      after = last.version
      let made = page.filter {
        $0.version <= entry.through && $0.isAlive && $0.isWritten(byOneOf: authors)
          && ($0.kind == SyncedKind.eventType.name) == isTypes
      }
      guard !made.isEmpty else { continue }
      var count = 0
      let now = clock.now
      try writeHere(person: person) { transaction in
        count = 0
        for found in made {
          guard let kind = SyncedKind.named(found.kind),
            // Edited just now.
            try transaction.entry(kind: found.kind, id: found.id)?.version == found.version,
            try !isTypes || transaction.referring(toKind: found.kind, id: found.id).isEmpty
          else { continue }
          try core.carryOut(
            CollectionOfOne(
              HubMutation(
                kind: kind.name, id: found.id, operation: .delete,
                content: .members([SyncedKind.importUndone: true]))),
            by: entry.author, in: transaction, now: now)
          count += 1
        }
      }
      removed += count
      try onProgress(removed)
    }
    return removed
  }
}
