#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
public import TrendyModels

extension LocalTime {
  /// Returns the value of `TZ` if it names an unknown time zone, which the system treats as UTC, or `nil` otherwise.
  public static func unknownZone(in environment: [String: String]) -> String? {
    guard var name = environment["TZ"], !name.isEmpty else { return nil }
    if name.hasPrefix(":") { name.removeFirst() }
    if isRule(name) { return nil }
    let path = name.hasPrefix("/") ? name : "\(environment["TZDIR"] ?? "/usr/share/zoneinfo")/\(name)"
    return isZoneFile(path) || ["UTC", "GMT"].contains(name) ? nil : name
  }

  /// Whether a file has the signature of a time zone file (RFC 9636).
  private static func isZoneFile(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var magic: [UInt8] = [0, 0, 0, 0]
    return read(descriptor, &magic, 4) == 4 && magic.elementsEqual("TZif".utf8)
  }

  /// Whether the text is a time zone rule such as `CET-1CEST` (POSIX, "Environment Variables").
  ///
  /// A rule starts with a name of at least three letters and an offset. A name in angle brackets may also contain
  /// digits and signs. The text is matched without a regular expression, which each process would spend time compiling.
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
