import TrendyFoundation
import TrendyModels

/// Reads the `export.xml` of Apple Health as a stream, whatever its size, and gives events.
///
/// Workouts, water and mindfulness come as they stand in the file; steps, active energy and sleep when it has ended, as many lines make one
/// event. Several devices tell of the same steps: each moment is counted once, by the watch before the phone before others.
/// Everything else in the file is counted and not taken.
///
/// ```swift
/// let summary = try HealthExport.read({ try file.read(into: $0) }) { event in
///   take(event)
/// }
/// ```
public enum HealthExport: Sendable {
  /// Fills the buffer with the next bytes of the file.
  /// - Returns: how many; 0 only at the end.
  public typealias Source = (UnsafeMutableRawBufferPointer) throws -> Int

  /// What was in the file.
  public struct Summary: Hashable, Sendable {
    /// Records, workouts and all else that stands beside them.
    public internal(set) var elements = 0
    /// Events that were given.
    public internal(set) var events: [HealthCategory: Int] = [:]
    /// What was not taken, by its type; of more than 256 types the rest is "other".
    public internal(set) var skipped: [String: Int] = [:]
    /// The first hundred things that could not be taken, in the order of the file.
    public internal(set) var problems: [ImportProblem] = []
    /// How many there were in all.
    public internal(set) var problemCount = 0
    /// When the phone wrote it, as it says.
    public internal(set) var exportDate: String?

    mutating func report(line: Int, _ reason: String) {
      problemCount += 1
      if problems.count < 100 { problems.append(ImportProblem(place: "line \(line)", reason: reason)) }
    }
  }

  /// Reads the file to its end.
  ///
  /// Of a file that breaks off, workouts, water and mindfulness were given as far as they were whole. Sums of dates and nights were not: no one
  /// could tell which are complete, and an event that is there is not changed by a later import.
  /// - Throws: ``HealthExportError``, or what `source` or `body` throw.
  public static func read(
    _ source: @escaping Source, _ body: (HealthEvent) throws -> Void
  ) throws -> Summary {
    var parser = try HealthParser(source)
    return try parser.run(body)
  }
}
