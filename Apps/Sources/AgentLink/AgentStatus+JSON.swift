public import CommandSupport
public import TrendyAgent
import TrendyFoundation
public import TrendyInsights
public import TrendyModels

extension AgentStatus {
  /// Returns the status as a JSON document, with times in the time zone of `local`.
  public func json(in local: LocalTime) -> JSONText {
    .object([
      ("schema", .string(Self.schema)), ("state", .string(hasEnded ? "ended" : "running")), ("pid", .number(Int(pid))),
      ("written", .string(local.rfc3339(writtenAt))), ("started", .string(local.rfc3339(startedAt))),
      ("store", .string(store)), ("trip", trip?.json(in: local) ?? .null), ("today", today?.json(in: local) ?? .null),
      ("sync", sync?.json(in: local) ?? .null),
      (
        "trackers",
        .array(
          trackers.map {
            .object([
              ("device", .string($0.device)), ("active", .bool($0.isActive)),
              ("told", .string(local.rfc3339($0.announcedAt))),
            ])
          })
      ),
    ])
  }
}

extension AgentStatus.LiveTrip {
  /// Returns the running trip as a JSON object, with times in the time zone of `local`.
  public func json(in local: LocalTime) -> JSONText {
    .object([
      ("id", .string(id)), ("state", .string(state.rawValue)), ("device", .string(device)),
      ("vehicle", .string(vehicle)), ("mode", .string(mode.rawValue)), ("start", .string(local.rfc3339(start))),
      ("elapsed_s", .number(elapsed.rounded())), ("distance_m", .number((distance * 10).rounded() / 10)),
      ("speed_mps", .number(speed.map { ($0 * 10).rounded() / 10 })),
      ("fixed", .string(fixedAt.map { local.rfc3339($0) })),
    ])
  }

  /// Parses JSON created by ``json(in:)``, or returns `nil` if it is invalid.
  public init?(_ json: JSONValue) {
    guard let members = json.objectValue, let start = members["start"]?.stringValue.flatMap({ RFC3339.date(from: $0) }),
      let state = members["state"]?.stringValue.flatMap(State.init(rawValue:))
    else { return nil }
    self.init(
      start: start, state: state, mode: members["mode"]?.stringValue.flatMap(MotionState.init(rawValue:)) ?? .unknown)
    id = members["id"]?.stringValue
    device = members["device"]?.stringValue
    vehicle = members["vehicle"]?.stringValue
    elapsed = members["elapsed_s"]?.doubleValue ?? 0
    distance = members["distance_m"]?.doubleValue ?? 0
    speed = members["speed_mps"]?.doubleValue
    fixedAt = members["fixed"]?.stringValue.flatMap { RFC3339.date(from: $0) }
  }
}

extension TodaySnapshot {
  /// Returns today's counts, goals, running events and visits as a JSON object.
  public func json(in local: LocalTime) -> JSONText {
    .object([
      ("day", .string(day.description)), ("events", .number(total)),
      (
        "types",
        .array(
          counts.map {
            .object([
              ("id", .string($0.eventTypeId)), ("name", .string($0.name)), ("icon", .string($0.iconName)),
              ("color", .string($0.colorHex)), ("count", .number($0.count)), ("streak", .number($0.streak)),
              ("goal", $0.progress?.json ?? .null),
            ])
          })
      ),
      (
        "running",
        .array(
          running.map {
            .object([
              ("id", .string($0.eventId)), ("event_type_id", .string($0.eventTypeId)),
              ("since", .string(local.rfc3339($0.since))),
            ])
          })
      ),
      (
        "visits",
        .array(
          visits.map {
            .object([
              ("id", .string($0.eventId)), ("geofence_id", .string($0.geofenceId)), ("place", .string($0.place)),
              ("since", .string(local.rfc3339($0.since))),
            ])
          })
      ),
      (
        "trip",
        trip.map {
          .object([
            ("id", .string($0.eventId)), ("since", .string(local.rfc3339($0.since))),
            ("distance_m", .number($0.distance.map { ($0 * 10).rounded() / 10 })),
            ("is_paused", .bool($0.isPaused)),
          ])
        } ?? .null
      ),
    ])
  }
}

extension GoalProgress {
  fileprivate var json: JSONText {
    .object([
      ("text", .string(goal.description)), ("amount", .value(.double(amount))), ("target", .number(target)),
      ("left", .value(.double(left))), ("share", .value(.double(share))), ("is_met", .bool(isMet)),
    ])
  }
}

extension AgentStatus.Sync {
  fileprivate func json(in local: LocalTime) -> JSONText {
    .object([
      ("hub", .string(hub)), ("waiting", .number(waiting)),
      ("last_sync", .string(lastSync.map { local.rfc3339($0) })), ("error", .string(error)),
    ])
  }
}
