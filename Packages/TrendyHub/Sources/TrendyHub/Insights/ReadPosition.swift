import TrendyModels

/// How far a person's record had been written when something was made of it.
struct ReadPosition: Hashable, Sendable {
  /// The life of the hub then; `nil` before the first write.
  let epoch: String?
  let head: Int64

  init(_ state: HubState) {
    epoch = state.epochs.last?.id
    head = state.head
  }

  /// Whether everything that was there then is there now, though more may have been written: a life that began since began behind it,
  /// and no tombstone from after it was forgotten.
  func isPast(of state: HubState) -> Bool {
    guard head <= state.head, state.horizon <= head, let place = state.epochs.firstIndex(where: { $0.id == epoch })
    else { return false }
    return state.epochs[(place + 1)...].allSatisfy { $0.first > head }
  }
}

/// What was done to events since a position, where that can be told from what is there now.
struct EventChanges {
  /// Events that are there and were not.
  private(set) var added: [HubEntry] = []
  /// Events that were there and are not.
  private(set) var removed: [HubEntry] = []

  /// - Parameters:
  ///   - reading: of the record, which is past of the position.
  ///   - position: since which.
  ///   - matters: whether a field of an event has a part in what is kept.
  /// - Returns: `nil` where an event was moved, or brought back: what it had been before is not known any more.
  init?(
    _ reading: any HubReading, since position: ReadPosition, _ matters: (_ event: HubEntry, _ field: String) -> Bool
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
        // Values that came with a deletion, or after it: whether they held before is not known.
        guard changed.isEmpty else { return nil }
        removed.append(entry)
      }
    }
  }

  /// Whether the day or the type of an event follows from a field.
  static func isOfDay(_ field: String) -> Bool { dayFields.contains(field) }

  private static let dayFields: Set<String> = ["timestamp", "is_all_day", "time_zone", "event_type_id"]
}

extension HubReading {
  /// Entries of any kind, and tombstones, that were written since a position, as they are now; `nil` for so many that reading the whole
  /// record anew is not much slower.
  func changes(since position: ReadPosition) throws -> [HubEntry]? {
    var changes: [HubEntry] = []
    while true {
      let page = try entries(after: changes.last?.version ?? position.head, limit: 500)
      guard !page.isEmpty else { return changes }
      changes += page
      guard changes.count <= 5000 else { return nil }
    }
  }
}
