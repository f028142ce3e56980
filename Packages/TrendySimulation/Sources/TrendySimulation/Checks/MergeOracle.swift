import TrendyModels

/// Independent model of the merge: remembers the last write to each text field and predicts the result of the next
/// write.
///
/// Shares no code with the hub. An author who has seen a value replaces it, regardless of the clocks. If two authors
/// have not seen each other's values, the later stamp wins, then the greater device id. The scenario determines what
/// the authors have seen.
struct MergeOracle {
  private struct Value {
    var text: String
    var stamp: Int64
    var author: String
  }

  private struct FieldKey: Hashable {
    var kind: String
    var id: String
    var field: String
  }

  /// Whether the hub's date was ever changed. The hub time can then repeat.
  var isHubSet = false
  /// Last writes that are known for certain.
  private var values: [FieldKey: Value] = [:]

  /// Field that contains the texts of simulated users.
  static func textField(ofKind kind: String) -> String {
    switch kind {
    case MutationEntityType.event.rawValue: "notes"
    case MutationEntityType.propertyDefinition.rawValue: "label"
    case MutationEntityType.setting.rawValue: "value"
    case MutationEntityType.skip.rawValue: "note"
    default: "name"
    }
  }

  /// Discards the value of an entity whose state is uncertain. The next write is then not checked.
  mutating func forget(kind: String, id: String) {
    values[FieldKey(kind: kind, id: id, field: Self.textField(ofKind: kind))] = nil
  }

  mutating func forgetAll() { values = [:] }

  /// Checks the hub's first outcome for a mutation. Returns a description of the error, or `nil`.
  /// - Parameters:
  ///   - now: Hub time in milliseconds since 1970, which limits stamps.
  ///   - hadSeen: Returns whether the author of the second text had seen the first.
  mutating func onOutcome(
    _ outcome: OutcomeEnvelope, of mutation: MutationEnvelope, by device: String, now: Int64,
    hadSeen: (_ text: String, _ author: String) -> Bool
  ) -> String? {
    guard outcome.status == "accepted" || outcome.status == "merged" else { return nil }
    let key = FieldKey(
      kind: mutation.entityType, id: mutation.entityId, field: Self.textField(ofKind: mutation.entityType))
    let operation = MutationOperation(rawValue: mutation.operation)
    if operation == .delete {
      if mutation.entityType == MutationEntityType.eventType.rawValue { forgetAll() }
      values[key] = nil
      return nil
    }
    guard let change = mutation.fields?[key.field] else { return nil }
    guard let text = change.value.stringValue, !NaturalIdentifier.isNatural(mutation.entityId) else {
      values[key] = nil
      return nil
    }
    let isReoffer = change.author != nil
    let incoming = Value(
      text: text, stamp: isReoffer ? change.stamp : min(change.stamp, now), author: change.author ?? device)
    let present = values[key]
    let lost = outcome.lost.contains(key.field)
    if !lost {
      values[key] = incoming
      // Writing an equal text does not change the field version.
      if let present, present.text == text { values[key] = present }
    }
    guard let present, present.text != text, !isReoffer, operation == .update || operation == .create else {
      return nil
    }
    if hadSeen(present.text, text) || present.author == device {
      if change.stamp < present.stamp, present.author != device, !isHubSet {
        return "\(text) of \(change.stamp) in \(mutation.entityId) is stamped before \(present.text) of "
          + "\(present.stamp), which its author had seen"
      }
      // A hub whose date was set back can assign equal stamps, so that neither write is later.
      if isHubSet, incoming.stamp <= present.stamp { return nil }
      return lost
        ? "\(text) lost to \(present.text) in \(mutation.entityId), which its author had seen and replaced" : nil
    }
    let isLater = (incoming.stamp, incoming.author) > (present.stamp, present.author)
    guard isLater == lost else { return nil }
    return "\(text) of \(incoming.stamp) \(lost ? "lost to" : "won over") \(present.text) of \(present.stamp) in "
      + "\(mutation.entityId): without having seen each other, the later wins"
  }
}
