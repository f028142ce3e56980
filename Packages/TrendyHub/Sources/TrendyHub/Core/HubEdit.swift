import TrendyModels

/// Metadata of an edit made over plain REST: idempotency key, version that the user saw, and time of the action.
struct HubEdit: Hashable, Sendable {
  /// Value of the `Idempotency-Key` header. Repeating the edit with the same key has no effect.
  var key: String
  /// Version and time of the edit, or `nil` for an edit that replaces the stored values.
  var knowledge: Knowledge?

  struct Knowledge: Hashable, Sendable {
    var seen: SeenVersion
    /// Hub time of the action, in milliseconds since 1970.
    var stamp: Int64
    /// Incarnation of the entity that the user saw, or `nil` for the current one.
    var incarnation: Int64?
  }
}

/// Version of a record together with its epoch, as in the `Trendy-Version` header: `EPOCH.17`.
struct SeenVersion: Hashable, Sendable {
  var epoch: String
  var version: Int64

  init(of state: HubState) {
    epoch = state.epochs.epoch(of: state.head)?.id ?? ""
    version = state.head
  }

  init?(_ text: String) {
    guard let dot = text.lastIndex(of: "."), let version = Int64(text[text.index(after: dot)...]),
      SyncRange.counter.contains(version)
    else { return nil }
    epoch = String(text[..<dot])
    self.version = version
  }

  var text: String { "\(epoch).\(version)" }

  /// Returns the highest version, at most the seen one, that still refers to the write that the user saw.
  ///
  /// A hub restored from a backup assigns the versions after the backup a second time.
  func base(in state: HubState) -> Int64 {
    if version <= state.head, state.epochs.epoch(of: version)?.id == epoch { return version }
    guard let place = state.epochs.firstIndex(where: { $0.id == epoch }) else { return 0 }
    let next = state.epochs.index(after: place)
    return min(version, next < state.epochs.endIndex ? state.epochs[next].first - 1 : state.head)
  }
}

extension HubEdit {
  /// Returns the content of the mutation: fields with base and stamp if the edit has a version and time, otherwise
  /// members.
  ///
  /// A field's stamp is greater than the stamp of the value that the user saw, as on a device.
  func content(
    _ members: [String: JSONValue], of kind: SyncedKind, isCreate: Bool, over entry: HubEntry?, in state: HubState
  ) throws(Problem) -> HubMutation.Content {
    guard let knowledge else { return .members(members) }
    let base = knowledge.seen.base(in: state)
    var values = try kind.fields(from: members, isCreate: isCreate)
    if let nested = kind.nestedMember, members[nested]?.isNull == true { values[nested] = .null }
    var changes: [String: FieldChange] = [:]
    for (name, value) in values {
      var stamp = knowledge.stamp
      if let present = entry?.fields[name], present.version <= base { stamp = max(stamp, present.stamp + 1) }
      changes[name] = FieldChange(value: value, base: base, stamp: stamp)
    }
    return .fields(changes)
  }

  /// Returns the id of the mutation, from which the ids of its conflicts are derived.
  func mutationId(by device: String) -> String { "\(device):\(key)" }
}
