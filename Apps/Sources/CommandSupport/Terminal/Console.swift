#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import Synchronization

/// Collects output so that it is written in large blocks.
private final class OutputBuffer: Sendable {
  private static let size = 1 << 16
  private let text = Mutex("")

  func append(_ more: String, ending: String, _ writeOutput: (String) -> Void) {
    text.withLock { text in
      text += more
      text += ending
      if text.utf8.count >= Self.size {
        writeOutput(text)
        text.removeAll(keepingCapacity: true)
      }
    }
  }

  func empty(_ writeOutput: (String) -> Void) {
    text.withLock { text in
      if !text.isEmpty { writeOutput(text) }
      text = ""
    }
  }
}

/// Output of a command: results go to standard output, messages to standard error.
public struct Console: Sendable {
  /// Output format.
  public enum Format: Hashable, Sendable {
    /// Readable text, formatted for the terminal.
    case text
    /// One JSON document with a schema.
    case json
    /// One JSON document per line, for lists.
    case ndjson
    /// Tab-separated, fixed columns, no header.
    case plain
  }

  public var format: Format
  /// Whether `-q` suppresses reports and messages.
  public var isQuiet: Bool
  /// Whether ``explain(_:)`` prints anything.
  public var isVerbose = false
  /// Terminal for which styled lines are formatted.
  public var terminal = Terminal()
  /// Receives messages and errors instead of standard error, for a program that must not block on their reader.
  ///
  /// The arguments are the level, the text, and the members of the JSON form.
  public var logSink: (@Sendable (LogLevel, String, [(String, JSONText)]) -> Void)?

  /// Buffer for output, while ``gathering(_:)`` runs.
  private var gathered: OutputBuffer?

  /// `errno` of the first failed write to standard output, or 0.
  private static let outputFailure = Atomic<Int32>(0)

  public init(format: Format = .text, isQuiet: Bool = false) {
    self.format = format
    self.isQuiet = isQuiet
  }

  /// Whether reports of completed actions are printed.
  public var printsReports: Bool { !isQuiet && format == .text }

  /// Whether the output is JSON or NDJSON.
  public var isJSON: Bool { format == .json || format == .ndjson }

  /// Prints one line of data.
  public func data(_ line: String) { writeOutput(line, ending: "\n") }

  /// Prints data without a line end.
  public func raw(_ text: String) { writeOutput(text, ending: "") }

  private func writeOutput(_ text: String, ending: String) {
    if let gathered {
      gathered.append(text, ending: ending) { Self.writeOutput($0) }
    } else {
      Self.writeOutput(text + ending)
    }
  }

  /// Buffers the output of `body`.
  public func gathering(_ body: (Console) throws -> Void) rethrows {
    var console = self
    let buffer = OutputBuffer()
    console.gathered = buffer
    // Output that preceded an error is part of the result.
    defer { buffer.empty { Self.writeOutput($0) } }
    try body(console)
  }

  private static func writeOutput(_ text: String) {
    let code = Self.write(text, to: STDOUT_FILENO)
    if code != 0 { _ = Self.outputFailure.compareExchange(expected: 0, desired: code, ordering: .relaxed) }
  }

  /// Prints a JSON document; its first member is the schema.
  public func document(_ schema: String, _ members: [(String, JSONText)]) {
    data("\(JSONText.object([("schema", .string(schema))] + members))")
  }

  /// Prints one line of the result in text format only.
  public func text(_ line: String) {
    if format == .text { data(Self.oneLine(line)) }
  }

  /// Prints a sentence in text format, wrapped to the terminal, with `hanging` spaces before each line after the first.
  public func sentence(_ sentence: String, hanging: Int = 0) {
    for line in terminal.lines(of: Self.oneLine(sentence), hanging: hanging) { text(line) }
  }

  /// Prints a help text, in the pager if it is taller than the terminal.
  /// - Throws: ``CommandError`` if the pager cannot be started.
  public func help(_ text: String, environment: [String: String]) throws(CommandError) {
    let count = text.split(separator: "\n", omittingEmptySubsequences: false).count
    let isTall = terminal.height.map { count >= $0 } ?? false
    let pager = isTall ? try Pager(self, environment: environment) : nil
    data(text)
    pager?.finish()
  }

  /// Prints one styled line of the result in text format only.
  public func text(_ line: StyledText) {
    if format == .text { data(line.rendered(for: terminal)) }
  }

  /// Prints a styled report of a completed action; suppressed by `-q`.
  public func done(_ line: StyledText) {
    if printsReports { writeReport(line.rendered(for: terminal)) }
  }

  /// Prints a report of a completed action; suppressed by `-q`.
  public func done(_ line: String) {
    if printsReports { writeReport(Self.oneLine(line)) }
  }

  /// Writes a report. A failed write does not fail the command, whose changes are saved.
  private func writeReport(_ line: String) {
    if gathered != nil { raw(line + "\n") } else { _ = Self.write(line + "\n", to: STDOUT_FILENO) }
  }

  /// Draws a QR code on a terminal, unless `-q` is given.
  public func picture(_ code: QRCode) {
    guard printsReports, terminal.isTerminal else { return }
    for line in QRPicture(code).lines(for: terminal) { writeReport(line) }
  }

