import Foundation
import TrendyHub
import TrendyModels
import TrendyTesting

/// Expected state of a scenario, from acknowledged saves and the hub's responses. The stores are compared with it.
struct Ledger {
  struct Key: Hashable, Comparable {
    var kind: MutationEntityType
    var id: String

    static func < (left: Key, right: Key) -> Bool { (left.kind.rawValue, left.id) < (right.kind.rawValue, right.id) }
  }

  struct SavedText {
    var device: Int
    var key: Key
    var text: String
    /// Whether the text was edited again or deleted on the same device, in which case the text need not reach the hub.
    var isReplaced = false
    /// Whether a user who had seen the text replaced or deleted it, in which case the text need not be found.
    var isGivenUp = false
    /// Whether the entity was restored. The text of the restore is then tracked instead.
    var isRestored = false
  }

  struct Sent: Hashable {
    var device: String
    var sequence: Int64
  }

  struct Field: Hashable, Comparable {
    var key: Key
    var name: String

    static func < (left: Field, right: Field) -> Bool { (left.key, left.name) < (right.key, right.name) }
  }

  /// Last value written to a field.
  struct Word {
    /// Devices that ever wrote the field.
    var devices: Set<Int> = []
    /// `nil` if the field was cleared.
    var value: String?
    /// Whether the last save was acknowledged. A failed save may still be durable.
    var isSure = true
  }

  private(set) var texts: [SavedText] = []
  private(set) var words: [Field: Word] = [:]
  /// For each text, the texts that its author had seen in the same place.
  private var parents: [String: Set<String>] = [:]
  /// Texts that were visible before the field was cleared.
  private var clearedOver: [Key: Set<String>] = [:]
  /// Entities with a resolved conflict, or written without a base version. An earlier value of such an entity can
  /// reappear.
  private(set) var mixed: Set<Key> = []
  /// Entities whose mutations a user removed from the queue without marking the entities as failed.
  private(set) var cleared: Set<Key> = []
  private(set) var everDeleted: Set<Key> = []
  /// Entities deleted by a plain REST client, whose requests contain no version.
  private(set) var deletedPlainly: Set<Key> = []
  /// Whether one of two programs that sync the same store may have received the other's responses.
  var hasTwoEngines = false
  /// Whether a device received corrupted responses.
  var hubLied = false
  /// Whether a device sent corrupted requests.
  var deviceLied = false
  var oracle = MergeOracle()
  /// Identities that each device has used.
  private var identities: [Int: Set<String>] = [:]
  private(set) var said: [String: String] = [:]
  /// Restored entities. Deletions of their earlier and later incarnations can be pending at the same time.
  private(set) var restored: Set<Key> = []
  /// Mutations that the hub rejected, that lost a value, or that were in a rejected push.
  private var answeredWithNo: Set<String> = []
  /// Ids of entities that the hub lacks because of a mutation in `answeredWithNo`.
  private var setAside: Set<String> = []
  private(set) var deleted: [Int: Set<Key>] = [:]
  private(set) var takenTexts: Set<String> = []
  /// Entities that each entity referred to, by id of the referring entity.
  private var referencesOf: [String: Set<String>] = [:]
  private var outcomes: [Sent: String] = [:]
  /// Incarnation of each restored entity that has not been deleted again, by id.
  private var incarnations: [String: Int64] = [:]
  private var madeAt: [Int64: String] = [:]
  /// Mutations that may have been applied when the hub lost power, or before it was restored.
  private var unsure: Set<Sent> = []
  /// Entities imported at the hub.
  private var imported: Set<String> = []
  private var contents: [Sent: MutationEnvelope] = [:]
  private(set) var highestHead: Int64 = 0
  private(set) var violations: [Violation] = []
  var oldDevices: Set<Int> = []
  /// Whether the hub lost accepted writes, so that a device's visible state may be the only copy of a text.
  private(set) var hubWasRestored = false

  /// Devices whose store was restored from a backup. They may drop a create that they have already sent.
  private(set) var wentBack: Set<Int> = []
  /// Whether two stores may have used the same identity, and therefore the same sequence numbers until the hub detects
  /// the copy.
  private var hasCopies = false
  /// Whether two stores continue from the same content.
  private var hasTwins = false

