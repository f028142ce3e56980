#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension Double {
  /// Formats the number with a fixed number of decimals, 0 to 3, such as `0.62` or `−1.00`. Numbers from 10¹⁵ have an
  /// exponent.
  public func text(decimals: Int) -> String {
    let scale = [1, 10, 100, 1000][decimals]
    let parts = (self * Double(scale)).rounded()
    guard abs(parts) < 1e15 else { return exponentText }
    let whole = Int(abs(parts))
    let sign = parts < 0 ? "−" : ""
    guard decimals > 0 else { return "\(sign)\(whole)" }
    let rest = "\(whole % scale)"
    return "\(sign)\(whole / scale).\(String(repeating: "0", count: decimals - rest.count))\(rest)"
  }

  /// Text with an exponent, such as `1.23e+20`. Infinity and NaN have Swift's format.
  private var exponentText: String {
    guard isFinite else { return "\(self)" }
    let exponent = log10(abs(self)).rounded(.down)
    let mantissa = (self / pow(10, exponent)).shortText(decimals: 2)
    return "\(mantissa)e+\(Int(exponent))"
  }

  /// Formats the number without trailing zeros and with a maximum number of decimals, 0 to 3, such as `2.1` or `2`.
  public func shortText(decimals: Int) -> String {
    var text = Substring(text(decimals: decimals))
    guard text.contains("."), !text.contains("e") else { return String(text) }
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return String(text)
  }
}

extension String {
  /// The string with a typographic minus sign instead of a leading hyphen.
  public var withMinusSign: String { hasPrefix("-") ? "−" + dropFirst() : self }
}
