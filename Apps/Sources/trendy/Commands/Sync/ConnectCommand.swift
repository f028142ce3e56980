import CommandSupport

/// `trendy connect`
struct ConnectCommand: NetworkCommand {
  static let spec = CommandSpec(
    "connect", .one("url", .text, "the hub's address"), .one("code", .text, "the pairing code"),
    summary: "Pair this store with a hub, and sync.", group: .sync,
    examples: ["connect https://hub.example 4821-0937", "connect https://hub.example 4821-0937 --name phone"],
    options: ConnectOptions.all)

  init(_ session: Session) {}
}
