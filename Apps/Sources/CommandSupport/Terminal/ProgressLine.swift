#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Progress line for long operations, redrawn in place and erased at the end.
///
/// Drawn on standard error if that is a terminal and the console prints messages, starting after the terminal's
/// `progressDelay`. An operation consists of one or more steps, each with its own title and total.
public final class ProgressLine {
  /// Unit of progress.
  public enum Unit: Hashable, Sendable {
    case bytes
    /// Items, with the plural noun for them: `records`.
    case things(String)

    /// Formats a number of units as `1.2 GB` or `12000 records`.
    func words(_ count: Int64) -> String {
      switch self {
      case .bytes: ByteText.words(count)
      case .things(let word): "\(count) \(word)"
      }
    }
  }

  /// Total of the current step, if known.
  public var total: Int64?

  private let isShown: Bool
  private let isUnicode: Bool
  private let write: (String) -> Void
  private let clock = ContinuousClock()
  private var start: ContinuousClock.Instant
  private var next: ContinuousClock.Instant
  private var title: String?
  private var unit = Unit.bytes
  private var done: Int64 = 0
  private var isDrawn = false

  /// Creates a progress line on standard error, disabled if the console does not allow it.
  public convenience init(_ console: Console) {
    self.init(console) { _ = Console.write($0, to: STDERR_FILENO) }
  }

  /// Creates a progress line that is drawn with `write`.
  init(_ console: Console, to write: @escaping (String) -> Void) {
    isShown = !console.isQuiet && !console.isJSON && console.terminal.canWriteOver
    isUnicode = console.terminal.showsUnicode
    self.write = write
    start = clock.now
    next = start + console.terminal.progressDelay
  }

  /// Starts a step.
  /// - Parameters:
  ///   - title: one or two words; `nil` for an operation with a single step.
  ///   - total: total of the step in `unit`, if known.
  ///   - unit: unit of progress.
  public func begin(_ title: String? = nil, of total: Int64?, in unit: Unit) {
    (self.title, self.total, self.unit) = (title, total, unit)
    done = 0
    start = clock.now
    // A line that is already visible shows the new step without delay.
    if isDrawn { next = start }
  }

  /// Adds to the progress of the current step.
  public func advance(by count: Int) { reach(done + Int64(count)) }

  /// Sets the progress of the current step and redraws the line, at most every 100 ms.
  public func reach(_ count: Int64) {
    done = count
    guard isShown, clock.now >= next else { return }
    next = clock.now + .milliseconds(100)
    var size = winsize()
    let width = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 1 ? Int(size.ws_col) - 1 : 79
    let text = Self.text(
      title: title, done: done, of: total, in: unit, after: (clock.now - start) / .seconds(1), width: width,
      isUnicode: isUnicode)
    write("\r\(text)\u{1B}[K")
    isDrawn = true
  }

  /// Erases the line, so that other output can be printed.
  public func end() {
    if isDrawn { write("\r\u{1B}[K") }
    isDrawn = false
  }

  /// Formats a progress line.
  ///
  /// Example: `Checking  ████████▌        47 %   182 MB/s   6 s left`, or `1.2 GB   182 MB/s` if the total is unknown.
  /// - Parameters:
  ///   - title: title of the step.
  ///   - done: progress in `unit`.
  ///   - total: total in `unit`, if known.
  ///   - unit: unit of progress.
  ///   - seconds: time since the start of the step.
  ///   - width: maximum width in columns.
  ///   - isUnicode: whether the terminal can display block characters.
  static func text(
    title: String? = nil, done: Int64, of total: Int64?, in unit: Unit = .bytes, after seconds: Double, width: Int,
    isUnicode: Bool
  ) -> String {
    let rate = Double(done) / max(seconds, 0.001)
    let speed = "\(unit.words(Int64(rate)))/s"
    let start = title.map { "  \($0)" } ?? ""
    guard let total, total > 0 else { return "\(start)  \(unit.words(done))   \(speed)".cut(to: width) }
    let share = min(Double(done) / Double(total), 1)
    let left = rate > 0 ? "   \(duration(max(Double(total - done), 0) / rate)) left" : ""
    let figures = "\(Int(share * 100)) %".rightAligned(to: 5) + "   \(speed)\(left)"
    let room = min(width - figures.columns - start.columns - 4, 26)
    guard room >= 8 else { return "\(start)  \(figures)".cut(to: width) }
    let bar = TextPicture.bar(share, width: room, isUnicode: isUnicode).padded(to: room)
    return "\(start)  \(bar) \(figures)"
  }

  private static func duration(_ seconds: Double) -> String {
    seconds < 90 ? "\(Int(seconds.rounded(.up))) s" : "\(Int((min(seconds, 1e6) / 60).rounded(.up))) min"
  }
}

/// Formatter for sizes in bytes.
public enum ByteText: Sendable {
  /// Formats a size in decimal units, with one decimal below ten: `512 bytes`, `1.4 kB`, `182 MB`.
  /// - Parameter count: bytes, 0 or more.
  public static func words(_ count: Int64) -> String {
    guard count >= 1000 else { return "\(count) bytes" }
    var value = Double(count)
    var unit = ""
    for name in ["kB", "MB", "GB", "TB"] where value >= 999.5 {
      value /= 1000
      unit = name
    }
    let tenths = Int64((value * 10).rounded())
    return tenths < 100 ? "\(tenths / 10).\(tenths % 10) \(unit)" : "\(Int64(value.rounded())) \(unit)"
  }
}

@available(*, unavailable)
extension ProgressLine: Sendable {}
