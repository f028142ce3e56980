import Testing
import TrendyTesting

@testable import TrendyHub

@Suite("DeadlineQueue", .timeLimit(.minutes(10)))
struct DeadlineQueueTests {
  @Test func `owners are returned in order of their deadlines, not earlier`() {
    var queue = DeadlineQueue()
    queue.add(.seconds(3), of: 3)
    queue.add(.seconds(1), of: 1)
    queue.add(.seconds(2), of: 2)
    #expect(queue.next == .seconds(1))
    #expect(queue.take(now: .milliseconds(999)) == nil)
    #expect(queue.take(now: .seconds(2)) == 1)
    #expect(queue.take(now: .seconds(2)) == 2)
    #expect(queue.take(now: .seconds(2)) == nil)
    #expect(queue.next == .seconds(3))
  }

  @Test func `an owner is returned once, at its earliest deadline`() {
    var queue = DeadlineQueue()
    queue.add(.seconds(5), of: 1)
    queue.add(.seconds(2), of: 1)
    queue.add(.seconds(9), of: 1)
    #expect(queue.take(now: .seconds(2)) == 1)
    #expect(queue.take(now: .seconds(10)) == nil)
  }

  @Test func `an owner that was removed is not returned`() {
    var queue = DeadlineQueue()
    queue.add(.seconds(1), of: 1)
    queue.add(.seconds(2), of: 2)
    queue.forget(1)
    #expect(queue.take(now: .seconds(5)) == 2)
    #expect(queue.take(now: .seconds(5)) == nil)
  }

  @Test("the queue agrees with a linear search", arguments: 1...20 as ClosedRange<UInt64>)
  func agrees(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var queue = DeadlineQueue()
    var model: [UInt64: Int] = [:]
    var now = 0
    for _ in 0..<5000 {
      let owner = UInt64.random(in: 0..<300, using: &generator)
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<6:
        let time = now + Int.random(in: 0..<100, using: &generator)
        queue.add(.milliseconds(time), of: owner)
        model[owner] = min(model[owner] ?? time, time)
      case 6..<8:
        queue.forget(owner)
        model[owner] = nil
      default:
        now += Int.random(in: 0..<20, using: &generator)
        var taken: Set<UInt64> = []
        while let owner = queue.take(now: .milliseconds(now)) {
          #expect(taken.insert(owner).inserted)
        }
        #expect(taken == Set(model.filter { $0.value <= now }.keys))
        model = model.filter { $0.value > now }
      }
      #expect(queue.next.map { next in model.values.min().map { next <= .milliseconds($0) } ?? true } ?? model.isEmpty)
    }
  }
}
