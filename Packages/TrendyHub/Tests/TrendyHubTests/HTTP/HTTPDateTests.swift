import Foundation
import Testing

@testable import TrendyHub

@Suite("HTTPDate", .timeLimit(.minutes(10)))
struct HTTPDateTests {
  @Test(
    "dates have the format of RFC 9110",
    arguments: [
      (Int64(784_111_777), "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
      (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
      (1_767_225_599, "Wed, 31 Dec 2025 23:59:59 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
    ])
  func known(second: Int64, text: String) {
    #expect(HTTPDate.text(second: second) == text)
  }
}
