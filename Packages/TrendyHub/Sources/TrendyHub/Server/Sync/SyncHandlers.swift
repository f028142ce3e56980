import Foundation
import Synchronization
import TrendyModels
import TrendyProtocols

struct SyncHandlers: Sendable {
  let records: HubRecords
  /// Total size of the entries at which a snapshot part ends, in bytes.
  let snapshotPartBytes: Int

  private var core: HubCore { records.core }
  private var clock: any TimeSource { records.clock }

  var routes: [HubRoute] {
    [
      HubRoute(
        .get, "changes", name: "listChanges", summary: "Returns a page of the feed: the entries after a version.",
        query: [
          .init("since", .counter, "version after which the page begins; default 0"),
          .init("limit", .integer(1...500), "maximum number of entries; default 100"),
        ] + Self.position, answers: [.json(200, "the page", .changePage)], .device(changes)),
      HubRoute(
        .get, "changes/latest-cursor", name: "getLatestCursor", summary: "Returns the version of the last write.",
        answers: [.json(200, "the hub position", .named("LatestCursor"))], .device(latestCursor)),
      HubRoute(
        .get, "changes/stream", name: "streamHeads", summary: "Streams an event with the new head after each write.",
        answers: [.init(status: 200, meaning: "head events", body: .events)], group: .stream,
        .device(changeStream)),
      HubRoute(
        .get, "snapshot", name: "getSnapshot",
        summary: "Returns all entities, as a whole or in parts: a header, then one entry per line.",
        query: [.init("part", .string, "\"first\", or the member next of the previous part")] + Self.position,
        answers: [.init(status: 200, meaning: "header and entries", body: .lines)], group: .snapshot, .device(snapshot)),
      HubRoute(
        .get, "me/sync", name: "getSyncSummary", summary: "Returns a checksum of all entities by kind.",
        query: [.init("device", .identifier, "device identity of the store")],
        answers: [.json(200, "the checksums", .syncSummary)], .device(summary)),
      HubRoute(
        .post, "mutations", name: "pushMutations",
        summary: "Applies the mutations of a device in order, each exactly once.",
        body: .pushRequest, answers: [.json(200, "the outcome of each", .pushResponse)], .device(push)),
    ]
  }

  private static let position: [HubRoute.Parameter] = [
    .init("device", .identifier, "device identity of the store"),
    .init("seen", .counter, "highest head in any response to this device"),
    .init("epoch", .string, "epoch of that head"),
    .init("last_seq", .counter, "highest sequence number that the device has sent"),
  ]

  private func changes(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let since = try call.integer("since", in: SyncRange.counter, default: 0)
    let limit = try call.integer("limit", in: 1...500, default: 100)
    let position = try call.position()
    let (answer, state, last) = try await records.read(user: sender.user) { [self] reading in
      try tellingState(in: reading) {
        if let position { try core.check(position, in: reading) }
        let page = try core.page(
          after: since, limit: Int(limit), isBootstrap: position == nil && since == 0, in: reading)
        return (
          page.answer(at: clock.now), page.state,
          try reading.contact(device: position?.device ?? sender.restDevice)
        )
      }
    }
    // A request that reads from the beginning without a device identity reports no position.
    if position != nil || since > 0 {
      try noteContact(of: sender, position, cursor: since, after: last, in: state)
    }
    // Identical requests return the same page until something is written.
    return answer.tagged(state.tag)
  }

  /// Stores the position that the device has reported or will have after this response.
  private func noteContact(
    of sender: HubDevice, _ position: DevicePosition?, cursor: Int64?, after last: HubContact?, in state: HubState
  ) throws {
    let device = position?.device ?? sender.restDevice
    guard
      let contact = core.contact(
        device: device, cursor: cursor, seen: position?.said, after: last, in: state, now: clock.now)
    else { return }
    // The response may be sent before the contact is stored. This is safe, because a device that falls below the
    // horizon in the meantime takes a snapshot, and the list of epochs is shortened only when the hub starts.
    try records.store.note(user: sender.user) { try $0.putContact(contact) }
  }

