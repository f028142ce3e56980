struct ConstantGenerator: RandomNumberGenerator, Sendable {
  let value: UInt64
  func next() -> UInt64 { value }
}
