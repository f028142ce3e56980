import TrendyFoundation
import TrendyModels

/// Divides a trip into legs by finding the most likely sequence of transport modes for its speeds and motion readings.
///
/// Uses a hidden Markov model with four modes. The cost of a mode in a cell grows with the difference between its
/// typical speed and the measured speed, relative to the spread of the mode and the accuracy of the fixes. A
/// contradicting motion reading and each change of mode add to the cost.
struct LegFinder: Hashable, Sendable, Codable {
  private struct Cell: Hashable, Codable {
    var start: Date
    var end: Date
    /// Path length and straight-line distance in metres.
    var distance: Double
    var crow: Double
    /// Uncertainty of the straight-line distance in metres.
    var noise: Double
    var activity: MotionActivity?

    /// Straight-line speed in m/s.
    var speed: Double { crow / max(1, end.timeIntervalSince(start)) }

    var middle: Date { start.addingTimeInterval(end.timeIntervalSince(start) / 2) }
  }

  private var cells: [Cell] = []
  private var open: Cell?
  private var openFix: Location?
  /// Minimum duration of a cell in seconds. Doubled when a trip has too many cells, to bound the number of cells.
  private var span: TimeInterval = 20

  mutating func add(_ fix: Location, distance: Double, motion: MotionHistory) {
    guard let from = openFix else {
      openFix = fix
      return
    }
    var cell = open ?? Cell(start: from.timestamp, end: fix.timestamp, distance: 0, crow: 0, noise: 0)
    cell.end = fix.timestamp
    cell.distance += distance
    open = cell
    guard fix.timestamp.timeIntervalSince(cell.start) >= span else { return }
    close(&cell, from, fix, motion)
    open = nil
    openFix = fix
    cells.append(cell)
    if cells.count >= Self.limit { thin() }
  }

  /// Continues from another position. The speed on the way there is unknown.
  mutating func move(to fix: Location, motion: MotionHistory) {
    if var cell = open, let from = openFix {
      cell.activity = motion.activity(at: cell.middle)
      // Substitute the path length for the straight-line distance, which is unknown.
      cell.crow = cell.distance
      cell.noise = 2 * max(from.horizontalAccuracy, 5)
      cells.append(cell)
    }
    open = nil
    openFix = fix
  }

  private func close(_ cell: inout Cell, _ from: Location, _ to: Location, _ motion: MotionHistory) {
    cell.crow = Geodesic.shortMeters(from: from.coordinate, to: to.coordinate)
    cell.noise = max(from.horizontalAccuracy, 5) + max(to.horizontalAccuracy, 5)
    cell.activity = motion.activity(at: cell.middle)
  }

  private mutating func thin() {
    span *= 2
    var kept: [Cell] = []
    for cell in cells {
      guard let last = kept.last, cell.end.timeIntervalSince(last.start) <= span else {
        kept.append(cell)
        continue
      }
      kept[kept.count - 1] = Cell(
        start: last.start, end: cell.end, distance: last.distance + cell.distance, crow: last.crow + cell.crow,
        noise: max(last.noise, cell.noise), activity: cell.activity ?? last.activity)
    }
    cells = kept
  }

  private static let limit = 4096
  /// Duration in seconds without fixes and motion readings after which the mode is unknown.
  private static let unseen: TimeInterval = 1800

  /// Returns the legs of the trip. Fixes after `end` are ignored. `distance` is the path length in metres, and `added`
  /// is its correction, which is distributed over the legs in proportion to their lengths.
  func legs(from start: Date, to end: Date, distance: Double, added: Double = 0) -> [TripLeg] {
    var row = cells.filter { $0.middle < end }
    if row.isEmpty { row = Array(cells.prefix(1)) }
    if let open, open.end <= end || row.isEmpty { row.append(open) }
    guard !row.isEmpty else {
      return [TripLeg(mode: .walking, startTime: start, endTime: end, distanceMeters: distance + added)]
    }
    var modes = mostLikely(row)
    settle(&modes, of: row)
    var legs: [TripLeg] = []
    var left = distance
    for (cell, mode) in zip(row, modes) {
      let part = min(left, cell.distance)
      left -= part
      if let last = legs.last, last.mode == mode {
        legs[legs.count - 1].endTime = min(cell.end, end)
        legs[legs.count - 1].distanceMeters += part
      } else {
        legs.append(TripLeg(mode: mode, startTime: cell.start, endTime: min(cell.end, end), distanceMeters: part))
      }
    }
    legs[0].startTime = start
    legs[legs.count - 1].endTime = end
    legs[legs.count - 1].distanceMeters += left
    if added > 0, distance > 0 {
      for index in legs.indices { legs[index].distanceMeters *= 1 + added / distance }
    }
    return legs
  }

