import Dispatch
import Foundation
import Synchronization

/// All users except the malicious one. These users take turns writing and reading, several at a time.
struct Crowd {
  private static let atOnce = 8
  private let hub: HostileHub

  init(_ hub: HostileHub) { self.hub = hub }

  /// Sends requests until `seconds` have passed and every user has been served, but for at most one minute longer.
  func serve(atLeast seconds: Double) -> Figures {
    let (hub, members) = (hub, hub.others)
    let figures = Shared(Figures())
    let next = Shared(0)
    let start = ContinuousClock.now
    let threads = (0..<Self.atOnce).map { _ in
      Worker {
        while true {
          let turn = next.withLock { turn in
            defer { turn += 1 }
            return turn
          }
          let passed = (ContinuousClock.now - start) / .seconds(1)
          // In the first round some users have not been served yet.
          guard turn < members.count || passed < seconds, passed < seconds + 60 else { return }
          let index = turn % members.count
          let member = members[index]
          let round = turn / members.count
          Self.ask(
            "POST", "/event-types", ##"{"id":"\##(round)","name":"\##(round)","color":"#112233","icon":"x"}"##,
            expecting: [201, 409],
            as: member, index, hub, figures)
          Self.ask("GET", "/changes?since=0&limit=50", "", expecting: [200], as: member, index, hub, figures)
        }
      }
    }
    for thread in threads { thread.wait() }
    return figures.withLock { $0 }
  }

  private static func ask(
    _ method: String, _ path: String, _ body: String, expecting good: Set<Int>, as member: HostileHub.Member,
    _ index: Int,
    _ hub: HostileHub, _ figures: Shared<Figures>
  ) {
    let start = ContinuousClock.now
    let status = Connection.ask(method, path, body, token: member.token, from: member.address, port: hub.port)
    let milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
    figures.withLock { figures in
      figures.milliseconds.append(milliseconds)
      if good.contains(status) {
        figures.users.insert(index)
      } else {
        figures.failures += 1
        if figures.examples.count < 3 { figures.examples.append("\(method) \(path) of person \(index): \(status)") }
      }
    }
  }
}

struct Figures: Sendable {
  var milliseconds: [Double] = []
  var failures = 0
  var users: Set<Int> = []
  var examples: [String] = []

  /// Number of users that were served at least once.
  var served: Int { users.count }

  func line(attack: String, persons: Int, descriptors: Int, isAlive: Bool) -> String {
    let sorted = milliseconds.sorted()
    func quantile(_ part: Double) -> String {
      sorted.isEmpty ? "null" : String(format: "%.1f", sorted[Int(Double(sorted.count - 1) * part)])
    }
    return
      #"{"attack":"\#(attack)","requests":\#(sorted.count),"failures":\#(failures),"persons":\#(persons),"served":\#(served),"#
      + #""p50_ms":\#(quantile(0.5)),"p99_ms":\#(quantile(0.99)),"max_ms":\#(quantile(1)),"hub_descriptors":\#(descriptors),"#
      + #""hub_runs":\#(isAlive)}"#
  }
}

/// A value shared between threads.
final class Shared<Value: Sendable>: Sendable {
  private let value: Mutex<Value>
  init(_ value: Value) { self.value = Mutex(value) }
  func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    value.withLock { body(&$0) }
  }
}

final class Flag: Sendable {
  private let flag = Atomic(false)
  var isRaised: Bool { flag.load(ordering: .relaxed) }
  func raise() { flag.store(true, ordering: .relaxed) }
}

/// A thread whose end can be awaited.
final class Worker: Sendable {
  private let done = DispatchSemaphore(value: 0)

  init(_ body: @escaping @Sendable () -> Void) {
    let done = done
    Thread.detachNewThread {
      body()
      done.signal()
    }
  }

  func wait() { done.wait() }
}
