import CommandSupport

struct ConnectCommand: NetworkCommand {
  static let spec = CommandSpec(
    "connect", .one("url", .text, "hub address"), .optional("code", .text),
    summary: "Pair this store with a hub and sync.", group: .sync,
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
          "'\(words[0])' is not a pairing link from 'trendyd pair'",
          hint: "Quote the link, because '&' is special in a shell: 'trendy://connect?hub=…&code=…'. "
            + "It contains the code.")
      }
    } else if words.count == 1 {
      throw session.usageError("Missing pairing code", hint: "Create one on the hub: trendyd pair")
    }
  }
}
