import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyProtocols

struct TypeAddCommand: Command {
  static let spec = CommandSpec(
    "type add", .one("name", .text, "name"), summary: "Add an event type.", group: .define,
    examples: ["type add reading --goal 20min/day", "type add run --color \"#D0503C\" --icon \"⚑\" --goal 3/week"],
    options: [
      OptionSpec("--color", value: "hex", kind: .text, help: "colour: #RRGGBB"),
      OptionSpec("--icon", value: "glyph", kind: .text, help: "icon: any short glyph"), .goal,
    ], columns: .typeColumns)

  private let type: NewEventType

  init(_ session: Session) throws {
    let arguments = session.arguments
    type = NewEventType(
      name: arguments.positionals[0], color: arguments.value("--color"), icon: arguments.value("--icon"),
      goal: try session.goal().value)
    try type.check(session)
  }

  func act(_ session: Session) throws -> EventType {
    let container = try session.openStore()
    let types = try container.makeStore().fetchAllEventTypes()
    if let known = types.first(where: { $0.name.lowercased() == type.name.lowercased() }) {
      throw CommandError(
        "An event type '\(known.name)' already exists",
        hint: "To record an event: \(try session.commandRecording(known))", exit: .usage)
    }
    let made = try type.made(id: container.makeID(), session)
    try container.record.perform("type add \(made.name)", [.eventType(made)])
    return made
  }

  func show(_ answer: EventType, _ session: Session) throws -> ExitCode {
    if session.console.isJSON {
      session.console.document("trendy.event_type/1", [("event_type", EventTypeText.json(answer, []))])
    }
    let goal = EventTypeText.goal(of: answer).map { "  \($0)" } ?? ""
    session.console.done("\(EventTypeText.heading(of: answer))  \(answer.colorHex)\(goal)")
    session.console.done("Next:  \(try session.commandRecording(answer))")
    return .done
  }
}