  /// Progress of the ledger at the time of a backup.
  private struct Mark {
    var texts = 0
    var deleted: Set<Key> = []
    var takenTexts: Set<String> = []
  }
  private var storeMarks: [Int: Mark] = [:]
  private var hubMark = Mark()
  private var standbyMark = Mark()

  /// Records a violation, at most 20 per scenario.
  mutating func report(_ invariant: Invariant?, _ description: String) {
    if violations.count < 20 { violations.append(Violation(invariant: invariant, description: description)) }
  }

  // MARK: Users

  /// Records a text that a user wrote.
  /// - Parameters:
  ///   - seen: Texts that the author saw in its place.
  ///   - isSure: Whether the save was acknowledged. A failed save may still be durable.
  mutating func onText(_ text: String, over seen: [String] = [], key: Key, device: Int, isSure: Bool) {
    onReplaced(key, device: device)
    if text.isEmpty {
      clearedOver[key, default: []].formUnion(seen)
    } else {
      // An author who sees an empty field has seen that it was cleared.
      parents[text, default: []].formUnion(seen.isEmpty ? clearedOver[key] ?? [] : Set(seen.filter { $0 != text }))
    }
    if isSure { texts.append(SavedText(device: device, key: key, text: text)) }
  }

  /// Whether the author of a text had seen another text, or a text that replaced the other text.
  func hadSeen(_ seen: String, author text: String) -> Bool {
    var open = [text]
    var met: Set<String> = [text]
    while let next = open.popLast() {
      for parent in parents[next] ?? [] where met.insert(parent).inserted { open.append(parent) }
    }
    return met.contains(seen)
  }

  /// Handles a resolved conflict. Its values no longer need to be found.
  mutating func onDecided(_ kept: [String], of key: Key) {
    mixed.insert(key)
    for index in texts.indices where kept.contains(texts[index].text) {
      texts[index].isGivenUp = true
      texts[index].isReplaced = true
    }
  }

  /// Handles a discarded restore. Its mutation contains no text, so all texts of the entity are exempt from now on.
  mutating func onDiscardedRestore(of key: Key) {
    onDecided(texts.filter { $0.key == key }.map(\.text), of: key)
  }

  /// Handles a write without a base version.
  mutating func onPlainWriteOver(_ key: Key, _ before: [String]) {
    mixed.insert(key)
    oracle.forget(kind: key.kind.rawValue, id: key.id)
    onGivenUp(before)
  }

  mutating func onMixed(_ key: Key) { mixed.insert(key) }

  /// Handles mutations that a user removed from the queue. The hub may never receive them. `isMarked` means that their
  /// entities were marked as failed.
  mutating func onCleared(_ keys: [Key], isMarked: Bool) {
    if !isMarked { cleared.formUnion(keys) }
    mixed.formUnion(keys)
    setAside.formUnion(keys.map(\.id))
  }

  mutating func onDelete(_ key: Key, device: Int, isSure: Bool) {
    onReplaced(key, device: device)
    everDeleted.insert(key)
    // A plain REST client sends no incarnation, so the deleted incarnation is unknown.
    if device < 0 {
      incarnations = [:]
      deletedPlainly.insert(key)
    }
    // If a store was copied, one copy may drop a create that is pending in both. The hub then never sees a deletion.
    if isSure, !hasTwins, !restored.contains(key) { deleted[device, default: []].insert(key) }
  }

  /// Records the last value that a user wrote to a field.
  mutating func onWord(_ name: String, of key: Key, _ value: String?, device: Int, isSure: Bool) {
    var word = words[Field(key: key, name: name)] ?? Word()
    word.devices.insert(device)
    word.value = value
    word.isSure = isSure
    words[Field(key: key, name: name)] = word
  }

  mutating func onRestored(_ key: Key) {
    restored.insert(key)
    for device in deleted.keys { deleted[device]?.remove(key) }
    for device in storeMarks.keys { storeMarks[device]?.deleted.remove(key) }
  }

