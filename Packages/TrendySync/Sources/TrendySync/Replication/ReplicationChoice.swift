import TrendyModels
import TrendyProtocols

/// Selects the ``Replication`` for a unit of work. No other code checks whether hub and store have versions.
///
/// A hub shows in each response whether it sends versions, and a store has versions after its first snapshot with them.
/// ``VersionedReplication`` applies only if both do, ``UnversionedReplication`` otherwise.
struct ReplicationChoice {
  let store: any DataStoreProtocol
  let clock: any TimeSource
  let random: RandomSource

  /// Returns the replication for an edit, or for a change that no response of the hub describes.
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

  /// Applies a snapshot or a part of one. A snapshot with versions gives the store its versions.
  /// - Parameters:
  ///   - part: The response.
  ///   - asking: When the request was sent.
  ///   - knowledge: Sync metadata with the progress of earlier parts; without progress a new snapshot begins.
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

  /// A store with versions cannot return to lists without versions: such a list has no position, and every entity
  /// missing in it would be removed.
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
