import TrendyFoundation
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The folder of the person who runs a program.
public enum HomeFolder: Sendable {
  /// `HOME`, else what the system's list of users says, as in a job without an environment; `/` where neither knows one.
  ///
  /// An empty or relative `HOME` names no folder: a store in it would be another one in each folder that somebody works in.
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
    /// Read by itself: the C library asks plug-ins for users, which a program that is linked with it may not find.
    private static func entry() -> String? {
      // Without the list there is no entry.
      guard let list = try? String(contentsOf: URL(filePath: "/etc/passwd"), encoding: .utf8) else { return nil }
      return folder(of: getuid(), in: list)
    }
  #endif

  /// The sixth field of the line of a user in the form of `/etc/passwd`.
  package static func folder(of user: UInt32, in list: String) -> String? {
    for line in list.split(separator: "\n") {
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      if fields.count >= 6, fields[2] == "\(user)", fields[5].hasPrefix("/") { return String(fields[5]) }
    }
    return nil
  }
}
