#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where a command's words go: data to the standard output, talk to the standard error.
public struct Console: Sendable {
  public enum Format: Hashable, Sendable {
    case text
    case json
    /// One document a line, for lists.
    case ndjson
    /// Tab separated, fixed columns, no header.
    case plain
  }

  public var format: Format
  public var isQuiet: Bool

  public init(format: Format = .text, isQuiet: Bool = false) {
    self.format = format
    self.isQuiet = isQuiet
  }

  public var isJSON: Bool { format == .json || format == .ndjson }

  /// One line of data.
  public func data(_ line: String) { Self.write(line + "\n", to: STDOUT_FILENO) }

  /// A whole file as data.
  public func raw(_ text: String) { Self.write(text, to: STDOUT_FILENO) }

  /// One JSON document, its schema first.
  public func document(_ schema: String, _ members: [(String, JSONText)]) {
    data("\(JSONText.object([("schema", .string(schema))] + members))")
  }

  /// One line of an answer as a person reads it: left out by `--json` and `--plain`.
  public func text(_ line: String) {
    if format == .text { data(Self.oneLine(line)) }
  }

  /// One line that says what was done: left out by `-q` as well.
  public func done(_ line: String) {
    if !isQuiet { text(line) }
  }

  /// What stands in a note stays text: a line end becomes a space, and no character commands the terminal.
  private static func oneLine(_ line: String) -> String {
    guard line.unicodeScalars.contains(where: isControl) else { return line }
    var scalars = String.UnicodeScalarView()
    for scalar in line.replacing("\r\n", with: " ").unicodeScalars {
      scalars.append(
        !isControl(scalar) ? scalar : scalar.properties.isWhitespace ? " " : "\u{FFFD}")
    }
    return String(scalars)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.generalCategory == .control }

  /// A row of a `--plain` table; tabs and line ends inside a cell become spaces.
  public func row(_ cells: [String]) {
    data(cells.map { String($0.map { $0 == "\t" || $0.isNewline ? " " : $0 }) }.joined(separator: "\t"))
  }

  /// One line of talk.
  public func talk(_ line: String) {
    if !isQuiet { Self.write(line + "\n", to: STDERR_FILENO) }
  }

  /// Says what went wrong, and gives the status to leave with.
  public func report(_ error: CommandError) -> ExitCode {
    if isJSON {
      let members: [(String, JSONText)] = [
        ("code", .string(error.exit.code)), ("message", .string(error.message)), ("hint", .string(error.hint)),
        ("exit", .number(Int(error.exit.rawValue))), ("request_id", .string(error.requestId)),
      ]
      Self.write("\(JSONText.object([("error", .object(members))]))\n", to: STDERR_FILENO)
    } else {
      var text = "Error: \(error.message)\n"
      if let hint = error.hint { text += "Hint:  \(hint)\n" }
      if let usage = error.usage { text += "Usage: \(usage)\n" }
      Self.write(text, to: STDERR_FILENO)
    }
    return error.exit
  }

  /// Retries what the system cut short. A reader that went away ends the output without a word, as in any pipe.
  private static func write(_ text: String, to descriptor: Int32) {
    var text = text
    text.withUTF8 { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let base = UnsafeBufferPointer(rebasing: rest)
        #if canImport(Glibc)
          let written = Glibc.write(descriptor, base.baseAddress, base.count)
        #elseif canImport(Musl)
          let written = Musl.write(descriptor, base.baseAddress, base.count)
        #else
          let written = Darwin.write(descriptor, base.baseAddress, base.count)
        #endif
        if written < 0 {
          if errno == EINTR { continue }
          return
        }
        rest = rest.dropFirst(written)
      }
    }
  }
}
