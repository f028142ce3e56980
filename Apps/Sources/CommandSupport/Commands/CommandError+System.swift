#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import TrendyFoundation

extension CommandError {
  /// Creates the error for a failed system call on a file or folder. `code` is its `errno`.
  ///
  /// `verb` is the failed operation, such as `write`, `create` or `delete`. `path` is the path that the user knows,
  /// rather than that of a temporary file. Without a `hint`, `code` determines the advice.
  public init(cannot verb: String, _ path: String, code: Int32, hint: String? = nil) {
    let (advice, exit): (String?, ExitCode) =
      switch code {
      case ENOENT: ("Create the folder first, or choose another path.", .cannotCreate)
      case ENOTDIR: ("Part of the path is a file, not a folder.", .cannotCreate)
      case EACCES, EPERM: ("Check the permissions of the folder, or choose another path.", .cannotCreate)
      case EROFS: ("Choose a path on a file system that is not read-only.", .cannotCreate)
      case EISDIR: ("Specify a file, not a folder.", .cannotCreate)
      case ENOSPC, EDQUOT: ("Free some space, or choose another disk.", .readWrite)
      case EEXIST, ENAMETOOLONG, ELOOP, EMFILE, ENFILE: (nil, .cannotCreate)
      default: (nil, .readWrite)
      }
    self.init("Cannot \(verb) \(path): \(String(cString: strerror(code)))", hint: hint ?? advice, exit: exit)
  }

  /// Creates the error for a failed file operation in Foundation.
  public init(cannot verb: String, _ path: String, _ error: any Error, hint: String? = nil) {
    self.init(cannot: verb, path, code: Self.code(of: error), hint: hint)
  }

  /// Creates the error for a failed file operation in Foundation, or returns `nil` if `error` is not about a file.
  public init?(file error: any Error) {
    guard let error = error as? CocoaError, let path = error.filePath else { return nil }
    self.init(cannot: "access", path, error)
  }

  /// Returns the `errno` value that corresponds to a Foundation error, or `EIO`.
  private static func code(of error: any Error) -> Int32 {
    if let error = error as? POSIXError { return error.code.rawValue }
    guard let error = error as? CocoaError else { return EIO }
    if let cause = error.underlying as? POSIXError { return cause.code.rawValue }
    return switch error.code {
    case .fileNoSuchFile, .fileReadNoSuchFile: ENOENT
    case .fileReadNoPermission, .fileWriteNoPermission: EACCES
    case .fileWriteOutOfSpace: ENOSPC
    case .fileWriteVolumeReadOnly: EROFS
    case .fileWriteFileExists: EEXIST
    default: EIO
    }
  }
}
