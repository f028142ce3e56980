import Foundation
import TrendyTesting
import TrendyTrips

/// `trendy-bench worlds`: accuracy of trip detection on simulated days, by world and by recorder.
struct WorldsBenchmark {
  static let usage = "usage: trendy-bench worlds [--n DAYS] [--seed FIRST] [--world NAME]"

  /// Number of days per world.
  private var count = 60
  private var seed: UInt64 = 1
  private var worlds = SimulatedDay.World.allCases

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      guard let value = rest.popFirst() else { throw InputError(text: "\(option) needs a value\n\(Self.usage)") }
      switch option {
      case "--n":
        guard let number = Int(value), number >= 1 else {
          throw InputError(text: "--n must be a number of days, at least 1")
        }
        count = number
      case "--seed":
        guard let number = UInt64(value) else { throw InputError(text: "--seed must be a number") }
        seed = number
      case "--world":
        guard let world = SimulatedDay.World(rawValue: value) else {
          let names = SimulatedDay.World.allCases.map(\.rawValue).joined(separator: ", ")
          throw InputError(text: "unknown world \"\(value)\"; expected one of \(names)")
        }
        worlds = [world]
      default: throw InputError(text: "unknown option \"\(option)\"\n\(Self.usage)")
      }
    }
  }

  func run(_ print: (String) -> Void) {
    var all = TripScore()
    var byRecorder: [SimulatedDay.Recorder: TripScore] = [:]
    var byVariant: [Variant: TripScore] = [:]
    for (index, world) in worlds.enumerated() {
      var score = TripScore()
      for number in 0..<count {
        let recorders = SimulatedDay.Recorder.allCases
        let recorder = recorders[number % recorders.count]
        // Use different seeds for the days of different worlds.
        let daySeed = seed &* 1_000_003 &+ UInt64(number) &* 64 &+ UInt64(index)
        let day = SimulatedDay(seed: daySeed, world: world, recorder: recorder)
        let found = TripDetector.trips(in: day.fixes)
        score.add(day, found)
        all.add(day, found)
        byRecorder[recorder, default: TripScore()].add(day, found)
        for variant in Variant.allCases {
          let poorer = variant.of(day, seed: daySeed)
          byVariant[variant, default: TripScore()].add(poorer, TripDetector.trips(in: poorer.fixes))
        }
      }
      print(score.json([("suite", "worlds"), ("world", world.rawValue)]))
    }
    for recorder in SimulatedDay.Recorder.allCases {
      if let score = byRecorder[recorder] { print(score.json([("suite", "worlds"), ("recorder", recorder.rawValue)])) }
    }
    for variant in Variant.allCases {
      if let score = byVariant[variant] { print(score.json([("suite", "worlds"), ("variant", variant.rawValue)])) }
    }
    print(all.json([("suite", "worlds"), ("world", "all")]))
  }

  private enum Variant: String, CaseIterable {
    case every15 = "15s"
    case every30 = "30s"
    case every60 = "60s"
    case every120 = "120s"
    case withoutAccuracy = "no_accuracy"
    case cells
    case cellsWithoutAccuracy = "cells_no_accuracy"
    case accessPoints = "access_points"
    case wakingLate = "waking_late"
    case scatter10 = "scatter_10m"
    case scatter30 = "scatter_30m"
    case dropped = "dropped_20"
    case holes
    case speed

    func of(_ day: SimulatedDay, seed: UInt64) -> SimulatedDay {
      switch self {
      case .every15: day.thinned(toSeconds: 15)
      case .every30: day.thinned(toSeconds: 30)
      case .every60: day.thinned(toSeconds: 60)
      case .every120: day.thinned(toSeconds: 120)
      case .withoutAccuracy: day.withoutAccuracy()
      case .cells: day.askingCells(0.3, seed: seed)
      case .cellsWithoutAccuracy: day.askingCells(0.3, seed: seed).withoutAccuracy()
      case .accessPoints: day.askingAccessPoints(0.7, seed: seed)
      case .wakingLate: day.wakingLate(seed: seed)
      case .scatter10: day.scattered(byMeters: 10, seed: seed)
      case .scatter30: day.scattered(byMeters: 30, seed: seed)
      case .dropped: day.dropping(0.2, seed: seed)
      case .holes: day.withHoles(seed: seed)
      case .speed: day.tellingSpeed()
      }
    }
  }
}
