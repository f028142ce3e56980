import TrendyFoundation
import TrendyModels

/// Debounces the motion state: a change is confirmed only after it has persisted for a given time.
struct MotionDebounce: Hashable, Sendable, Codable {
  /// Confirmed state, initially `false`.
  private(set) var isAutomotive = false
  private(set) var pending: Pending?

  struct Pending: Hashable, Sendable, Codable {
    var isAutomotive: Bool
    var since: Date
    var deadline: Date
  }

  /// Processes a reading. ``confirm(at:)`` returns the change once `seconds` have passed.
  mutating func onAnswer(isAutomotive answer: Bool, at date: Date, after seconds: TimeInterval) {
    if answer == isAutomotive {
      pending = nil
    } else if pending == nil {
      pending = Pending(isAutomotive: answer, since: date, deadline: date.addingTimeInterval(max(0, seconds)))
    }
  }

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
  /// Whether the state means driving, or `nil` if the state is unknown.
  var drivingAnswer: Bool? {
    switch self {
    case .automotive: true
    case .stationary, .walking, .running, .cycling: false
    case .unknown: nil
    }
  }
}
