import AgentLink
import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels

/// Lookup of the trip in progress, as detected from positions.
enum DetectedTrip {
  /// Returns the trip in progress, if there is one.
  ///
  /// Asks the agent, which may also be following another device's trip. If no agent is running, detects the trip in the
  /// recorded positions.
  static func inProgress(_ container: AppContainer, _ session: Session) throws -> AgentStatus.LiveTrip? {
    let files = RuntimeFiles(storeDirectory: session.storeDirectory, environment: Environment.all)
    // The timeout prevents a hung agent from blocking the command.
    if let text = AgentConnection(files, asking: .status, timeoutSeconds: 1)?.next(),
      let status = AgentConnection.members(of: text)
    {
      let trip = status["trip"].flatMap { AgentStatus.LiveTrip($0) }
      return trip?.state == .ended ? nil : trip
    }
    return try recorded(in: container, session).newest
  }

  /// Returns the trips in progress detected in the recorded positions, at most one per device.
  static func recorded(in container: AppContainer, _ session: Session) throws -> [AgentStatus.LiveTrip] {
    guard container.record.hasTracks else { return [] }
    return try container.record.makeTrackIntake().presences().compactMap { AgentStatus.LiveTrip($0, now: session.now) }
  }
}

extension [AgentStatus.LiveTrip] {
  /// Trip with the most recent position.
  var newest: AgentStatus.LiveTrip? { self.max { ($0.fixedAt ?? .distantPast) < ($1.fixedAt ?? .distantPast) } }
}
