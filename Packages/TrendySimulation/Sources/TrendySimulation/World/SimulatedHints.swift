import TrendyHub
import TrendyTesting

/// Hints exchanged by the hubs on a simulated database. Some are lost, repeated or delayed.
///
/// @unchecked: used only by the jobs of one scenario, which run one at a time on one executor.
final class SimulatedHints: @unchecked Sendable {
  private struct Listener {
    let hub: String
    let hear: (HubHint) -> Void
  }

  private var listeners: [Listener] = []
  private var late: [(hint: HubHint, listener: Listener)] = []
  private var generator: SeededGenerator
  var onFault: (String) -> Void = { _ in }

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// Subscribes a hub to hints. The hub also uses the subscription to send hints.
  func listen(hub: String, _ hear: @escaping (HubHint) -> Void) -> any HintSubscription {
    listeners.append(Listener(hub: hub, hear: hear))
    return Line(hints: self, hub: hub)
  }

  private func tell(_ hint: HubHint, from hub: String) {
    let before = late
    late = []
    for (hint, listener) in before { listener.hear(hint) }
    for listener in listeners where listener.hub != hub {
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: onFault("hint_lost")
      case 1:
        onFault("hint_late")
        late.append((hint, listener))
      case 2:
        onFault("hint_doubled")
        listener.hear(hint)
        listener.hear(hint)
      default: listener.hear(hint)
      }
    }
  }

  private struct Line: HintSubscription {
    let hints: SimulatedHints
    let hub: String

    var isHearing: Bool { true }
    func tell(_ hint: HubHint) { hints.tell(hint, from: hub) }
  }
}
