/// Generator that always returns the same number.
struct ConstantGenerator: RandomNumberGenerator, Sendable {
  let value: UInt64
  func next() -> UInt64 { value }
}
