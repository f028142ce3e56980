public import TrendyFoundation

/// Locations of the user's files (XDG Base Directory specification).
public enum StoreLocation: Sendable {
  /// `--store`, else `TRENDY_STORE`, else `$XDG_DATA_HOME/trendy`, else `~/.local/share/trendy`.
  public static func store(option: String?, environment: [String: String]) -> URL {
    if let path = option ?? nonEmpty(environment["TRENDY_STORE"]) { return URL(filePath: path) }
    return dataHome(environment).appending(path: "trendy")
  }

  /// `--data`, else `TRENDY_HUB_DATA`, else `$XDG_DATA_HOME/trendy-hub`, else `~/.local/share/trendy-hub`.
  public static func hub(option: String?, environment: [String: String]) -> URL {
    if let path = option ?? nonEmpty(environment["TRENDY_HUB_DATA"]) { return URL(filePath: path) }
    return dataHome(environment).appending(path: "trendy-hub")
  }

  /// Store of the option or the settings.
  public static func store(option: String?, settings: Settings) -> URL {
    URL(filePath: option ?? settings.text(Setting.store) ?? "/")
  }

  /// Hub folder of the option or the settings.
  public static func hub(option: String?, settings: Settings) -> URL {
    URL(filePath: option ?? settings.text(Setting.hubData) ?? "/")
  }

  /// Cache folder, which may be deleted at any time: `$XDG_CACHE_HOME/trendy`, else `~/.cache/trendy`.
  public static func cache(environment: [String: String]) -> URL {
    if let path = absolute(environment["XDG_CACHE_HOME"]) { return URL(filePath: path).appending(path: "trendy") }
    return URL(filePath: HomeFolder.path(in: environment)).appending(path: ".cache/trendy")
  }

  /// Folder of the cached daily counts.
  public static func counts(environment: [String: String]) -> URL {
    cache(environment: environment).appending(path: "insights")
  }

  private static func dataHome(_ environment: [String: String]) -> URL {
    if let path = absolute(environment["XDG_DATA_HOME"]) { return URL(filePath: path) }
    return URL(filePath: HomeFolder.path(in: environment)).appending(path: ".local/share")
  }

  /// The specification requires relative base directories to be ignored.
  private static func absolute(_ text: String?) -> String? { text.flatMap { $0.hasPrefix("/") ? $0 : nil } }

  private static func nonEmpty(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }
}
