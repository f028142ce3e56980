/// A file, folder or link in a ZIP archive, as the archive's directory tells of it.
public struct ZipEntry: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    case file
    /// Its path ends with a slash.
    case directory
    /// Its content is the path that it points to. It cannot be opened: following it could lead out of the archive.
    case symbolicLink
  }

  public enum Method: Hashable, Sendable {
    case stored
    case deflate
    /// One that is not read here, by its number in APPNOTE 4.4.5.
    case other(UInt16)

    init(_ number: UInt16) {
      switch number {
      case 0: self = .stored
      case 8: self = .deflate
      default: self = .other(number)
      }
    }
  }

  /// With slashes between its parts; never absolute and without `..`.
  public let path: String
  public let kind: Kind
  public let method: Method
  public let isEncrypted: Bool
  /// Bytes in the archive.
  public let compressedSize: Int64
  /// Bytes of the content. Of a content of 4 GiB and more in an archive without ZIP64, as macOS and iOS write it, the remainder
  /// modulo 4 GiB.
  public let size: Int64
  /// Of the content.
  public let crc32: UInt32
  /// Seconds since 1970; `nil` where the archive tells a local time only.
  public let modified: Int64?

  /// Of its local header in the source.
  let headerOffset: Int64
  /// Of its header in the directory in the source.
  let directoryOffset: Int64
  let isZip64: Bool

  /// The last part of the path.
  public var name: Substring {
    let path = path.hasSuffix("/") ? path.dropLast() : path[...]
    return path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path
  }

  /// Whether macOS put it there for itself: resource forks and Finder's notes, which are no content of the person's.
  public var isMacOSResource: Bool {
    path.hasPrefix("__MACOSX/") || name.hasPrefix("._") || name == ".DS_Store"
  }
}
