import TrendyFoundation
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
public import TrendyModels
import TrendyTrips

extension SampleRecord {
  /// Returns the events on a day in chronological order.
  public func events(on day: CivilDate) -> [Event] {
    let body = [sleep(day), mood(day), medication(day), headache(day), meditation(day), wine(day)]
    let rest = [
      run(day), stretching(day), television(day), reading(day), journal(day), call(day), plants(day),
    ]
    return (coffees(day) + trips(day) + body.compactMap(\.self) + rest.compactMap(\.self))
      .sorted { $0.timestamp < $1.timestamp }
  }

  // MARK: Properties of a day

  private func random(_ day: CivilDate, _ thing: DailyRandomSource.Thing) -> DailyRandomSource {
    DailyRandomSource(seed: seed, day: day, thing: thing)
  }

  private func isHoliday(_ day: CivilDate) -> Bool { holidays.contains { $0.contains(day) } }

  private func isWorkday(_ day: CivilDate) -> Bool { (1...5).contains(day.weekday) && !isHoliday(day) }

  private func age(_ day: CivilDate) -> Int { day.distance(to: days.upperBound) }

  private func isRunning(_ day: CivilDate) -> Bool {
    var random = random(day, .run)
    // Runs are rare in the first years, become a habit and are most frequent in the last two weeks.
    let habit = age(day) < 14 ? 0.85 : age(day) < 200 ? 0.6 : age(day) < 500 ? 0.4 : 0.2
    return random.happens(isHoliday(day) ? 0 : [0: 0.5, 2: 1, 4: 1, 6: 1][day.weekday, default: 0.15] * habit)
  }

  private func isDrinking(_ day: CivilDate) -> Bool {
    var random = random(day, .wine)
    return random.happens(day.weekday == 5 || day.weekday == 6 ? 0.7 : 0.15)
  }

  private func isWatching(_ day: CivilDate) -> Bool {
    var random = random(day, .television)
    return random.happens(0.5)
  }

  // MARK: Event types

  private func sleep(_ day: CivilDate) -> Event? {
    var random = random(day, .sleep)
    guard random.happens(0.96) else { return nil }
    let from = random.clock(23, isWorkday(day.advanced(by: 1)) ? 0 : 40, spread: 25)
    let length = Int(random.around(isDrinking(day) ? 420 : 465, spread: 25))
    let quality = Int(random.around(isDrinking(day) ? 2.6 : 3.8, spread: 0.6).rounded())
    return event(.sleep, day, at: from, minutes: length, &random, ["quality": .number(min(max(quality, 1), 5))])
  }

  private func mood(_ day: CivilDate) -> Event? {
    var random = random(day, .mood)
    guard random.happens(0.88) else { return nil }
    let middle = 3.1 + (isRunning(day) ? 0.8 : 0) - (isDrinking(day.advanced(by: -1)) ? 0.4 : 0)
    let score = min(max(Int(random.around(middle, spread: 0.5).rounded()), 1), 5)
    return event(.mood, day, at: random.clock(21, 15, spread: 20), &random, ["score": .number(score)])
  }

  private func coffees(_ day: CivilDate) -> [Event] {
    var random = random(day, .coffee)
    let times = isWorkday(day) ? [(8, 10, 0.95), (10, 30, 0.8), (14, 0, 0.45)] : [(9, 40, 0.9), (11, 15, 0.35)]
    return times.compactMap { hour, minute, probability in
      guard random.happens(probability) else { return nil }
      let size: PropertyValue = .select(random.happens(0.3) ? "large" : "small")
      return event(
        .coffee, day, at: random.clock(hour, minute, spread: 7), &random, ["count": .number(1), "size": size])
    }
  }

  private func medication(_ day: CivilDate) -> Event? {
    var random = random(day, .medication)
    // No day was missed in the last 130 days, so there is a current streak.
    guard random.happens(age(day) < 130 ? 1 : 0.93) else { return nil }
    return event(.medication, day, at: random.clock(7, 45, spread: 6), &random)
  }

