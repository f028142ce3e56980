import CommandSupport
import TrendyTrips

/// Text and JSON of detected trips and visits that changed.
struct TrackChangesText {
  let changes: DetectionRunner.Changes

  var members: [(String, JSONText)] {
    [("created", changes.created), ("updated", changes.updated), ("deleted", changes.deleted)].map { name, ids in
      (name, .array(ids.map { .string($0) }))
    }
  }

  var words: String {
    "Trips and visits: \(changes.created.count) new, \(changes.updated.count) changed, \(changes.deleted.count) removed"
  }
}
