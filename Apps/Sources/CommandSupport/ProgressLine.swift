#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// How far work has come that takes more than a second: a line of the terminal that is written over, and gone at the end.
///
/// It is on the standard error, and only where that is a terminal and talk is wanted.
public final class ProgressLine {
  /// Bytes of all that is to be done; `nil` where nobody knows.
  public var total: Int64?

  private let isShown: Bool
  private let isUnicode: Bool
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  private var next: ContinuousClock.Instant
  private var done: Int64 = 0
  private var isDrawn = false

  public init(_ console: Console) {
    isShown = !console.isQuiet && !console.isJSON && console.terminal.canWriteOver
    isUnicode = console.terminal.showsUnicode
    start = clock.now
    next = start + .seconds(1)
  }

  /// More is done.
  public func advance(by bytes: Int) {
    done += Int64(bytes)
    guard isShown, clock.now >= next else { return }
    next = clock.now + .milliseconds(100)
    var size = winsize()
    let width = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 1 ? Int(size.ws_col) - 1 : 79
    let text = Self.text(
      done: done, of: total, after: (clock.now - start) / .seconds(1), width: width, isUnicode: isUnicode)
    _ = Console.write("\r\(text)\u{1B}[K", to: STDERR_FILENO)
    isDrawn = true
  }

  /// Takes the line away, for what is to be said.
  public func end() {
    if isDrawn { _ = Console.write("\r\u{1B}[K", to: STDERR_FILENO) }
    isDrawn = false
  }

  /// `████████▌        47 %   182 MB/s   6 s left`, or `1.2 GB   182 MB/s` where the end is not known.
  /// - Parameters:
  ///   - done: bytes.
  ///   - total: bytes; `nil` where nobody knows.
  ///   - seconds: since the beginning, above 0.
  ///   - width: columns, which the line does not exceed.
  ///   - isUnicode: whether the bar may have blocks.
  static func text(done: Int64, of total: Int64?, after seconds: Double, width: Int, isUnicode: Bool) -> String {
    let rate = Double(done) / max(seconds, 0.001)
    let speed = "\(ByteText.words(Int64(rate)))/s"
    guard let total, total > 0 else { return "  \(ByteText.words(done))   \(speed)".cut(to: width) }
    let share = min(Double(done) / Double(total), 1)
    let left = rate > 0 ? max(Double(total - done), 0) / rate : 0
    let figures = "\(Int(share * 100)) %".rightAligned(to: 5) + "   \(speed)   \(duration(left)) left"
    let room = min(width - figures.columns - 4, 26)
    guard room >= 8 else { return "  \(figures)".cut(to: width) }
    return "  \(TextPicture.bar(share, width: room, isUnicode: isUnicode).padded(to: room)) \(figures)"
  }

  private static func duration(_ seconds: Double) -> String {
    seconds < 90 ? "\(Int(seconds.rounded(.up))) s" : "\(Int((min(seconds, 1e6) / 60).rounded(.up))) min"
  }
}

/// Sizes as people write them.
public enum ByteText: Sendable {
  /// `512 bytes`, `1.4 kB`, `182 MB`: by thousands, with a decimal below ten.
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
