#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// System random numbers, read 32 at a time. An import creates an id for each event, and a system call per id would
/// take 3 % of its time.
struct BufferedSystemGenerator: RandomNumberGenerator, Sendable {
  private static let count = 32
  /// Numbers that have not been returned yet.
  private var numbers: [UInt64] = []

  mutating func next() -> UInt64 {
    if let number = numbers.popLast() { return number }
    numbers = [UInt64](unsafeUninitializedCapacity: Self.count) { numbers, count in
      guard let start = numbers.baseAddress else { return }
      // One call returns at most 256 bytes.
      let outcome = getentropy(start, Self.count * MemoryLayout<UInt64>.stride)
      precondition(outcome == 0, "getentropy failed: error \(errno)")
      count = Self.count
    }
    return numbers.removeLast()
  }
}
