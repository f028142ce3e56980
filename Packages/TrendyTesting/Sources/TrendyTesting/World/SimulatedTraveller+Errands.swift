import TrendyModels

// MARK: Days close to home
extension SimulatedTraveller {
  /// Takes two walks: to a bench and back, and up and down a steep path.
  mutating func liveSlowly() {
    let home = home
    stay(random.number(in: 1800...7200), under: .roof)
    for (reach, up, down) in [(200.0...600.0, Gait.stroll, Gait.stroll), (400...1200, .climb, .descent)] {
      let target = around(home, metres: reach)
      trip { $0.go(up, to: target) }
      stay(random.number(in: 1200...2700), under: .open)
      trip { $0.go(down, to: home) }
      stay(random.number(in: 3600...7200), under: .roof)
    }
  }

  mutating func runErrands() {
    let home = home
    let shop = around(home, metres: 300...1200)
    stay(random.number(in: 1800...5400), under: .roof)
    trip { $0.go(.windingBicycle, to: shop) }
    stay(random.number(in: 720...1800), under: .roof)
    trip { $0.go(.windingBicycle, to: home) }
    stay(random.number(in: 1800...3600), under: .roof)
    trip { $0.deliver() }
    stay(random.number(in: 1800...3600), under: .roof)
    trip { $0.walkRound(corners: 3...5, metres: 120...300) }
    stay(random.number(in: 1800...3600), under: .roof)
    trip { $0.rideLaps() }
    stay(random.number(in: 1800...3600), under: .roof)
  }

  /// Makes a delivery round by bicycle, from door to door and back home.
  private mutating func deliver() {
    for _ in 0..<Int(random.number(in: 4...8)) {
      go(.windingBicycle, to: around(home, metres: 150...700))
      stay(random.number(in: 30...120), under: .open)
    }
    go(.windingBicycle, to: home)
  }

  /// Walks a dog around some corners near home and back.
  private mutating func walkRound(corners: ClosedRange<Double>, metres: ClosedRange<Double>) {
    for _ in 0..<Int(random.number(in: corners)) { go(.walk, to: around(home, metres: metres)) }
    go(.walk, to: home)
  }

  /// Rides laps of a square near home by bicycle.
  private mutating func rideLaps() {
    let middle = around(home, metres: 60...150)
    let side = random.number(in: 60...140)
    let corners = [(1.0, 1.0), (1, -1), (-1, -1), (-1, 1)].map {
      Self.moved(middle, north: $0.0 * side / 2, east: $0.1 * side / 2)
    }
    for _ in 0..<Int(random.number(in: 5...12)) {
      for corner in corners { go(.windingBicycle, to: corner) }
    }
    go(.windingBicycle, to: home)
  }
}

extension SimulatedTraveller.Gait {
  fileprivate static let stroll = Self(
    mode: .walking, speed: 0.3...0.6, bendSpeed: 0.3, straight: 15...80, bend: 0.9, stops: 0.15, stop: 10...90)
  fileprivate static let climb = Self(
    mode: .walking, speed: 0.25...0.5, bendSpeed: 0.25, straight: 20...80, bend: 1, stops: 0.1, stop: 10...60)
  fileprivate static let descent = Self(
    mode: .walking, speed: 0.4...0.7, bendSpeed: 0.4, straight: 20...80, bend: 1, stops: 0.1, stop: 10...60)
  fileprivate static let windingBicycle = Self(
    mode: .cycling, speed: 3...5.5, bendSpeed: 2.5, straight: 25...120, bend: 1.2, stops: 0.08, stop: 4...30)
}
