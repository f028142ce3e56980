import Foundation
import Synchronization
import TrendyModels
import TrendyProtocols

/// Everything a hub makes by chance, from one generator that many tasks share.
final class HubChance: Sendable {
  private struct State {
    var generator: any RandomNumberGenerator & Sendable
    var identifiers = UUIDv7.Generator()
  }

  private let state: Mutex<State>

  init(_ generator: some RandomNumberGenerator & Sendable) {
    state = Mutex(State(generator: generator))
  }

  /// A UUIDv7.
  func identifier(at now: Date) -> String {
    state.withLock { state in
      var generator = state.generator
      defer { state.generator = generator }
      return Self.next(&state.identifiers, at: now, using: &generator)
    }
  }

  /// 256 bits, as 43 characters that may stand in a header or an address.
  func token() -> String {
    let words = (0..<4).map { _ in word() }
    let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (UInt64($0) * 8)) } }
    return Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
      "=", with: "")
  }

  /// Eight digits.
  func pairingDigits() -> String {
    let number = state.withLock { Int.random(in: 0..<100_000_000, using: &$0.generator) }
    let digits = String(number)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }

  /// 16 hexadecimal digits.
  func epoch() -> String {
    let digits = String(word(), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private func word() -> UInt64 { state.withLock { $0.generator.next() } }

  private static func next(
    _ identifiers: inout UUIDv7.Generator, at now: Date, using generator: inout some RandomNumberGenerator
  ) -> String {
    identifiers.next(at: now, using: &generator).description
  }
}
