import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyProtocols

struct TypeEditCommand: Command {
  static let spec = CommandSpec(
    "type edit", .one("type", .eventType, "event type"),
    summary: "Change the name, colour, icon or goal of an event type.", group: .define,
    examples: [
      "type edit coffee --name espresso", "type edit coffee --color \"#7B4F2E\" --icon \"☕\"",
      "type edit workout --goal 3/week", "type edit coffee --goal 'at most 2/day'", "type edit coffee --goal none",
    ],
    options: [
      OptionSpec("--name", value: "text", kind: .text, help: "new name"),
      OptionSpec("--color", value: "hex", kind: .text, help: "colour: #RRGGBB"),
      OptionSpec("--icon", value: "glyph", kind: .text, help: "icon: any short glyph"), .goal,
    ], columns: .typeColumns)

  private let name: String
  private let newName: String?
  private let color: String?
  private let icon: String?
  private let goal: Patch<Goal>

  init(_ session: Session) throws {
    let arguments = session.arguments
    name = arguments.positionals[0]
    (newName, icon) = (arguments.value("--name"), arguments.value("--icon"))
    color = try session.colour(arguments.value("--color"))
    goal = try session.goal()
    guard newName != nil || icon != nil || color != nil || !goal.isAbsent else {
      throw session.usageError("No change specified", hint: "Use --name, --color, --icon or --goal.")
    }
    if let newName { try NewEventType(name: newName).check(session) }
  }

  func act(_ session: Session) throws -> OneEventType {
    let container = try session.openStore()
    let store = container.makeStore()
    let old = try Lookup(store: store).eventType(name) { "trendy type add \($0)" }
    var type = old
    if let newName {
      let isTaken = try store.fetchAllEventTypes().contains {
        $0.id != old.id && $0.name.lowercased() == newName.lowercased()
      }
      if isTaken {
        throw CommandError(
          "An event type '\(newName)' already exists",
          hint: "To merge both: trendy type merge \(ShellWords.quoted(old.name)) \(ShellWords.quoted(newName))",
          exit: .usage)
      }
      type.name = newName
    }
    if let color { type.colorHex = color }
    if let icon { type.iconName = icon }
    goal.apply(to: &type.goal)
    try container.record.perform("type edit \(old.name)", [.eventType(type)], before: [.eventType(old)])
    return try OneEventType(type, in: container.makeStore())
  }

  func show(_ answer: OneEventType, _ session: Session) -> ExitCode { answer.show(session) }
}
