import Foundation
import TrendyHub
import TrendyModels
import TrendyTesting

/// What was reported to persons, and what the hub said: against it the stores are held.
struct Ledger {
  struct Key: Hashable, Comparable {
    var kind: MutationEntityType
    var id: String

    static func < (left: Key, right: Key) -> Bool { (left.kind.rawValue, left.id) < (right.kind.rawValue, right.id) }
  }

  /// A text that a person saved.
  struct SavedText {
    var device: Int
    var key: Key
    var text: String
    /// A later edit of the same text, or a delete, on the same device: the text need no longer be told to anyone.
    var isReplaced = false
    /// Someone, anywhere, who saw it wrote over it or deleted it: it need no longer be found.
    var isGivenUp = false
    /// Somebody restored its entity: the text of the restore is followed in its place.
    var isRestored = false
  }

  struct Sent: Hashable {
    var device: String
    var sequence: Int64
  }

  /// One field of an entity.
  struct Field: Hashable, Comparable {
    var key: Key
    var name: String

    static func < (left: Field, right: Field) -> Bool { (left.key, left.name) < (right.key, right.name) }
  }

  /// What persons last said of a field.
  struct Word {
    /// Who ever wrote it.
    var devices: Set<Int> = []
    /// `nil` where it was cleared.
    var value: String?
    /// Whether the last save was reported as done; one that was not may be there all the same.
    var isSure = true
  }

  private(set) var texts: [SavedText] = []
  private(set) var words: [Field: Word] = [:]
  /// What each text was written over, by someone who saw that.
  private var parents: [String: Set<String>] = [:]
  /// What was there before it was cleared.
  private var clearedOver: [Key: Set<String>] = [:]
  /// Entities of which a conflict was decided, or that somebody wrote who says nothing of what they knew: a value may be there again
  /// that was written over before.
  private(set) var mixed: Set<Key> = []
  /// What was taken out of a queue by a person, and not marked.
  private(set) var cleared: Set<Key> = []
  /// What anyone ever deleted, whatever became of it.
  private(set) var everDeleted: Set<Key> = []
  /// Entities that a plain REST client deleted: its request names no version.
  private(set) var deletedPlainly: Set<Key> = []
  /// Whether one of two programs that sync a store may have met the other's answers.
  var hasTwoEngines = false
  /// Whether the hub said to a device what is not so, and whether a device said such things to the hub.
  var hubLied = false
  var deviceLied = false
  /// What is at the hub, and who must win there.
  var oracle = MergeOracle()
  /// The identities under which each device was met.
  private var identities: [Int: Set<String>] = [:]
  /// The texts that each mutation says, by its id.
  private(set) var said: [String: String] = [:]
  /// What somebody restored: deletions of its earlier life and of its later one cross on the way.
  private(set) var restored: Set<Key> = []
  /// Mutations of which the hub said that it refuses them, that values of them lost, or that were refused with a whole push.
  private var answeredWithNo: Set<String> = []
  /// The entities of those that the hub does not have for it.
  private var setAside: Set<String> = []
  /// What a person deleted, by device; reported as done.
  private(set) var deleted: [Int: Set<Key>] = [:]
  /// Every text in a mutation that the hub took.
  private(set) var takenTexts: Set<String> = []
  private var outcomes: [Sent: String] = [:]
  /// The life of each entity that somebody restored and nobody deleted since, by its id.
  private var incarnations: [String: Int64] = [:]
  /// What was made under each version.
  private var madeAt: [Int64: String] = [:]
  /// Judged, if at all, when the hub lost power, or before it was restored.
  private var unsure: Set<Sent> = []
  /// What was imported at the hub.
  private var imported: Set<String> = []
  private var contents: [Sent: MutationEnvelope] = [:]
  /// The highest head in any answer.
  private(set) var highestHead: Int64 = 0
  private(set) var violations: [Violation] = []
  /// Devices that ran an old version: what they write comes without the version that its author knew.
  var oldDevices: Set<Int> = []
  /// Whether the hub forgot what it had taken: then what a device shows may be the only place of a text.
  private(set) var hubWasRestored = false

  /// Whether two stores may have used one identity: until the hub finds out, both give the same sequences to what is theirs.
  /// Whose stores went back to a backup: they may take back a making that they have sent.
  private(set) var wentBack: Set<Int> = []
  private var hasCopies = false
  /// Whether two stores go on from the same content.
  private var hasTwins = false

  /// How far a ledger had come when something was backed up.
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

  // MARK: Persons

