import TrendyFoundation
import TrendyModels
import TrendyProtocols

/// Start of a request, used to estimate the hub's clock when the response arrives.
struct RequestStart {
  let uptime: Duration

  init(_ clock: any TimeSource) { uptime = clock.uptime }
}

extension SyncMetadata {
  /// Longest round trip from which the hub's clock can still be estimated accurately enough.
  private static let longestRoundTrip: Duration = .seconds(60)
  /// Smallest change in the clock offset worth saving, in milliseconds.
  static let smallDrift: Int64 = 500

  /// Returns the hub time in milliseconds since 1970. The result is based on the time since boot if available, because
  /// date changes do not affect that time.
  func hubNow(_ clock: any TimeSource) -> Int64 {
    let now: Int64
    if let clockAnchor, let boot = clock.boot, boot.id == clockAnchor.boot {
      now = clockAnchor.hub.addingHeld(boot.elapsed.milliseconds.addingHeld(-max(clockAnchor.elapsed, -.max)))
    } else {
      now = clock.now.milliseconds + clockOffset
    }
    return now.clamped(to: SyncRange.stamp)
  }

  /// Returns the stamp for a save made now, which is higher than the last stamp and every applied stamp.
  ///
  /// At the upper end of the range, which no real hub time reaches, the stamp does not increase until a response lowers
  /// it.
  mutating func nextStamp(_ clock: any TimeSource) -> Int64 {
    lastStamp = max(lastStamp + 1, hubNow(clock))
    return lastStamp
  }

  mutating func passStamps(of entry: ChangeEntry) {
    for mark in entry.marks.values { lastStamp = max(lastStamp, mark.stamp) }
  }

  /// Stores the clock offset, measured at the midpoint of a round trip.
  /// - Parameters:
  ///   - hub: The hub's time in the response, in milliseconds since 1970.
  ///   - asking: Start of the request.
  ///   - clock: The device's clock.
  /// - Returns: Whether stamps above the hub's time have been assigned. The last stamp is then lowered to that time.
  mutating func learn(hub: Int64, asking: RequestStart, _ clock: any TimeSource) -> Bool {
    let roundTrip = clock.uptime - asking.uptime
    guard roundTrip >= .zero, roundTrip < Self.longestRoundTrip else { return false }
    let hubNow = (hub.clamped(to: SyncRange.stamp) + roundTrip.milliseconds / 2).clamped(to: SyncRange.stamp)
    clockOffset = hubNow - clock.now.milliseconds
    clockAnchor = clock.boot.map { ClockAnchor(boot: $0.id, elapsed: $0.elapsed.milliseconds, hub: hubNow) }
    guard lastStamp > hubNow else { return false }
    lastStamp = hubNow
    return true
  }

  mutating func take(_ position: HubPosition) {
    epochs = position.epochs
    seen = max(seen, position.head)
  }
}

extension PendingMutation {
  /// Lowers the stamps of an unsent mutation to a hub time in milliseconds since 1970. Re-offers keep the stamps of
  /// their authors.
  /// - Returns: Whether any stamp has changed.
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
  /// Milliseconds since 1970, rounded and clamped to ±3e15 (about 95,000 years).
  var milliseconds: Int64 { Int64(max(-3e15, min(3e15, (timeIntervalSince1970 * 1000).rounded()))) }
}

extension Duration {
  /// Milliseconds, clamped to the 64-bit range.
  var milliseconds: Int64 {
    let (milliseconds, isBeyond) = components.seconds.multipliedReportingOverflow(by: 1000)
    if isBeyond { return components.seconds < 0 ? .min : .max }
    return milliseconds.addingHeld(components.attoseconds / 1_000_000_000_000_000)
  }
}

extension Int64 {
  /// Returns the sum, clamped to the 64-bit range.
  fileprivate func addingHeld(_ other: Int64) -> Int64 {
    let (sum, isBeyond) = addingReportingOverflow(other)
    return isBeyond ? (other < 0 ? .min : .max) : sum
  }
}
