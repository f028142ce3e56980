#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
public import TrendyModels

extension LocalTime {
  /// The name in `TZ` that the system knows no zone by, so that it takes UTC for it; `nil` where all is well.
  public static func unknownZone(in environment: [String: String]) -> String? {
    guard var name = environment["TZ"], !name.isEmpty else { return nil }
    if name.hasPrefix(":") { name.removeFirst() }
    if isRule(name) { return nil }
    let path = name.hasPrefix("/") ? name : "\(environment["TZDIR"] ?? "/usr/share/zoneinfo")/\(name)"
    return access(path, R_OK) == 0 || ["UTC", "GMT"].contains(name) ? nil : name
  }

  /// Whether it is a rule (POSIX, "Environment Variables"): a name of three letters or more, or of digits and signs as well in angle
  /// brackets, and what it is west of Greenwich.
  ///
  /// By hand, as every command asks it: a regular expression is parsed and compiled anew in each process.
  private static func isRule(_ name: String) -> Bool {
    var rest = name.utf8[...]
    let isBracketed = rest.first == UInt8(ascii: "<")
    if isBracketed { rest.removeFirst() }
    let word = rest.prefix { isLetter($0) || isBracketed && (isDigit($0) || isSign($0)) }
    rest = rest.dropFirst(word.count)
    guard word.count >= 3, !isBracketed || rest.popFirst() == UInt8(ascii: ">") else { return false }
    if let sign = rest.first, isSign(sign) { rest.removeFirst() }
    return rest.first.map(isDigit) ?? false
  }

  private static func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 }
  private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
  private static func isSign(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") }
}