  /// - Parameter isSure: whether the save was reported as done; one that was not may be there all the same.
  /// - Parameter seen: what its author saw in its place.
  mutating func onText(_ text: String, over seen: [String] = [], key: Key, device: Int, isSure: Bool) {
    onReplaced(key, device: device)
    if text.isEmpty {
      clearedOver[key, default: []].formUnion(seen)
    } else {
      // Who sees nothing where there was something saw what was cleared.
      parents[text, default: []].formUnion(seen.isEmpty ? clearedOver[key] ?? [] : Set(seen.filter { $0 != text }))
    }
    if isSure { texts.append(SavedText(device: device, key: key, text: text)) }
  }

  /// Whether the author of a text had seen another, or what was written over that.
  func hadSeen(_ seen: String, author text: String) -> Bool {
    var open = [text]
    var met: Set<String> = [text]
    while let next = open.popLast() {
      for parent in parents[next] ?? [] where met.insert(parent).inserted { open.append(parent) }
    }
    return met.contains(seen)
  }

  /// A person decided on a value that was kept: it need be found no more.
  mutating func onDecided(_ kept: [String], of key: Key) {
    mixed.insert(key)
    for index in texts.indices where kept.contains(texts[index].text) {
      texts[index].isGivenUp = true
      texts[index].isReplaced = true
    }
  }

  /// One who says nothing of what they knew replaced what was there.
  mutating func onPlainWriteOver(_ key: Key, _ before: [String]) {
    mixed.insert(key)
    oracle.forget(kind: key.kind.rawValue, id: key.id)
    onGivenUp(before)
  }

  mutating func onMixed(_ key: Key) { mixed.insert(key) }

  /// A person took what waited out of the queue: the hub may never hear of it.
  ///
  /// - Parameter isMarked: whether the rows show it. Those that do not look like any other.
  mutating func onCleared(_ keys: [Key], isMarked: Bool) {
    if !isMarked { cleared.formUnion(keys) }
    mixed.formUnion(keys)
    setAside.formUnion(keys.map(\.id))
  }

  mutating func onDelete(_ key: Key, device: Int, isSure: Bool) {
    onReplaced(key, device: device)
    everDeleted.insert(key)
    // A plain REST client names no incarnation: which life it deleted is not known.
    if device < 0 {
      incarnations = [:]
      deletedPlainly.insert(key)
    }
    // Where a store was copied, one copy may take back a making that waits in both: to the hub it was never deleted.
    if isSure, !hasTwins, !restored.contains(key) { deleted[device, default: []].insert(key) }
  }

  /// A person wrote a field, which says this since.
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

  /// A user restored an entity that shows a text: from now on the text must be found as if that user had written it.
  mutating func onRestoredText(_ text: String, of key: Key, device: Int) {
    // Of what somebody wrote over, a deletion that is on its way may bring the later text.
    guard readsOwnWrites, !mixed.contains(key), clearedOver[key]?.contains(text) != true,
      !parents.values.contains(where: { $0.contains(text) }), !NaturalIdentifier.isNatural(key.id)
    else { return }
    for index in texts.indices where texts[index].text == text { texts[index].isRestored = true }
    texts.append(SavedText(device: device, key: key, text: text))
  }

  mutating func onRefusedDelete(_ key: Key, device: Int) { deleted[device]?.remove(key) }

  /// What the device's person wrote into the entity need no longer be told to anyone.
  mutating func onReplaced(_ key: Key, device: Int) {
    for index in texts.indices where texts[index].device == device && texts[index].key == key {
      texts[index].isReplaced = true
    }
  }

  /// What the device's person wrote into each entity, the last text last.
  func ownTexts(_ device: Int) -> [Key: [String]] {
    Dictionary(grouping: texts.filter { $0.device == device }, by: \.key).mapValues { $0.map(\.text) }
  }

  /// Whether own writes must be read at once: not where a backup or a copy took the place of what wrote them.
  var readsOwnWrites: Bool { !hasCopies && !hubWasRestored && !hubLied && !deviceLied }

  /// Whether the hub can have cause to take a device for two.
  var mayFork: Bool { hasCopies || hubWasRestored || hasTwoEngines || hubLied || deviceLied || !oldDevices.isEmpty }

  var allDeleted: Set<Key> { deleted.values.reduce(into: []) { $0.formUnion($1) } }

  // MARK: Backups

  mutating func onBackup(device: Int) {
    storeMarks[device] = Mark(texts: texts.count, deleted: deleted[device] ?? [])
  }

  /// What was recorded since the backup and reached no hub is gone, and nobody promised otherwise.
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

  /// From here on the standby of the hubs' database hears of nothing.
  mutating func onStandbyBehind() { standbyMark.takenTexts = takenTexts }

  /// The standby took over.
  mutating func onFailover() { onHubWentBack(to: standbyMark) }

  mutating func onHubRestore() { onHubWentBack(to: hubMark) }

