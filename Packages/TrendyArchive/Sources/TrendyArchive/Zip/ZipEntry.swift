/// File, folder or link in a ZIP archive, as listed in the central directory.
public struct ZipEntry: Hashable, Sendable {
  /// Kind of entry.
  public enum Kind: Hashable, Sendable {
    case file
    /// The path ends with a slash.
    case directory
    /// The content is the target path. Links cannot be opened, because their target could be outside the archive.
    case symbolicLink
  }

  /// Compression method.
  public enum Method: Hashable, Sendable {
    case stored
    case deflate
    /// Unsupported method with its number in APPNOTE 4.4.5.
    case other(UInt16)

    init(_ number: UInt16) {
      switch number {
      case 0: self = .stored
      case 8: self = .deflate
      default: self = .other(number)
      }
    }
  }

  /// Path with slashes. Never absolute, and without `..`.
  public let path: String
  /// Kind of the entry.
  public let kind: Kind
  /// Compression method.
  public let method: Method
  /// Whether the entry needs a password.
  public let isEncrypted: Bool
  /// Compressed size in bytes.
  public let compressedSize: Int64
  /// Size of the content in bytes. Modulo 4 GiB without ZIP64, as in archives from macOS and iOS.
  public let size: Int64
  /// Checksum of the content.
  public let crc32: UInt32
  /// Modification time in seconds since 1970, or `nil` if the archive contains only a local time.
  public let modified: Int64?

  let headerOffset: Int64
  let directoryOffset: Int64
  let isZip64: Bool

  /// Last component of the path.
  public var name: Substring {
    let path = path.hasSuffix("/") ? path.dropLast() : path[...]
    return path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path
  }

  /// Whether macOS added the entry for itself: resource forks and Finder data.
  public var isMacOSResource: Bool {
    path.hasPrefix("__MACOSX/") || name.hasPrefix("._") || name == ".DS_Store"
  }
}
