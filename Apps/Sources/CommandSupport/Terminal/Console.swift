#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import Synchronization

/// Buffer that combines output into large writes.
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

/// Console of a command. Results go to standard output, messages to standard error.
public struct Console: Sendable {
  /// Output format of results.
  public enum Format: Hashable, Sendable {
    /// Readable text, adapted to the terminal.
    case text
    /// A single JSON document with a schema name.
    case json
    /// One JSON document per line, for lists.
    case ndjson
    /// Tab-separated values in fixed columns, without a header.
    case plain
  }

  public var format: Format
  /// Whether `-q` was given, which suppresses reports, and messages other than errors.
  public var isQuiet: Bool
  /// Whether `--verbose` was given, which enables ``explain(_:)``.
  public var isVerbose = false
  /// Terminal that styled lines are formatted for.
  public var terminal = Terminal()
  /// Receives messages and errors instead of standard error, for a program that must not block on a reader.
  ///
  /// Arguments: level, message, and members of the message's JSON form.
  public var logSink: (@Sendable (LogLevel, String, [(String, JSONText)]) -> Void)?

  /// Buffer for output while ``gathering(_:)`` is running.
  private var gathered: OutputBuffer?

  /// `errno` of the first failed write to standard output, or 0.
  private static let outputFailure = Atomic<Int32>(0)

  public init(format: Format = .text, isQuiet: Bool = false) {
    self.format = format
    self.isQuiet = isQuiet
  }

  /// Whether reports of completed actions are printed.
  public var printsReports: Bool { !isQuiet && format == .text }

  /// Whether results are printed as JSON or NDJSON.
  public var isJSON: Bool { format == .json || format == .ndjson }

  /// Prints a line to standard output.
  public func data(_ line: String) { writeOutput(line, ending: "\n") }

  /// Prints text to standard output without adding a line break.
  public func raw(_ text: String) { writeOutput(text, ending: "") }

  private func writeOutput(_ text: String, ending: String) {
    if let gathered {
      gathered.append(text, ending: ending) { Self.writeOutput($0) }
    } else {
      Self.writeOutput(text + ending)
    }
  }

  /// Buffers the output that `body` prints to its console.
  public func gathering(_ body: (Console) throws -> Void) rethrows {
    var console = self
    let buffer = OutputBuffer()
    console.gathered = buffer
    // Print the output so far even if `body` throws.
    defer { buffer.empty { Self.writeOutput($0) } }
    try body(console)
  }

  private static func writeOutput(_ text: String) {
    let code = Self.write(text, to: STDOUT_FILENO)
    if code != 0 { _ = Self.outputFailure.compareExchange(expected: 0, desired: code, ordering: .relaxed) }
  }

  /// Prints a JSON document. Its first member is the schema name.
  public func document(_ schema: String, _ members: [(String, JSONText)]) {
    data("\(JSONText.object([("schema", .string(schema))] + members))")
  }

  /// Prints a line of a result in text format only.
  public func text(_ line: String) {
    if format == .text { data(Self.oneLine(line)) }
  }

  /// Prints a sentence in text format, wrapped to the terminal width. Lines after the first are indented by `hanging`
  /// spaces.
  public func sentence(_ sentence: String, hanging: Int = 0) {
    for line in terminal.lines(of: Self.oneLine(sentence), hanging: hanging) { text(line) }
  }

  /// Prints help, using the pager if the text is taller than the terminal.
  /// - Throws: ``CommandError`` if the pager cannot be started.
  public func help(_ text: String, environment: [String: String]) throws(CommandError) {
    let count = text.split(separator: "\n", omittingEmptySubsequences: false).count
    let isTall = terminal.height.map { count >= $0 } ?? false
    let pager = isTall ? try Pager(self, environment: environment) : nil
    data(text)
    pager?.finish()
  }

  /// Prints a styled line of a result in text format only.
  public func text(_ line: StyledText) {
    if format == .text { data(line.rendered(for: terminal)) }
  }

  /// Prints a styled report of a completed action unless `-q` is given.
  public func done(_ line: StyledText) {
    if printsReports { writeReport(line.rendered(for: terminal)) }
  }

  /// Prints a report of a completed action unless `-q` is given.
  public func done(_ line: String) {
    if printsReports { writeReport(Self.oneLine(line)) }
  }

  /// Writes a report. A write error is ignored, because the command has already saved its changes.
  private func writeReport(_ line: String) {
    if gathered != nil { raw(line + "\n") } else { _ = Self.write(line + "\n", to: STDOUT_FILENO) }
  }

  /// Prints a QR code on a terminal, unless `-q` is given.
  public func picture(_ code: QRCode) {
    guard printsReports, terminal.isTerminal else { return }
    for line in QRPicture(code).lines(for: terminal) { writeReport(line) }
  }

  /// Replaces line breaks with spaces, and other terminal control characters with U+FFFD.
  static func oneLine(_ line: String) -> String {
    // Most lines are printable ASCII, which needs no character category lookup. Therefore iterate over contiguous bytes
    // first, which takes a tenth of the time.
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

  /// Replaces control characters in multi-line text, such as an error that quotes a file or a server response.
  private static func withoutCommands(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { oneLine(String($0)) }.joined(separator: "\n")
  }

  /// Prints a row of `--plain` output. Tabs and line breaks in cells become spaces.
  public func row(_ cells: [String]) {
    data(cells.map { String($0.map { $0 == "\t" || $0.isNewline ? " " : $0 }) }.joined(separator: "\t"))
  }

  /// Prints a message to standard error or ``logSink``. With `-q`, prints only errors.
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

  /// Prints a prompt without a line break, even with `-q`.
  public func ask(_ question: String) { _ = Self.write(Self.oneLine(question), to: STDERR_FILENO) }

  private func writeToStandardError(_ text: String) { _ = Self.write(text, to: STDERR_FILENO) }

  /// Prints an error in the output format and returns its exit status.
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

  /// Formats an error as text. On a terminal, the text is wrapped and the message is red.
  private func text(of error: CommandError) -> String {
    // In a file or pipe, sentences are not wrapped.
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

  /// Returns the program's exit status. If a write to standard output failed, reports the failure in place of success.
  public func ending(_ exit: ExitCode) -> ExitCode {
    let code = Self.outputFailure.load(ordering: .relaxed)
    guard code != 0, exit == .done || exit == .no else { return exit }
    return report(
      CommandError(
        "Cannot write the output: \(String(cString: strerror(code)))",
        hint: "The command itself succeeded. Free some space, or write the output elsewhere.", exit: .readWrite))
  }

  /// Opens `/dev/null` in place of closed standard streams. Must be called before anything else is opened.
  ///
  /// Otherwise, the next file or connection would get the descriptor of a closed stream and receive its output.
  public static func openStandardStreams() {
    for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) == -1 && errno == EBADF {
      // Read-only, so that writing to a closed standard output still fails.
      _ = open("/dev/null", O_RDONLY)
    }
  }

  /// Makes writes to a closed pipe or beyond the file size limit fail with an error. By default, a signal would
  /// terminate the process.
  public static func ignoreFailedWrites() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
  }

  /// Stops Swift's thread pool from writing to the system log. Must be called before any asynchronous work starts.
  ///
  /// The pool tries to raise thread priorities and logs an error each time it lacks permission. An existing
  /// `LIBDISPATCH_LOG` is kept.
  public static func quietThreadPool() { setenv("LIBDISPATCH_LOG", "NO", 0) }

  /// Writes all text, continuing after interrupted and partial writes. A closed pipe is not an error. Returns `errno`,
  /// or 0 on success.
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
