import TrendyModels

/// Hub position that a cached value reflects.
public struct SourcePosition: Hashable, Sendable {
  /// Epoch in which the value was read, or `nil` before the hub's first start.
  let epoch: String?
  let head: Int64

  init(_ state: HubState) {
    epoch = state.epochs.last?.id
    head = state.head
  }

  /// Returns whether every entry up to this position is unchanged or has a later version in `state`.
  ///
  /// That is the case if all later epochs began above the position and no tombstone above it has been compacted.
  func isPast(of state: HubState) -> Bool {
    guard head <= state.head, state.horizon <= head, let place = state.epochs.firstIndex(where: { $0.id == epoch })
    else { return false }
    return state.epochs[(place + 1)...].allSatisfy { $0.first > head }
  }
}

/// Events that were created or deleted after a position.
struct EventChanges {
  private(set) var added: [HubEntry] = []
  private(set) var removed: [HubEntry] = []

  /// Reads the changes since `position`, for which ``SourcePosition/isPast(of:)`` must be `true`. Returns `nil` if an
  /// event was moved or restored, because its earlier values are unknown.
  ///
  /// `matters` returns whether the cached values depend on a field of an event.
  init?(
    _ reading: any HubReadTransaction, since position: SourcePosition,
    _ matters: (_ event: HubEntry, _ field: String) -> Bool
  ) throws {
    let known = position.head
    guard let changes = try reading.changes(since: position) else { return nil }
    for entry in changes where entry.kind == SyncedKind.event.name {
      if entry.createdVersion > known {
        if entry.isAlive { added.append(entry) }
        continue
      }
      guard entry.incarnation == 0 else { return nil }
      let changed = entry.fields.filter { $0.value.version > known }.keys
      if entry.isAlive {
        guard !changed.contains(where: { matters(entry, $0) }) else { return nil }
      } else {
        // Fields written with or after the delete may have had other values before.
        guard changed.isEmpty else { return nil }
        removed.append(entry)
      }
    }
  }

  /// Returns whether an event's day or type depends on a field.
  static func isOfDay(_ field: String) -> Bool { dayFields.contains(field) }

  private static let dayFields: Set<String> = ["timestamp", "is_all_day", "time_zone", "event_type_id"]
}

extension HubReadTransaction {
  /// Returns the entries and tombstones written after a position.
  ///
  /// Returns `nil` if there are more than 5000, because reading the whole record is then about as fast.
  func changes(since position: SourcePosition) throws -> [HubEntry]? {
    var changes: [HubEntry] = []
    while true {
      let page = try entries(after: changes.last?.version ?? position.head, limit: 500)
      guard !page.isEmpty else { return changes }
      changes += page
      guard changes.count <= 5000 else { return nil }
    }
  }
}
