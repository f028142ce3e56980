#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import Synchronization

/// Text on its way out.
private final class OutputBuffer: Sendable {
  private static let size = 1 << 16
  private let text = Mutex("")

  func append(_ more: String, ending: String, _ putOut: (String) -> Void) {
    text.withLock { text in
      text += more
      text += ending
      if text.utf8.count >= Self.size {
        putOut(text)
        text.removeAll(keepingCapacity: true)
      }
    }
  }

  func empty(_ putOut: (String) -> Void) {
    text.withLock { text in
      if !text.isEmpty { putOut(text) }
      text = ""
    }
  }
}

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
  /// Whether ``explain(_:)`` says anything.
  public var isVerbose = false
  /// The terminal whose width and colours styled lines are made for.
  public var terminal = Terminal()
  /// Takes talk and reports in place of the standard error, for a program that must not wait for their reader: the words, and what a
  /// document of the same has.
  public var logSink: (@Sendable (LogLevel, String, [(String, JSONText)]) -> Void)?

  /// Where data waits until there is enough of it to be worth a call of the system.
  private var gathered: OutputBuffer?

  /// `errno` of the first data that could not be written.
  private static let outputFailure = Atomic<Int32>(0)

  public init(format: Format = .text, isQuiet: Bool = false) {
    self.format = format
    self.isQuiet = isQuiet
  }

  /// Whether lines that say what was done are printed.
  public var tellsWhatWasDone: Bool { !isQuiet && format == .text }

  public var isJSON: Bool { format == .json || format == .ndjson }

  /// One line of data.
  public func data(_ line: String) { putOut(line, ending: "\n") }

  /// A whole file as data.
  public func raw(_ text: String) { putOut(text, ending: "") }

  private func putOut(_ text: String, ending: String) {
    if let gathered {
      gathered.append(text, ending: ending) { Self.putOut($0) }
    } else {
      Self.putOut(text + ending)
    }
  }

  /// Lets `body` write much data in few pieces.
  public func gathering(_ body: (Console) throws -> Void) rethrows {
    var console = self
    let buffer = OutputBuffer()
    console.gathered = buffer
    // Also what came before an error is the answer.
    defer { buffer.empty { Self.putOut($0) } }
    try body(console)
  }

  private static func putOut(_ text: String) {
    let code = Self.write(text, to: STDOUT_FILENO)
    if code != 0 { _ = Self.outputFailure.compareExchange(expected: 0, desired: code, ordering: .relaxed) }
  }

  /// One JSON document, its schema first.
  public func document(_ schema: String, _ members: [(String, JSONText)]) {
    data("\(JSONText.object([("schema", .string(schema))] + members))")
  }

  /// One line of an answer as a person reads it: left out by `--json` and `--plain`.
  public func text(_ line: String) {
    if format == .text { data(Self.oneLine(line)) }
  }

  /// A sentence of the answer for people, on as many lines as the terminal is narrow for it.
  public func sentence(_ sentence: String) {
    for line in terminal.lines(of: Self.oneLine(sentence)) { text(line) }
  }

  public func text(_ line: StyledText) {
    if format == .text { data(line.rendered(for: terminal)) }
  }

  public func done(_ line: StyledText) {
    if tellsWhatWasDone { writeReport(line.rendered(for: terminal)) }
  }

  /// One line that says what was done: left out by `-q` as well.
  public func done(_ line: String) {
    if tellsWhatWasDone { writeReport(Self.oneLine(line)) }
  }

  /// A report that cannot be written is no failure of the command: what it did is saved.
  private func writeReport(_ line: String) {
    if gathered != nil { raw(line + "\n") } else { _ = Self.write(line + "\n", to: STDOUT_FILENO) }
  }

  /// A picture on a terminal, where talk of what was done is wanted.
  public func picture(_ code: QRCode) {
    guard tellsWhatWasDone, terminal.isTerminal else { return }
    for line in QRPicture(code).lines(for: terminal) { writeReport(line) }
  }

  /// What stands in a note stays text: a line end becomes a space, and no character commands the terminal.
  static func oneLine(_ line: String) -> String {
    // Most lines are plain ASCII, whose categories need not be looked up. Bytes side by side are gone through in a tenth of the time.
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

  /// The same of text that may have several lines: an error quotes what a file or a hub says.
  private static func withoutCommands(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { oneLine(String($0)) }.joined(separator: "\n")
  }

  /// A row of a `--plain` table; tabs and line ends inside a cell become spaces.
  public func row(_ cells: [String]) {
    data(cells.map { String($0.map { $0 == "\t" || $0.isNewline ? " " : $0 }) }.joined(separator: "\t"))
  }

  /// One line of talk.
  public func talk(_ line: String, level: LogLevel = .info) {
    guard !isQuiet || level == .error else { return }
    if let logSink {
      logSink(level, line, [("message", .string(line))])
    } else {
      sayAside(Self.withoutCommands(line) + "\n")
    }
  }

  /// One line of what the program goes by, for who asked for it with `--verbose`; also where talk is left out.
  public func explain(_ line: @autoclosure () -> String) {
    if isVerbose { sayAside(Self.oneLine(line()) + "\n") }
  }

  /// A question whose answer is typed behind it; also where talk is left out.
  public func ask(_ question: String) { _ = Self.write(Self.oneLine(question), to: STDERR_FILENO) }

  /// Talk that nobody can read is no failure.
  private func sayAside(_ text: String) { _ = Self.write(text, to: STDERR_FILENO) }

  /// Says what went wrong, and gives the status to leave with.
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
      sayAside("\(JSONText.object([("error", .object(members))]))\n")
    } else {
      var text = "Error: \(error.message)\n"
      if let hint = error.hint { text += "Hint:  \(hint)\n" }
      if let usage = error.usage { text += "Usage: \(usage)\n" }
      sayAside(Self.withoutCommands(text))
    }
    return error.exit
  }

  /// The status to leave with: not success where data of the answer was lost on the way.
  public func ending(_ exit: ExitCode) -> ExitCode {
    let code = Self.outputFailure.load(ordering: .relaxed)
    guard code != 0, exit == .done || exit == .no else { return exit }
    return report(
      CommandError(
        "The answer could not be written in full: \(String(cString: strerror(code)))",
        hint: "What the command did stands; send its output where there is room, and ask again.", exit: .readWrite))
  }

  /// Opens standard streams that are closed, for nothing: else the next file or connection would take one's number, and what is
  /// written to the stream would go there. To be called before anything else is opened.
  public static func openStandardStreams() {
    for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) == -1 && errno == EBADF {
      // Not for writing: that nobody can read the answer is to be known.
      _ = open("/dev/null", O_RDONLY)
    }
  }

  /// Has Swift's thread pool say nothing to the system log. It raises one of its threads above others, and for every user who may
  /// not, and every service that is kept from it, tells the log so each time. To be called before anything is asynchronous;
  /// `LIBDISPATCH_LOG` of the environment counts.
  public static func quietThreadPool() { setenv("LIBDISPATCH_LOG", "NO", 0) }

  /// Retries what the system cut short. A reader that went away ends the output without a word, as in any pipe.
  /// - Returns: `errno` of what else went wrong, or 0.
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