  private func run(_ day: CivilDate) -> Event? {
    guard isRunning(day) else { return nil }
    var random = random(day, .run)
    _ = random.next()
    // Typical distances have increased by 1.5 km per year.
    let usual = max(4, 8.5 - 1.5 * Double(age(day)) / 365)
    let distance = (min(max(random.around(usual, spread: 1.2), 2), 21) * 10).rounded() / 10
    let pace = random.around(6.0, spread: 0.15)
    return event(
      .run, day, at: isWorkday(day) ? random.clock(18, 5, spread: 12) : random.clock(9, 5, spread: 20),
      minutes: Int(distance * pace), &random, ["distance": .number(distance)])
  }

  private func stretching(_ day: CivilDate) -> Event? {
    var random = random(day, .stretching)
    guard random.happens(isRunning(day) ? 0.9 : 0.06) else { return nil }
    return event(
      .stretching, day, at: isWorkday(day) ? random.clock(19, 20, spread: 6) : random.clock(10, 40, spread: 8),
      minutes: 10, &random)
  }

  private func wine(_ day: CivilDate) -> Event? {
    guard isDrinking(day) else { return nil }
    var random = random(day, .wine)
    _ = random.next()
    return event(
      .wine, day, at: random.clock(20, 15, spread: 25), &random,
      ["count": .number(Int.random(in: 1...3, using: &random))])
  }

  private func headache(_ day: CivilDate) -> Event? {
    var random = random(day, .headache)
    guard random.happens(isDrinking(day.advanced(by: -1)) ? 0.6 : 0.04) else { return nil }
    return event(.headache, day, at: random.clock(10, 0, spread: 80), &random)
  }

  private func television(_ day: CivilDate) -> Event? {
    guard isWatching(day) else { return nil }
    var random = random(day, .television)
    _ = random.next()
    return event(
      .television, day, at: random.clock(20, 30, spread: 12), minutes: Int(random.around(95, spread: 20)), &random)
  }

  private func reading(_ day: CivilDate) -> Event? {
    var random = random(day, .reading)
    guard random.happens(isWatching(day) ? 0.25 : 0.9) else { return nil }
    return event(
      .reading, day, at: random.clock(22, 0, spread: 10), minutes: max(8, Int(random.around(32, spread: 8))), &random)
  }

  private func meditation(_ day: CivilDate) -> Event? {
    var random = random(day, .meditation)
    // The user started to meditate five weeks ago.
    guard age(day) < 35, random.happens(age(day) < 14 ? 0.8 : 0.45) else { return nil }
    return event(.meditation, day, at: random.clock(7, 10, spread: 5), minutes: 10, &random)
  }

  private func call(_ day: CivilDate) -> Event? {
    var random = random(day, .call)
    // Calls are about once a week, but there were none in the last two weeks, so a call is overdue.
    guard age(day) > 15, random.happens(1.0 / 7) else { return nil }
    return event(.call, day, at: random.clock(17, 30, spread: 30), minutes: Int(random.around(35, spread: 8)), &random)
  }

  private func plants(_ day: CivilDate) -> Event? {
    var random = random(day, .plants)
    guard day.daysSince1970 % 5 == 0, random.happens(0.9) else { return nil }
    return event(.plants, day, at: random.clock(9, 0, spread: 30), &random)
  }

  private func journal(_ day: CivilDate) -> Event? {
    var random = random(day, .journal)
    guard random.happens(0.3) else { return nil }
    var entry = event(.journal, day, at: random.clock(21, 50, spread: 15), &random)
    entry.notes = Self.notes.randomElement(using: &random)
    return entry
  }

  private static let notes = [
    "Long walk by the river after dinner.", "Finished the shelf at last.", "Quiet day, rain since the morning.",
    "Planned the summer with Ada.", "The tomatoes are ripe.", "Too many meetings.", "Fixed the bicycle's brakes.",
    "Cooked for six; nothing was left.", "Snow, and everything slow.", "A letter from Grace.",
  ]

