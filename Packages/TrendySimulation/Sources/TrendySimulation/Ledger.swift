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
  /// What somebody restored: deletions of its earlier life and of its later one cross on the way.
  private(set) var restored: Set<Key> = []
  /// Mutations of which the hub said that it refuses them, that values of them lost, or that they are too large.
  private var answeredWithNo: Set<String> = []
  /// The entities of those that the hub does not have for it.
  private var setAside: Set<String> = []
  /// What a person deleted, by device; reported as done.
  private(set) var deleted: [Int: Set<Key>] = [:]
  /// Every text in a mutation that the hub took.
  private(set) var takenTexts: Set<String> = []
  private var outcomes: [Sent: String] = [:]
  /// What was imported at the hub.
  private var imported: Set<String> = []
  private var contents: [Sent: MutationEnvelope] = [:]
  /// The highest head in any answer.
  private(set) var highestHead: Int64 = 0
  private(set) var violations: [String] = []
  /// Devices that ran an old version: what they write comes without the version that its author knew.
  var oldDevices: Set<Int> = []
  /// Whether the hub forgot what it had taken: then what a device shows may be the only place of a text.
  private(set) var hubWasRestored = false

  /// Whether two stores may have used one identity: until the hub finds out, both give the same sequences to what is theirs.
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

  mutating func break_(_ sentence: String) { if violations.count < 20 { violations.append(sentence) } }

  // MARK: Persons

  /// - Parameter isSure: whether the save was reported as done; one that was not may be there all the same.
  mutating func onText(_ text: String, key: Key, device: Int, isSure: Bool) {
    onReplaced(key, device: device)
    if isSure { texts.append(SavedText(device: device, key: key, text: text)) }
  }

  mutating func onDelete(_ key: Key, device: Int, isSure: Bool) {
    onReplaced(key, device: device)
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
  var readsOwnWrites: Bool { !hasCopies && !hubWasRestored }

  var allDeleted: Set<Key> { deleted.values.reduce(into: []) { $0.formUnion($1) } }

  // MARK: Backups

  mutating func onBackup(device: Int) {
    storeMarks[device] = Mark(texts: texts.count, deleted: deleted[device] ?? [])
  }

  /// What was recorded since the backup and reached no hub is gone, and nobody promised otherwise.
  mutating func onRestore(device: Int) {
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

  mutating func onHubRestore() {
    takenTexts = hubMark.takenTexts
    // Asked again, a hub that knows less may judge otherwise.
    outcomes = [:]
    imported = []
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
  mutating func onPush(_ request: PushRequest, answer: Data) {
    guard let answer = try? WireJSON.decode(PushResponse.self, from: answer) else {
      return break_("the answer to a push cannot be read")
    }
    onHead(answer.head)
    let bySequence = Dictionary(request.mutations.map { ($0.sequence, $0) }, uniquingKeysWith: { first, _ in first })
    for outcome in answer.outcomes {
      guard let mutation = bySequence[outcome.sequence] else {
        break_("the hub judged sequence \(outcome.sequence), which was not asked")
        continue
      }
      if outcome.status == "refused" || !outcome.lost.isEmpty { answeredWithNo.insert(mutation.id) }
      // What it refers to was made before it on the same device, or came from the hub.
      if !hasTwins, !hubWasRestored, let detail = outcome.problem?.detail, detail.contains("was never here"),
        !setAside.contains(where: { detail.contains("\"\($0)\"") })
      {
        break_("\(mutation.entityId) was sent before what it refers to: \(detail)")
      }
      if outcome.status == "refused" { setAside.insert(mutation.entityId) }
      if outcome.status == "accepted" || outcome.status == "merged" { takenTexts.formUnion(mutation.texts) }
      if mutation.operation == MutationOperation.create.rawValue, NaturalIdentifier.isNatural(mutation.entityId),
        outcome.status == "accepted",
        outcomes[Sent(device: request.position.device, sequence: outcome.sequence)] == nil,
        !imported.insert(mutation.entityId).inserted, !hubWasRestored
      {
        break_("\(mutation.entityId) was imported a second time, and that changed it")
      }
      let sent = Sent(device: request.position.device, sequence: outcome.sequence)
      // With the id: two stores that use one identity would each take the other's outcomes for their own.
      let words =
        "\(mutation.id) \(outcome.status) at \(outcome.version.map { "\($0)" } ?? "-") \(outcome.problem?.type ?? "")"
      if let known = outcomes[sent], known != words {
        break_("sequence \(sent.sequence) of a device had the outcome \"\(known)\" and later \"\(words)\"")
      }
      outcomes[sent] = words
    }
  }

  /// Before the hub sees it: what is sent under a sequence never changes.
  mutating func onSend(_ request: PushRequest) {
    for mutation in request.mutations {
      let sent = Sent(device: request.position.device, sequence: mutation.sequence)
      if !hasCopies, let known = contents[sent], known != mutation {
        break_("what is sent as sequence \(sent.sequence) of a device changed from \(known) to \(mutation)")
      }
      contents[sent] = mutation
    }
  }

  /// The hub takes no request as large as this.
  mutating func onTooLarge(_ request: PushRequest) {
    if request.mutations.count == 1 {
      answeredWithNo.formUnion(request.mutations.map(\.id))
      setAside.formUnion(request.mutations.map(\.entityId))
    }
  }

  /// Whether the hub ever gave a reason to set this mutation aside.
  func hadReason(for conflict: Conflict) -> Bool {
    answeredWithNo.contains(conflict.id) || conflict.reason.contains("that it belongs to was refused")
  }

  /// What only one device ever wrote, and how it must read wherever it lives: no clock, no merge and no other edit decides.
  var ownWords: [(field: Field, value: String?)] {
    guard readsOwnWrites, oldDevices.isEmpty else { return [] }
    return words.filter { $0.value.devices.count == 1 && $0.value.isSure }.map { ($0.key, $0.value.value) }
      .sorted { $0.field < $1.field }
  }

  /// A hub never goes back behind what it has said.
  mutating func onHead(_ head: Int64) { highestHead = max(highestHead, head) }
}

extension MutationEnvelope {
  var texts: [String] { Self.texts(of: fields?.mapValues(\.value) ?? payload) }

  /// The fields in which the persons of a story leave their texts.
  static func texts(of payload: [String: JSONValue]) -> [String] {
    ["label", "name", "notes"].compactMap { payload[$0]?.stringValue }
  }
}
