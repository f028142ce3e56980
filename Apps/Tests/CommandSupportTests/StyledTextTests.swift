import Testing

@testable import CommandSupport

@Suite("Text on a terminal")
struct StyledTextTests {
  private let line = StyledText([
    .init("  08:30"), .init("coffee", .name(color: "#7B4F2E")), .init("count 2"),
    .init("\"oat, in the sun\"", .dim, rank: .note),
    .init("0199f3c2-7a40", .dim, rank: .id),
  ])

  @Test(
    "a narrow line drops the id, then shortens the note, then drops it",
    arguments: [
      (nil, "  08:30  coffee  count 2  \"oat, in the sun\"  0199f3c2-7a40"),
      (58, "  08:30  coffee  count 2  \"oat, in the sun\"  0199f3c2-7a40"),
      (57, "  08:30  coffee  count 2  \"oat, in the sun\""), (43, "  08:30  coffee  count 2  \"oat, in the sun\""),
      (42, "  08:30  coffee  count 2  \"oat, in the su…"), (32, "  08:30  coffee  count 2  \"oat,…"),
      (31, "  08:30  coffee  count 2"), (20, "  08:30  coffee  …"), (15, "  08:30  coffee"),
    ] as [(Int?, String)])
  func fits(width: Int?, text: String) {
    #expect(line.rendered(for: Terminal(width: width)) == text)
  }

  @Test(
    "a detail is dropped as a whole, and a name is shortened but kept",
    arguments: [
      (60, "17:29  Grandmother → Home  20.1 km  20 min  \"late\"  019a"),
      (49, "17:29  Grandmother → Home  20.1 km  20 min"), (41, "17:29  Grandmother → Home  20.1 km"),
      (33, "17:29  Grandmother → Ho…  20.1 km"), (22, "17:29  Grand…  20.1 km"), (21, "17:29  Grand…  …"),
    ])
  func namesAndDetails(width: Int, text: String) {
    let trip = StyledText([
      .init("17:29"), .init("Grandmother → Home", rank: .name), .init("20.1 km"), .init("20 min", rank: .detail),
      .init("\"late\"", .dim, rank: .note), .init("019a", .dim, rank: .id),
    ])
    #expect(trip.rendered(for: Terminal(width: width)) == text)
  }

  @Test func `styles surround a part only where the terminal shows them`() {
    let text = line.rendered(for: Terminal(showsStyles: true))
    #expect(text.contains("\u{1B}[1;38;5;94mcoffee\u{1B}[0m  count 2"))
    #expect(text.hasSuffix("  \u{1B}[2m0199f3c2-7a40\u{1B}[0m"))
    #expect(!line.rendered(for: Terminal()).contains("\u{1B}"))
    #expect(StyledText.Style.name(color: "brown").escaped("a") == "\u{1B}[1ma\u{1B}[0m")
  }

  @Test func `control characters in a note are replaced`() {
    let text = StyledText([.init("a\u{1B}[31m\nb\u{2028}c\u{202E}d\u{2066}", rank: .note)])
    #expect(text.rendered(for: Terminal(showsStyles: true)) == "a\u{FFFD}[31m b c\u{FFFD}d\u{FFFD}")
    let users = "👨‍👩‍👧 שלום\u{200F}"
    #expect(StyledText(users).rendered(for: Terminal()) == users)
  }

  @Test(
    "columns are counted as a terminal displays them",
    arguments: [
      ("oat", 3), ("é", 1), ("e\u{301}", 1), ("日本語", 6), ("☕", 2), ("⚑", 1), ("👨‍👩‍👧", 2), ("❤️", 2), ("한국", 4), ("ﾃ", 1),
      ("", 0),
    ])
  func columns(text: String, columns: Int) {
    #expect(text.columns == columns)
    #expect(text.padded(to: 8).columns == 8)
  }

  @Test(
    "durations are written in seconds, minutes and hours",
    arguments: [
      (0.0, "0 s"), (119, "119 s"), (120, "2 min"), (2001, "33 min"), (3599, "59 min"), (3600, "1 h"),
      (5880, "1 h 38 min"),
      (.infinity, "inf s"), (1e300, "1e+300 s"),
    ])
  func durations(seconds: Double, words: String) {
    #expect(DurationPhrase.words(seconds) == words)
  }

  @Test(
    "numbers have the requested decimals, or no trailing zeros",
    arguments: [
      (0.0, "0.00", "0"), (-0.001, "0.00", "0"), (0.625, "0.63", "0.63"), (-0.05, "−0.05", "−0.05"), (1, "1.00", "1"),
      (9.999, "10.00", "10"), (1234567.891, "1234567.89", "1234567.89"), (2.5, "2.50", "2.5"), (100, "100.00", "100"),
      (1e308, "1e+308", "1e+308"), (-1e20, "−1e+20", "−1e+20"),
      (-1e308 / 3, "−3.33e+307", "−3.33e+307"), (.infinity, "inf", "inf"),
    ])
  func numbers(value: Double, text: String, short: String) {
    #expect(value.text(decimals: 2) == text)
    #expect(value.shortText(decimals: 2) == short)
    #expect(value.text(decimals: 0) == short || value != value.rounded())
  }
}
