public import TrendyModels

/// Event type from another program.
public struct ExternalType: Hashable, Sendable {
  public var name: String
  /// Colour as `#RRGGBB`, or `nil` if the source has no colour in this form.
  public var colorHex: String?
  /// Emoji, or `nil` if the type has no emoji.
  public var icon: String?
  /// Goal, or `nil` if the type has no goal.
  public var goal: Goal?

  /// Creates a type. Discards colours and icons in any other form.
  public init(name: String, colorHex: String? = nil, icon: String? = nil, goal: Goal? = nil) {
    self.name = name
    self.colorHex = colorHex.flatMap { Self.isColor($0) ? $0.uppercased() : nil }
    self.icon = icon.flatMap { (1...2).contains($0.count) && $0.utf8.count <= 64 ? $0 : nil }
    self.goal = goal
  }

  private static func isColor(_ text: String) -> Bool {
    text.utf8.count == 7 && text.hasPrefix("#") && text.dropFirst().allSatisfy { $0.isHexDigit && $0.isASCII }
  }
}

/// Dates on which the user of another program expected no events of a type.
public struct ExternalSkip: Hashable, Sendable {
  public var typeName: String
  /// Parts of the natural key, equal in every file that contains the skip.
  public var key: [String]
  /// Range of skipped dates.
  public var days: ClosedRange<CivilDate>
  public var note: String?

  /// Creates a skip.
  public init(typeName: String, key: [String], days: ClosedRange<CivilDate>, note: String? = nil) {
    self.typeName = typeName
    self.key = key
    self.days = days
    self.note = note
  }
}
