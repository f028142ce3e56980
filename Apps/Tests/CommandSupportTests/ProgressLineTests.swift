import Testing

@testable import CommandSupport

@Suite("ProgressLine")
struct ProgressLineTests {
  private func text(_ done: Int64, of total: Int64?, after seconds: Double, width: Int = 80, isUnicode: Bool = true)
    -> String
  {
    ProgressLine.text(done: done, of: total, after: seconds, width: width, isUnicode: isUnicode)
  }

  @Test func `a known total shows the share done, the rate and the remaining time`() {
    #expect(
      text(364_000_000, of: 728_000_000, after: 2)
        == "  █████████████               50 %   182 MB/s   2 s left")
    #expect(text(1, of: 4, after: 1, isUnicode: false).hasPrefix("  #######  "))
    #expect(text(10_000, of: 10_000_000, after: 10).hasSuffix(" 0 %   1.0 kB/s   167 min left"))
  }

  @Test func `an unknown total shows only the rate`() {
    #expect(text(1_200_000_000, of: nil, after: 10) == "  1.2 GB   120 MB/s")
    #expect(text(900, of: 0, after: 2) == "  900 bytes   450 bytes/s")
  }

  @Test func `items are counted in their unit after the title of the step`() {
    let line = ProgressLine.text(
      title: "Backing up", done: 250, of: 1000, in: .things("rows"), after: 0.5, width: 80, isUnicode: false)
    #expect(line == "  Backing up  #######                     25 %   500 rows/s   2 s left")
    #expect(
      ProgressLine.text(done: 7, of: nil, in: .things("changes"), after: 1, width: 80, isUnicode: false)
        == "  7 changes   7 changes/s")
    for columns in [8, 20, 30, 39] {
      let line = ProgressLine.text(
        title: "Backing up", done: 250, of: 1000, in: .things("rows"), after: 0.5, width: columns, isUnicode: true)
      #expect(line.columns <= columns)
    }
  }

  private func drawn(_ change: (inout Console) -> Void = { _ in }) -> [String] {
    var console = Console(format: .text)
    console.terminal.canWriteOver = true
    console.terminal.progressDelay = .zero
    change(&console)
    var drawn: [String] = []
    let line = ProgressLine(console) { drawn.append($0) }
    line.begin("Checking", of: 10, in: .bytes)
    line.advance(by: 5)
    line.end()
    line.end()
    return drawn
  }

  @Test func `the line is drawn on a terminal and erased once`() {
    let lines = drawn()
    #expect(lines.count == 2 && lines[0].hasPrefix("\r  Checking  ") && lines[0].contains("50 %"), "\(lines)")
    #expect(lines.last == "\r\u{1B}[K")
  }

  @Test func `a new step replaces a visible line immediately`() {
    var console = Console(format: .text)
    console.terminal.canWriteOver = true
    console.terminal.progressDelay = .zero
    var drawn: [String] = []
    let line = ProgressLine(console) { drawn.append($0) }
    for step in ["Checking", "Restoring"] {
      line.begin(step, of: 10, in: .bytes)
      line.advance(by: 5)
    }
    #expect(drawn.count == 2 && drawn.last?.contains("Restoring") == true, "\(drawn)")
  }

  @Test func `the line is not drawn without a terminal, in quiet mode, for JSON or before its delay`() {
    #expect(drawn { $0.terminal.canWriteOver = false }.isEmpty)
    #expect(drawn { $0.isQuiet = true }.isEmpty)
    #expect(drawn { $0.format = .json }.isEmpty)
    #expect(drawn { $0.terminal.progressDelay = .seconds(3600) }.isEmpty)
  }

  @Test("the line fits the width", arguments: [8, 20, 30, 39, 79, 200])
  func width(columns: Int) {
    for done in [Int64(0), 1, 999_999, 5_000_000] {
      #expect(text(done, of: 4_000_000, after: 3, width: columns).columns <= columns)
      #expect(text(done, of: nil, after: 3, width: columns).columns <= columns)
    }
  }

  @Test(
    "a size below ten has one decimal and uses the largest unit",
    arguments: [
      (0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (9_949, "9.9 kB"), (9_950, "10 kB"), (999_499, "999 kB"),
      (999_500, "1.0 MB"), (2_100_000_000, "2.1 GB"), (5_000_000_000_000, "5.0 TB"),
    ])
  func size(count: Int64, words: String) { #expect(ByteText.words(count) == words) }
}
