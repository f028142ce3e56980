import AgentLink
import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels

/// Trip in progress that sensors detected.
enum DetectedTrip {
  /// Returns the trip that the agent follows, possibly one of another device; without an agent the one in the recorded
  /// fixes; `nil` if no trip is in progress.
  static func inProgress(_ container: AppContainer, _ session: Session) throws -> AgentStatus.LiveTrip? {
    let files = RuntimeFiles(storeDirectory: session.storeDirectory, environment: Environment.all)
    // An agent that does not answer must not block the command.
    if let text = AgentConnection(files, asking: .status, timeoutSeconds: 1)?.next(),
      let status = (try? WireJSON.decode(JSONValue.self, from: Data(text.utf8)))?.objectValue  // else no status
    {
      let trip = status["trip"].flatMap { AgentStatus.LiveTrip($0) }
      return trip?.state == .ended ? nil : trip
    }
    return try recorded(in: container, session).newest
  }

  /// Returns the trips in progress in the fixes of this store, one per device.
  static func recorded(in container: AppContainer, _ session: Session) throws -> [AgentStatus.LiveTrip] {
    guard container.record.hasTracks else { return [] }
    return try container.record.makeTrackIntake().presences().compactMap { AgentStatus.LiveTrip($0, now: session.now) }
  }
}

extension [AgentStatus.LiveTrip] {
  /// Trip with the newest fix.
  var newest: AgentStatus.LiveTrip? { self.max { ($0.fixedAt ?? .distantPast) < ($1.fixedAt ?? .distantPast) } }
}
