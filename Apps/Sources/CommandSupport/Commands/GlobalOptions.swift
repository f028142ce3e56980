/// The options that every command of `trendy` takes.
public enum GlobalOptions: Sendable {
  public static let all = [
    OptionSpec("--json", help: "one JSON document, for scripts"),
    OptionSpec("--ndjson", help: "one JSON document a line, for lists"),
    OptionSpec("--plain", help: "tab separated, no header"),
    OptionSpec(
      "--store", value: "dir", kind: .folder, repetition: .lastCounts,
      help: "the store, else TRENDY_STORE, the configuration, the data folder"),
    OptionSpec("--no-color", help: "no colours, as with NO_COLOR"),
    OptionSpec("--utc", help: "read and show times in UTC"),
    OptionSpec("--quiet", "-q", help: "answers and errors only, nothing of what was done"),
    OptionSpec(
      "--verbose", "-v", help: "say on the standard error which files and settings are used, and how long it took"),
    OptionSpec("--no-input", help: "never ask: what would be asked is refused"),
    OptionSpec("--version", help: "the version, and nothing else"),
    OptionSpec("--help", "-h", help: "this text"),
  ]
}

/// How `trendy` has `trendyd` carry out a command that needs the network.
public enum NetworkMode: Sendable {
  /// Its first argument; those of `trendy` follow.
  public static let word = "network"
}

/// The options of `trendy connect`, which `trendy` checks and `trendyd network` carries out.
public enum ConnectOptions: Sendable {
  public static let all = [
    OptionSpec("--name", value: "device", kind: .text, help: "what the hub calls this device (the machine's name)"),
    OptionSpec("--rebuild", help: "the hub was lost: offer the whole record to the account of this code"),
    OptionSpec("--insecure", help: "allow http to another machine: the token crosses the network in clear text"),
  ]
}

/// The options of `trendy sync repair`, which `trendy` checks and `trendyd network` carries out.
public enum RepairOptions: Sendable {
  public static let all = [
    OptionSpec("--resync", help: "take everything anew from the hub, what waits laid over it"),
    OptionSpec("--requeue", help: "offer the hub again what it lacks and is here"),
    OptionSpec("--dedupe", help: "show events that are here twice, and with --yes remove the doubles"),
    OptionSpec("--yes", help: "of --dedupe: remove them; trendy undo brings them back"),
  ]
}
