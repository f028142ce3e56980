/// Container format of deflate-compressed data.
public enum CompressedFormat: Hashable, Sendable, CaseIterable {
  /// Plain deflate (RFC 1951) without header or checksum, as in ZIP archives.
  case raw
  /// RFC 1950: a two-byte header, and an Adler-32 checksum at the end. Called `deflate` in HTTP.
  case zlib
  /// RFC 1952: a header of at least ten bytes, and CRC-32 and length at the end. Called `gzip` in HTTP.
  case gzip

  /// Format and window size (32 KiB) in zlib's encoding.
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
