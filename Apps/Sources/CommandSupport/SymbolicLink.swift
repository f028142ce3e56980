#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Resolves symbolic links before a file is replaced by renaming, so that the link itself is preserved.
public enum SymbolicLink: Sendable {
  /// Returns the file to replace for a path.
  ///
  /// If the path is a link to a file, returns the target, which may be missing. Otherwise returns the path itself, even
  /// if it links to something other than a regular file, such as `/dev/stdout`.
  public static func target(of path: String) -> String {
    var status = stat()
    if stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFREG, let real = realpath(path, nil) else { return path }
      defer { free(real) }
      return String(cString: real)
    }
    var target = path
    // Linux also follows at most 40 links.
    for _ in 0..<40 {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = buffer.withUnsafeMutableBytes {
        readlink(target, $0.bindMemory(to: CChar.self).baseAddress!, $0.count)
      }
      guard count > 0 else { return target }
      let next = String(decoding: buffer[..<count], as: UTF8.self)
      let folder = target.lastIndex(of: "/").map { target[...$0] } ?? ""
      target = next.hasPrefix("/") ? next : folder + next
    }
    return path
  }
}
