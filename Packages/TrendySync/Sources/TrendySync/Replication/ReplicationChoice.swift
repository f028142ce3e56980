import TrendyModels
import TrendyProtocols

/// Chooses the ``Replication`` of a unit of work: the one place that asks whether hub and store know versions.
///
/// A hub says with each answer whether it gives versions, and a store holds them from its first snapshot that has them. Only
/// where both do is an answer taken in by them; whatever else it is, rows and tombstones are what there is.
struct ReplicationChoice {
  let store: any DataStoreProtocol
  let clock: any TimeSource
  let chance: RandomSource

  /// For what a person does, and what no hub has judged.
  func forStore(_ knowledge: SyncMemory) -> any Replication {
    knowledge.holdsVersions ? versioned : plain
  }

  /// For a hub's answer, by where the hub says that it stands.
  /// - Throws: ``SyncFailure/unusable(_:)`` where the hub does not say so any more.
  func forAnswer(at position: HubPosition?, _ knowledge: SyncMemory) throws -> any Replication {
    try checkStillGivesVersions(position != nil, knowledge)
    return knowledge.holdsVersions ? versioned : plain
  }

  /// Lays a snapshot, or a part of one: one that has versions gives them to the store.
  /// - Parameter knowledge: with the progress of the parts before; without one for a snapshot that begins.
  /// - Returns: how many entities it brought.
  /// - Throws: ``SyncFailure/unusable(_:)`` for one without versions, where the store holds some.
  func lay(_ part: SnapshotPart, _ asking: Asking, _ knowledge: SyncMemory) throws -> Int {
    switch part.answer {
    case .lists(let lists):
      try checkStillGivesVersions(false, knowledge)
      return try plain.lay(lists, of: part, asking, knowledge)
    case .entries(let entries):
      return try versioned.lay(entries, of: part, asking, knowledge)
    }
  }

  /// There is no way back to plain calls: their lists say nothing of when they were made, and what is not in them would be
  /// taken away.
  private func checkStillGivesVersions(_ givesVersions: Bool, _ knowledge: SyncMemory) throws {
    guard knowledge.holdsVersions, !givesVersions else { return }
    throw SyncFailure.unusable("it does not say which life of the hub it is from, as the answers before did")
  }

  private var versioned: VersionedReplication { VersionedReplication(store: store, clock: clock, chance: chance) }
  private var plain: PlainReplication { PlainReplication(store: store, clock: clock, chance: chance) }
}

extension SyncMemory {
  /// Whether a hub has given versions to the store, with a snapshot.
  var holdsVersions: Bool { generation > 0 }
}

extension SnapshotPart {
  /// Where the hub stood; `nil` for one that does not say.
  var position: HubPosition? { if case .entries(let entries) = answer { entries.position } else { nil } }
}
