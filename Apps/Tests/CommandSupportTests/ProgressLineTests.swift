import Testing

@testable import CommandSupport

@Suite("ProgressLine")
struct ProgressLineTests {
  private func text(_ done: Int64, of total: Int64?, after seconds: Double, width: Int = 80, isUnicode: Bool = true)
    -> String
  {
    ProgressLine.text(done: done, of: total, after: seconds, width: width, isUnicode: isUnicode)
  }

  @Test func `says how much is done, how fast, and how long it takes yet`() {
    #expect(
      text(364_000_000, of: 728_000_000, after: 2)
        == "  █████████████               50 %   182 MB/s   2 s left")
    #expect(text(1, of: 4, after: 1, isUnicode: false).hasPrefix("  #######  "))
    #expect(text(10_000, of: 10_000_000, after: 10).hasSuffix(" 0 %   1.0 kB/s   167 min left"))
  }

  @Test func `says the rate alone where the end is not known`() {
    #expect(text(1_200_000_000, of: nil, after: 10) == "  1.2 GB   120 MB/s")
    #expect(text(900, of: 0, after: 2) == "  900 bytes   450 bytes/s")
  }

  @Test("stays within the line", arguments: [8, 20, 30, 39, 79, 200])
  func width(columns: Int) {
    for done in [Int64(0), 1, 999_999, 5_000_000] {
      #expect(text(done, of: 4_000_000, after: 3, width: columns).columns <= columns)
      #expect(text(done, of: nil, after: 3, width: columns).columns <= columns)
    }
  }

  @Test(
    "sizes have a decimal below ten, and the unit that keeps them short",
    arguments: [
      (0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (9_949, "9.9 kB"), (9_950, "10 kB"), (999_499, "999 kB"),
      (999_500, "1.0 MB"), (2_100_000_000, "2.1 GB"), (5_000_000_000_000, "5.0 TB"),
    ])
  func size(count: Int64, words: String) { #expect(ByteText.words(count) == words) }
}
