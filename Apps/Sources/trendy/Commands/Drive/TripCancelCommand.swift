import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyProtocols

struct TripCancelCommand: Command {
  static let spec = CommandSpec(
    "trip cancel", summary: "Discard the running trip that was started by hand.", group: .drive,
    examples: ["trip cancel"], columns: .eventColumns)

  init(_ session: Session) {}

  func act(_ session: Session) throws -> OneEvent {
    let container = try session.openStore()
    let store = container.makeStore()
    let running = try RunningTrip.present(in: store).running
    let answer = try OneEvent(running.event, in: store)
    try container.record.perform(
      session.undoLabel("cancel", "trip", running.event), [], before: [.event(running.event), .record(running.mark)])
    return answer
  }

  func show(_ answer: OneEvent, _ session: Session) -> ExitCode {
    session.console.done("Discarded the running trip. Undo with: trendy undo")
    return answer.show(session)
  }
}
