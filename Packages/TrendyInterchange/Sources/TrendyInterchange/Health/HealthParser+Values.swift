import TrendyFoundation
import TrendyModels

/// Zones, dates and numbers as events have them.
extension HealthParser {
  /// The zone that a metadata entry tells; `nil` for another entry, or a name that is not a zone here.
  mutating func zoneOfMetadata() throws(XMLProblem) -> Int16? {
    guard try attribute("key") == "HKTimeZone", let name = try attribute("value") else { return nil }
    if let index = zoneIndices[name] { return zoneRules[Int(index)] == nil ? nil : index }
    guard zoneNames.count < 1000, name.utf8.count <= 64 else { return nil }
    let index = Int16(zoneNames.count)
    zoneNames.append(name)
    zoneRules.append(TimeZoneRules(named: name))
    zoneIndices[name] = index
    return zoneRules[Int(index)] == nil ? nil : index
  }

  func name(of zone: Int16) -> String? { zone < 0 ? nil : zoneNames[Int(zone)] }

  /// Seconds east of Greenwich. The written offset may be that of the phone when it exported; a zone that is told wins.
  func offset(of moment: HealthMoment, in zone: Int16) -> Int64 {
    guard zone >= 0, let rules = zoneRules[Int(zone)] else { return Int64(moment.offset) }
    return Int64(rules.secondsFromGMT(at: Self.date(moment.seconds)))
  }

  static func date(_ seconds: Int64) -> Date { Date(timeIntervalSince1970: Double(seconds)) }

  static func text(_ seconds: Int64) -> String {
    RFC3339.string(from: date(seconds), secondsFromGMT: 0, fractionDigits: 0)
  }

  /// To three digits, which is finer than any of these is measured; conversions leave noise behind.
  static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}
