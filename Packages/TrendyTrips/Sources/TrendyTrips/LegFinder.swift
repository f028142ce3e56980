#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels

/// Tells in which way each part of a trip was gone: the most likely row of modes, given speeds and readings of motion.
///
/// A hidden Markov model of four modes. A mode costs by how far its usual speed is from the measured one, in units of its
/// own spread and the fixes' uncertainty; a reading of motion that says otherwise costs; a change of mode costs as much
/// as some minutes of being a little wrong.
struct LegFinder: Hashable, Sendable, Codable {
  private struct Cell: Hashable, Codable {
    var start: Date
    var end: Date
    /// Metres along the way, and as the crow flies.
    var distance: Double
    var crow: Double
    /// Metres by which the latter is uncertain.
    var noise: Double
    var activity: MotionActivity?
  }

  private var cells: [Cell] = []
  private var open: Cell?
  private var openFix: Location?
  /// Seconds of a cell at least. Doubles when there are many, so that a trip of days takes no more room than one of hours.
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

  private func close(_ cell: inout Cell, _ from: Location, _ to: Location, _ motion: MotionHistory) {
    cell.crow = Geodesic.shortMeters(from: from.coordinate, to: to.coordinate)
    cell.noise = max(from.horizontalAccuracy, 5) + max(to.horizontalAccuracy, 5)
    cell.activity = motion.activity(at: cell.start.addingTimeInterval(cell.end.timeIntervalSince(cell.start) / 2))
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
  /// Seconds: longer without a fix and without a reading, and nobody knows how it was gone.
  private static let unseen: TimeInterval = 1800

  /// - Parameters:
  ///   - end: where the trip ends; what was added after it is not part of it.
  ///   - distance: metres from start to end.
  func legs(from start: Date, to end: Date, distance: Double) -> [TripLeg] {
    var row = cells.filter { $0.start < end }
    if let open, open.end <= end || row.isEmpty { row.append(open) }
    guard !row.isEmpty else {
      return [TripLeg(mode: .walking, startTime: start, endTime: end, distanceMeters: distance)]
    }
    let modes = mostLikely(row)
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
    return legs
  }

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
    let miss = speed - mode.speed
    let wrongSpeed = min(Mode.mostWrong, miss * miss / (2 * (mode.spread * mode.spread + noise * noise)))
    let standing = Mode.standing + speed * speed / (2 * (0.25 + noise * noise))
    var cost = min(wrongSpeed, standing) + mode.rarity
    if let activity = cell.activity, activity.state != .stationary, activity.state != mode.state {
      let isOnFoot =
        activity.state == .walking && mode.state == .running || activity.state == .running && mode.state == .walking
      cost += (isOnFoot ? 0.5 : 1) * Mode.contradiction * Double(activity.confidence.rawValue) / 2
    }
    return cost * min(3, seconds / 20)
  }

  /// How a mode goes: metres a second, and the cost of being rare.
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
    /// Standing still is part of every mode and tells them not apart.
    static let standing = 1.0
    static let changeCost = 6.0
    static let contradiction = 1.5
    /// A fix that is wrong must not decide alone.
    static let mostWrong = 4.0
  }
}
