import Testing

@testable import TrendyHubPostgres

@Suite("PostgresText")
struct PostgresTextTests {
  @Test(
    "text with any character is restored unchanged",
    arguments: ["", "plain", "\u{0}", "\\", "\\0", "\\\u{0}", "a\u{0}b\\c\\\\", "ünï\u{1F600}"])
  func roundTrip(text: String) {
    let escaped = PostgresText.escape(text)
    #expect(!escaped.utf8.contains(0))
    #expect(PostgresText.unescape(Array(escaped.utf8)) == text)
  }

  @Test func `different texts have different encodings`() {
    #expect(PostgresText.escape("\u{0}") != PostgresText.escape("\\0"))
  }
}
