import CCrypto
import Foundation

/// SHA-256, computed by libcrypto.
enum SHA256Digest {
  static func bytes(of data: Data) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    data.withUnsafeBytes { bytes in
      _ = SHA256(bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, &digest)
    }
    return digest
  }

  static func hexadecimal(of data: Data) -> String { hexadecimal(bytes(of: data)) }

  static func hexadecimal(of text: String) -> String { hexadecimal(of: Data(text.utf8)) }

  static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

/// HMAC with SHA-256 (RFC 2104), computed by libcrypto.
enum HMACSHA256 {
  static func hexadecimal(of data: Data, key: Data) -> String {
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    data.withUnsafeBytes { bytes in
      key.withUnsafeBytes { key in
        _ = HMAC(
          EVP_sha256(), key.baseAddress, Int32(key.count), bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count,
          &digest, nil)
      }
    }
    return SHA256Digest.hexadecimal(digest)
  }
}
