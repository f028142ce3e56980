import CommandSupport

struct SyncCommand: NetworkCommand {
  static let spec = CommandSpec(
    "sync", .word("now"), summary: "Sync this store with the hub now.", group: .sync,
    examples: ["sync", "sync --quiet"])

  init(_ session: Session) throws {
    guard let word = session.arguments.positionals.first, word != "now" else { return }
    let near = Suggestion.nearest(to: word, among: ["now", "status", "history", "conflicts", "repair"])
    throw session.usageError("Command 'sync \(word)' not found", hint: near.map { "Did you mean 'trendy sync \($0)'?" })
  }
}