  /// Corrects modes that depend on several cells: slow buses, interrupted rides, and the ends of rides.
  private func settle(_ modes: inout [MotionState], of row: [Cell]) {
    // Detect buses that stop often, which are as slow as bicycles on average but faster between their stops.
    for run in Self.runs(of: modes) where [.cycling, .running].contains(modes[run.lowerBound]) {
      let speeds = row[run].map(\.speed).sorted()
      let isRead = row[run].contains { $0.activity?.state == modes[run.lowerBound] }
      if !isRead, speeds[speeds.count * 9 / 10] >= Self.fasterThanCycling { fill(&modes, run, with: .automotive) }
    }
    join(&modes, of: row)
    for run in Self.runs(of: modes) where modes[run.lowerBound] == .automotive {
      // Time spent standing at either end of a ride belongs to the adjacent walk.
      let moving = run.filter { row[$0].speed >= Self.standing }
      guard let first = moving.first, let last = moving.last else { continue }
      if run.upperBound < row.count, modes[run.upperBound] == .walking {
        fill(&modes, (last + 1)..<run.upperBound, with: .walking)
      }
      if run.lowerBound > 0, modes[run.lowerBound - 1] == .walking {
        fill(&modes, run.lowerBound..<first, with: .walking)
      }
    }
  }

  /// Joins two rides of the same mode if only a short walk separates them, such as a change of trains.
  private func join(_ modes: inout [MotionState], of row: [Cell]) {
    let runs = Self.runs(of: modes)
    guard runs.count >= 3 else { return }
    for index in 1..<(runs.count - 1) {
      let (run, ride) = (runs[index], modes[runs[index - 1].lowerBound])
      guard ride == modes[runs[index + 1].lowerBound], modes[run.lowerBound] != .unknown else { continue }
      let seconds = row[run.upperBound - 1].end.timeIntervalSince(row[run.lowerBound].start)
      let isShort = seconds <= (ride == .automotive ? Self.changeSeconds : Self.pushSeconds)
      if ride == .automotive || ride == .cycling && modes[run.lowerBound] == .walking, isShort {
        fill(&modes, run, with: ride)
      }
    }
  }

  private func fill(_ modes: inout [MotionState], _ range: Range<Int>, with mode: MotionState) {
    for index in range { modes[index] = mode }
  }

  private static func runs(of modes: [MotionState]) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    var start = 0
    for index in 1...modes.count where index == modes.count || modes[index] != modes[start] {
      runs.append(start..<index)
      start = index
    }
    return runs
  }

  /// Speeds in m/s.
  private static let fasterThanCycling = 8.0
  private static let standing = 0.7
  /// Maximum durations in seconds of a change of trains and of pushing a bicycle.
  private static let changeSeconds: TimeInterval = 420
  private static let pushSeconds: TimeInterval = 120

  private func mostLikely(_ row: [Cell]) -> [MotionState] {
    var totals = [Double](repeating: 0, count: Mode.all.count)
    var from: [[Int]] = []
    for cell in row {
      let cheapest = totals.indices.min { totals[$0] < totals[$1] } ?? 0
      var next = totals
      var origin = Array(totals.indices)
      for mode in totals.indices {
        if totals[cheapest] + Mode.changeCost < totals[mode] {
          next[mode] = totals[cheapest] + Mode.changeCost
          origin[mode] = cheapest
        }
        next[mode] += cost(of: cell, Mode.all[mode])
      }
      totals = next
      from.append(origin)
    }
    var mode = totals.indices.min { totals[$0] < totals[$1] } ?? 0
    var modes: [MotionState] = []
    for index in row.indices.reversed() {
      let cell = row[index]
      let isUnseen = cell.end.timeIntervalSince(cell.start) > max(Self.unseen, 2 * span) && cell.activity == nil
      modes.append(isUnseen ? .unknown : Mode.all[mode].state)
      mode = from[index][mode]
    }
    return modes.reversed()
  }

  private func cost(of cell: Cell, _ mode: Mode) -> Double {
    let seconds = max(1, cell.end.timeIntervalSince(cell.start))
    let speed = cell.crow / seconds
    let noise = cell.noise / seconds
    // A speed above that of a car adds no cost, because trains are faster and no other mode fits them better.
    let miss = mode.state == .automotive ? min(0, speed - mode.speed) : speed - mode.speed
    let wrongSpeed = min(Mode.maxMismatch, miss * miss / (2 * (mode.spread * mode.spread + noise * noise)))
    let standing = Mode.standing + speed * speed / (2 * (0.25 + noise * noise))
    var cost = min(wrongSpeed, standing) + mode.rarity
    if let activity = cell.activity, activity.state != .stationary, activity.state != mode.state {
      let isOnFoot =
        activity.state == .walking && mode.state == .running || activity.state == .running && mode.state == .walking
      cost += (isOnFoot ? 0.5 : 1) * Mode.contradiction * Double(activity.confidence.rawValue) / 2
    }
    // A speed measured over minutes hardly depends on the errors of single fixes, so it has more weight.
    return cost * min(cell.noise <= cell.crow / 8 ? 9 : 3, seconds / 20)
  }

  /// Transport mode with its typical speed in m/s, the spread of that speed, and an additional cost if the mode is
  /// rare.
  private struct Mode {
    var state: MotionState
    var speed: Double
    var spread: Double
    var rarity: Double

    static let all = [
      Mode(state: .walking, speed: 1.2, spread: 0.6, rarity: 0),
      Mode(state: .running, speed: 2.8, spread: 0.6, rarity: 0.5),
      Mode(state: .cycling, speed: 4.5, spread: 1.5, rarity: 0.3),
      Mode(state: .automotive, speed: 13, spread: 6, rarity: 0),
    ]
    /// Cost of standing still, which occurs in every mode.
    static let standing = 1.0
    static let changeCost = 6.0
    static let contradiction = 1.5
    /// Maximum cost of a wrong speed, so that no single fix is decisive.
    static let maxMismatch = 4.0
  }
}
