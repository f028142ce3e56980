import CommandSupport
import HubContainer

/// Options that several commands of `trendyd` take.
extension OptionSpec {
  static let data = OptionSpec(
    "--data", value: "dir", kind: .folder,
    help: "the hub's storage, else TRENDY_HUB_DATA, the configuration, the data folder")
  static let store = OptionSpec(
    "--store", value: "dir", kind: .folder,
    help: "the agent's store, else TRENDY_STORE, the configuration, the data folder")
  static let status = OptionSpec(
    "--status", value: "path", kind: .file,
    help: "the agent's status file, else TRENDY_STATUS, the configuration, the session's folder")
  static let deviceOwner = OptionSpec("--name", value: "person", kind: .text, help: "whose device it is")
  static let webhookOwner = OptionSpec("--name", value: "person", kind: .text, help: "whose record it is")

  /// Read by ``DaemonSession/saidSettings()`` and ``DaemonSession/hubSettings()``.
  static let hubSettings = [
    OptionSpec(
      "--storage", value: "address", kind: .text,
      help: "keep the hub's data in PostgreSQL: postgres://user@host/name; its password comes from a password file"),
    OptionSpec(
      "--listen", value: "address:port", kind: .text,
      help: "where the hub listens (127.0.0.1:8787; port 0 for any free one, 0.0.0.0 for all networks)"),
    OptionSpec(
      "--host", value: "name", kind: .text, repetition: .allCount,
      help: "a name besides localhost under which the hub is asked"),
    OptionSpec(
      "--url", value: "url", kind: .text,
      help: "where devices find the hub, if elsewhere than it listens: https://hub.example of a reverse proxy"),
    OptionSpec(
      "--proxy", value: "address", kind: .text, repetition: .allCount,
      help:
        "a reverse proxy, or a block of them (10.0.0.0/8), whose X-Forwarded-For the hub believes"),
    OptionSpec(
      "--tiles", value: "dir or url", kind: .text,
      help:
        "tiles to draw below the maps of the pages: a folder with {z}/{x}/{y}.png, or an https address with these words"
    ),
    OptionSpec("--tiles-credit", value: "text", kind: .text, help: "who made the tiles, for the map to say"),
    OptionSpec(
      "--limit", value: "name=value", kind: .text, repetition: .allCount,
      help: "a limit of the hub: \(HubSettings.limitNames.joined(separator: ", "))"),
  ]
}
