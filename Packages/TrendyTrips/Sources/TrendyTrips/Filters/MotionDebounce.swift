import TrendyFoundation
import TrendyModels

/// Turns a flickering answer into a verdict: a change counts once it has stood for its time.
struct MotionDebounce: Hashable, Sendable, Codable {
  /// The verdict; nobody drives until it is confirmed.
  private(set) var isAutomotive = false
  /// The change that waits, and since when it has stood.
  private(set) var pending: Pending?

  struct Pending: Hashable, Sendable, Codable {
    var isAutomotive: Bool
    var since: Date
    var deadline: Date
  }

  /// Takes an answer; a verdict comes from ``confirm(at:)`` when time has passed.
  mutating func onAnswer(isAutomotive answer: Bool, at date: Date, after seconds: TimeInterval) {
    if answer == isAutomotive {
      pending = nil
    } else if pending == nil {
      pending = Pending(isAutomotive: answer, since: date, deadline: date.addingTimeInterval(max(0, seconds)))
    }
  }

  /// - Returns: the new verdict if a change has stood until its deadline.
  mutating func confirm(at date: Date) -> Pending? {
    guard let pending, pending.deadline <= date else { return nil }
    force(pending.isAutomotive)
    return pending
  }

  mutating func force(_ answer: Bool) {
    isAutomotive = answer
    pending = nil
  }

  mutating func cancelPending() { pending = nil }
}

extension MotionState {
  /// Whether the person drives; `nil` when the reading says nothing about it.
  var drivingAnswer: Bool? {
    switch self {
    case .automotive: true
    case .stationary, .walking, .running, .cycling: false
    case .unknown: nil
    }
  }
}
