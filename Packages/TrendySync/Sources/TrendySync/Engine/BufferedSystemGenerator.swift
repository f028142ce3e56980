#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The system's random numbers, of which it is asked for 32 at once: an import makes an identifier for each event, and a system call
/// for each is 3 % of its time.
struct BufferedSystemGenerator: RandomNumberGenerator, Sendable {
  private static let count = 32
  /// Not given out yet.
  private var numbers: [UInt64] = []

  mutating func next() -> UInt64 {
    if let number = numbers.popLast() { return number }
    numbers = [UInt64](unsafeUninitializedCapacity: Self.count) { numbers, count in
      guard let start = numbers.baseAddress else { return }
      // 256 bytes are what one call gives at most.
      let outcome = getentropy(start, Self.count * MemoryLayout<UInt64>.stride)
      precondition(outcome == 0, "the system gives no random numbers: error \(errno)")
      count = Self.count
    }
    return numbers.removeLast()
  }
}
