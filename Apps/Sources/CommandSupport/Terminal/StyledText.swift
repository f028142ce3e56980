/// Line of text in styled parts. If it is wider than the terminal, the least important parts are omitted.
public struct StyledText: Hashable, Sendable {
  /// Appearance on a terminal.
  public enum Style: Hashable, Sendable {
    case plain
    /// Name of an entity, in its event type's colour (`#7B4F2E`) if it has one.
    case name(color: String?)
    case heading
    case dim
  }

  /// Importance of a part. Parts with the lowest rank are omitted first if a line is too long.
  public enum Rank: Int, Hashable, Sendable, Comparable {
    case id
    /// Shortened if at least six columns remain, otherwise omitted.
    case note
    case detail
    /// Shortened but never omitted.
    case name
    case needed

    public static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
  }

  /// Part of a line, separated from the next part by two spaces.
  public struct Part: Hashable, Sendable {
    public var text: String
    public var style: Style
    public var rank: Rank

    public init(_ text: String, _ style: Style = .plain, rank: Rank = .needed) {
      self.text = text
      self.style = style
      self.rank = rank
    }
  }

  public var parts: [Part]

  /// Creates a line from parts.
  public init(_ parts: [Part]) { self.parts = parts }

  /// Creates a line with a single plain part.
  public init(_ text: String) { self.init([Part(text)]) }

  private static let gap = "  "
  /// Minimum width in columns of a shortened note or name.
  private static let shortestCut = 6

  /// Returns the line with a label before its first part.
  public func led(by word: String) -> StyledText { StyledText([Part(word)] + parts) }

  /// Full text without styles.
  public var plain: String { Self.trimmed(joined) }

  private var joined: String {
    var text = ""
    text.reserveCapacity(parts.reduce(0) { $0 + $1.text.utf8.count + Self.gap.utf8.count })
    for (place, part) in parts.enumerated() {
      if place > 0 { text += Self.gap }
      text += part.text
    }
    return text
  }

  func rendered(for terminal: Terminal) -> String {
    // Print all parts without styles to a file or pipe.
    guard terminal.width != nil || terminal.showsStyles else { return Console.oneLine(plain) }
    var parts = parts.map { Part(Console.oneLine($0.text), $0.style, rank: $0.rank) }
    if let width = terminal.width { Self.fit(&parts, width) }
    let shown = terminal.showsStyles ? parts.map { $0.style.escaped($0.text) } : parts.map(\.text)
    return Self.trimmed(shown.joined(separator: Self.gap))
  }

  private static func fit(_ parts: inout [Part], _ width: Int) {
    var excess = parts.map(\.text.columns).reduce(gap.count * (parts.count - 1), +) - width
    for rank in [Rank.id, .note, .detail] where excess > 0 {
      while excess > 0, let index = parts.lastIndex(where: { $0.rank == rank }) {
        let columns = parts[index].text.columns
        if rank == .note, columns - excess >= shortestCut {
          parts[index].text = parts[index].text.cut(to: columns - excess)
          return
        }
        excess -= columns + gap.count
        parts.remove(at: index)
      }
    }
    for index in parts.indices.reversed() where excess > 0 && parts[index].rank == .name {
      let columns = parts[index].text.columns
      let room = max(min(columns, shortestCut), columns - excess)
      parts[index].text = parts[index].text.cut(to: room)
      excess -= columns - room
    }
    // Remove whole parts from the end, because a shortened number would be misleading.
    while excess > 0, parts.count > 1 {
      let last = parts.removeLast()
      excess -= last.text.columns + gap.count
      if excess <= 0, -excess >= gap.count + 1 { parts.append(Part("…")) }
    }
  }

  private static func trimmed(_ text: String) -> String {
    guard text.utf8.last == UInt8(ascii: " ") else { return text }
    var text = Substring(text)
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}

extension StyledText.Style {
  func escaped(_ text: String) -> String {
    switch self {
    case .plain: text
    case .heading: "\u{1B}[1m\(text)\u{1B}[0m"
    case .dim: "\u{1B}[2m\(text)\u{1B}[0m"
    case .name(let color):
      if let color, let code = Self.cell(of: color) {
        "\u{1B}[1;38;5;\(code)m\(text)\u{1B}[0m"
      } else {
        "\u{1B}[1m\(text)\u{1B}[0m"
      }
    }
  }

  /// Returns the index of the nearest colour in the 6×6×6 cube of a 256-colour terminal, or `nil` if the colour is
  /// invalid.
  private static func cell(of color: String) -> Int? {
    guard color.hasPrefix("#"), color.utf8.count == 7, let value = Int(color.dropFirst(), radix: 16) else { return nil }
    let steps = [0, 95, 135, 175, 215, 255]
    func nearest(_ level: Int) -> Int {
      steps.indices.min { abs(steps[$0] - level) < abs(steps[$1] - level) } ?? 0
    }
    return 16 + 36 * nearest(value >> 16) + 6 * nearest(value >> 8 & 0xFF) + nearest(value & 0xFF)
  }
}
