/// Runs numbered cases against one parser of external input. If a case crashes the program or violates a property of
/// its target, the report contains the number of the case, by which it can be reproduced.
public struct Fuzzer: Sendable {
  public enum Target: String, CaseIterable, Sendable {
    /// HTTP requests, read by the hub's parser.
    case http
    /// JSON of every wire type.
    case json
    /// Pages of the change feed, applied by a device.
    case feed
    /// Snapshots, complete and in parts, applied by a device.
    case snapshot
    /// Push requests, processed by a hub.
    case push
    /// Request targets and query parameters.
    case query
    /// Tracker uploads and track files.
    case tracks
    /// Damaged backups, files and rows of stores, with valid checksums.
    case store
  }

  /// A violated property, with the case that violates it.
  public struct Break: Error, Hashable, Sendable, CustomStringConvertible {
    public var target: Target
    public var number: UInt64
    public var message: String
    public var description: String { "\(target.rawValue) case \(number): \(message)" }
  }

  public let target: Target

  public init(_ target: Target) { self.target = target }

  /// Runs the cases with the given numbers and stops at the first violation.
  /// - Parameter onCase: called with the number of each case before it runs.
  /// - Returns: the number of cases by outcome, such as `read` or `rejected`.
  /// - Throws: ``Break`` for the first violation.
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

  /// Number of cases that share one device or hub. A scenario is reported by the number of its first case.
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

struct Finding: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