  private func latestCursor(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let state = try await records.read(user: sender.user) { try $0.state() }
    let position = state.position(at: clock.now)
    return try .wire(LatestCursorResponse(cursor: state.head, epoch: position.epoch, position: position))
      .tagged(state.tag)
  }

  /// Runs a check that may refuse a device's request, and adds to the problem the hub position, which the device needs
  /// to continue.
  private func tellingState<Result>(in reading: any HubReadTransaction, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch var problem as Problem {
      problem.position = try reading.state().position(at: clock.now)
      throw problem
    }
  }

  /// Returns a stream of `head` events: the current head at once, then each new one.
  private func changeStream(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    // Open the stream before reading the head, so no write in between is missed.
    let stream = try records.streams.open(for: sender)
    records.streams.onHead(try await records.read(user: sender.user) { try $0.state().head }, of: sender.user)
    return HTTPResponse(
      type: "text/event-stream", .stream(HTTPBodyStream(endsWithReader: true) { await stream.next() }),
      // Prevents nginx from buffering small chunks.
      [("X-Accel-Buffering", "no")])
  }

  private func snapshot(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let position = try call.position()
    let (state, last) = try await records.read(user: sender.user) { reading in
      (try reading.state(), try reading.contact(device: position?.device ?? sender.restDevice))
    }
    // A device that takes a snapshot will be in the current epoch, whichever position it reported.
    try noteContact(of: sender, position, cursor: nil, after: last, in: state)
    if let part = call.text("part") { return try await snapshotPart(part, call, sender) }
    let writer = try await records.read(user: sender.user) { [self] reading in
      let lines = try reading.allLines()
      return SnapshotWriter(
        header: try snapshotHeader(call, count: lines.count, state: reading.state(), in: reading), lines: lines)
    }
    return HTTPResponse(
      type: "application/x-ndjson",
      .stream(
        HTTPBodyStream { [store = records.store] in
          try await store.perform(.reading, for: sender.user) { try writer.next() }
        }))
  }

  private func snapshotPart(_ name: String, _ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let name = try SnapshotPartName(name)
    let body = try await records.read(user: sender.user) { [self] reading in
      // Parts from different epochs belong to different snapshots.
      let epoch = try reading.state().epochs.last?.id ?? ""
      let place = name.epoch == epoch ? name.place : nil
      let part = try core.snapshotPart(from: place, bytes: snapshotPartBytes, in: reading)
      var header = try snapshotHeader(call, count: part.lines.count, state: part.state, in: reading)
      header.spans = part.spans
      header.next = part.next.map { SnapshotPartName(place: $0, epoch: epoch).text }
      return part.lines.joined(after: JSONText.write(document: header))
    }
    return HTTPResponse(type: "application/x-ndjson", .data(body))
  }

  private func snapshotHeader(
    _ call: HubCall, count: Int, state: HubState, in reading: any HubReadTransaction
  ) throws -> SnapshotHeader {
    let position = state.position(at: clock.now)
    return SnapshotHeader(
      cursor: state.head, epoch: position.epoch ?? "",
      lastSequence: try call.device().map { try reading.mark(device: $0) } ?? 0, count: count,
      position: position)
  }

  private func summary(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let device = try call.device()
    return try await records.read(user: sender.user) { [self] reading in
      let state = try reading.state()
      let lastSequence = try device.map { try reading.mark(device: $0) } ?? 0
      let kinds = SyncedKind.all.map { ($0.name, state.sums[$0.name] ?? KindSum()) }
      return try .wire(
        SyncSummary(
          user: sender.user, position: state.position(at: clock.now),
          kinds: Dictionary(uniqueKeysWithValues: kinds), deviceId: sender.id,
          lastSequence: lastSequence, horizon: state.horizon)
      ).tagged("\(state.tag).\(lastSequence).\(state.horizon)")
    }
  }