  private mutating func onHubWentBack(to mark: Mark) {
    takenTexts = mark.takenTexts
    // Asked again, a hub that knows less may judge otherwise, or remember what it said before its backup.
    unsure.formUnion(outcomes.keys)
    outcomes = [:]
    imported = []
    madeAt = [:]
    incarnations = [:]
    oracle = MergeOracle()
    // What its clock gave before is still on the devices.
    oracle.isHubSet = true
    // Of what was written by no device nobody else may have had a copy.
    for index in texts.indices where texts[index].device < 0 { texts[index].isGivenUp = true }
    for device in deleted.keys where device < 0 { deleted[device] = nil }
    highestHead = 0
    hubWasRestored = true
  }

  private mutating func forget(device: Int, from place: Int) {
    for index in texts.indices where index >= place && texts[index].device == device { texts[index].isReplaced = true }
  }

  /// A person saw these texts and wrote over them, or deleted what they stood in.
  mutating func onGivenUp(_ seen: some Collection<String>) {
    guard !seen.isEmpty else { return }
    for index in texts.indices where seen.contains(texts[index].text) { texts[index].isGivenUp = true }
  }

  // MARK: The hub

  /// A plain write that the hub carried out.
  mutating func onPlainWrite(_ body: Data) {
    // What is no JSON holds no text.
    guard let document = try? WireJSON.decode(JSONValue.self, from: body) else { return }
    let list = document.arrayValue ?? document.objectValue?["events"]?.arrayValue ?? [document]
    for value in list.compactMap(\.objectValue) { takenTexts.formUnion(MutationEnvelope.texts(of: value)) }
  }

  /// What a server of one's own said of a push.
  mutating func onOutcomes(_ outcomes: [MutationOutcome], of mutations: [PendingMutation]) {
    for (outcome, mutation) in zip(outcomes, mutations) {
      switch outcome {
      case .accepted, .merged: onPlainWrite(mutation.payload)
      case .refused, .tryLater: break
      }
    }
  }

  /// What the hub was asked and what it answered, whether or not the answer arrives.
  mutating func onPush(_ request: PushRequest, answer: PushResponse, now: Int64) {
    onHead(answer.head)
    let bySequence = Dictionary(request.mutations.map { ($0.sequence, $0) }, uniquingKeysWith: { first, _ in first })
    for outcome in answer.outcomes {
      guard let mutation = bySequence[outcome.sequence] else {
        report(.mutationAppliesOnce, "the hub judged sequence \(outcome.sequence), which was not asked")
        continue
      }
      onOutcome(outcome, of: mutation, by: request.device, now: now)
    }
  }

  /// As ``onPush(_:answer:now:)`` where the hub lost what it did before the answer arrived: what it refused is set aside all the same.
  mutating func onForgotten(_ request: PushRequest, answer: PushResponse) {
    let refused = Set(answer.outcomes.filter { $0.status == "refused" || !$0.lost.isEmpty }.map(\.sequence))
    for mutation in request.mutations where refused.contains(mutation.sequence) {
      answeredWithNo.insert(mutation.id)
      setAside.insert(mutation.entityId)
    }
  }

  /// Each version is given to one entity: two that were made under one were written by hubs that did not know of each other.
  private mutating func checkVersion(_ outcome: OutcomeEnvelope, of mutation: MutationEnvelope) {
    guard outcome.status == "accepted", mutation.operation == MutationOperation.create.rawValue, !hubLied,
      let version = outcome.version
    else { return }
    let entity = "\(mutation.entityType) \(mutation.entityId)"
    if let other = madeAt.updateValue(entity, forKey: version), other != entity {
      report(.mutationAppliesOnce, "\(entity) and \(other) had the outcome of one version, \(version)")
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
    // With the id: two stores that use one identity would each take the other's outcomes for their own.
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
      report(.importIsIdempotent, "\(mutation.entityId) was imported a second time, and that changed it")
    }
    checkVersion(outcome, of: mutation)
    checkIncarnations(outcome, of: mutation, isSure: !unsure.contains(sent))
    guard !hasCopies, !hubLied, !deviceLied, oldDevices.isEmpty, !unsure.contains(sent) else { return }
    if let fault = oracle.onOutcome(outcome, of: mutation, by: device, now: now, hadSeen: hadSeen) {
      if !mixed.contains(where: { $0.id == mutation.entityId }) { report(.nothingVanishes, fault) }
    }
  }

