import TrendyFoundation
import TrendyModels

extension SimulatedDay {
  /// Adds ground speeds as a GNSS receiver measures them by the Doppler effect, with an error of 0.3 to 0.5 m/s, or
  /// twice as much under a roof.
  ///
  /// The speed is independent of position errors: a receiver whose position is displaced reports the true speed. At
  /// rest, half of the receivers report 0 and the other half report their error. Fixes from WiFi or cell towers,
  /// recognisable by an accuracy of 30 m or worse, have no speed. Apply this variant before any other variant.
  public func tellingSpeed() -> SimulatedDay {
    var user = SimulatedTraveller(seed: seed, world: world, recorder: recorder)
    user.live()
    let moments = user.moments
    var random = SeededGenerator(seed: seed ^ 0xD0_99_1E_12)
    let error = random.number(in: 0.3...0.5)
    let tellsRest = random.happens(0.5)
    var day = self
    for index in fixes.indices where fixes[index].horizontalAccuracy < 30 {
      let second = Int(fixes[index].timestamp.timeIntervalSince(SimulatedTraveller.start))
      let (before, after) = (moments[max(0, second - 1)], moments[min(moments.count - 1, second + 1)])
      let (north, east) = SimulatedTraveller.offset(from: before.place, to: after.place)
      let isMoving = moments[second].isMoving
      let scale = moments[second].sky == .roof ? 2.0 : 1
      let speed = (north * north + east * east).squareRoot() / 2 + scale * error * random.normal()
      day.fixes[index].speed = isMoving || !tellsRest ? abs(speed) : 0
    }
    return day
  }
}