  /// Handles the restore of an entity with a visible text. From now on the text must be found as if the restoring user
  /// had written it.
  mutating func onRestoredText(_ text: String, of key: Key, device: Int) {
    // If the text was replaced, a pending deletion may carry the later text.
    guard readsOwnWrites, !mixed.contains(key), clearedOver[key]?.contains(text) != true,
      !parents.values.contains(where: { $0.contains(text) }), !NaturalIdentifier.isNatural(key.id)
    else { return }
    for index in texts.indices where texts[index].text == text { texts[index].isRestored = true }
    texts.append(SavedText(device: device, key: key, text: text))
  }

  mutating func onRefusedDelete(_ key: Key, device: Int) { deleted[device]?.remove(key) }

  mutating func onReplaced(_ key: Key, device: Int) {
    for index in texts.indices where texts[index].device == device && texts[index].key == key {
      texts[index].isReplaced = true
    }
  }

  /// Texts that the user of a device wrote, by entity, oldest first.
  func ownTexts(_ device: Int) -> [Key: [String]] {
    Dictionary(grouping: texts.filter { $0.device == device }, by: \.key).mapValues { $0.map(\.text) }
  }

  /// Whether users must see their own writes immediately: not after a restore, a copied store or corrupted data.
  var readsOwnWrites: Bool { !hasCopies && !hubWasRestored && !hubLied && !deviceLied }

  var mayFork: Bool { hasCopies || hubWasRestored || hasTwoEngines || hubLied || deviceLied || !oldDevices.isEmpty }

  var allDeleted: Set<Key> { deleted.values.reduce(into: []) { $0.formUnion($1) } }

  // MARK: Backups

  mutating func onBackup(device: Int) {
    storeMarks[device] = Mark(texts: texts.count, deleted: deleted[device] ?? [])
  }

  /// Handles a restored store. Unsent changes since the backup are lost, as expected.
  mutating func onRestore(device: Int) {
    wentBack.insert(device)
    hasCopies = true
    let mark = storeMarks[device] ?? Mark()
    forget(device: device, from: mark.texts)
    deleted[device] = mark.deleted
  }

  mutating func onCopy(from: Int, to: Int) {
    hasCopies = true
    hasTwins = true
    forget(device: to, from: 0)
    deleted[to] = []
  }

  mutating func onHubBackup() { hubMark.takenTexts = takenTexts }

  /// Records that the standby of the hubs' database receives no further writes.
  mutating func onStandbyBehind() { standbyMark.takenTexts = takenTexts }

  mutating func onFailover() { onHubWentBack(to: standbyMark) }

  mutating func onHubRestore() { onHubWentBack(to: hubMark) }

  private mutating func onHubWentBack(to mark: Mark) {
    takenTexts = mark.takenTexts
    // A hub with less data can answer a repeated mutation differently, or with the outcome from before its backup.
    unsure.formUnion(outcomes.keys)
    outcomes = [:]
    imported = []
    madeAt = [:]
    incarnations = [:]
    oracle = MergeOracle()
    // The devices still have stamps from the hub's later clock.
    oracle.isHubSet = true
    // An entity that no device wrote may exist nowhere else.
    for index in texts.indices where texts[index].device < 0 { texts[index].isGivenUp = true }
    for device in deleted.keys where device < 0 { deleted[device] = nil }
    highestHead = 0
    hubWasRestored = true
  }

  private mutating func forget(device: Int, from place: Int) {
    for index in texts.indices where index >= place && texts[index].device == device { texts[index].isReplaced = true }
  }

  /// Handles texts that a user saw and replaced or deleted.
  mutating func onGivenUp(_ seen: some Collection<String>) {
    guard !seen.isEmpty else { return }
    for index in texts.indices where seen.contains(texts[index].text) { texts[index].isGivenUp = true }
  }

  // MARK: The hub

  mutating func onPlainWrite(_ body: Data) {
    // A body that is not JSON contains no text.
    guard let document = try? WireJSON.decode(JSONValue.self, from: body) else { return }
    let list = document.arrayValue ?? document.objectValue?["events"]?.arrayValue ?? [document]
    for value in list.compactMap(\.objectValue) { onTaken(value) }
  }