  /// A deletion ends the life that its author saw, and none that was begun since; and everything that is taken has a version.
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
          "a deletion of life \(mutation.incarnation) of \(id) was accepted, and somebody had restored it to life \(life)"
        )
      }
      // With the type go its children.
      if kind == MutationEntityType.eventType.rawValue { incarnations = [:] }
    }
  }

  /// The hub may have carried it out before it lost power: when, among all writes, nobody knows.
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
    // What a newer version wrote, or a hub that did not say the truth, may be offered again to a hub that lost it.
    if type.hasSuffix(":invalid"), !mutation.entityId.hasPrefix("future-"), !hubLied {
      report(
        .mutationAppliesOnce,
        "a device of the hub's own version was refused as invalid: \(mutation.operation) of \(mutation.entityId): \(detail)"
      )
    }
    guard !hasTwins, !hubWasRestored, !hubLied, !deviceLied, oldDevices.isEmpty else { return }
    // What it refers to was made before it on the same device, or came from the hub.
    if detail.contains("was never here"), !setAside.contains(where: { detail.contains("\"\($0)\"") }) {
      report(.childHasItsParent, "\(mutation.entityId) was sent before what it refers to: \(detail)")
    }
    let isChild = ["event", "property_definition", "skip"].contains(mutation.entityType)
    // What hangs on something that was set aside goes along, and an edit of it meets nothing.
    if type.hasSuffix(":entity_deleted"), setAside.isEmpty,
      !everDeleted.contains(where: { $0.id == mutation.entityId || (isChild && $0.kind == .eventType) })
    {
      report(
        .nothingVanishes,
        "\(mutation.operation) of \(mutation.entityId) was refused as of something deleted, which nobody deleted")
    }
  }

  /// A request was answered that the device is another than it says, or knows what the hub never said.
  mutating func onBreach(_ type: String, device: Int) {
    if type == ProblemDetails.deviceForked, !mayFork {
      report(.forkIsDetected, "\(deviceName(device)) is taken for two devices, and no store was copied or restored")
    }
    if type == ProblemDetails.logReset, !hubWasRestored, !hubLied, !hasCopies {
      report(.resetKeepsPendingEdits, "\(deviceName(device)) is told that the hub was set back, and it never was")
    }
  }

  /// Before the hub sees it: what is sent under a sequence never changes.
  mutating func onSend(_ request: PushRequest, by device: Int) {
    identities[device, default: []].insert(request.device)
    for mutation in request.mutations {
      if let text = mutation.texts({ _ in true }).first { said[mutation.id] = text }
      let sent = Sent(device: request.position.device, sequence: mutation.sequence)
      if !hasCopies, let known = contents[sent], known != mutation {
        report(
          .mutationAppliesOnce,
          "what is sent as sequence \(sent.sequence) of a device changed from \(known) to \(mutation)")
      }
      contents[sent] = mutation
    }
  }

  /// A push was refused as a whole: one mutation alone may be set aside for that.
  mutating func onRefusal(_ mutations: [(id: String, entityId: String)]) {
    guard mutations.count == 1, let mutation = mutations.first else { return }
    answeredWithNo.insert(mutation.id)
    setAside.insert(mutation.entityId)
  }

  /// Whether the hub ever gave a reason to set this mutation aside.
  func hadReason(for conflict: Conflict) -> Bool {
    answeredWithNo.contains(conflict.id) || conflict.reason.contains("that it belongs to was refused")
      || conflict.reason.contains("Taken out of the queue") || hubLied
  }

  /// Whether a value that was kept because somebody replaced it unseen was seen by them.
  /// - Parameters:
  ///   - text: what was replaced.
  ///   - mutation: the id of what replaced it.
  func wasSeen(_ text: String, by mutation: String, device: String) -> Bool {
    guard let replacing = said[mutation], replacing != text else { return false }
    // After a change of identity a device does not count as the author of what it wrote before.
    if identities.values.contains(where: { $0.count > 1 && $0.contains(device) }) { return false }
    return hadSeen(text, author: replacing)
  }

  /// What only one device ever wrote, and how it must read wherever it lives: no clock, no merge and no other edit decides.
  var ownWords: [(field: Field, value: String?)] {
    guard readsOwnWrites, oldDevices.isEmpty else { return [] }
    return words.filter { $0.value.devices.count == 1 && $0.value.isSure && !mixed.contains($0.key.key) }.map {
      ($0.key, $0.value.value)
    }
    .sorted { $0.field < $1.field }
  }

  /// A hub never goes back behind what it has said.
  mutating func onHead(_ head: Int64) { highestHead = max(highestHead, head) }
}

extension MutationEnvelope {
  /// Those of the fields that are asked for.
  func texts(_ isWanted: (String) -> Bool) -> [String] {
    Self.texts(of: (fields?.mapValues(\.value) ?? payload).filter { isWanted($0.key) })
  }

  /// The fields in which the persons of a story leave their texts.
  static func texts(of payload: [String: JSONValue]) -> [String] {
    ["label", "name", "notes", "note", "value"].compactMap { payload[$0]?.stringValue }
  }
}
