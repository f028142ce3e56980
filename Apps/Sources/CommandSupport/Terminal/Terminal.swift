#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the standard output is written to: how wide it is, and whether it shows colours.
public struct Terminal: Hashable, Sendable {
  /// Whether somebody looks at it: not a file or a pipe.
  public var isTerminal = false
  /// Columns; `nil` where lines may be of any length, as in a file.
  public var width: Int?
  /// Whether a line of the standard error can be written over: it is a terminal, and no dumb one.
  public var canWriteOver = false
  /// How long work goes on before a line says how far it has come.
  public var progressDelay = Duration.seconds(1)
  public var showsStyles: Bool
  /// Whether it shows blocks and braille: its locale is UTF-8.
  public var showsUnicode: Bool

  public init(width: Int? = nil, showsStyles: Bool = false, showsUnicode: Bool = true) {
    self.width = width
    self.showsStyles = showsStyles
    self.showsUnicode = showsUnicode
  }

  /// By `LC_ALL`, `LC_CTYPE` and `LANG`, the first that says something (POSIX, 8.2).
  static func isUTF8(_ environment: [String: String]) -> Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    // By bytes: what the library looks for texts with takes a tenth of a millisecond to get ready.
    let encoding = Array(locale.lowercased().utf8.filter { $0 != UInt8(ascii: "-") })
    return encoding.indices.contains { encoding[$0...].starts(with: "utf8".utf8) }
  }

  /// Of this process, with colours and progress as a person wants them.
  public static func ofStandardOutput(environment: [String: String], settings: Settings) -> Terminal {
    var terminal = ofStandardOutput(environment: environment)
    switch settings.text(Setting.color) {
    case "always": terminal.showsStyles = true
    case "never": terminal.showsStyles = false
    default: break
    }
    if let seconds = settings.text(Setting.progressAfter).flatMap({ Int($0) }) {
      terminal.progressDelay = .seconds(seconds)
    }
    return terminal
  }

  /// Of this process: the width by the terminal, else by `COLUMNS`; styles on a terminal that is not told otherwise by `NO_COLOR`
  /// (no-color.org) or `TERM=dumb`.
  public static func ofStandardOutput(environment: [String: String]) -> Terminal {
    var size = winsize()
    let isTerminal = isatty(STDOUT_FILENO) == 1
    let told = environment["COLUMNS"].flatMap { Int($0) }
    let measured = isTerminal && ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 ? Int(size.ws_col) : 0
    let width = measured > 0 ? measured : told ?? (isTerminal ? 80 : nil)
    var terminal = Terminal(
      width: width.map { min(max($0, 40), 200) },
      showsStyles: isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb",
      showsUnicode: isUTF8(environment))
    terminal.isTerminal = isTerminal
    terminal.canWriteOver = isatty(STDERR_FILENO) == 1 && environment["TERM"] ?? "dumb" != "dumb"
    return terminal
  }
}

extension Terminal {
  /// A sentence on as many lines as it needs, each but one of a single long word within the width.
  /// - Parameter indent: spaces before each line.
  public func lines(of sentence: String, indent: Int = 0) -> [String] {
    let start = String(repeating: " ", count: indent)
    guard let width else { return [start + sentence] }
    var lines: [String] = []
    for word in sentence.split(separator: " ", omittingEmptySubsequences: false) {
      if let last = lines.last, last.columns + 1 + String(word).columns <= width {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(start + word)
      }
    }
    return lines
  }
}

extension Character {
  /// Columns that a terminal gives it: 2 for wide ones, else 1.
  var columns: Int {
    if isASCII { return 1 }
    return unicodeScalars.contains { scalar in
      scalar == "\u{FE0F}" || scalar.properties.isEmojiPresentation || Self.wide.contains { $0.contains(scalar.value) }
    } ? 2 : 1
  }

  /// Blocks of Unicode that are wide or full-width (Unicode Standard Annex 11), but for those that are emoji.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
    0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD,
  ]
}

extension Unicode.Scalar {
  /// Whether a terminal obeys it in place of showing it: control characters, those that begin a line, and those that turn the text
  /// behind them round (Unicode Standard Annex 9, explicit directional formatting).
  public var isTerminalControl: Bool {
    switch self {
    case "\u{2028}", "\u{2029}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": true
    default: properties.generalCategory == .control
    }
  }
}

extension String {
  /// What a terminal needs for it.
  public var columns: Int { utf8.allSatisfy { $0 < 0x80 } ? utf8.count : reduce(0) { $0 + $1.columns } }

  /// Its beginning, with `…` where it is wider than `columns`.
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

  /// Filled up with spaces at its end.
  public func padded(to columns: Int) -> String { self + gap(to: columns) }

  /// Filled up with spaces at its beginning: figures below one another.
  public func rightAligned(to columns: Int) -> String { gap(to: columns) + self }

  private func gap(to columns: Int) -> String { String(repeating: " ", count: max(0, columns - self.columns)) }
}
