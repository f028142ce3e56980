import CommandSupport
import TrendyTrips

/// Trips and visits that fixes changed, as a person reads it, and as scripts do.
struct TrackChangesText {
  let changes: TrackReader.Changes

  var members: [(String, JSONText)] {
    [("created", changes.created), ("updated", changes.updated), ("deleted", changes.deleted)].map { name, ids in
      (name, .array(ids.map { .string($0) }))
    }
  }

  var words: String {
    "Events: \(changes.created.count) new, \(changes.updated.count) changed, \(changes.deleted.count) taken back"
  }
}
