import Foundation
import TrendyModels

extension RandomSource {
  /// Returns 256 random bits as 43 characters that are valid in headers and URLs.
  func token() -> String {
    let words = (0..<4).map { _ in next() }
    let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (UInt64($0) * 8)) } }
    return Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
      "=", with: "")
  }

  func pairingDigits() -> String {
    let digits = String(withGenerator { Int.random(in: 0..<100_000_000, using: &$0) })
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}
