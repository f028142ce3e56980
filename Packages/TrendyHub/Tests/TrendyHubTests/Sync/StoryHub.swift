import Foundation
import HubTesting
import StorageTesting
import Testing
import TrendyHub
import TrendyModels
import TrendyPersistence

/// The hub's merge rules on a storage, without a server, called as devices would call them.
final class StoryHub {
  enum Storage: String, CaseIterable, Sendable {
    case memory
    case embedded

    func make() -> any HubStorage {
      switch self {
      case .memory: MemoryHubStorage()
      case .embedded: TestHub.openStorage(SimulatedFileSystem())
      }
    }
  }

  static let milliseconds: Int64 = 1_704_067_200_000

  let storage: any HubStorage
  var now = Date(timeIntervalSince1970: Double(StoryHub.milliseconds) / 1000)
  private let core = HubCore()
  private var sequences: [String: Int64] = [:]
  private var mutations = 0

  init(_ storage: Storage, epoch: String = "first") throws {
    self.storage = storage.make()
    try restart(epoch: epoch)
  }

  /// Hub time in milliseconds since 1970.
  var clock: Int64 { Int64((now.timeIntervalSince1970 * 1000).rounded()) }

  func restart(epoch: String = "next") throws {
    _ = try storage.write(user: "p") { try core.begin(epoch: epoch, in: $0) }
  }

  var state: HubState { get throws { try storage.read(user: "p") { try $0.state() } } }

  func entry(_ kind: String, _ id: String) throws -> HubEntry? {
    try storage.read(user: "p") { try $0.entry(kind: kind, id: id) }
  }

  func value(_ id: String, _ field: String, of kind: String = "event") throws -> JSONValue? {
    try entry(kind, id)?.fields[field]?.value
  }

  func isAlive(_ id: String, _ kind: String = "event") throws -> Bool { try entry(kind, id)?.isAlive ?? false }

  /// Unresolved conflicts, each as `entity.field=value reason`.
  var conflicts: [String] {
    get throws {
      try storage.read(user: "p") { try $0.living(kind: "conflict", offset: 0, limit: .max) }.map { entry in
        func text(_ name: String) -> String { entry.fields[name]?.value.stringValue ?? "?" }
        let value =
          switch entry.fields["value"]?.value {
          case .string(let text)?: text
          case .object?: "{}"
          case let other?: "\(other)"
          case nil: "none"
          }
        return "\(text("entity_id")).\(text("field"))=\(value) \(text("reason"))"
      }.sorted()
    }
  }

  func entries(after cursor: Int64) throws -> [HubEntry] {
    try storage.read(user: "p") { try $0.entries(after: cursor, limit: 500) }
  }

  func page(after cursor: Int64 = 0, limit: Int = 500) throws -> HubCore.Page {
    try storage.read(user: "p") { try core.page(after: cursor, limit: limit, in: $0) }
  }

  // MARK: Mutations

  func create(_ kind: String, _ id: String, _ fields: [String: FieldChange], isNatural: Bool = false) -> HubMutation {
    mutation(.create, kind, id, fields, isNatural: isNatural)
  }

  func update(_ id: String, _ fields: [String: FieldChange], kind: String = "event", incarnation: Int64 = 0)
    -> HubMutation
  {
    mutation(.update, kind, id, fields, incarnation: incarnation)
  }

  func delete(
    _ id: String, base: Int64, kind: String = "event", incarnation: Int64 = 0, _ fields: [String: FieldChange] = [:]
  ) -> HubMutation {
    mutation(.delete, kind, id, fields, incarnation: incarnation, base: base)
  }

  func restore(_ id: String, incarnation: Int64, kind: String = "event", _ fields: [String: FieldChange] = [:])
    -> HubMutation
  {
    mutation(.restore, kind, id, fields, incarnation: incarnation)
  }

  func mutation(
    _ operation: HubMutation.Operation, _ kind: String, _ id: String, _ fields: [String: FieldChange],
    isNatural: Bool = false, incarnation: Int64 = 0, base: Int64? = nil
  ) -> HubMutation {
    mutations += 1
    return HubMutation(
      mutationId: "m\(mutations)", kind: kind, id: id, operation: operation, content: .fields(fields),
      hasNaturalKey: isNatural, incarnation: incarnation, base: base)
  }

