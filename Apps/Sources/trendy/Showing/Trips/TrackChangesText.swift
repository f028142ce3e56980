import CommandSupport
import TrendyTrips

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
