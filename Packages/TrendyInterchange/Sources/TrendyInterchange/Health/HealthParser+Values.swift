import TrendyFoundation
import TrendyModels

extension HealthParser {
  /// Returns the index of the zone in a metadata entry, or `nil` for any other entry or an unknown zone.
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

  /// Returns the UTC offset at a time in seconds.
  ///
  /// The zone takes precedence over the offset in the file, which may be the phone's offset at the time of the export.
  func offset(of moment: HealthMoment, in zone: Int16) -> Int64 {
    guard zone >= 0, let rules = zoneRules[Int(zone)] else { return Int64(moment.offset) }
    return Int64(rules.secondsFromGMT(at: Self.date(moment.seconds)))
  }

  static func date(_ seconds: Int64) -> Date { Date(timeIntervalSince1970: Double(seconds)) }

  static func text(_ seconds: Int64) -> String {
    RFC3339.string(from: date(seconds), secondsFromGMT: 0, fractionDigits: 0)
  }

  /// Rounds to three decimal places, which removes conversion errors and exceeds the precision of any measurement.
  static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}