  func type(_ id: String, name: String = "Coffee", at stamp: Int64 = 0) -> HubMutation {
    create(
      "event_type", id,
      ["name": set(.string(name), at: stamp), "color": set("#000000", at: stamp), "icon": set("cup", at: stamp)])
  }

  func event(_ id: String, of type: String = "t", notes: String? = nil, at stamp: Int64 = 0) -> HubMutation {
    create("event", id, eventFields(of: type, notes: notes, at: stamp))
  }

  func eventFields(of type: String = "t", notes: String? = nil, at stamp: Int64 = 0) -> [String: FieldChange] {
    var fields = [
      "event_type_id": set(.string(type), at: stamp), "timestamp": set("2024-01-01T08:00:00.000Z", at: stamp),
    ]
    if let notes { fields["notes"] = set(.string(notes), at: stamp) }
    return fields
  }

  /// Returns a field change by an author who had seen version `base`. `stamp` is in milliseconds since the test's
  /// start.
  func set(_ value: JSONValue, base: Int64 = 0, at stamp: Int64 = 0, by author: String? = nil) -> FieldChange {
    FieldChange(value: value, base: base, stamp: Self.milliseconds + stamp, author: author)
  }

  // MARK: Pushing

  func sent(_ mutation: HubMutation, _ sequence: Int64) -> SentMutation {
    SentMutation(sequence: sequence, digest: mutation.mutationId ?? "", content: .success(mutation))
  }

  /// Pushes mutations with the device's next sequence numbers.
  @discardableResult
  func push(_ device: String, _ mutations: HubMutation...) throws -> [MergeResult] {
    let first = sequences[device, default: 0] + 1
    let result = try push(
      device, mutations.enumerated().map { sent($0.element, first + Int64($0.offset)) }, acknowledged: first - 1)
    #expect(result.fork == nil)
    sequences[device] = first + Int64(mutations.count) - 1
    return result.outcomes.map(\.verdict)
  }

  func push(
    _ device: String, _ mutations: [SentMutation], acknowledged: Int64 = 0, seen: Int64? = nil, epoch: String? = nil,
    last: Int64? = nil
  ) throws -> HubCore.PushResult {
    let position = DevicePosition(
      device: device, seen: seen ?? 0, epoch: epoch, lastSequence: last, acknowledgedThrough: acknowledged)
    return try storage.write(user: "p") {
      try core.push(HubCore.Push(position: position, mutations: mutations), in: $0, now: now)
    }
  }

  func check(_ position: DevicePosition) throws { try storage.read(user: "p") { try core.check(position, in: $0) } }

  func noteContact(_ device: String, cursor: Int64) throws {
    try storage.write(user: "p") { transaction in
      let last = try transaction.contact(device: device)
      let state = try transaction.state()
      if let contact = core.contact(device: device, cursor: cursor, seen: nil, after: last, in: state, now: now) {
        try transaction.putContact(contact)
      }
    }
  }

  @discardableResult
  func compact(limit: Int = 500) throws -> Int {
    try storage.write(user: "p") { try core.compact(limit: limit, in: $0, now: now) }
  }
}

extension OutcomeEnvelope {
  var verdict: MergeResult {
    switch status {
    case "accepted": MergeResult(outcome: .accepted(version: version), lost: lost)
    case "merged": MergeResult(outcome: .merged(version: version), lost: lost)
    case "refused": MergeResult(outcome: .refused(problem ?? ProblemDetails(status: 0)), lost: lost)
    default: MergeResult(outcome: .tryLater(retryAfter: nil), lost: lost)
    }
  }
}

extension MergeResult {
  /// Version of an accepted or merged outcome, or `nil` for any other outcome.
  var version: Int64? {
    switch outcome {
    case .accepted(let version), .merged(let version): version
    case .refused, .tryLater: nil
    }
  }

  /// `accepted`, `merged`, or the problem type of a refusal.
  var word: String {
    switch outcome {
    case .accepted: "accepted"
    case .merged: "merged"
    case .refused(let problem): problem.kind
    case .tryLater: "try_later"
    }
  }
}
