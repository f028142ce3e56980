import TrendyFoundation
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Home folder of the current user.
public enum HomeFolder: Sendable {
  /// Returns `HOME` or, if it is not set, the folder in the user database, or `/` if that is missing too.
  ///
  /// `HOME` is not set in system jobs, for example. An empty or relative `HOME` is ignored, because the location of the
  /// store would depend on the working directory.
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
    /// Returns the home folder from `/etc/passwd`. In a statically linked program, `getpwuid` may fail to load the C
    /// library's user database plug-ins.
    private static func entry() -> String? {
      // A missing file is treated as empty.
      guard let list = try? String(contentsOf: URL(filePath: "/etc/passwd"), encoding: .utf8) else { return nil }
      return folder(of: getuid(), in: list)
    }
  #endif

  /// Returns the home folder of a user from text in the format of `/etc/passwd`, or `nil` if the user is not listed.
  package static func folder(of user: UInt32, in list: String) -> String? {
    for line in list.split(separator: "\n") {
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      if fields.count >= 6, fields[2] == "\(user)", fields[5].hasPrefix("/") { return String(fields[5]) }
    }
    return nil
  }
}
