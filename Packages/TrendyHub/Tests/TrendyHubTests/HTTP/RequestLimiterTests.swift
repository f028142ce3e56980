import Testing

@testable import TrendyHub

@Suite("RequestLimiter")
struct RequestLimiterTests {
  @Test func `the requests of a minute may come at once, and later ones are spread evenly`() {
    var limiter = RequestLimiter(requestsPerMinute: 6)
    for _ in 0..<6 { #expect(limiter.onRequest(of: "a", now: .zero) == nil) }
    #expect(limiter.onRequest(of: "a", now: .zero) == .seconds(10))
    #expect(limiter.onRequest(of: "a", now: .seconds(9)) == .seconds(1))
    #expect(limiter.onRequest(of: "a", now: .seconds(10)) == nil)
    #expect(limiter.onRequest(of: "a", now: .seconds(10)) == .seconds(10))
    #expect(limiter.onRequest(of: "b", now: .seconds(10)) == nil)
    for _ in 0..<6 { #expect(limiter.onRequest(of: "a", now: .seconds(200)) == nil) }
    #expect(limiter.onRequest(of: "a", now: .seconds(200)) != nil)
  }

  @Test func `a client that waits as long as requested is served`() {
    var limiter = RequestLimiter(requestsPerMinute: 7)
    var now = Duration.zero
    var served = 0
    while served < 50 {
      if let wait = limiter.onRequest(of: "a", now: now) { now += wait } else { served += 1 }
    }
    #expect(now > .seconds(360) && now < .seconds(375))
  }

  @Test func `a limit of one request a minute works`() {
    var limiter = RequestLimiter(requestsPerMinute: 1)
    #expect(limiter.onRequest(of: "a", now: .zero) == nil)
    #expect(limiter.onRequest(of: "a", now: .seconds(59)) == .seconds(1))
    #expect(limiter.onRequest(of: "a", now: .seconds(60)) == nil)
  }
}
