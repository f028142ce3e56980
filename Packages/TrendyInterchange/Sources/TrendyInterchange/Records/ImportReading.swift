public import TrendyModels

/// Digests of the first events in a file, for recognising a file that is imported again with another time zone.
///
/// Event ids depend on instants, so if times without an offset are interpreted in another zone, every event gets
/// another id. Local times do not depend on the zone, so equal ``content`` with different ``moments`` means that the
/// same file was imported with another zone.
public struct ImportReading: Hashable, Sendable {
  /// IANA name of the zone used for times without an offset.
  public var zone: String
  /// Digest of the local times and types of the first events.
  public var content: String
  /// Digest of the instants of the same events.
  public var moments: String

  /// Creates a reading.
  public init(zone: String, content: String, moments: String) {
    self.zone = zone
    self.content = content
    self.moments = moments
  }

  /// Creates a reading from stored ``members``. Returns `nil` if a member is missing.
  public init?(members: [String: JSONValue]) {
    guard let zone = members["zone"]?.stringValue, let content = members["content"]?.stringValue,
      let moments = members["moments"]?.stringValue
    else { return nil }
    self.init(zone: zone, content: content, moments: moments)
  }

  /// Members of the JSON object in which an import history stores the reading.
  public var members: [String: JSONValue] {
    ["zone": .string(zone), "content": .string(content), "moments": .string(moments)]
  }

  /// Returns the zone with which the same file was imported before.
  ///
  /// Returns `nil` for a file that was not imported before, or was also imported with this zone.
  public func otherZone(among earlier: [ImportReading]) -> String? {
    let same = earlier.filter { $0.content == content }
    guard !same.contains(where: { $0.moments == moments }) else { return nil }
    return same.last?.zone
  }
}
