import TrendyHub
import TrendyTesting

/// What hubs on one simulated database tell each other: some of it is lost, some comes twice, some late.
///
/// @unchecked: touched only by the pieces of one story, which one executor runs one at a time.
final class SimulatedHints: @unchecked Sendable {
  private struct Listener {
    let hub: String
    let hear: (HubHint) -> Void
  }

  private var listeners: [Listener] = []
  private var late: [(hint: HubHint, listener: Listener)] = []
  private var generator: SeededGenerator
  /// Told of each that did not come as it should.
  var onFault: (String) -> Void = { _ in }

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// - Returns: by which the hub tells others, as long as it listens.
  func listen(hub: String, _ hear: @escaping (HubHint) -> Void) -> any HubHints {
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

  private struct Line: HubHints {
    let hints: SimulatedHints
    let hub: String

    var isHearing: Bool { true }
    func tell(_ hint: HubHint) { hints.tell(hint, from: hub) }
  }
}
