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
    // A rule (POSIX, "Environment Variables"): a name and what it is west of Greenwich.
    if name.wholeMatch(of: /(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)[+-]?[0-9].*/) != nil { return nil }
    let path = name.hasPrefix("/") ? name : "\(environment["TZDIR"] ?? "/usr/share/zoneinfo")/\(name)"
    return access(path, R_OK) == 0 || ["UTC", "GMT"].contains(name) ? nil : name
  }
}
