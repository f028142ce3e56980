#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// System random numbers, read 32 at a time. An import creates one id per event, and a system call for each id would
/// take 3 % of the import time.
struct BufferedSystemGenerator: RandomNumberGenerator, Sendable {
  private static let count = 32
  private var numbers: [UInt64] = []

  mutating func next() -> UInt64 {
    if let number = numbers.popLast() { return number }
    numbers = [UInt64](unsafeUninitializedCapacity: Self.count) { numbers, count in
      guard let start = numbers.baseAddress else { return }
      let bytes = Self.count * MemoryLayout<UInt64>.stride
      #if canImport(Darwin)
        // The iOS SDK does not declare getentropy.
        arc4random_buf(start, bytes)
      #else
        // One call returns at most 256 bytes.
        let result = getentropy(start, bytes)
        precondition(result == 0, "getentropy failed: error \(errno)")
      #endif
      count = Self.count
    }
    return numbers.removeLast()
  }
}
