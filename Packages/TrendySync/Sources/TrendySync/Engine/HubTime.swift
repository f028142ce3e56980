import TrendyFoundation
import TrendyModels
import TrendyProtocols

/// When a request left: what the hub's time in its answer is compared with.
struct Asking {
  let uptime: Duration

  init(_ clock: any TimeSource) { uptime = clock.uptime }
}

extension SyncMemory {
  /// A round trip that took longer says too little of the hub's clock.
  private static let longestRoundTrip: Duration = .seconds(60)
  /// A difference in the offset that is not worth a write of its own, in milliseconds.
  static let smallDrift: Int64 = 500

  /// Hub time as this store knows it, in milliseconds since 1970: by the clock that does not jump, where one is known.
  func hubNow(_ clock: any TimeSource) -> Int64 {
    let now: Int64
    if let clockAnchor, let boot = clock.boot, boot.id == clockAnchor.boot {
      now = clockAnchor.hub.addingHeld(boot.elapsed.milliseconds.addingHeld(-max(clockAnchor.elapsed, -.max)))
    } else {
      now = clock.now.milliseconds + clockOffset
    }
    return now.clamped(to: SyncRange.stamp)
  }

  /// The stamp of a save that is made now: above the last and above every stamp that was applied. At the end of the range, where
  /// no hub's time is, it is that end until an answer brings it down.
  mutating func nextStamp(_ clock: any TimeSource) -> Int64 {
    lastStamp = max(lastStamp + 1, hubNow(clock))
    return lastStamp
  }

  mutating func passStamps(of entry: ChangeEntry) {
    for mark in entry.marks.values { lastStamp = max(lastStamp, mark.stamp) }
  }

  /// Learns the offset from the midpoint of a round trip.
  /// - Returns: whether stamps were given that lie above what is now known to be the hub's time.
  mutating func learn(hub: Int64, asking: Asking, _ clock: any TimeSource) -> Bool {
    let roundTrip = clock.uptime - asking.uptime
    guard roundTrip >= .zero, roundTrip < Self.longestRoundTrip else { return false }
    let hubNow = (hub.clamped(to: SyncRange.stamp) + roundTrip.milliseconds / 2).clamped(to: SyncRange.stamp)
    clockOffset = hubNow - clock.now.milliseconds
    clockAnchor = clock.boot.map { ClockAnchor(boot: $0.id, elapsed: $0.elapsed.milliseconds, hub: hubNow) }
    guard lastStamp > hubNow else { return false }
    lastStamp = hubNow
    return true
  }

  /// Takes in where the hub stands.
  mutating func take(_ position: HubPosition) {
    epochs = position.epochs
    seen = max(seen, position.head)
  }
}

extension PendingMutation {
  /// Of what was never sent: brings stamps down to what is known to be now.
  mutating func lowerStamps(to now: Int64) -> Bool {
    var isChanged = false
    for (name, mark) in marks where mark.stamp > now && mark.author == nil {
      marks[name]?.stamp = now
      isChanged = true
    }
    return isChanged
  }
}

extension Date {
  /// Since 1970, rounded; held at the edge of what a thousand centuries hold.
  var milliseconds: Int64 { Int64(max(-3e15, min(3e15, (timeIntervalSince1970 * 1000).rounded()))) }
}

extension Duration {
  /// Held at the ends of 64 bits.
  var milliseconds: Int64 {
    let (milliseconds, isBeyond) = components.seconds.multipliedReportingOverflow(by: 1000)
    if isBeyond { return components.seconds < 0 ? .min : .max }
    return milliseconds.addingHeld(components.attoseconds / 1_000_000_000_000_000)
  }
}

extension Int64 {
  /// The sum, held at the ends of 64 bits.
  fileprivate func addingHeld(_ other: Int64) -> Int64 {
    let (sum, isBeyond) = addingReportingOverflow(other)
    return isBeyond ? (other < 0 ? .min : .max) : sum
  }
}
