import Foundation
import Synchronization
import TrendyModels
import TrendyProtocols

extension HubServer {
  func changes(_ call: HubCall, _ sender: HubDevice) throws -> HTTPResponse {
    let since = try call.integer("since", in: 0 ... .max, default: 0)
    let limit = try call.integer("limit", in: 1...500, default: 100)
    let epoch = try epoch(of: sender.person)
    let page = try storage.read(person: sender.person) { try core.page(after: since, limit: Int(limit), in: $0) }
    return .json([
      "changes": .array(page.entries.map { $0.change(person: sender.person) }), "next_cursor": .int(page.nextCursor),
      "has_more": .bool(page.hasMore), "epoch": .string(epoch),
    ])
  }

  /// A stream of `head` events: the present one at once, then each newest.
  func changeStream(_ sender: HubDevice) throws -> HTTPResponse {
    _ = try epoch(of: sender.person)
    // Opened before the head is read: a write in between is told of too.
    let stream = try streams.open(for: sender)
    streams.onHead(try storage.read(person: sender.person) { try $0.state().head }, of: sender.person)
    return HTTPResponse(
      status: 200,
      // The second is for nginx, which otherwise keeps small pieces back.
      headers: HTTPHeaders([("Content-Type", "text/event-stream"), ("X-Accel-Buffering", "no")]),
      body: .stream(HTTPBodyStream(endsWithReader: true) { await stream.next() }))
  }

  func snapshot(_ call: HubCall, _ sender: HubDevice) throws -> HTTPResponse {
    let epoch = try epoch(of: sender.person)
    let (head, mark, entries) = try storage.read(person: sender.person) { reading in
      (
        try reading.state().head, try call.text("device").map { try reading.mark(device: $0) } ?? 0,
        try reading.allEntries()
      )
    }
    let header: JSONValue = [
      "cursor": .int(head), "epoch": .string(epoch), "last_seq": .int(mark), "count": .int(Int64(entries.count)),
    ]
    let writer = SnapshotWriter(header: header, entries: entries, person: sender.person)
    return HTTPResponse(
      status: 200, headers: HTTPHeaders([("Content-Type", "application/x-ndjson")]),
      body: .stream(HTTPBodyStream { try writer.next() }))
  }

  func syncStatus(_ call: HubCall, _ sender: HubDevice) throws -> HTTPResponse {
    let epoch = try epoch(of: sender.person)
    return try storage.read(person: sender.person) { reading in
      var counts: [String: JSONValue] = [:]
      for kind in SyncedKind.all { counts[kind.name] = .int(Int64(try reading.livingCount(kind: kind.name))) }
      let mark = try call.text("device").map { try reading.mark(device: $0) } ?? 0
      return .json([
        "person": .string(sender.person), "device_id": .string(sender.id), "head": .int(try reading.state().head),
        "epoch": .string(epoch), "last_seq": .int(mark), "counts": .object(counts),
      ])
    }
  }

  func mutations(_ call: HubCall, _ sender: HubDevice) throws -> HTTPResponse {
    let push = try HubCore.Push(try call.body())
    let epoch = try epoch(of: sender.person)
    let now = clock.now
    let result = try write(person: sender.person) { try core.push(push, in: $0, now: now) }
    let answer: [String: JSONValue] = [
      "outcomes": .array(result.outcomes.map { $0.wire(requestId: call.request.id) }), "head": .int(result.head),
      "epoch": .string(epoch),
    ]
    guard let fork = result.fork else { return .json(.object(answer)) }
    // What was judged before the fork stands: the device learns it from the same answer.
    var response = fork.response(instance: String(call.request.path), requestId: call.request.id)
    let details = fork.members(instance: String(call.request.path), requestId: call.request.id)
    response.body = .data(JSONText.write(.object(answer.merging(details) { _, detail in detail })))
    return response
  }
}

