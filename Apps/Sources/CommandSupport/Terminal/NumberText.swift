#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension Double {
  /// With so many digits behind the point: `0.62`, `-1.00`. A number so large that it has none is written with an exponent.
  /// - Parameter decimals: 0 to 3.
  public func text(decimals: Int) -> String {
    let scale = [1, 10, 100, 1000][decimals]
    let parts = (self * Double(scale)).rounded()
    guard abs(parts) < 1e15 else { return exponentText }
    let whole = Int(abs(parts))
    let sign = parts < 0 ? "-" : ""
    guard decimals > 0 else { return "\(sign)\(whole)" }
    let rest = "\(whole % scale)"
    return "\(sign)\(whole / scale).\(String(repeating: "0", count: decimals - rest.count))\(rest)"
  }

  /// `1.23e+20`; what is no number as Swift writes it.
  private var exponentText: String {
    guard isFinite else { return "\(self)" }
    let exponent = log10(abs(self)).rounded(.down)
    let mantissa = (self / pow(10, exponent)).shortText(decimals: 2)
    return "\(mantissa)e+\(Int(exponent))"
  }

  /// The same without zeros at its end: `2.1`, `2`.
  /// - Parameter decimals: 0 to 3.
  public func shortText(decimals: Int) -> String {
    var text = Substring(text(decimals: decimals))
    guard text.contains("."), !text.contains("e") else { return String(text) }
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return String(text)
  }
}