  /// Handles the members of an entity that the hub accepted from a client without a queue.
  mutating func onTaken(_ members: [String: JSONValue]) {
    takenTexts.formUnion(MutationEnvelope.texts(of: members))
    if let id = members["id"]?.stringValue {
      referencesOf[id, default: []].formUnion(MutationEnvelope.references(of: members))
    }
  }

  /// Handles the outcomes of a custom server.
  mutating func onOutcomes(_ outcomes: [MutationOutcome], of mutations: [PendingMutation]) {
    for (outcome, mutation) in zip(outcomes, mutations) {
      switch outcome {
      case .accepted, .merged: onPlainWrite(mutation.payload)
      case .refused, .tryLater: break
      }
    }
  }

  /// Handles a push and its response, whether or not the response arrives.
  mutating func onPush(_ request: PushRequest, answer: PushResponse, now: Int64) {
    onHead(answer.head)
    let bySequence = Dictionary(request.mutations.map { ($0.sequence, $0) }, uniquingKeysWith: { first, _ in first })
    for outcome in answer.outcomes {
      guard let mutation = bySequence[outcome.sequence] else {
        report(
          .mutationAppliesOnce,
          "the hub returned an outcome for sequence number \(outcome.sequence), which was not sent")
        continue
      }
      onOutcome(outcome, of: mutation, by: request.device, now: now)
    }
  }

  /// Handles a push whose effects the hub lost before the response arrived. The device still moves rejected mutations
  /// to the conflict journal.
  mutating func onForgotten(_ request: PushRequest, answer: PushResponse) {
    let refused = Set(answer.outcomes.filter { $0.status == "refused" || !$0.lost.isEmpty }.map(\.sequence))
    for mutation in request.mutations where refused.contains(mutation.sequence) {
      answeredWithNo.insert(mutation.id)
      setAside.insert(mutation.entityId)
    }
  }

  /// Checks that no version was assigned to two entities, as two hubs unaware of each other would do.
  private mutating func checkVersion(_ outcome: OutcomeEnvelope, of mutation: MutationEnvelope) {
    guard outcome.status == "accepted", mutation.operation == MutationOperation.create.rawValue, !hubLied,
      let version = outcome.version
    else { return }
    let entity = "\(mutation.entityType) \(mutation.entityId)"
    if let other = madeAt.updateValue(entity, forKey: version), other != entity {
      report(.mutationAppliesOnce, "\(entity) and \(other) were created at the same version, \(version)")
    }
  }

  private mutating func onOutcome(
    _ outcome: OutcomeEnvelope, of mutation: MutationEnvelope, by device: String, now: Int64
  ) {
    if outcome.status == "refused" || !outcome.lost.isEmpty { answeredWithNo.insert(mutation.id) }
    if outcome.status == "refused" { checkRefusal(outcome.problem, of: mutation) }
    let isTaken = outcome.status == "accepted" || outcome.status == "merged"
    if isTaken { takenTexts.formUnion(mutation.texts { !outcome.lost.contains($0) }) }
    let sent = Sent(device: device, sequence: outcome.sequence)
    // The words include the id, because two stores with the same identity would each accept the other's outcomes.
    let words =
      "\(mutation.id) \(outcome.status) at \(outcome.version.map { "\($0)" } ?? "-") \(outcome.problem?.type ?? "")"
    if let known = outcomes[sent] {
      if known != words {
        report(
          .mutationAppliesOnce,
          "sequence \(sent.sequence) of a device had the outcome \"\(known)\" and later \"\(words)\"")
      }
      return
    }
    outcomes[sent] = words
    if unsure.contains(sent) {
      oracle.forget(kind: mutation.entityType, id: mutation.entityId)
      if mutation.operation == MutationOperation.delete.rawValue { oracle.forgetAll() }
    }
    if mutation.operation == MutationOperation.create.rawValue, NaturalIdentifier.isNatural(mutation.entityId),
      outcome.status == "accepted", !imported.insert(mutation.entityId).inserted, !hubWasRestored, !hubLied
    {
      report(.importIsIdempotent, "\(mutation.entityId) was imported a second time with an effect")
    }
    checkVersion(outcome, of: mutation)
    checkIncarnations(outcome, of: mutation, isSure: !unsure.contains(sent))
    guard !hasCopies, !hubLied, !deviceLied, oldDevices.isEmpty, !unsure.contains(sent) else { return }
    if let fault = oracle.onOutcome(outcome, of: mutation, by: device, now: now, hadSeen: hadSeen) {
      if !mixed.contains(where: { $0.id == mutation.entityId }) { report(.nothingVanishes, fault) }
    }
  }