extension HubCore.Push {
  /// What is wrong with the request fails it whole; what is wrong with one mutation refuses that one.
  init(_ body: DocumentReader) throws(Problem) {
    let device = try body.identifier("device")
    let acknowledged = try body.integer("acked_through")
    let last = try body.optionalInteger("last_seq")
    var mutations: [SentMutation] = []
    for (index, value) in try body.array("mutations", limit: 500).enumerated() {
      let reader = try DocumentReader(value, path: "mutations[\(index)]")
      let sequence = try reader.integer("seq")
      guard sequence > 0 else {
        throw .invalid("\(reader.at("seq")): expected a whole number from 1 up, found \(sequence)")
      }
      let content: Result<HubMutation, Problem>
      do throws(Problem) {
        content = .success(try HubMutation(reader))
      } catch {
        content = .failure(error)
      }
      mutations.append(
        SentMutation(
          sequence: sequence, digest: SHA256Digest.hexadecimal(of: JSONText.write(value)), content: content))
    }
    self.init(device: device, acknowledgedThrough: acknowledged, lastSequence: last, mutations: mutations)
  }
}

extension HubMutation {
  init(_ reader: DocumentReader) throws(Problem) {
    _ = try reader.identifier("id")
    let name = try reader.string("operation")
    guard let operation = Operation(rawValue: name) else {
      throw .invalid(
        "\(reader.at("operation")): expected \(Operation.allCases.map(\.rawValue).joined(separator: ", ")), found \"\(name.prefix(40))\""
      )
    }
    let id = try reader.identifier("entity_id")
    self.init(
      kind: try reader.string("entity_type"), id: id, operation: operation,
      payload: try reader.optionalObject("payload") ?? [:],
      hasNaturalKey: try reader.optionalBool("natural_key") ?? NaturalIdentifier.isNatural(id),
      incarnation: try reader.optionalInteger("incarnation"))
  }
}

extension HubCore.PushResult.Judged {
  func wire(requestId: String) -> JSONValue {
    var members: [String: JSONValue] = ["seq": .int(sequence)]
    switch outcome {
    case .accepted(let version):
      members["status"] = "accepted"
      members["version"] = .int(version)
    case .merged(let version, let lost):
      members["status"] = "merged"
      members["version"] = .int(version)
      members["lost"] = .array(lost.map { .string($0) })
    case .refused(let problem):
      members["status"] = "refused"
      members["problem"] = .object(problem.members(instance: nil, requestId: requestId))
    case .tryLater(let retryAfter):
      members["status"] = "try_later"
      members["retry_after_s"] = retryAfter.map { .int($0.components.seconds) }
    }
    return .object(members)
  }
}

extension Problem {
  func members(instance: String?, requestId: String) -> [String: JSONValue] {
    var members: [String: JSONValue] = [
      "type": .string("urn:trendy:error:\(kind)"), "title": .string(title), "status": .int(Int64(status)),
      "detail": .string(detail), "request_id": .string(requestId),
    ]
    members["instance"] = instance.map { .string($0) }
    return members
  }
}

/// Writes a snapshot's lines some hundred at a time, so that a large one is never in memory whole.
private final class SnapshotWriter: Sendable {
  private static let linesPerPiece = 256

  private let header: JSONValue
  private let entries: HubEntryList
  private let person: String
  /// The next line: -1 is the header.
  private let place = Mutex(-1)

  init(header: JSONValue, entries: HubEntryList, person: String) {
    self.header = header
    self.entries = entries
    self.person = person
  }

  func next() throws -> Data? {
    let first = place.withLock { place in
      defer { place = min(place + Self.linesPerPiece, entries.count) }
      return place
    }
    guard first < entries.count else { return nil }
    var piece = Data()
    for line in first..<min(first + Self.linesPerPiece, entries.count) {
      piece += JSONText.write(line < 0 ? header : try entries.entry(at: line).change(person: person))
      piece.append(UInt8(ascii: "\n"))
    }
    return piece
  }
}
