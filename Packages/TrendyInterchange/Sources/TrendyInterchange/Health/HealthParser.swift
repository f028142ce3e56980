import TrendyFoundation
import TrendyModels

/// Converts the elements of a health export to events.
struct HealthParser: ~Copyable {
  enum Kind: Hashable {
    case steps
    case energy
    case water
    case mindfulness
    case sleep
    /// Measurement whose average per day is imported.
    case weight
    case heartRate
    case systolic
    case diastolic
    case other(Int)
  }

  /// Record whose end tag has not been read yet. Its content may specify the time zone.
  struct Record {
    var kind: Kind
    var start: HealthMoment
    var end: HealthMoment
    var value = 0.0
    var stage = SleepSessions.Stage.inBed
    var source: UInt16
    var line: Int
    var zone: Int16 = -1
  }

  struct Workout {
    var activity: String
    var start: HealthMoment
    var end: HealthMoment
    var source: String
    var line: Int
    var zone: Int16 = -1
    /// Duration without pauses, in seconds.
    var duration: Double?
    /// Distance in metres.
    var distance: Double?
    /// Energy in kilocalories.
    var energy: Double?
    var statisticsDistance: Double?
    var statisticsEnergy: Double?
    var pausedSeconds: Int64 = 0
    var pausedSince: Int64?
    var routes: [String] = []

    mutating func addDistance(_ meters: Double) { statisticsDistance = (statisticsDistance ?? 0) + meters }
    mutating func addEnergy(_ kilocalories: Double) { statisticsEnergy = (statisticsEnergy ?? 0) + kilocalories }
  }

  /// Depth of the open workout element, or 0 if none is open.
  var workoutDepth = 0
  private var recordDepth = 0
  var routeDepth = 0
  /// Depth of the open element that is ignored, or 0. A correlation is ignored because the file repeats its records
  /// elsewhere.
  private var ignoredDepth = 0

  var scanner: XMLScanner
  var summary = HealthExport.Summary()
  var record: Record?
  var workout: Workout?
  var sources = HealthSources()
  var steps = DailyTotals()
  var energy = DailyTotals()
  var sleep = SleepSessions()
  var measurements = DailyValues()

  /// Types that are skipped. The counts of these types are in `otherCounts`.
  var otherNames: [String] = []
  var otherCounts: [Int] = []
  private var otherIndices: [String: Int] = [:]
  /// Type of the last record, cached because most consecutive records have the same type.
  var lastType: [UInt8] = []
  var lastKind = Kind.other(0)

  var zoneNames: [String] = []
  var zoneRules: [TimeZoneRules?] = []
  var zoneIndices: [String: Int16] = [:]

  /// Maximum memory for daily totals and sleep samples, in bytes.
  static let memoryLimit = 40 << 20
  /// Maximum duration of a sample in seconds.
  static let longestSample: Int64 = 35 * 86_400

  init(_ source: @escaping HealthExport.Source) throws {
    do throws(XMLProblem) {
      scanner = try XMLScanner(documentType: .toItsBracket, source: source)
    } catch {
      throw HealthExportError.malformed(line: error.line, column: error.column, reason: error.reason, elements: 0)
    }
  }

  mutating func run(_ body: (HealthEvent) throws -> Void) throws -> HealthExport.Summary {
    while true {
      let token: XMLScanner.Token
      do throws(XMLProblem) {
        token = try scanner.next()
      } catch {
        throw failure(error)
      }
      switch token {
      case .start:
        do throws(XMLProblem) { try begin() } catch { throw failure(error) }
        if let notHealth { throw notHealth }
      case .end: try end(body)
      case .text, .characterData: break
      case .finished:
        try finish(body)
        return summary
      }
    }
  }

  var notHealth: HealthExportError?

  private func failure(_ problem: XMLProblem) -> any Error {
    if let failure = scanner.sourceFailure { return failure }
    if summary.elements == 0, scanner.depth == 0 {
      return HealthExportError.notHealth(seen: "a file that is not XML, or is damaged at its start")
    }
    return problem.isTruncated
      ? HealthExportError.truncated(line: problem.line, reason: problem.reason, elements: summary.elements)
      : HealthExportError.malformed(
        line: problem.line, column: problem.column, reason: problem.reason, elements: summary.elements)
  }
}

extension HealthParser {
  /// Depth of the last start tag's element, including that element.
  var depth: Int { scanner.isEmptyElement ? scanner.depth + 1 : scanner.depth }

  mutating func begin() throws(XMLProblem) {
    let depth = depth
    if ignoredDepth > 0 { return }
    switch depth {
    case 1:
      guard scanner.matches(scanner.name, "HealthData") else {
        let name = try scanner.string(scanner.name)
        notHealth = .notHealth(
          seen: name == "ClinicalDocument"
            ? "Apple's clinical document (export_cda.xml); the data is in the other XML file"
            : "an XML file of <\(name)>")
        return
      }
    case 2:
      if scanner.matches(scanner.name, "Record") {
        summary.elements += 1
        try beginRecord()
        recordDepth = depth
      } else if scanner.matches(scanner.name, "Workout") {
        summary.elements += 1
        workout = try newWorkout()
        workoutDepth = depth
      } else if scanner.matches(scanner.name, "ExportDate") {
        summary.exportDate = try attribute("value")
      } else {
        // Ignore correlations, which repeat other records. `Me`, activity rings and clinical records are not imported
        // either.
        ignoredDepth = depth
        let name = try scanner.string(scanner.name)
        guard name != "Me" else { return }
        summary.elements += 1
        otherCounts[otherIndex(name)] += 1
      }
    default:
      if workout != nil {
        try beginPart(ofWorkoutAt: depth)
      } else if depth == recordDepth + 1, record != nil, scanner.matches(scanner.name, "MetadataEntry") {
        if let zone = try zoneOfMetadata() { record?.zone = zone }
      }
    }
  }

  mutating func end(_ body: (HealthEvent) throws -> Void) throws {
    let depth = scanner.depth + 1
    if ignoredDepth > 0 {
      if depth == ignoredDepth { ignoredDepth = 0 }
    } else if depth == recordDepth {
      recordDepth = 0
      if let ended = record {
        record = nil
        try take(ended, body)
      }
    } else if depth == workoutDepth {
      workoutDepth = 0
      if let ended = workout {
        workout = nil
        try give(event(of: ended), body)
      }
    } else if depth == routeDepth {
      routeDepth = 0
    }
  }

  mutating func give(_ event: HealthEvent, _ body: (HealthEvent) throws -> Void) throws {
    summary.events[event.category, default: 0] += 1
    try body(event)
  }

  func attribute(_ name: StaticString) throws(XMLProblem) -> String? {
    for attribute in scanner.attributes where scanner.matches(attribute.name, name) {
      return try scanner.unescaped(attribute.value)
    }
    return nil
  }

  mutating func otherIndex(_ name: String) -> Int {
    let name = otherNames.count < 256 || otherIndices[name] != nil ? String(name.prefix(128)) : "other"
    if let index = otherIndices[name] { return index }
    otherIndices[name] = otherNames.count
    otherNames.append(name)
    otherCounts.append(0)
    return otherNames.count - 1
  }
}
