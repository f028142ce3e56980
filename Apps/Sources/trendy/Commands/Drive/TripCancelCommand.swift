import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyProtocols

/// `trendy trip cancel`
struct TripCancelCommand: Command {
  static let spec = CommandSpec(
    "trip cancel", summary: "Drop the trip that was begun by hand and goes on.", group: .drive,
    examples: ["trip cancel"], columns: .eventColumns)

  init(_ session: Session) {}

  func act(_ session: Session) throws -> OneEvent {
    let container = try session.openStore()
    let store = container.makeStore()
    let running = try RunningTrip.present(in: store).running
    let answer = try OneEvent(running.event, in: store)
    try container.record.perform(
      "cancel trip \(ShortID.of(running.event.id))", [], before: [.event(running.event), .record(running.mark)])
    return answer
  }

  func show(_ answer: OneEvent, _ session: Session) -> ExitCode {
    session.console.done("Dropped, undo: trendy undo")
    return answer.show(session)
  }
}
