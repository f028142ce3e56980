import TrendyModels
import TrendyProtocols

/// Selects the ``Replication`` for a unit of work.
///
/// ``VersionedReplication`` applies if the hub sends versions and the store has received a snapshot with versions,
/// ``UnversionedReplication`` otherwise.
struct ReplicationChoice {
  let store: any DataStoreProtocol
  let clock: any TimeSource
  let random: RandomSource

  /// Returns the replication for an edit, or for any other change made without a response.
  func forStore(_ knowledge: SyncMetadata) -> any Replication {
    knowledge.holdsVersions ? versioned : plain
  }

  /// Returns the replication for a response.
  /// - Throws: ``SyncFailure/unusable(_:)`` if the store has versions and the response has none.
  func forAnswer(at position: HubPosition?, _ knowledge: SyncMetadata) throws -> any Replication {
    try checkStillGivesVersions(position != nil, knowledge)
    return knowledge.holdsVersions ? versioned : plain
  }

  /// Applies a snapshot or a snapshot part and returns the number of its entities. A store has versions once it has
  /// received a snapshot with versions. If `knowledge` contains no progress of earlier parts, a new snapshot begins.
  /// - Throws: ``SyncFailure/unusable(_:)`` for a snapshot without versions if the store has versions.
  func lay(_ part: SnapshotPart, _ asking: RequestStart, _ knowledge: SyncMetadata) throws -> Int {
    switch part.answer {
    case .lists(let lists):
      try checkStillGivesVersions(false, knowledge)
      return try plain.lay(lists, of: part, asking, knowledge)
    case .entries(let entries):
      return try versioned.lay(entries, of: part, asking, knowledge)
    }
  }

  /// Throws if a store with versions receives a response without versions. Applying a snapshot without versions would
  /// remove every entity that is absent from it.
  private func checkStillGivesVersions(_ givesVersions: Bool, _ knowledge: SyncMetadata) throws {
    guard knowledge.holdsVersions, !givesVersions else { return }
    throw SyncFailure.unusable("it has no epoch, unlike earlier responses")
  }

  private var versioned: VersionedReplication { VersionedReplication(store: store, clock: clock, random: random) }
  private var plain: UnversionedReplication { UnversionedReplication(store: store, clock: clock, random: random) }
}

extension SyncMetadata {
  /// Whether the store has received a snapshot with versions.
  var holdsVersions: Bool { generation > 0 }
}

extension SnapshotPart {
  /// Hub position of the snapshot, or `nil` for a hub without versions.
  var position: HubPosition? { if case .entries(let entries) = answer { entries.position } else { nil } }
}
