import TrendyFoundation
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Home folder of the user.
public enum HomeFolder: Sendable {
  /// `HOME`, else the entry of the user database, as in a job without an environment; `/` without either.
  ///
  /// An empty or relative `HOME` is ignored; it would give each working directory its own store.
  public static func path(in environment: [String: String]) -> String {
    if let home = environment["HOME"], home.hasPrefix("/") { return home }
    return entry() ?? "/"
  }

  #if canImport(Darwin)
    private static func entry() -> String? {
      guard let entry = getpwuid(getuid()), let folder = entry.pointee.pw_dir else { return nil }
      return String(cString: folder)
    }
  #else
    /// Parses the file itself, because a statically linked C library may not find its user database plug-ins.
    private static func entry() -> String? {
      // A missing file has no entries.
      guard let list = try? String(contentsOf: URL(filePath: "/etc/passwd"), encoding: .utf8) else { return nil }
      return folder(of: getuid(), in: list)
    }
  #endif

  /// Sixth field of a line in the format of `/etc/passwd`.
  package static func folder(of user: UInt32, in list: String) -> String? {
    for line in list.split(separator: "\n") {
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      if fields.count >= 6, fields[2] == "\(user)", fields[5].hasPrefix("/") { return String(fields[5]) }
    }
    return nil
  }
}