  /// Checks that a deletion removes only the incarnation that its author had seen, and that every accepted write has a
  /// version.
  private mutating func checkIncarnations(_ outcome: OutcomeEnvelope, of mutation: MutationEnvelope, isSure: Bool) {
    guard outcome.status == "accepted" || outcome.status == "merged" else { return }
    let (kind, id) = (mutation.entityType, mutation.entityId)
    let isDelete = mutation.operation == MutationOperation.delete.rawValue
    if let version = outcome.version, version < 1, !isDelete {
      report(
        .ownWritesAreVisible,
        "\(mutation.operation) of \(id) was \(outcome.status) at \(version), and what is written has a version")
    }
    if mutation.operation == MutationOperation.restore.rawValue {
      incarnations[id] = isSure ? mutation.incarnation : nil
    } else if isDelete {
      if let incarnation = incarnations.removeValue(forKey: id), mutation.incarnation < incarnation, isSure,
        oldDevices.isEmpty
      {
        report(
          .deletedStaysDeleted,
          "a deletion of incarnation \(mutation.incarnation) of \(id) was accepted after its restore as \(incarnation)"
        )
      }
      if kind == MutationEntityType.eventType.rawValue { incarnations = [:] }
    }
  }

  /// Handles a push during which the hub lost power. It is unknown whether and when the push was applied.
  mutating func onUnsure(_ request: PushRequest) {
    for mutation in request.mutations {
      unsure.insert(Sent(device: request.device, sequence: mutation.sequence))
      oracle.forget(kind: mutation.entityType, id: mutation.entityId)
      incarnations[mutation.entityId] = nil
      if mutation.operation == MutationOperation.delete.rawValue {
        oracle.forgetAll()
        incarnations = [:]
      }
    }
  }

  private mutating func checkRefusal(_ problem: ProblemDetails?, of mutation: MutationEnvelope) {
    defer { setAside.insert(mutation.entityId) }
    let (type, detail) = (problem?.type ?? "", problem?.detail ?? "")
    // Entities from a newer version, or from a corrupted response, may be re-offered to a hub that has lost them.
    if type.hasSuffix(":invalid"), !mutation.entityId.hasPrefix("future-"), !hubLied {
      report(
        .mutationAppliesOnce,
        "a mutation of the hub's own version was rejected as invalid: \(mutation.operation) of \(mutation.entityId): \(detail)"
      )
    }
    guard !hasTwins, !hubWasRestored, !hubLied, !deviceLied, oldDevices.isEmpty else { return }
    // The device has created the parent earlier, or received it from the hub. A restore names the parent only if it
    // changes the parent.
    let references = mutation.references + (referencesOf[mutation.entityId] ?? [])
    if type.hasSuffix(":parent_deleted"), !references.contains(where: wasRejectedOrDeleted) {
      report(.childHasItsParent, "\(mutation.entityId) was sent before its parent: \(detail)")
    }
    let isChild = ["event", "property_definition", "skip"].contains(mutation.entityType)
    // Children of a rejected entity are rejected as well, and later edits to them fail because the hub lacks them.
    if type.hasSuffix(":entity_deleted"), setAside.isEmpty,
      !everDeleted.contains(where: { $0.id == mutation.entityId || (isChild && $0.kind == .eventType) })
    {
      report(
        .nothingVanishes,
        "\(mutation.operation) of \(mutation.entityId) was rejected as deleted, although nobody deleted it")
    }
  }

