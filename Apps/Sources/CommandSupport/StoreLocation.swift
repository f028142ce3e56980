public import TrendyFoundation

/// Locations of the store, the hub and the cache (XDG Base Directory specification).
public enum StoreLocation: Sendable {
  /// Returns the store folder: `--store`, `TRENDY_STORE`, `$XDG_DATA_HOME/trendy` or `~/.local/share/trendy`, whichever
  /// is set first.
  public static func store(option: String?, environment: [String: String]) -> URL {
    if let path = option ?? nonEmpty(environment["TRENDY_STORE"]) { return URL(filePath: path) }
    return dataHome(environment).appending(path: "trendy")
  }

  /// Returns the hub folder: `--data`, `TRENDY_HUB_DATA`, `$XDG_DATA_HOME/trendy-hub` or `~/.local/share/trendy-hub`,
  /// whichever is set first.
  public static func hub(option: String?, environment: [String: String]) -> URL {
    if let path = option ?? nonEmpty(environment["TRENDY_HUB_DATA"]) { return URL(filePath: path) }
    return dataHome(environment).appending(path: "trendy-hub")
  }

  /// Returns the store folder from `--store` or, without that option, from the settings.
  public static func store(option: String?, settings: Settings) -> URL {
    URL(filePath: option ?? settings.text(Setting.store) ?? "/")
  }

  /// Returns the hub folder from `--data` or, without that option, from the settings.
  public static func hub(option: String?, settings: Settings) -> URL {
    URL(filePath: option ?? settings.text(Setting.hubData) ?? "/")
  }

  /// Returns the cache folder, `$XDG_CACHE_HOME/trendy` or `~/.cache/trendy`. Users may delete it at any time.
  public static func cache(environment: [String: String]) -> URL {
    if let path = absolute(environment["XDG_CACHE_HOME"]) { return URL(filePath: path).appending(path: "trendy") }
    return URL(filePath: HomeFolder.path(in: environment)).appending(path: ".cache/trendy")
  }

  /// Returns the folder for cached daily counts.
  public static func counts(environment: [String: String]) -> URL {
    cache(environment: environment).appending(path: "insights")
  }

  private static func dataHome(_ environment: [String: String]) -> URL {
    if let path = absolute(environment["XDG_DATA_HOME"]) { return URL(filePath: path) }
    return URL(filePath: HomeFolder.path(in: environment)).appending(path: ".local/share")
  }

  /// Returns the path if it is absolute. The XDG specification requires relative base directories to be ignored.
  private static func absolute(_ text: String?) -> String? { text.flatMap { $0.hasPrefix("/") ? $0 : nil } }

  private static func nonEmpty(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }
}
