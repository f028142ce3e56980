#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Properties of the terminal behind standard output: size, colours, character set.
public struct Terminal: Hashable, Sendable {
  /// Whether standard output is a terminal, not a file or a pipe.
  public var isTerminal = false
  /// Columns; `nil` if lines may have any length, as in a file.
  public var width: Int?
  /// Rows of the terminal, if known.
  public var height: Int?
  /// Whether a line of standard error can be overwritten: it is a terminal and not a dumb one.
  public var canWriteOver = false
  /// Time before the first progress line.
  public var progressDelay = Duration.seconds(1)
  /// Whether output may contain escape sequences for colours and weights.
  public var showsStyles: Bool
  /// Whether errors are coloured: standard error is a terminal, and the user wants colours.
  public var showsErrorStyles = false
  /// Whether the locale is UTF-8, so that block and braille characters can be shown.
  public var showsUnicode: Bool

  /// Width of help texts: the terminal's, at most 100 columns.
  public var helpWidth: Int { min(width ?? 80, 100) }

  public init(width: Int? = nil, showsStyles: Bool = false, showsUnicode: Bool = true) {
    self.width = width
    self.showsStyles = showsStyles
    self.showsUnicode = showsUnicode
  }

  /// Evaluates `LC_ALL`, `LC_CTYPE` and `LANG`; the first one that is set decides (POSIX, 8.2).
  static func isUTF8(_ environment: [String: String]) -> Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    // Compares bytes: the first use of the library's string search costs 0.1 ms.
    let encoding = Array(locale.lowercased().utf8.filter { $0 != UInt8(ascii: "-") })
    return encoding.indices.contains { encoding[$0...].starts(with: "utf8".utf8) }
  }

  /// The terminal of this process, with the user's settings for colours and progress.
  public static func ofStandardOutput(environment: [String: String], settings: Settings) -> Terminal {
    var terminal = ofStandardOutput(environment: environment)
    switch settings.text(Setting.color) {
    case "always": (terminal.showsStyles, terminal.showsErrorStyles) = (true, true)
    case "never": (terminal.showsStyles, terminal.showsErrorStyles) = (false, false)
    default: break
    }
    if let seconds = settings.text(Setting.progressAfter).flatMap({ Int($0) }) {
      terminal.progressDelay = .seconds(seconds)
    }
    return terminal
  }

  /// The terminal of this process.
  ///
  /// The width comes from the terminal, else from `COLUMNS`. `NO_COLOR` (no-color.org) and `TERM=dumb` disable colours.
  public static func ofStandardOutput(environment: [String: String]) -> Terminal {
    var size = winsize()
    let isTerminal = isatty(STDOUT_FILENO) == 1
    let columns = environment["COLUMNS"].flatMap { Int($0) }
    let isMeasured = isTerminal && ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0
    let width = isMeasured && size.ws_col > 0 ? Int(size.ws_col) : columns ?? (isTerminal ? 80 : nil)
    let wantsStyles = (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    var terminal = Terminal(
      width: width.map { min(max($0, 40), 200) },
      showsStyles: isTerminal && wantsStyles,
      showsUnicode: isUTF8(environment))
    terminal.isTerminal = isTerminal
    if isMeasured, size.ws_row > 0 { terminal.height = Int(size.ws_row) }
    let isErrorTerminal = isatty(STDERR_FILENO) == 1
    terminal.canWriteOver = isErrorTerminal && environment["TERM"] ?? "dumb" != "dumb"
    terminal.showsErrorStyles = isErrorTerminal && wantsStyles
    return terminal
  }
}

extension Terminal {
  /// Wraps a sentence to the width. A word that is wider stays whole.
  /// - Parameters:
  ///   - sentence: text without line ends.
  ///   - indent: spaces before each line.
  ///   - hanging: additional spaces before each line after the first.
  public func lines(of sentence: String, indent: Int = 0, hanging: Int = 0) -> [String] {
    guard let width else { return [String(repeating: " ", count: indent) + sentence] }
    var lines: [String] = []
    for word in sentence.split(separator: " ", omittingEmptySubsequences: false) {
      if let last = lines.last, last.columns + 1 + String(word).columns <= width {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(repeating: " ", count: lines.isEmpty ? indent : indent + hanging) + word)
      }
    }
    return lines
  }

  /// Lays out labels and texts in two columns; texts are wrapped, and a long label has a line to itself.
  /// - Parameters:
  ///   - rows: labels with their texts.
  ///   - width: columns available.
  public static func columns(_ rows: [(label: String, text: String)], width: Int) -> [String] {
    let labelWidth = min(rows.map(\.label.columns).max() ?? 0, width * 2 / 5)
    let indent = labelWidth + 4
    return rows.flatMap { label, text in
      let lines = Terminal(width: width).lines(of: text, indent: indent)
      guard label.columns <= labelWidth, let first = lines.first else { return ["  \(label)"] + lines }
      return ["  \(label.padded(to: labelWidth))  \(first.dropFirst(indent))"] + lines.dropFirst()
    }
  }
}

extension Character {
  /// Width in terminal columns: 2 for wide characters, else 1.
  var columns: Int {
    if isASCII { return 1 }
    return unicodeScalars.contains { scalar in
      scalar == "\u{FE0F}" || scalar.properties.isEmojiPresentation || Self.wide.contains { $0.contains(scalar.value) }
    } ? 2 : 1
  }

  /// Unicode blocks of wide and full-width characters (Unicode Standard Annex 11), without emoji.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
    0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD,
  ]
}

extension Unicode.Scalar {
  /// Whether a terminal interprets the character instead of displaying it.
  ///
  /// That applies to control characters, line and paragraph separators, and explicit directional formatting (Unicode
  /// Standard Annex 9).
  public var isTerminalControl: Bool {
    switch self {
    case "\u{2028}", "\u{2029}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": true
    default: properties.generalCategory == .control
    }
  }
}

extension String {
  /// Width in terminal columns.
  public var columns: Int { utf8.allSatisfy { $0 < 0x80 } ? utf8.count : reduce(0) { $0 + $1.columns } }

  /// Returns the text cut to `columns`, ending with `…` if anything was cut.
  public func cut(to columns: Int) -> String {
    guard self.columns > columns else { return self }
    var (text, used) = ("", 1)
    for character in self {
      used += character.columns
      if used > columns { break }
      text.append(character)
    }
    return text + "…"
  }

  /// Pads the end with spaces.
  public func padded(to columns: Int) -> String { self + gap(to: columns) }

  /// Pads the beginning with spaces.
  public func rightAligned(to columns: Int) -> String { gap(to: columns) + self }

  private func gap(to columns: Int) -> String { String(repeating: " ", count: max(0, columns - self.columns)) }
}
