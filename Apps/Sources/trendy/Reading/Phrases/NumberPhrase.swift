/// Parser for numbers with a decimal point or comma, such as `12.5`, `12,5` or `-3`.
enum NumberPhrase {
  /// Parses a finite number. Returns `nil` if the text is invalid or ambiguous: in `1,234`, the comma may separate
  /// thousands or decimals.
  static func value(_ text: some StringProtocol) -> Double? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let hasDecimalComma =
      parts.count == 2 && parts[1].count != 3 && !parts[0].isEmpty && !parts[1].isEmpty
      && !text.contains(".") && parts[1].allSatisfy { $0.isASCII && $0.isNumber }
    let value = hasDecimalComma ? Double("\(parts[0]).\(parts[1])") : Double(text)
    return value.flatMap { $0.isFinite ? $0 : nil }
  }

  /// Returns a hint for an ambiguous number such as `1,234`, or `nil` if the text is not ambiguous.
  static func hint(for text: some StringProtocol) -> String? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2, let whole = Int(parts[0]), parts[1].count == 3, Int(parts[1]) != nil else { return nil }
    return "Did you mean \(whole)\(parts[1]) or \(whole).\(parts[1])?"
  }

  /// Returns the number from text with a unit, such as `5km` or `5 km`, or `nil` for other text.
  static func withoutUnit(_ text: String) -> Substring? {
    let number = text.dropLast(text.reversed().prefix { $0.isLetter || $0 == " " }.count)
    return number.count < text.count && value(number) != nil ? number : nil
  }
}
