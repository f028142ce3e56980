import Testing
import TrendyModels
import TrendySync
import TrendyTesting

@Suite("CircuitBreaker", .timeLimit(.minutes(10)))
struct CircuitBreakerTests {
  private func opened(times: Int) -> (breaker: CircuitBreaker, uptime: Duration) {
    var breaker = CircuitBreaker()
    var uptime = Duration.zero
    for _ in 1...CircuitBreaker.limit { breaker.onRateLimited(retryAfter: nil, at: uptime) }
    for _ in 1..<times {
      uptime += breaker.remaining(at: uptime)
      breaker.onRateLimited(retryAfter: nil, at: uptime)
    }
    return (breaker, uptime)
  }

  @Test func `the third rate limit in a row opens the breaker`() {
    var breaker = CircuitBreaker()
    breaker.onRateLimited(retryAfter: nil, at: .zero)
    breaker.onRateLimited(retryAfter: nil, at: .zero)
    #expect(breaker.state(at: .zero) == .closed)
    breaker.onRateLimited(retryAfter: nil, at: .zero)
    #expect(breaker.state(at: .zero) == .open)
  }

  @Test(
    "the wait doubles with each opening, up to five minutes", arguments: zip(1...7, [30, 60, 120, 240, 300, 300, 300]))
  func escalates(times: Int, seconds: Int) {
    let (breaker, uptime) = opened(times: times)
    #expect(breaker.remaining(at: uptime) == .seconds(seconds))
    #expect(breaker.state(at: uptime + .seconds(seconds) - .nanoseconds(1)) == .open)
    #expect(breaker.state(at: uptime + .seconds(seconds)) == .halfOpen)
  }

  @Test("the wait is at least as long as the hub requests", arguments: zip([29, 30, 31, 4000], [30, 30, 31, 4000]))
  func respectsRetryAfter(asked: Int, seconds: Int) {
    var breaker = CircuitBreaker()
    for _ in 1...3 { breaker.onRateLimited(retryAfter: .seconds(asked), at: .zero) }
    #expect(breaker.remaining(at: .zero) == .seconds(seconds))
  }

  @Test func `a success resets the count of rate limits`() {
    var breaker = CircuitBreaker()
    breaker.onRateLimited(retryAfter: nil, at: .zero)
    breaker.onRateLimited(retryAfter: nil, at: .zero)
    breaker.onSuccess(at: .zero)
    breaker.onRateLimited(retryAfter: nil, at: .zero)
    breaker.onRateLimited(retryAfter: nil, at: .zero)
    #expect(breaker.state(at: .zero) == .closed)
  }

  @Test func `a success in the half-open state closes the breaker and resets the escalation`() {
    var (breaker, uptime) = opened(times: 3)
    uptime += breaker.remaining(at: uptime)
    breaker.onSuccess(at: uptime)
    #expect(breaker == CircuitBreaker())
  }

  @Test func `a success in the open state has no effect`() {
    var (breaker, uptime) = opened(times: 1)
    breaker.onSuccess(at: uptime)
    #expect(breaker.state(at: uptime) == .open)
  }

  @Test func `a rate limit in the open state extends the wait without counting as an opening`() {
    var (breaker, uptime) = opened(times: 1)
    breaker.onRateLimited(retryAfter: .seconds(45), at: uptime)
    #expect(breaker.remaining(at: uptime) == .seconds(45))
    uptime += .seconds(45)
    breaker.onRateLimited(retryAfter: nil, at: uptime)
    #expect(breaker.remaining(at: uptime) == .seconds(60))
  }

  @Test func `a manual reset closes the breaker and keeps the escalation`() {
    var (breaker, uptime) = opened(times: 2)
    breaker.onReset()
    #expect(breaker.state(at: uptime) == .closed)
    #expect(breaker.remaining(at: uptime) == .zero)
    for _ in 1...3 { breaker.onRateLimited(retryAfter: nil, at: uptime) }
    #expect(breaker.remaining(at: uptime) == .seconds(120))
  }
}

@Suite("Backoff", .timeLimit(.minutes(10)))
struct BackoffTests {
  @Test(
    "the delay is between one second and a bound that doubles up to five minutes",
    arguments: [1, 2, 3, 4, 5] as [UInt64])
  func bounds(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var backoff = Backoff()
    for failure in 1...40 {
      let delay = backoff.onFailure(retryAfter: nil, using: &generator)
      #expect(delay >= .seconds(1))
      #expect(delay <= .seconds(failure < 9 ? 1 << failure : 300))
    }
  }

  @Test func `delays are spread over the whole range, so that devices do not retry together`() {
    var generator = SeededGenerator(seed: 7)
    var delays: [Duration] = []
    for _ in 1...500 {
      var backoff = Backoff()
      for _ in 1...12 { delays.append(backoff.onFailure(retryAfter: nil, using: &generator)) }
    }
    #expect(delays.contains { $0 < .seconds(15) } && delays.contains { $0 > .seconds(285) })
  }

  @Test func `the delay is at least as long as the hub requests`() {
    var generator = SeededGenerator(seed: 7)
    var backoff = Backoff()
    #expect(backoff.onFailure(retryAfter: .seconds(400), using: &generator) == .seconds(400))
  }

  @Test func `a success resets the bound`() {
    var generator = SeededGenerator(seed: 7)
    var backoff = Backoff()
    for _ in 1...10 { _ = backoff.onFailure(retryAfter: nil, using: &generator) }
    backoff.onSuccess()
    #expect(backoff.onFailure(retryAfter: nil, using: &generator) <= .seconds(2))
  }
}
