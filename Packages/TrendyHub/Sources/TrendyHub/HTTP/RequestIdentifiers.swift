import Synchronization

/// Names requests: 16 hexadecimal digits of chance each.
final class RequestIdentifiers: Sendable {
  private let generator: Mutex<any RandomNumberGenerator & Sendable>

  init(generator: some RandomNumberGenerator & Sendable) {
    self.generator = Mutex(generator)
  }

  func next() -> String {
    let value = generator.withLock { $0.next() as UInt64 }
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
