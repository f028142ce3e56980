import CommandSupport

/// `trendy connect`
struct ConnectCommand: NetworkCommand {
  static let spec = CommandSpec(
    "connect", .one("url", .text, "the hub's address"), .optional("code", .text),
    summary: "Pair this store with a hub, and sync.", group: .sync,
    examples: [
      "connect https://hub.example 4821-0937", "connect https://hub.example 4821-0937 --name phone",
      "connect 'trendy://connect?hub=https://hub.example&code=4821-0937'",
      "connect --rebuild https://hub.example 4821-0937",
    ],
    options: ConnectOptions.all)

  init(_ session: Session) throws(CommandError) {
    let words = session.arguments.positionals
    if PairingLink.isMeant(by: words[0]) {
      guard PairingLink(words[0]) != nil, words.count == 1 else {
        throw session.usageError(
          "'\(words[0])' is not a link that 'trendyd pair' gives",
          hint: "In quotes, as the shell takes '&' for itself: 'trendy://connect?hub=…&code=…'; no code beside it.")
      }
    } else if words.count == 1 {
      throw session.usageError("Missing the pairing code", hint: "On the hub: trendyd pair")
    }
  }
}
