#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Progress line for long operations, redrawn in place and erased at the end.
///
/// The line is drawn if standard error is a terminal and the console prints messages. It appears after the terminal's
/// `progressDelay`. An operation has one or more steps, each with its own title and total.
public final class ProgressLine {
  /// Unit of progress.
  public enum Unit: Hashable, Sendable {
    case bytes
    /// Items, with their plural noun, such as `records`.
    case things(String)

    /// Formats a number of units, such as `1.2 GB` or `12000 records`.
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

  init(_ console: Console, to write: @escaping (String) -> Void) {
    isShown = !console.isQuiet && !console.isJSON && console.terminal.canWriteOver
    isUnicode = console.terminal.showsUnicode
    self.write = write
    start = clock.now
    next = start + console.terminal.progressDelay
  }

  /// Starts a step. `title` is one or two words, or `nil` if the operation has a single step. `total` is in `unit`.
  public func begin(_ title: String? = nil, of total: Int64?, in unit: Unit) {
    (self.title, self.total, self.unit) = (title, total, unit)
    done = 0
    start = clock.now
    // If the line is already visible, it shows the new step without delay.
    if isDrawn { next = start }
  }

  /// Adds to the progress of the current step.
  public func advance(by count: Int) { reach(done + Int64(count)) }

  /// Sets the progress of the current step and redraws the line at most every 100 ms.
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

  /// Erases the line before other output.
  public func end() {
    if isDrawn { write("\r\u{1B}[K") }
    isDrawn = false
  }

  /// Formats a progress line.
  ///
  /// Example: `Checking  ████████▌        47 %   182 MB/s   6 s left`, or `1.2 GB   182 MB/s` if the total is unknown.
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

/// Formatter for byte sizes.
public enum ByteText: Sendable {
  /// Formats a nonnegative size in decimal units, with one decimal below ten: `512 bytes`, `1.4 kB`, `182 MB`.
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
