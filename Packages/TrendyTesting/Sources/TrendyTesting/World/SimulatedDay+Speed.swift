import TrendyFoundation
import TrendyModels

extension SimulatedDay {
  /// With the speed that a satellite receiver measures by the Doppler effect, with an error of 0.3 to 0.5 m/s, and twice that under a roof.
  ///
  /// It knows nothing of where the receiver is taken to be: one that is displaced tells the speed of its person. At rest
  /// half of the receivers tell 0, and the others their error. A fix of WiFi or of a radio cell, known by its accuracy of
  /// 30 m or more, has no speed. To be asked of a day before any poorer recorder.
  public func tellingSpeed() -> SimulatedDay {
    var person = SimulatedTraveller(seed: seed, world: world, recorder: recorder)
    person.live()
    let moments = person.moments
    var chance = SeededGenerator(seed: seed ^ 0xD0_99_1E_12)
    let error = chance.number(in: 0.3...0.5)
    let tellsRest = chance.happens(0.5)
    var day = self
    for index in fixes.indices where fixes[index].horizontalAccuracy < 30 {
      let second = Int(fixes[index].timestamp.timeIntervalSince(SimulatedTraveller.start))
      let (before, after) = (moments[max(0, second - 1)], moments[min(moments.count - 1, second + 1)])
      let (north, east) = SimulatedTraveller.offset(from: before.place, to: after.place)
      let isMoving = moments[second].isMoving
      let scale = moments[second].sky == .roof ? 2.0 : 1
      let speed = (north * north + east * east).squareRoot() / 2 + scale * error * chance.normal()
      day.fixes[index].speed = isMoving || !tellsRest ? abs(speed) : 0
    }
    return day
  }
}
