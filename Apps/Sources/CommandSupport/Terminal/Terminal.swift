#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Capabilities of the terminal behind standard output: size, colours and character set.
public struct Terminal: Hashable, Sendable {
  /// Whether standard output is a terminal rather than a file or pipe.
  public var isTerminal = false
  /// Width in columns, or `nil` for output without a line length, such as a file.
  public var width: Int?
  /// Height in rows, if known.
  public var height: Int?
  /// Whether standard error is a terminal that can overwrite a line, which excludes `TERM=dumb`.
  public var canWriteOver = false
  /// Delay before a progress line appears.
  public var progressDelay = Duration.seconds(1)
  /// Whether standard output may contain escape sequences for colours and font styles.
  public var showsStyles: Bool
  /// Whether error messages may contain escape sequences for colours.
  public var showsErrorStyles = false
  /// Whether the locale uses UTF-8, so that block and braille characters can be displayed.
  public var showsUnicode: Bool

  /// Width of help in columns: the terminal's, but at most 100.
  public var helpWidth: Int { min(width ?? 80, 100) }

  public init(width: Int? = nil, showsStyles: Bool = false, showsUnicode: Bool = true) {
    self.width = width
    self.showsStyles = showsStyles
    self.showsUnicode = showsUnicode
  }

  /// Whether the locale uses UTF-8, according to the first of `LC_ALL`, `LC_CTYPE` and `LANG` that is set (POSIX, 8.2).
  static func isUTF8(_ environment: [String: String]) -> Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    // Compare bytes, because the first substring search in the standard library takes 0.1 ms.
    let encoding = Array(locale.lowercased().utf8.filter { $0 != UInt8(ascii: "-") })
    return encoding.indices.contains { encoding[$0...].starts(with: "utf8".utf8) }
  }

  /// Returns this process's terminal with the user's colour and progress settings applied.
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

  /// Returns this process's terminal.
  ///
  /// Its width is that of the terminal or `COLUMNS`. `NO_COLOR` (no-color.org) and `TERM=dumb` disable colours.
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
  /// Wraps a sentence without line breaks to the terminal width. Words wider than a line are not broken.
  ///
  /// Each line is indented by `indent` spaces, and all lines but the first by `hanging` more.
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

  /// Formats rows in two columns within `width`. Texts are wrapped. A label too long for its column gets a line to
  /// itself.
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
  /// Width in terminal columns: 2 for wide characters and emoji, otherwise 1.
  var columns: Int {
    if isASCII { return 1 }
    return unicodeScalars.contains { scalar in
      scalar == "\u{FE0F}" || scalar.properties.isEmojiPresentation || Self.wide.contains { $0.contains(scalar.value) }
    } ? 2 : 1
  }

  /// Wide and full-width characters except emoji (Unicode Standard Annex 11).
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
    0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD,
  ]
}

extension Unicode.Scalar {
  /// Whether a terminal would interpret the character rather than display it.
  ///
  /// These are control characters, line and paragraph separators, and explicit directional formatting (Unicode Standard
  /// Annex 9).
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

  /// Shortens the string to a number of columns. Ends it with `…` if anything was removed.
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

  /// Appends spaces up to a number of columns.
  public func padded(to columns: Int) -> String { self + gap(to: columns) }

  /// Prepends spaces up to a number of columns.
  public func rightAligned(to columns: Int) -> String { gap(to: columns) + self }

  private func gap(to columns: Int) -> String { String(repeating: " ", count: max(0, columns - self.columns)) }
}
