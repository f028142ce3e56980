import TrendyModels

/// Who must win: what the last write of a text field said, by whom and when, and what becomes of the next.
///
/// It shares nothing with the hub but the words of the protocol: who saw a value replaces it, whatever the clocks say; of two who did
/// not see each other's, the later wins, by stamp, then by the name of the device. It knows what persons saw from the story itself.
struct MergeOracle {
  private struct Value {
    var text: String
    var stamp: Int64
    var author: String
  }

  private struct Place: Hashable {
    var kind: String
    var id: String
    var field: String
  }

  /// Whether the hub's date was ever set: what it gave as now may come back later.
  var isHubSet = false
  /// Where the last word is known for certain.
  private var values: [Place: Value] = [:]

  /// The field in which a story's persons leave their texts.
  static func textField(ofKind kind: String) -> String {
    switch kind {
    case MutationEntityType.event.rawValue: "notes"
    case MutationEntityType.propertyDefinition.rawValue: "label"
    case MutationEntityType.setting.rawValue: "value"
    case MutationEntityType.skip.rawValue: "note"
    default: "name"
    }
  }

  /// What happened to the entity is not known for certain: nothing is expected of the next write.
  mutating func forget(kind: String, id: String) {
    values[Place(kind: kind, id: id, field: Self.textField(ofKind: kind))] = nil
  }

  mutating func forgetAll() { values = [:] }

  /// The hub's word on a mutation that it judged for the first time.
  /// - Parameters:
  ///   - now: the hub's, in milliseconds since 1970: nobody writes in the future.
  ///   - hadSeen: whether the author of the second text had seen the first.
  /// - Returns: what is wrong with it; `nil` where nothing is.
  mutating func onOutcome(
    _ outcome: OutcomeEnvelope, of mutation: MutationEnvelope, by device: String, now: Int64,
    hadSeen: (_ text: String, _ author: String) -> Bool
  ) -> String? {
    guard outcome.status == "accepted" || outcome.status == "merged" else { return nil }
    let place = Place(
      kind: mutation.entityType, id: mutation.entityId, field: Self.textField(ofKind: mutation.entityType))
    let operation = MutationOperation(rawValue: mutation.operation)
    if operation == .delete {
      // With the type go its children.
      if mutation.entityType == MutationEntityType.eventType.rawValue { forgetAll() }
      values[place] = nil
      return nil
    }
    guard let change = mutation.fields?[place.field] else { return nil }
    guard let text = change.value.stringValue, !NaturalIdentifier.isNatural(mutation.entityId) else {
      values[place] = nil
      return nil
    }
    let isReoffer = change.author != nil
    let incoming = Value(
      text: text, stamp: isReoffer ? change.stamp : min(change.stamp, now), author: change.author ?? device)
    let present = values[place]
    let lost = outcome.lost.contains(place.field)
    if !lost {
      values[place] = incoming
      // Nothing changed: what stood there keeps its mark.
      if let present, present.text == text { values[place] = present }
    }
    guard let present, present.text != text, !isReoffer, operation == .update || operation == .create else {
      return nil
    }
    if hadSeen(present.text, text) || present.author == device {
      if change.stamp < present.stamp, present.author != device, !isHubSet {
        return "\(text) of \(change.stamp) in \(mutation.entityId) is stamped before \(present.text) of "
          + "\(present.stamp), which its author had seen"
      }
      // A hub whose date came back gives the present once more: neither is then the later.
      if isHubSet, incoming.stamp <= present.stamp { return nil }
      return lost
        ? "\(text) lost to \(present.text) in \(mutation.entityId), which its author had seen and replaced" : nil
    }
    let isLater = (incoming.stamp, incoming.author) > (present.stamp, present.author)
    guard isLater == lost else { return nil }
    return "\(text) of \(incoming.stamp) \(lost ? "lost to" : "won over") \(present.text) of \(present.stamp) in "
      + "\(mutation.entityId): the later of two who had not seen each other wins"
  }
}
