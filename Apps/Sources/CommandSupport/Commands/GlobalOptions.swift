/// Options accepted by every command of `trendy`.
public enum GlobalOptions: Sendable {
  public static let all = [
    OptionSpec("--json", help: "print one JSON document"),
    OptionSpec("--ndjson", help: "print lists as one JSON document per line"),
    OptionSpec("--plain", help: "print tab-separated columns without a header"),
    OptionSpec(
      "--store", value: "dir", kind: .folder, repetition: .lastCounts,
      help: "use this store instead of TRENDY_STORE or the configured one"),
    OptionSpec("--no-color", help: "print without colours, as NO_COLOR does"),
    OptionSpec("--utc", help: "read and print times in UTC"),
    OptionSpec("--quiet", "-q", help: "print only results and errors"),
    OptionSpec(
      "--verbose", "-v", help: "print the files and settings in use and the elapsed time to standard error"),
    OptionSpec("--no-input", help: "do not ask for confirmation; fail instead"),
    OptionSpec("--version", help: "print the version"),
    OptionSpec("--help", "-h", help: "print help"),
  ]
}

/// Internal subcommand of `trendyd` that runs `trendy` commands that need the network.
public enum NetworkMode: Sendable {
  /// First argument of `trendyd`, followed by the arguments of `trendy`.
  public static let word = "network"
}

/// Options for `trendy connect`, parsed by `trendy` and by `trendyd network`.
public enum ConnectOptions: Sendable {
  public static let all = [
    OptionSpec("--name", value: "device", kind: .text, help: "name of this device on the hub (default: the host name)"),
    OptionSpec("--rebuild", help: "rebuild a lost hub: upload all data to the account that the code belongs to"),
    OptionSpec("--insecure", help: "allow http:// to another machine, which sends the token unencrypted"),
  ]
}

/// Options for `trendy sync repair`, parsed by `trendy` and by `trendyd network`.
public enum RepairOptions: Sendable {
  public static let all = [
    OptionSpec("--resync", help: "download everything from the hub again; pending changes are kept"),
    OptionSpec("--requeue", help: "upload entries that the hub does not have"),
    OptionSpec("--dedupe", help: "list duplicate events; delete the duplicates with --yes"),
    OptionSpec("--yes", help: "with --dedupe: delete the duplicates (trendy undo restores them)"),
  ]
}
