import CommandSupport

extension Command {
  static let help = Command(path: ["help"], arguments: "[<command>]", summary: "What there is, or one command whole.") {
    session in
    let topic = session.arguments.positionals.joined(separator: " ")
    if topic.isEmpty {
      overview(session.console)
      return .done
    }
    let commands = all.filter { $0.name == topic || $0.path[0] == topic }
    guard !commands.isEmpty else {
      let near = Suggestion.nearest(to: topic, among: all.map(\.name))
      throw CommandError(
        "There is no command '\(topic)'", hint: near.map { "Did you mean 'trendy help \($0)'?" }, exit: .usage)
    }
    session.console.data(commands.map(\.help).joined(separator: "\n\n"))
    return .done
  }

  static let helpCommands = [help]

  private static func overview(_ console: Console) {
    console.data(
      "trendy records what happens in a life, on this machine, and brings a person's devices to one state.\n")
    let width = all.map(\.usageWithoutOptions.count).max() ?? 0
    for command in all {
      let usage = command.usageWithoutOptions
      console.data("  \(usage)\(String(repeating: " ", count: width - usage.count + 2))\(command.summary)")
    }
    console.data("\n\(TimePhrase.help)\nIds: any beginning that only one has, or @1 for the newest.")
    console.data(
      """
      Exit: 0 done, 1 the answer is no, 64 usage, 65 bad data, 66 not found, 69 unreachable, 70 bug, 73 cannot create,
            74 read or write, 75 try again, 76 version, 77 refused, 78 configuration, 130 interrupted.
      """)
  }

  private var usageWithoutOptions: String {
    ([name, arguments]).filter { !$0.isEmpty }.joined(separator: " ")
  }
}