  /// Replaces line ends with spaces and removes characters that control the terminal.
  static func oneLine(_ line: String) -> String {
    // Most lines are plain ASCII and need no category lookup. Iterating over contiguous bytes takes a tenth of the
    // time.
    func isPlain(_ bytes: some Sequence<UInt8>) -> Bool { bytes.allSatisfy { 0x20..<0x7F ~= $0 } }
    if line.utf8.withContiguousStorageIfAvailable(isPlain) ?? isPlain(line.utf8) { return line }
    guard line.unicodeScalars.contains(where: \.isTerminalControl) else { return line }
    var scalars = String.UnicodeScalarView()
    for scalar in line.replacing("\r\n", with: " ").unicodeScalars {
      scalars.append(
        !scalar.isTerminalControl ? scalar : scalar.properties.isWhitespace ? " " : "\u{FFFD}")
    }
    return String(scalars)
  }

  /// Escapes control characters in multi-line text, such as an error that quotes a file or a server response.
  private static func withoutCommands(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { oneLine(String($0)) }.joined(separator: "\n")
  }

  /// Prints a row of a `--plain` table; tabs and line ends within a cell become spaces.
  public func row(_ cells: [String]) {
    data(cells.map { String($0.map { $0 == "\t" || $0.isNewline ? " " : $0 }) }.joined(separator: "\t"))
  }

  /// Prints one message to standard error, or to ``logSink``.
  public func talk(_ line: String, level: LogLevel = .info) {
    guard !isQuiet || level == .error else { return }
    if let logSink {
      logSink(level, line, [("message", .string(line))])
    } else {
      writeToStandardError(Self.withoutCommands(line) + "\n")
    }
  }

  /// Prints a diagnostic message if `--verbose` is given, even with `-q`.
  public func explain(_ line: @autoclosure () -> String) {
    if isVerbose { writeToStandardError(Self.oneLine(line()) + "\n") }
  }

  /// Prints a question without a line end, even with `-q`.
  public func ask(_ question: String) { _ = Self.write(Self.oneLine(question), to: STDERR_FILENO) }

  /// Writes to standard error; a failed write is ignored.
  private func writeToStandardError(_ text: String) { _ = Self.write(text, to: STDERR_FILENO) }

  /// Prints an error and returns its exit status.
  public func report(_ error: CommandError) -> ExitCode {
    if let logSink {
      logSink(
        .error, error.hint.map { "\(error.message). \($0)" } ?? error.message,
        [("message", .string(error.message)), ("hint", .string(error.hint)), ("code", .string(error.exit.code))])
    } else if isJSON {
      let members: [(String, JSONText)] = [
        ("code", .string(error.exit.code)), ("message", .string(error.message)), ("hint", .string(error.hint)),
        ("exit", .number(Int(error.exit.rawValue))), ("request_id", .string(error.requestId)),
      ]
      writeToStandardError("\(JSONText.object([("error", .object(members))]))\n")
    } else {
      writeToStandardError(text(of: error) + "\n")
    }
    return error.exit
  }

  /// Formats an error; on a terminal it is wrapped, and the message is red.
  private func text(of error: CommandError) -> String {
    // A file or a pipe keeps each sentence on one line.
    let lines = terminal.canWriteOver ? terminal : Terminal()
    func paragraph(_ label: String, _ text: String) -> String {
      Self.withoutCommands(label + text).split(separator: "\n", omittingEmptySubsequences: false)
        .flatMap { lines.lines(of: String($0), hanging: label.count) }.joined(separator: "\n")
    }
    let message = paragraph("Error: ", error.message)
    let parts = [error.hint.map { paragraph("Hint:  ", $0) }, error.usage.map { paragraph("Usage: ", $0) }]
    return ([terminal.showsErrorStyles ? "\u{1B}[31m\(message)\u{1B}[0m" : message] + parts.compactMap(\.self))
      .joined(separator: "\n")
  }

  /// Returns the exit status, which reports a failed write to standard output.
  public func ending(_ exit: ExitCode) -> ExitCode {
    let code = Self.outputFailure.load(ordering: .relaxed)
    guard code != 0, exit == .done || exit == .no else { return exit }
    return report(
      CommandError(
        "Cannot write the output: \(String(cString: strerror(code)))",
        hint: "The command itself succeeded. Free some space, or write the output elsewhere.", exit: .readWrite))
  }

  /// Opens closed standard streams on `/dev/null`. Otherwise the next file or connection would get the descriptor of
  /// the stream and receive its output. Call this before anything else is opened.
  public static func openStandardStreams() {
    for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) == -1 && errno == EBADF {
      // Read-only, so that a write to a closed standard output still fails.
      _ = open("/dev/null", O_RDONLY)
    }
  }

  /// Makes writes to a closed pipe, and beyond the size limit of a file, fail with an error. The signals would end the
  /// process.
  public static func ignoreFailedWrites() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
  }

  /// Keeps Swift's thread pool out of the system log. The pool raises the priority of one thread and logs an error
  /// whenever it lacks the permission. Call this before any asynchronous work; an existing `LIBDISPATCH_LOG` takes
  /// precedence.
  public static func quietThreadPool() { setenv("LIBDISPATCH_LOG", "NO", 0) }

  /// Writes text completely, retrying interrupted and partial writes. A closed pipe is not an error.
  /// - Returns: `errno` of any other failure, or 0.
  package static func write(_ text: String, to descriptor: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { bytes in
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
          return errno == EPIPE ? 0 : errno
        }
        rest = rest.dropFirst(written)
      }
      return 0
    }
  }
}
