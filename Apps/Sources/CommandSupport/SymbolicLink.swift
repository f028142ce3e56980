#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Symbolic links to files that are replaced by renaming a new file.
public enum SymbolicLink: Sendable {
  /// Returns the file that a link names, which may be missing, so that replacing it keeps the link. Returns the path itself if it is
  /// not a link, or one to something other than a file, such as `/dev/stdout`.
  public static func target(of path: String) -> String {
    var status = stat()
    if stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFREG, let real = realpath(path, nil) else { return path }
      defer { free(real) }
      return String(cString: real)
    }
    var target = path
    // The system also follows at most 40 links.
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
