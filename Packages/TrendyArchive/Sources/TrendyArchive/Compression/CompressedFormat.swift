/// Container format of deflate-compressed data.
public enum CompressedFormat: Hashable, Sendable, CaseIterable {
  /// Plain deflate (RFC 1951) as in ZIP archives, without header or checksum.
  case raw
  /// RFC 1950: header of two bytes, Adler-32 at the end. Called `deflate` in HTTP.
  case zlib
  /// RFC 1952: header of at least ten bytes, CRC-32 and length at the end. Called `gzip` in HTTP.
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