  private func push(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let push = try await records.prepared(call.request, sender) {
      try HubCore.Push(try call.document(PushDocument<LenientElement<MutationEnvelope>>.self))
    }
    try await records.begin(for: sender.user)
    let now = clock.now
    return try await records.write(user: sender.user) { [self] transaction in
      let result = try tellingState(in: transaction) { try core.push(push, in: transaction, now: now) }
      var outcomes = result.outcomes
      for index in outcomes.indices { outcomes[index].problem?.requestId = call.request.id }
      let position = result.state.position(at: now)
      guard var fork = result.fork else { return try .wire(PushResponse(outcomes: outcomes, position: position)) }
      (fork.outcomes, fork.position) = (outcomes, position)
      return fork.response(instance: String(call.request.path), requestId: call.request.id)
    }
  }
}

extension HubCall {
  fileprivate func device() throws(Problem) -> String? {
    guard let device = text("device") else { return nil }
    guard Identifier.isValid(device) else { throw .invalid("device: expected \(Identifier.rule)") }
    return device
  }

  /// Position reported in the query, or `nil` without a device identity.
  fileprivate func position() throws(Problem) -> DevicePosition? {
    let seen = try integer("seen", in: SyncRange.counter, default: 0)
    let lastSequence = try optionalInteger("last_seq", in: SyncRange.counter)
    guard let device = try device() else { return nil }
    return DevicePosition(device: device, seen: seen, epoch: text("epoch"), lastSequence: lastSequence)
  }
}

extension HubCore.Push {
  private static let maxMutations = 500

  /// Validates a push. An invalid document fails the whole request, whereas an invalid mutation fails only itself.
  init(_ push: PushDocument<LenientElement<MutationEnvelope>>) throws(Problem) {
    guard Identifier.isValid(push.device) else { throw .invalid("device: expected \(Identifier.rule)") }
    guard push.mutations.count <= Self.maxMutations else {
      throw .tooMany("mutations", limit: Self.maxMutations, found: push.mutations.count)
    }
    var mutations: [SentMutation] = []
    for (index, attempt) in push.mutations.enumerated() {
      mutations.append(try SentMutation(attempt, at: "mutations[\(index)]"))
    }
    self.init(position: push.position, mutations: mutations)
  }
}

extension SentMutation {
  fileprivate init(_ attempt: LenientElement<MutationEnvelope>, at path: String) throws(Problem) {
    let document = try DocumentReader(attempt.json, path: path)
    let sequence = try document.integer("seq", in: 1...SyncRange.counter.upperBound)
    let content: Result<HubMutation, Problem>
    do throws(Problem) {
      let envelope = try attempt.envelope
      content = .success(
        try HubMutation(envelope, at: path, namesIncarnation: !(document.members["incarnation"]?.isNull ?? true)))
    } catch {
      content = .failure(error)
    }
    self.init(
      sequence: sequence, digest: SHA256Digest.hexadecimal(of: JSONText.write(attempt.json)), content: content)
  }
}

extension LenientElement<MutationEnvelope> {
  fileprivate var envelope: MutationEnvelope {
    get throws(Problem) {
      switch result {
      case .success(let envelope): return envelope
      case .failure(let error): throw .invalid(error.description)
      }
    }
  }
}

