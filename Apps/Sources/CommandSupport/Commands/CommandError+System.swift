#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import TrendyFoundation

extension CommandError {
  /// Describes a failed system call on a file or a folder by path, reason and advice.
  /// - Parameters:
  ///   - verb: failed action: `write`, `create`, `delete`.
  ///   - path: path as the user knows it, not that of a temporary file.
  ///   - code: value of `errno`.
  ///   - hint: advice; `nil` for the one that fits the code.
  public init(cannot verb: String, _ path: String, code: Int32, hint: String? = nil) {
    let (advice, exit): (String?, ExitCode) =
      switch code {
      case ENOENT: ("Create the folder first, or choose another path.", .cannotCreate)
      case ENOTDIR: ("A part of the path is a file, not a folder.", .cannotCreate)
      case EACCES, EPERM: ("Check the permissions of the folder, or choose another path.", .cannotCreate)
      case EROFS: ("Choose a path on a file system that is not read-only.", .cannotCreate)
      case EISDIR: ("Name a file, not a folder.", .cannotCreate)
      case ENOSPC, EDQUOT: ("Free some space, or choose another disk.", .readWrite)
      case EEXIST, ENAMETOOLONG, ELOOP, EMFILE, ENFILE: (nil, .cannotCreate)
      default: (nil, .readWrite)
      }
    self.init("Cannot \(verb) \(path): \(String(cString: strerror(code)))", hint: hint ?? advice, exit: exit)
  }

  /// Describes an error of Foundation's file functions.
  public init(cannot verb: String, _ path: String, _ error: any Error, hint: String? = nil) {
    self.init(cannot: verb, path, code: Self.code(of: error), hint: hint)
  }

  /// Describes an error of Foundation's file functions that no caller has described; `nil` for other errors.
  public init?(file error: any Error) {
    guard let error = error as? CocoaError, let path = error.filePath else { return nil }
    self.init(cannot: "access", path, error)
  }

  /// Returns the value of `errno` behind an error of Foundation.
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
