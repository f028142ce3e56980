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
  }

  struct Sent: Hashable {
    var device: String
    var sequence: Int64
  }

  private(set) var texts: [SavedText] = []
  /// What a person deleted, by device; reported as done.
  private(set) var deleted: [Int: Set<Key>] = [:]
  /// Every text in a mutation that the hub took.
  private(set) var takenTexts: Set<String> = []
  private var outcomes: [Sent: String] = [:]
  private var contents: [Sent: MutationEnvelope] = [:]
  /// The highest head in any answer.
  private(set) var highestHead: Int64 = 0
  private(set) var violations: [String] = []

  mutating func break_(_ sentence: String) { if violations.count < 20 { violations.append(sentence) } }

  // MARK: Persons

  /// - Parameter isSure: whether the save was reported as done; one that was not may be there all the same.
  mutating func onText(_ text: String, key: Key, device: Int, isSure: Bool) {
    replace(key, device)
    if isSure { texts.append(SavedText(device: device, key: key, text: text)) }
  }

  mutating func onDelete(_ key: Key, device: Int, isSure: Bool) {
    replace(key, device)
    if isSure { deleted[device, default: []].insert(key) }
  }

  private mutating func replace(_ key: Key, _ device: Int) {
    for index in texts.indices where texts[index].device == device && texts[index].key == key {
      texts[index].isReplaced = true
    }
  }

  var allDeleted: Set<Key> { deleted.values.reduce(into: []) { $0.formUnion($1) } }

  // MARK: The hub

  /// What the hub was asked and what it answered, whether or not the answer arrives.
  mutating func onPush(request: Data, answer: Data) {
    guard let request = try? WireJSON.decode(PushRequest.self, from: request),
      let answer = try? WireJSON.decode(PushResponse.self, from: answer)
    else { return break_("a push or its answer cannot be read") }
    onHead(answer.head)
    let bySequence = Dictionary(request.mutations.map { ($0.sequence, $0) }, uniquingKeysWith: { first, _ in first })
    for outcome in answer.outcomes {
      guard let mutation = bySequence[outcome.sequence] else {
        break_("the hub judged sequence \(outcome.sequence), which was not asked")
        continue
      }
      if outcome.status == "accepted" || outcome.status == "merged" { takenTexts.formUnion(mutation.texts) }
      let sent = Sent(device: request.device, sequence: outcome.sequence)
      let words = "\(outcome.status) at \(outcome.version.map { "\($0)" } ?? "-") \(outcome.problem?.type ?? "")"
      if let known = outcomes[sent], known != words {
        break_("sequence \(sent.sequence) of a device had the outcome \"\(known)\" and later \"\(words)\"")
      }
      outcomes[sent] = words
    }
  }

  /// Before the hub sees it: what is sent under a sequence never changes.
  mutating func onSend(_ request: Data) {
    guard let request = try? WireJSON.decode(PushRequest.self, from: request) else {
      return break_("a push cannot be read")
    }
    for mutation in request.mutations {
      let sent = Sent(device: request.device, sequence: mutation.sequence)
      if let known = contents[sent], known != mutation {
        break_("what is sent as sequence \(sent.sequence) of a device changed from \(known) to \(mutation)")
      }
      contents[sent] = mutation
    }
  }

  /// A hub never goes back behind what it has said.
  mutating func onHead(_ head: Int64) { highestHead = max(highestHead, head) }
}

extension MutationEnvelope {
  var texts: [String] { Self.texts(of: payload) }

  /// The fields in which the persons of a story leave their texts.
  static func texts(of payload: [String: JSONValue]) -> [String] {
    ["label", "name", "notes"].compactMap { payload[$0]?.stringValue }
  }
}
