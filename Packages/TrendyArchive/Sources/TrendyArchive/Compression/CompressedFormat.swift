/// The framing around deflate-compressed data.
public enum CompressedFormat: Hashable, Sendable, CaseIterable {
  /// Deflate alone (RFC 1951), as in ZIP archives: no header, no checksum.
  case raw
  /// RFC 1950: two bytes of header, Adler-32 at the end. HTTP's `deflate`.
  case zlib
  /// RFC 1952: a header of ten bytes or more, CRC-32 and length at the end. HTTP's `gzip`.
  case gzip

  /// zlib's encoding of format and window: a window of 32 KiB.
  var windowBits: Int32 {
    switch self {
    case .raw: -15
    case .zlib: 15
    case .gzip: 15 + 16
    }
  }

  var name: String {
    switch self {
    case .raw: "deflate"
    case .zlib: "zlib"
    case .gzip: "gzip"
    }
  }
}
