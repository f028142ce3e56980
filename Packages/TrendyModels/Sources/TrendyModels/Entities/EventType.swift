/// Category of events, such as "Coffee" or "Run", with its appearance and an optional goal.
public struct EventType: Hashable, Sendable, Identifiable {
  /// Opaque identifier of 1 to 128 bytes. Identifiers generated on a device are UUIDv7s.
  public let id: String
  public var name: String
  /// Colour as `#RRGGBB`.
  public var colorHex: String
  /// A short glyph, or the name of a symbol in the app's icon set.
  public var iconName: String
  /// Goal of the type. Setting it discards a goal from a newer version that this version cannot represent.
  public var goal: Goal? { didSet { unknownFields[Self.goalField] = nil } }
  public var syncStatus: SyncStatus
  /// JSON members that this version cannot represent, by wire name. They are written back unchanged.
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