  // MARK: Trips

  private func trips(_ day: CivilDate) -> [Event] {
    guard isWorkday(day) else { return [] }
    var client = random(day, .client)
    if client.happens(day.weekday == 3 ? 0.5 : 0.05) {
      return [
        trip(.home, .client, day, at: client.clock(8, 5, spread: 10), &client),
        trip(.client, .home, day, at: client.clock(15, 40, spread: 25), &client),
      ]
    }
    var commute = random(day, .commute)
    guard commute.happens(0.75) else { return [] }
    return [
      trip(.home, .office, day, at: commute.clock(8, 20, spread: 6), &commute),
      trip(.office, .home, day, at: commute.clock(17, 10, spread: 15), &commute),
    ]
  }

  private func trip(_ from: Place, _ to: Place, _ day: CivilDate, at minute: Int, _ random: inout DailyRandomSource)
    -> Event
  {
    let route = Self.route(from, to)
    let distance = zip(route, route.dropFirst()).reduce(0) { $0 + Geodesic.distanceMeters(from: $1.0, to: $1.1) }
    let start = moment(day, minute)
    let duration = (distance / random.around(17.5, spread: 1)).rounded()
    var trip = Trip(
      id: id(at: start, &random), startTime: start, startCoordinate: from.coordinate, distanceMeters: distance)
    trip.endTime = start.addingTimeInterval(duration)
    let record = TripRecord(trip: trip, topSpeed: random.around(29, spread: 1), route: route)
    guard var event = record.event(eventTypeId: tripType.id, carName: vehicle.name) else {
      preconditionFailure("sample trips have an end")
    }
    event.timeZone = local.zoneName
    let isBusiness = from == .client || to == .client
    event.properties[TripRecord.PropertyKey.category.rawValue] = .select(isBusiness ? "business" : "private")
    event.properties[TripRecord.PropertyKey.vehicle.rawValue] = .text(vehicle.id)
    return event
  }

  /// Returns a curved route between two places, which is the same in both directions.
  private static func route(_ from: Place, _ to: Place) -> [Coordinate] {
    let isOutward = from == .home
    let (start, end) = isOutward ? (from.coordinate, to.coordinate) : (to.coordinate, from.coordinate)
    let (north, east) = (end.latitude - start.latitude, end.longitude - start.longitude)
    let steps = 60
    let way = (0...steps).map { step in
      let part = Double(step) / Double(steps)
      // The route deviates from the straight line in an S-curve.
      let bend: Double = 0.6 + 0.4 * sin(part * 2 * .pi)
      let aside: Double = 0.12 * sin(part * .pi) * bend
      return Coordinate(
        latitude: start.latitude + part * north - aside * east * 0.6,
        longitude: start.longitude + part * east + aside * north * 1.6)
    }
    return isOutward ? way : way.reversed()
  }

  // MARK: Events

  private func event(
    _ kind: Kind, _ day: CivilDate, at minute: Int, minutes: Int? = nil, _ random: inout DailyRandomSource,
    _ properties: [String: PropertyValue] = [:]
  ) -> Event {
    let start = moment(day, minute)
    return Event(
      id: id(at: start, &random), eventTypeId: kind.id, timestamp: start,
      endDate: minutes.map { start.addingTimeInterval(Double($0) * 60) }, timeZone: local.zoneName,
      properties: properties)
  }

  private func moment(_ day: CivilDate, _ minute: Int) -> Date {
    let (year, month, date) = day.fields
    return local.date(year: year, month: month, day: date, minute: minute)
  }

  /// Returns an id as if the event had been recorded when it started.
  private func id(at moment: Date, _ random: inout DailyRandomSource) -> String {
    var generator = UUIDv7.Generator()
    return generator.next(at: moment, using: &random).description
  }
}