  /// Checks a response that reports a fork or a restored hub.
  mutating func onBreach(_ type: String, device: Int) {
    if type == ProblemDetails.deviceForked, !mayFork {
      report(.forkIsDetected, "\(deviceName(device)) is reported as a fork, although no store was copied or restored")
    }
    if type == ProblemDetails.logReset, !hubWasRestored, !hubLied, !hasCopies {
      report(.resetKeepsPendingEdits, "\(deviceName(device)) received log_reset, although the hub was never restored")
    }
  }

  /// Checks before a push that no sequence number has been reused for other content.
  mutating func onSend(_ request: PushRequest, by device: Int) {
    identities[device, default: []].insert(request.device)
    for mutation in request.mutations {
      if let text = mutation.texts({ _ in true }).first { said[mutation.id] = text }
      referencesOf[mutation.entityId, default: []].formUnion(mutation.references)
      let sent = Sent(device: request.position.device, sequence: mutation.sequence)
      if !hasCopies, let known = contents[sent], known != mutation {
        report(
          .mutationAppliesOnce,
          "what is sent as sequence \(sent.sequence) of a device changed from \(known) to \(mutation)")
      }
      contents[sent] = mutation
    }
  }

  /// Handles a push that was rejected as a whole. A mutation counts as rejected only if it was alone in the push.
  mutating func onRefusal(_ mutations: [(id: String, entityId: String)]) {
    guard mutations.count == 1, let mutation = mutations.first else { return }
    answeredWithNo.insert(mutation.id)
    setAside.insert(mutation.entityId)
  }

  private func wasRejectedOrDeleted(_ id: String) -> Bool {
    setAside.contains(id) || everDeleted.contains { $0.id == id }
  }

  /// Whether the hub ever gave a reason to move the mutation to the conflict journal.
  func hadReason(for conflict: Conflict) -> Bool {
    // A rejected create also removes the pending mutations of its entity and its children from the queue, for the
    // reason below. The ledger cannot derive this, because an update need not name its parent.
    answeredWithNo.contains(conflict.id) || setAside.contains(conflict.entityId) || hubLied
      || conflict.reason.hasPrefix("Depends on a rejected ")
  }

  /// Whether the author of a value had seen the value that it replaced, in which case there is no conflict. `text` is
  /// the replaced text, and `mutation` the id of the replacing mutation.
  func wasSeen(_ text: String, by mutation: String, device: String) -> Bool {
    guard let replacing = said[mutation], replacing != text else { return false }
    // After a change of identity, a device is not recognised as the author of its earlier writes.
    if identities.values.contains(where: { $0.count > 1 && $0.contains(device) }) { return false }
    return hadSeen(text, author: replacing)
  }

  /// Values that only one device ever wrote. Clocks, merges and other edits must not change them.
  var ownWords: [(field: Field, value: String?)] {
    guard readsOwnWrites, oldDevices.isEmpty else { return [] }
    return words.filter { $0.value.devices.count == 1 && $0.value.isSure && !mixed.contains($0.key.key) }.map {
      ($0.key, $0.value.value)
    }
    .sorted { $0.field < $1.field }
  }

  mutating func onHead(_ head: Int64) { highestHead = max(highestHead, head) }
}

extension MutationEnvelope {
  func texts(_ isWanted: (String) -> Bool) -> [String] {
    Self.texts(of: (fields?.mapValues(\.value) ?? payload).filter { isWanted($0.key) })
  }

  var references: [String] { Self.references(of: fields?.mapValues(\.value) ?? payload) }

  static func references(of fields: [String: JSONValue]) -> [String] {
    fields.filter { $0.key.hasSuffix("_id") && $0.key != "external_id" }.compactMap(\.value.stringValue)
  }

  /// Returns the ids that a stored payload refers to, or an empty array if the payload cannot be decoded.
  static func references(of payload: Data) -> [String] {
    (try? WireJSON.decode([String: JSONValue].self, from: payload)).map { references(of: $0) } ?? []
  }

  static func texts(of payload: [String: JSONValue]) -> [String] {
    ["label", "name", "notes", "note", "value"].compactMap { payload[$0]?.stringValue }
  }
}
