import CommandSupport

/// One command: what it is called, what it takes, what it does.
struct Command: Sendable {
  /// `["type", "add"]`.
  let path: [String]
  let arguments: String
  let summary: String
  var options: [OptionSpec] = []
  let run: @Sendable (Session) throws -> ExitCode

  var name: String { path.joined(separator: " ") }

  var usage: String {
    (["trendy", name, arguments] + (options.isEmpty ? [] : ["[options]"])).filter { !$0.isEmpty }
      .joined(separator: " ")
  }

  var help: String {
    (["\(summary)", "", "Usage: \(usage)", "", "Options:"] + OptionSpec.table(of: options + GlobalOptions.all))
      .joined(separator: "\n")
  }

  static let all: [Command] =
    eventCommands + typeCommands + placeCommands + placeInsightCommands + tripCommands + tripEditCommands
    + mileageCommands + vehicleCommands + undoCommands + trackCommands + intakeCommands + importCommands + syncCommands
    + conflictCommands + repairCommands + companionCommands
    + careCommands
    + helpCommands

  /// The command that the words begin with, and the words that are left; without one, `today`.
  static func find(in words: [String]) throws(CommandError) -> (Command, [String]) {
    // Global options may stand before the command.
    var head: [String] = []
    var rest = words[...]
    while let word = rest.first, word.hasPrefix("-"), word != "--" {
      head.append(rest.removeFirst())
      if word == "--store", let value = rest.popFirst() { head.append(value) }
    }
    guard let first = rest.first else {
      if head.contains("--help") || head.contains("-h") { return (help, []) }
      return (today, head)
    }
    let matches = all.filter { $0.path.first == first }
    guard !matches.isEmpty else {
      let near = Suggestion.nearest(to: first, among: Set(all.map { $0.path[0] }).sorted())
      throw CommandError(
        "There is no command '\(first)'",
        hint: near.map { "Did you mean 'trendy \($0)'?" } ?? "'trendy help' lists the commands.", exit: .usage)
    }
    rest.removeFirst()
    if let second = rest.first, let match = matches.first(where: { $0.path.count > 1 && $0.path[1] == second }) {
      rest.removeFirst()
      if let third = rest.first,
        let deeper = matches.first(where: { $0.path.count > 2 && $0.path[1] == second && $0.path[2] == third })
      {
        return (deeper, head + rest.dropFirst())
      }
      if match.path.count == 2 { return (match, head + rest) }
    }
    if let match = matches.first(where: { $0.path.count == 1 }) { return (match, head + rest) }
    if rest.contains("--help") || rest.contains("-h") { return (help, [first]) }
    let names = matches.map(\.name).joined(separator: ", ")
    let near = rest.first.flatMap { Suggestion.nearest(to: $0, among: matches.map { $0.path[1] }) }
    throw CommandError(
      rest.first.map { "There is no command '\(first) \($0)'" } ?? "'\(first)' needs to know what to do",
      hint: near.map { "Did you mean 'trendy \(first) \($0)'?" } ?? "There are: \(names).", exit: .usage)
  }
}
