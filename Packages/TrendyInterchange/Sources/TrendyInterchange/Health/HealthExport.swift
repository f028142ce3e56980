import TrendyFoundation
import TrendyModels

/// Reads `export.xml` from Apple Health as a stream and converts it to events.
///
/// Workouts, water and mindfulness are emitted while the file is read. Steps, active energy and sleep follow at the
/// end, because each of their events combines many lines. If several devices count the same steps, only the best source
/// counts in each interval: a watch takes precedence over a phone, and a phone over all other sources. All other data
/// is counted as skipped.
///
/// ```swift
/// let summary = try HealthExport.read({ try file.read(into: $0) }) { event in
///   take(event)
/// }
/// ```
public enum HealthExport: Sendable {
  /// Function that writes the next bytes of the file to the buffer and returns the number of bytes written. Returns 0
  /// only at the end.
  public typealias Source = (UnsafeMutableRawBufferPointer) throws -> Int

  /// Counts and problems of one file.
  public struct Summary: Hashable, Sendable {
    /// Number of records, workouts and other top-level elements.
    public internal(set) var elements = 0
    /// Number of events by category.
    public internal(set) var events: [HealthCategory: Int] = [:]
    /// Number of skipped elements by type. After 256 types, further types count as "other".
    public internal(set) var skipped: [String: Int] = [:]
    /// Problems with the first 100 rejected elements, in file order.
    public internal(set) var problems: [ImportProblem] = []
    /// Total number of rejected elements.
    public internal(set) var problemCount = 0
    /// Time of the export as written in the file.
    public internal(set) var exportDate: String?

    mutating func report(line: Int, _ reason: String) {
      problemCount += 1
      if problems.count < 100 { problems.append(ImportProblem(place: "line \(line)", reason: reason)) }
    }
  }

  /// Reads the file to its end.
  ///
  /// From a truncated file, the workouts, water and mindfulness before the end are emitted. Daily totals and sleep are
  /// not emitted, because they may be incomplete and a later import would not correct existing events.
  ///
  /// - Throws: ``HealthExportError``, or errors of `source` or `body`.
  public static func read(
    _ source: @escaping Source, _ body: (HealthEvent) throws -> Void
  ) throws -> Summary {
    var parser = try HealthParser(source)
    return try parser.run(body)
  }
}
