import CommandSupport

extension Session {
  func number(option: String, in range: ClosedRange<Double>) throws(CommandError) -> Double? {
    guard let text = arguments.value(option) else { return nil }
    guard let number = Double(text), range.contains(number) else {
      throw usageError(
        "The value '\(text)' is invalid for '\(option)'",
        hint: "Use a number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }
}
