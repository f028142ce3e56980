import TrendyModels
import TrendyProtocols

/// Selects the ``Replication`` for a unit of work. No other code checks whether the hub and the store have versions.
///
/// Each response shows whether the hub sends versions. A store has versions after its first snapshot with versions.
/// ``VersionedReplication`` applies only if both have them, ``UnversionedReplication`` otherwise.
struct ReplicationChoice {
  let store: any DataStoreProtocol
  let clock: any TimeSource
  let random: RandomSource

  /// Returns the replication for an edit, or for any other change that is not described by a response.
  func forStore(_ knowledge: SyncMetadata) -> any Replication {
    knowledge.holdsVersions ? versioned : plain
  }

  /// Returns the replication for a response.
  /// - Parameters:
  ///   - position: Hub position in the response; `nil` for a hub without versions.
  ///   - knowledge: Sync metadata of the store.
  /// - Throws: ``SyncFailure/unusable(_:)`` if the store has versions and the response has none.
  func forAnswer(at position: HubPosition?, _ knowledge: SyncMetadata) throws -> any Replication {
    try checkStillGivesVersions(position != nil, knowledge)
    return knowledge.holdsVersions ? versioned : plain
  }

  /// Applies a snapshot or a part of one. From its first snapshot with versions on, the store has versions.
  /// - Parameters:
  ///   - part: The response.
  ///   - asking: Start of the request.
  ///   - knowledge: Sync metadata with the progress of earlier parts. Without progress, a new snapshot begins.
  /// - Returns: Number of entities in the part.
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

  /// Throws if a store with versions receives a response without them. A snapshot without versions has no position, and
  /// every entity missing from it would be removed.
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
  /// Hub position of the snapshot; `nil` for a hub without versions.
  var position: HubPosition? { if case .entries(let entries) = answer { entries.position } else { nil } }
}
