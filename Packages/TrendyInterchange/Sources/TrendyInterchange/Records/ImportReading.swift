public import TrendyModels

/// How a file was read, so that the same file read with another time zone is recognised.
///
/// Ids follow from instants, so another zone for times without one gives each event another id. Local times do not depend on the zone
/// with which they were read: equal ``content`` with other ``moments`` is the same file read with another zone.
public struct ImportReading: Hashable, Sendable {
  /// IANA name of the zone of times that name none.
  public var zone: String
  /// Digest of the local times and types of the first events.
  public var content: String
  /// Digest of the instants of the same events.
  public var moments: String

  public init(zone: String, content: String, moments: String) {
    self.zone = zone
    self.content = content
    self.moments = moments
  }

  /// Reads what ``members`` gave; `nil` if a member is missing.
  public init?(members: [String: JSONValue]) {
    guard let zone = members["zone"]?.stringValue, let content = members["content"]?.stringValue,
      let moments = members["moments"]?.stringValue
    else { return nil }
    self.init(zone: zone, content: content, moments: moments)
  }

  /// Members of the document in which an import history keeps it.
  public var members: [String: JSONValue] {
    ["zone": .string(zone), "content": .string(content), "moments": .string(moments)]
  }

  /// The earlier reading of the same file with another zone; `nil` if there is none, or if the file was also imported with this zone.
  public func otherZone(among earlier: [ImportReading]) -> String? {
    let same = earlier.filter { $0.content == content }
    guard !same.contains(where: { $0.moments == moments }) else { return nil }
    return same.last?.zone
  }
}