extension HubMutation {
  /// `namesIncarnation` states whether the document contains an incarnation, even if it is 0.
  init(_ envelope: MutationEnvelope, at path: String, namesIncarnation: Bool) throws(Problem) {
    for (name, id) in [("id", envelope.id), ("entity_id", envelope.entityId)] where !Identifier.isValid(id) {
      throw .invalid("\(path).\(name): expected \(Identifier.rule)")
    }
    guard let operation = Operation(rawValue: envelope.operation) else {
      throw .invalid(
        "\(path).operation: expected \(Operation.allCases.map(\.rawValue).joined(separator: ", ")), found \"\(envelope.operation.prefix(40))\""
      )
    }
    for (name, change) in envelope.fields ?? [:] where !(change.author.map(Identifier.isValid) ?? true) {
      throw .invalid("\(path).fields.\(name.prefix(60)).author: expected \(Identifier.rule)")
    }
    let content = envelope.fields.map { Content.fields($0) } ?? .members(envelope.payload)
    // A versioned mutation without an incarnation refers to incarnation 0, an unversioned one to the current
    // incarnation.
    let isVersioned = content.isByField || envelope.base != nil
    self.init(
      mutationId: envelope.id, kind: envelope.entityType, id: envelope.entityId, operation: operation,
      content: content,
      hasNaturalKey: envelope.unknownFields["natural_key"]?.boolValue ?? NaturalIdentifier.isNatural(envelope.entityId),
      incarnation: namesIncarnation || (isVersioned && operation != .restore) ? envelope.incarnation : nil,
      base: operation == .delete ? envelope.base : nil)
  }
}

/// Name of a snapshot part: `first`, or the kind, version and epoch where the previous part ended.
private struct SnapshotPartName: Sendable {
  private static let unknownKinds = "*"

  /// Position at which the part begins, or `nil` for the first part.
  var place: HubCore.SnapshotPlace?
  var epoch: String

  init(place: HubCore.SnapshotPlace, epoch: String) {
    self.place = place
    self.epoch = epoch
  }

  init(_ text: String) throws(Problem) {
    epoch = ""
    if text == SnapshotRequest.firstPart { return }
    let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let version = Int64(parts[1]), SyncRange.counter.contains(version) else {
      throw .invalid(
        "part: expected \"\(SnapshotRequest.firstPart)\" or the member next of a response, found \"\(text.prefix(40))\""
      )
    }
    let kind = parts[0] == Self.unknownKinds ? nil : String(parts[0])
    place = HubCore.SnapshotPlace(kind: kind, version: version)
    epoch = String(parts[2])
  }

  var text: String { "\(place?.kind ?? Self.unknownKinds).\(place?.version ?? 0).\(epoch)" }
}

extension HubCore.Page {
  /// Assembles the response from the serialized entries without decoding them.
  func answer(at now: Date) -> HTTPResponse {
    let position = state.position(at: now)
    let page = ChangeFeedResponse(
      changes: [], nextCursor: nextCursor, hasMore: hasMore, epoch: position.epoch, position: position)
    // Members are sorted by name, so `changes` comes first.
    let opening = Data(#"{"changes":["#.utf8)
    var body = opening
    for (place, line) in lines.enumerated() {
      if place > 0 { body.append(UInt8(ascii: ",")) }
      body.append(line.text)
    }
    body += JSONText.write(document: page).dropFirst(opening.count)
    return .json(written: body)
  }
}

extension [SerializedEntry] {
  /// Returns the header line followed by the entries, one per line.
  fileprivate func joined(after header: Data) -> Data {
    var text = Data(capacity: reduce(header.count + 1) { $0 + $1.text.count + 1 })
    text += header
    text.append(UInt8(ascii: "\n"))
    for line in self {
      text += line.text
      text.append(UInt8(ascii: "\n"))
    }
    return text
  }
}

/// Writes a snapshot in chunks of 256 lines, so a large snapshot is never completely in memory.
private final class SnapshotWriter: Sendable {
  private static let linesPerPiece = 256

  private let header: SnapshotHeader
  private let lines: SerializedEntryList
  /// Index of the next line, or -1 for the header.
  private let place = Mutex(-1)

  init(header: SnapshotHeader, lines: SerializedEntryList) {
    self.header = header
    self.lines = lines
  }

  func next() throws -> Data? {
    let first = place.withLock { place in
      defer { place = min(place + Self.linesPerPiece, lines.count) }
      return place
    }
    guard first < lines.count else { return nil }
    var piece = Data()
    for place in first..<min(first + Self.linesPerPiece, lines.count) {
      piece += place < 0 ? JSONText.write(document: header) : try lines.line(at: place).text
      piece.append(UInt8(ascii: "\n"))
    }
    return piece
  }
}
