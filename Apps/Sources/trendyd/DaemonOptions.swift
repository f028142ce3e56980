import CommandSupport
import HubContainer

extension OptionSpec {
  static let data = OptionSpec(
    "--data", value: "dir", kind: .folder,
    help: "folder of the hub (default: TRENDY_HUB_DATA or as configured)")
  static let store = OptionSpec(
    "--store", value: "dir", kind: .folder,
    help: "store of the agent (default: TRENDY_STORE or as configured)")
  static let status = OptionSpec(
    "--status", value: "path", kind: .file,
    help: "status file of the agent (default: TRENDY_STATUS or as configured)")
  static let deviceOwner = OptionSpec("--name", value: "user", kind: .text, help: "user of the device")
  static let webhookOwner = OptionSpec("--name", value: "user", kind: .text, help: "user whose changes are sent")

  /// Options read by ``DaemonSession/commandLineSettings()`` and ``DaemonSession/hubSettings()``.
  static let hubSettings = [
    OptionSpec(
      "--storage", value: "address", kind: .text,
      help: "store data in PostgreSQL: postgres://user@host/name; the password comes from a password file"),
    OptionSpec(
      "--listen", value: "address:port", kind: .text,
      help: "address of the hub (default 127.0.0.1:8787; port 0 for any free port, 0.0.0.0 for all networks)"),
    OptionSpec(
      "--host", value: "name", kind: .text, repetition: .allCount,
      help: "additional host name of the hub"),
    OptionSpec(
      "--url", value: "url", kind: .text,
      help: "address for devices, if different: https://hub.example of a reverse proxy"),
    OptionSpec(
      "--proxy", value: "address", kind: .text, repetition: .allCount,
      help:
        "reverse proxy, or address block such as 10.0.0.0/8, whose X-Forwarded-For header is trusted"),
    OptionSpec(
      "--tiles", value: "dir or url", kind: .text,
      help:
        "map tiles: a folder with {z}/{x}/{y}.png, or an https address with these placeholders"
    ),
    OptionSpec("--tiles-credit", value: "text", kind: .text, help: "attribution of the map tiles"),
    OptionSpec(
      "--limit", value: "name=value", kind: .text, repetition: .allCount,
      help: "limit of the hub: \(HubSettings.limitNames.joined(separator: ", "))"),
  ]
}
