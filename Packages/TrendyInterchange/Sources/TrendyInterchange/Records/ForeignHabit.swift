public import TrendyFoundation
public import TrendyModels

/// A type of events as another program keeps it, beside its events.
public struct ForeignType: Hashable, Sendable {
  public var name: String
  /// `#RRGGBB`; `nil` where the program has none that is written so.
  public var colorHex: String?
  /// An emoji; `nil` where the program has none.
  public var icon: String?
  public var goal: Goal?

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

/// Days on which another program expected no event of a type.
public struct ForeignSkip: Hashable, Sendable {
  public var typeName: String
  /// Names it in its source: the same in every file that holds it.
  public var key: [String]
  /// From the first moment of the first day to that of the day after the last.
  public var days: Range<Date>
  public var note: String?

  public init(typeName: String, key: [String], days: Range<Date>, note: String? = nil) {
    self.typeName = typeName
    self.key = key
    self.days = days
    self.note = note
  }
}
