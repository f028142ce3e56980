/// Runs cases against one reader of what comes from outside. A case that ends the program, or breaks what its target promises, is
/// named by its number, with which it is run again.
public struct Fuzzer: Sendable {
  public enum Target: String, CaseIterable, Sendable {
    /// Heads and bodies of requests, as the hub's parser reads them.
    case http
    /// Documents of every wire type.
    case json
    /// Pages of the feed, as a device reads them.
    case feed
    /// Snapshots, whole and in parts, as a device reads them.
    case snapshot
    /// Pushes, as the hub judges them.
    case push
    /// Addresses and their query parameters.
    case query
    /// What trackers post, and files of tracks.
    case tracks
    /// Backups and the files and rows of stores, damaged, with correct checksums.
    case store
  }

  /// A promise that a case broke.
  public struct Break: Error, Hashable, Sendable, CustomStringConvertible {
    public var target: Target
    public var number: UInt64
    public var message: String
    public var description: String { "\(target.rawValue) case \(number): \(message)" }
  }

  public let target: Target

  public init(_ target: Target) { self.target = target }

  /// Runs the cases with these numbers; `onCase` is told of each before it runs.
  /// - Returns: how often each thing came of a case, in message such as `read` and `refused`.
  /// - Throws: ``Break`` for the first that breaks a promise.
  public func run(_ numbers: Range<UInt64>, onCase: (UInt64) -> Void = { _ in }) async throws -> [String: Int] {
    var outcomes: [String: Int] = [:]
    switch target {
    case .http: try each(numbers, onCase, &outcomes) { try HTTPCase.run(&$0) }
    case .json: try each(numbers, onCase, &outcomes) { try DocumentCase.run(&$0) }
    case .tracks: try each(numbers, onCase, &outcomes) { try TrackCase.run(&$0) }
    case .feed, .snapshot:
      try await scenarios(numbers, onCase, &outcomes) { source, count in
        var scenario = try DeviceScenario(&source, readsSnapshots: target == .snapshot)
        return try await scenario.run(count)
      }
    case .store:
      try await scenarios(numbers, onCase, &outcomes) { source, count in
        var scenario = StoreScenario(source)
        return try await scenario.run(count)
      }
    case .push, .query:
      try await scenarios(numbers, onCase, &outcomes) { source, count in
        var scenario = try HubScenario(&source, asksOnly: target == .query)
        return try await scenario.run(count)
      }
    }
    return outcomes
  }

  private func each(
    _ numbers: Range<UInt64>, _ onCase: (UInt64) -> Void, _ outcomes: inout [String: Int],
    _ body: (inout FuzzSource) throws -> String
  ) throws {
    for number in numbers {
      onCase(number)
      var source = FuzzSource(seed: number)
      do {
        outcomes[try body(&source), default: 0] += 1
      } catch {
        throw Break(target: target, number: number, message: "\(error)")
      }
    }
  }

  /// Cases that follow one another on one device or hub; the number is that of the first.
  static let scenarioLength: UInt64 = 20

  private func scenarios(
    _ numbers: Range<UInt64>, _ onCase: (UInt64) -> Void, _ outcomes: inout [String: Int],
    _ body: (inout FuzzSource, Int) async throws -> [String: Int]
  ) async throws {
    var number = numbers.lowerBound
    while number < numbers.upperBound {
      onCase(number)
      var source = FuzzSource(seed: number)
      let count = min(Self.scenarioLength, numbers.upperBound - number)
      do {
        outcomes.merge(try await body(&source, Int(count)), uniquingKeysWith: +)
      } catch {
        throw Break(target: target, number: number, message: "\(error)")
      }
      number += count
    }
  }
}

/// What a case found.
struct Finding: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
