/// A kind of event that a person records: "Coffee", "Run".
public struct EventType: Hashable, Sendable, Identifiable {
  /// 1 to 128 bytes, opaque; a UUIDv7 when made here.
  public let id: String
  public var name: String
  /// `#RRGGBB`.
  public var colorHex: String
  /// Any short glyph, or the name of one in the app's icon set.
  public var iconName: String
  /// Setting it takes away one that a newer version wrote and this one cannot represent.
  public var goal: Goal? { didSet { unknownFields[Self.goalField] = nil } }
  public var syncStatus: SyncStatus
  /// What a newer version wrote and this one cannot represent, by wire name; written back unchanged.
  public var unknownFields: [String: JSONValue]

  public init(
    id: String, name: String, colorHex: String, iconName: String, goal: Goal? = nil,
    syncStatus: SyncStatus = .pending, unknownFields: [String: JSONValue] = [:]
  ) {
    self.id = id
    self.name = name
    self.colorHex = colorHex
    self.iconName = iconName
    self.goal = goal
    self.syncStatus = syncStatus
    self.unknownFields = unknownFields
  }
}
