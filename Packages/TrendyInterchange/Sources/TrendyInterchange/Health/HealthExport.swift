#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
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

/// Why a health export could not be read to its end.
public enum HealthExportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// `seen` says what it is instead.
  case notHealth(seen: String)
  /// An archive or a folder holds more than one export.
  case severalExports([String])
  /// The file ends before it is complete. `line` counts from 1.
  case truncated(line: Int, reason: String, elements: Int)
  /// The file breaks the rules of XML. `line` counts from 1, and so does `column`, in bytes.
  case malformed(line: Int, column: Int, reason: String, elements: Int)

  public var description: String {
    switch self {
    case .notHealth(let seen): "this looks like \(seen), and not like an export of Apple Health"
    case .severalExports(let paths):
      "there are \(paths.count) exports of Apple Health in it (\(paths.prefix(3).joined(separator: ", "))); read one at a time"
    case .truncated(let line, let reason, let elements):
      "truncated at line \(line), after \(elements) records: \(reason); sums of dates and nights were left out. "
        + "Export again on the phone, or copy the file again"
    case .malformed(let line, let column, let reason, let elements):
      "line \(line), column \(column), after \(elements) records: \(reason); sums of dates and nights were left out"
    }
  }
}

/// Follows the elements of an export; the one place that knows how it is built.
private struct HealthParser: ~Copyable {
  private enum Kind: Hashable {
    case steps
    case energy
    case water
    case mindfulness
    case sleep
    case other(Int)
  }

  /// A record that goes on until its end, as its zone may stand in it.
  private struct Record {
    var kind: Kind
    var start: HealthMoment
    var end: HealthMoment
    var value = 0.0
    var stage = SleepSessions.Stage.inBed
    var source: UInt16
    var line: Int
    var zone: Int16 = -1
  }

  private struct Workout {
    var activity: String
    var start: HealthMoment
    var end: HealthMoment
    var source: String
    var line: Int
    var zone: Int16 = -1
    /// Seconds, without pauses.
    var duration: Double?
    /// Metres.
    var distance: Double?
    /// Kilocalories.
    var energy: Double?
    var statisticsDistance: Double?
    var statisticsEnergy: Double?
    var pausedSeconds: Int64 = 0
    var pausedSince: Int64?
    var routes: [String] = []

    mutating func addDistance(_ meters: Double) { statisticsDistance = (statisticsDistance ?? 0) + meters }
    mutating func addEnergy(_ kilocalories: Double) { statisticsEnergy = (statisticsEnergy ?? 0) + kilocalories }
  }

  /// What is open, from outside to inside: depths of elements, 0 where none is open.
  private var workoutDepth = 0
  private var recordDepth = 0
  private var routeDepth = 0
  /// An element whose content says nothing, such as a correlation, whose records stand beside it as well.
  private var ignoredDepth = 0

  private var scanner: XMLScanner
  private var summary = HealthExport.Summary()
  private var record: Record?
  private var workout: Workout?
  private var sources = HealthSources()
  private var steps = DailyTotals()
  private var energy = DailyTotals()
  private var sleep = SleepSessions()

  /// Types that are not taken: names, counts, and the one met last, which most records have again.
  private var otherNames: [String] = []
  private var otherCounts: [Int] = []
  private var otherIndices: [String: Int] = [:]
  private var lastType: [UInt8] = []
  private var lastKind = Kind.other(0)

  private var zoneNames: [String] = []
  private var zoneRules: [TimeZoneRules?] = []
  private var zoneIndices: [String: Int16] = [:]

  /// Bytes that sums and nights may hold.
  private static let memoryLimit = 40 << 20
  /// Days that one sample may last.
  private static let longestSample: Int64 = 35 * 86_400

  init(_ source: @escaping HealthExport.Source) throws {
    do throws(XMLProblem) {
      scanner = try XMLScanner(documentType: .toItsLastLine, source: source)
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

  private var notHealth: HealthExportError?

  private func failure(_ problem: XMLProblem) -> any Error {
    if let failure = scanner.sourceFailure { return failure }
    if summary.elements == 0, scanner.depth == 0 {
      return HealthExportError.notHealth(seen: "a file that is not XML, or is broken before its first element")
    }
    return problem.isTruncated
      ? HealthExportError.truncated(line: problem.line, reason: problem.reason, elements: summary.elements)
      : HealthExportError.malformed(
        line: problem.line, column: problem.column, reason: problem.reason, elements: summary.elements)
  }
}

extension HealthParser {
  /// Depth of the element that begins: open ones, this included.
  private var depth: Int { scanner.isEmptyElement ? scanner.depth + 1 : scanner.depth }

  private mutating func begin() throws(XMLProblem) {
    let depth = depth
    if ignoredDepth > 0 { return }
    switch depth {
    case 1:
      guard scanner.matches(scanner.name, "HealthData") else {
        let name = try scanner.string(scanner.name)
        notHealth = .notHealth(
          seen: name == "ClinicalDocument"
            ? "Apple's clinical document (export_cda.xml); the data is in the file beside it"
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
        // Correlations repeat records that stand beside them; Me, activity rings and clinical records are not taken.
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

  private mutating func end(_ body: (HealthEvent) throws -> Void) throws {
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

  private mutating func give(_ event: HealthEvent, _ body: (HealthEvent) throws -> Void) throws {
    summary.events[event.category, default: 0] += 1
    try body(event)
  }

  private func attribute(_ name: StaticString) throws(XMLProblem) -> String? {
    for attribute in scanner.attributes where scanner.matches(attribute.name, name) {
      return try scanner.unescaped(attribute.value)
    }
    return nil
  }

  private mutating func otherIndex(_ name: String) -> Int {
    let name = otherNames.count < 256 || otherIndices[name] != nil ? String(name.prefix(128)) : "other"
    if let index = otherIndices[name] { return index }
    otherIndices[name] = otherNames.count
    otherNames.append(name)
    otherCounts.append(0)
    return otherNames.count - 1
  }
}

extension HealthParser {
  private mutating func beginRecord() throws(XMLProblem) {
    let none = 0..<0
    var (type, unit, value, device, end, start, source) = (none, none, none, none, none, none, none)
    // Names are told apart by their lengths first; of a record most attributes are looked at no further.
    for attribute in scanner.attributes {
      switch attribute.name.count {
      case 4:
        if scanner.matches(attribute.name, "type") {
          type = attribute.value
        } else if scanner.matches(attribute.name, "unit") {
          unit = attribute.value
        }
      case 5: if scanner.matches(attribute.name, "value") { value = attribute.value }
      case 6: if scanner.matches(attribute.name, "device") { device = attribute.value }
      case 7: if scanner.matches(attribute.name, "endDate") { end = attribute.value }
      case 9: if scanner.matches(attribute.name, "startDate") { start = attribute.value }
      case 10: if scanner.matches(attribute.name, "sourceName") { source = attribute.value }
      default: break
      }
    }
    let kind = try kind(of: type)
    if case .other(let index) = kind {
      otherCounts[index] += 1
      return
    }
    guard let (from, to) = try period(start, end) else { return }
    let sourceIndex = try sources.index(
      name: scanner.bytes(source), device: scanner.bytes(device),
      text: { () throws(XMLProblem) in try scanner.unescaped(source) })
    var read = Record(kind: kind, start: from, end: to, source: sourceIndex, line: 0)
    switch kind {
    case .steps, .energy, .water:
      guard let number = HealthNumber.read(scanner.bytes(value)), number >= 0, number < 1e9 else {
        return report("the value \"\(try shown(value))\" is not a number that can be")
      }
      guard let factor = factor(kind, unit) else {
        return report("the unit \"\(try shown(unit))\" is not known")
      }
      read.value = number * factor
      // Lines are counted where they are shown.
      if kind == .water { read.line = scanner.line() }
    case .sleep:
      let text = try scanner.unescaped(value)
      let prefix = "HKCategoryValueSleepAnalysis"
      guard text.hasPrefix(prefix), let stage = SleepSessions.Stage(text.dropFirst(prefix.count)) else {
        return report("the value \"\(text.prefix(60))\" is not a stage of sleep")
      }
      read.stage = stage
    case .mindfulness: read.line = scanner.line()
    case .other: return
    }
    record = read
  }

  private mutating func take(_ record: Record, _ body: (HealthEvent) throws -> Void) throws {
    switch record.kind {
    case .steps:
      steps.add(
        record.value, from: record.start.seconds, to: record.end.seconds,
        offset: offset(of: record.start, in: record.zone), source: record.source)
      try checkSize()
    case .energy:
      energy.add(
        record.value, from: record.start.seconds, to: record.end.seconds,
        offset: offset(of: record.start, in: record.zone), source: record.source)
      try checkSize()
    case .sleep:
      sleep.add(
        SleepSessions.Sample(
          start: record.start.seconds, end: record.end.seconds,
          offset: Int32(offset(of: record.end, in: record.zone)), zone: record.zone, source: record.source,
          stage: record.stage))
      try checkSize()
    case .water:
      let millilitres = Self.rounded(record.value)
      try give(
        HealthEvent(
          category: .water,
          key: "apple-health|water|\(Self.text(record.start.seconds))|\(millilitres)",
          start: Self.date(record.start.seconds), timeZone: name(of: record.zone),
          secondsFromGMT: Int(offset(of: record.start, in: record.zone)),
          properties: ["volume": .number(millilitres), "source": sourceProperty(record.source)].compactMapValues { $0 },
          line: record.line), body)
    case .mindfulness:
      let seconds = record.end.seconds - record.start.seconds
      try give(
        HealthEvent(
          category: .mindfulness, key: "apple-health|mindfulness|\(Self.text(record.start.seconds))",
          start: Self.date(record.start.seconds), end: Self.date(record.end.seconds), timeZone: name(of: record.zone),
          secondsFromGMT: Int(offset(of: record.start, in: record.zone)),
          properties: ["duration": .duration(Double(seconds)), "source": sourceProperty(record.source)]
            .compactMapValues { $0 },
          line: record.line), body)
    case .other: break
    }
  }

  private func checkSize() throws {
    guard steps.size + energy.size + sleep.size > Self.memoryLimit else { return }
    let place = scanner.place
    throw HealthExportError.malformed(
      line: place.line, column: place.column,
      reason: "there are more dates and samples of sleep than a life has", elements: summary.elements)
  }

  private mutating func kind(of type: Range<Int>) throws(XMLProblem) -> Kind {
    let bytes = scanner.bytes(type)
    if bytes.isSame(as: lastType) { return lastKind }
    let name = try scanner.string(type)
    switch name {
    case "HKQuantityTypeIdentifierStepCount": lastKind = .steps
    case "HKQuantityTypeIdentifierActiveEnergyBurned": lastKind = .energy
    case "HKQuantityTypeIdentifierDietaryWater": lastKind = .water
    case "HKCategoryTypeIdentifierMindfulSession": lastKind = .mindfulness
    case "HKCategoryTypeIdentifierSleepAnalysis": lastKind = .sleep
    default: lastKind = .other(otherIndex(name.isEmpty ? "Record without a type" : name))
    }
    lastType = Array(bytes)
    return lastKind
  }

  private func factor(_ kind: Kind, _ unit: Range<Int>) -> Double? {
    let text = String(decoding: scanner.bytes(unit), as: UTF8.self)
    return switch kind {
    case .steps: text == "count" ? 1 : nil
    case .energy: HealthUnit.energy(text)
    case .water: HealthUnit.volume(text)
    case .mindfulness, .sleep, .other: nil
    }
  }

  /// - Returns: `nil` where it was reported.
  private mutating func period(
    _ start: Range<Int>, _ end: Range<Int>
  ) throws(XMLProblem) -> (HealthMoment, HealthMoment)? {
    let texts = (scanner.bytes(start), scanner.bytes(end))
    guard let from = HealthMoment(texts.0), let to = HealthMoment(texts.1) else {
      if HealthMoment.isOfFirstVersion(texts.0) {
        throw scanner.problem(
          "the file was written by iOS 8, whose dates cannot be read; export again with a later version")
      }
      let wrong = HealthMoment(texts.0) == nil ? start : end
      report("the time \"\(try shown(wrong))\" cannot be read")
      return nil
    }
    guard to.seconds >= from.seconds else {
      report("it ends before it begins")
      return nil
    }
    guard to.seconds - from.seconds <= Self.longestSample else {
      report("it lasts longer than \(Self.longestSample / 86_400) days")
      return nil
    }
    return (from, to)
  }

  private mutating func report(_ reason: String) { summary.report(line: scanner.line(), reason) }

  private func shown(_ range: Range<Int>) throws(XMLProblem) -> String {
    String(try scanner.unescaped(range).prefix(40))
  }
}

extension HealthParser {
  private mutating func newWorkout() throws(XMLProblem) -> Workout? {
    var texts: [String: String] = [:]
    var (start, end) = (0..<0, 0..<0)
    for attribute in scanner.attributes {
      if scanner.matches(attribute.name, "startDate") {
        start = attribute.value
      } else if scanner.matches(attribute.name, "endDate") {
        end = attribute.value
      } else {
        texts[try scanner.string(attribute.name)] = try scanner.unescaped(attribute.value)
      }
    }
    guard let (from, to) = try period(start, end) else { return nil }
    func number(_ name: String, _ unit: (String) -> Double?) -> Double? {
      guard let text = texts[name], let value = FieldText.number(text), value >= 0, value < 1e9,
        let factor = unit(texts[name + "Unit"] ?? "")
      else { return nil }
      return value * factor
    }
    return Workout(
      activity: Self.activity(texts["workoutActivityType"] ?? ""), start: from, end: to,
      source: texts["sourceName"] ?? "", line: scanner.line(), duration: number("duration", HealthUnit.duration),
      distance: number("totalDistance", HealthUnit.length), energy: number("totalEnergyBurned", HealthUnit.energy))
  }

  private mutating func beginPart(ofWorkoutAt depth: Int) throws(XMLProblem) {
    if routeDepth > 0 {
      if depth == routeDepth + 1, scanner.matches(scanner.name, "FileReference"), let path = try attribute("path") {
        addRoute(path)
      }
      return
    }
    // What stands deeper belongs to a leg of the workout.
    guard depth == workoutDepth + 1 else { return }
    if scanner.matches(scanner.name, "WorkoutStatistics") {
      let type = try attribute("type") ?? ""
      guard let sum = try attribute("sum").flatMap({ FieldText.number($0) }), sum >= 0, sum < 1e9 else { return }
      let unit = try attribute("unit") ?? ""
      if type.hasPrefix("HKQuantityTypeIdentifierDistance"), let factor = HealthUnit.length(unit) {
        workout?.addDistance(sum * factor)
      } else if type == "HKQuantityTypeIdentifierActiveEnergyBurned", let factor = HealthUnit.energy(unit) {
        workout?.addEnergy(sum * factor)
      }
    } else if scanner.matches(scanner.name, "WorkoutEvent") {
      try readWorkoutEvent()
    } else if scanner.matches(scanner.name, "WorkoutRoute") {
      // Its end is met as that of any element; an empty one has nothing in it.
      routeDepth = depth
    } else if scanner.matches(scanner.name, "MetadataEntry"), let zone = try zoneOfMetadata() {
      workout?.zone = zone
    }
  }

  private mutating func readWorkoutEvent() throws(XMLProblem) {
    let type = try attribute("type") ?? ""
    guard let text = scanner.attributes.first(where: { scanner.matches($0.name, "date") }),
      let moment = HealthMoment(scanner.bytes(text.value))
    else { return }
    switch type {
    case "HKWorkoutEventTypePause", "HKWorkoutEventTypeMotionPaused":
      if workout?.pausedSince == nil { workout?.pausedSince = moment.seconds }
    case "HKWorkoutEventTypeResume", "HKWorkoutEventTypeMotionResumed":
      if let since = workout?.pausedSince { workout?.pausedSeconds += max(0, moment.seconds - since) }
      workout?.pausedSince = nil
    default: break
    }
  }

  /// Paths begin with a slash and mean the folder of the export. One that leads out of it is left out.
  private mutating func addRoute(_ path: String) {
    let path = String(path.drop { $0 == "/" })
    guard !path.isEmpty, !path.split(separator: "/").contains(".."), workout?.routes.count ?? 0 < 1000 else {
      return report("the route \"\(path.prefix(80))\" is not a file of the export")
    }
    workout?.routes.append(path)
  }

  private func event(of workout: Workout) -> HealthEvent {
    let length = workout.end.seconds - workout.start.seconds
    let paused = workout.pausedSeconds + (workout.pausedSince.map { max(0, workout.end.seconds - $0) } ?? 0)
    var properties: [String: PropertyValue] = [
      "activity": .select(workout.activity),
      "duration": .duration(Self.rounded(workout.duration ?? Double(max(0, length - paused)))),
    ]
    // Statistics are newer than the attributes, and in a file that has both, right.
    if let distance = workout.statisticsDistance ?? workout.distance {
      properties["distance"] = .number(Self.rounded(distance))
    }
    if let energy = workout.statisticsEnergy ?? workout.energy { properties["energy"] = .number(Self.rounded(energy)) }
    if !workout.source.isEmpty { properties["source"] = .text(workout.source) }
    return HealthEvent(
      category: .workout,
      key: "apple-health|workout|\(Self.text(workout.start.seconds))|\(Self.text(workout.end.seconds))",
      start: Self.date(workout.start.seconds), end: Self.date(workout.end.seconds), timeZone: name(of: workout.zone),
      secondsFromGMT: Int(offset(of: workout.start, in: workout.zone)), properties: properties, routes: workout.routes,
      line: workout.line)
  }

  /// `HKWorkoutActivityTypeTraditionalStrengthTraining` is "Traditional Strength Training".
  private static func activity(_ type: String) -> String {
    let prefix = "HKWorkoutActivityType"
    let name = type.hasPrefix(prefix) ? String(type.dropFirst(prefix.count)) : type
    guard !name.isEmpty else { return "Other" }
    var words = ""
    var isAfterSmall = false
    for character in name.prefix(80) {
      if character.isUppercase, isAfterSmall { words += " " }
      words.append(character)
      isAfterSmall = character.isLowercase
    }
    return words
  }
}

extension HealthParser {
  private mutating func finish(_ body: (HealthEvent) throws -> Void) throws {
    for (name, count) in zip(otherNames, otherCounts) where count > 0 { summary.skipped[name, default: 0] += count }
    // What was given is let go, so that the next has its memory.
    try give(steps.totals(sources), as: .steps, "steps", body)
    steps = DailyTotals()
    try give(energy.totals(sources), as: .activeEnergy, "energy", body)
    energy = DailyTotals()
    let (sessions, short) = sleep.sessions(sources)
    if short > 0 { summary.skipped["sleep of less than \(SleepSessions.shortest / 60) minutes"] = short }
    for session in sessions { try give(event(of: session), body) }
  }

  private mutating func give(
    _ totals: [(date: Int, value: Double)], as category: HealthCategory, _ property: String,
    _ body: (HealthEvent) throws -> Void
  ) throws {
    for (day, value) in totals where value > 0 {
      let date = CivilDate(daysSince1970: day)
      try give(
        HealthEvent(
          category: category, key: "apple-health|\(category.rawValue)|\(date)", start: Self.date(Int64(day) * 86_400),
          date: date, secondsFromGMT: 0, properties: [property: .number(Self.rounded(value))]), body)
    }
  }

  private func event(of session: SleepSessions.Session) -> HealthEvent {
    let offset = Int64(session.offset)
    // A night counts to the date on which it begins: sleep that ends before noon belongs to the day before.
    let local = session.end + offset - 43_200
    let night = CivilDate(daysSince1970: Int(local >= 0 ? local / 86_400 : -1))
    var properties: [String: PropertyValue] = [
      "duration": .duration(Double(session.asleep)),
      // A date, in no zone: midnight with an offset that is written out.
      "night": PropertyValue(type: .date, value: .string("\(night)T00:00:00+00:00")),
    ]
    for (stage, name) in [(SleepSessions.Stage.deep, "deep"), (.core, "core"), (.rem, "rem")] {
      if let seconds = session.stages[stage] { properties[name] = .duration(Double(seconds)) }
    }
    if session.awake > 0 { properties["awake"] = .duration(Double(session.awake)) }
    properties["source"] = sourceProperty(session.source)
    return HealthEvent(
      category: .sleep, key: "apple-health|sleep|\(Self.text(session.start))", start: Self.date(session.start),
      end: Self.date(session.end), timeZone: name(of: session.zone), secondsFromGMT: Int(session.offset),
      properties: properties)
  }

  private func sourceProperty(_ index: UInt16) -> PropertyValue? {
    let name = sources.all[Int(index)].name
    return name.isEmpty ? nil : .text(name)
  }

  /// The zone that a metadata entry tells; `nil` for another entry, or a name that is not a zone here.
  private mutating func zoneOfMetadata() throws(XMLProblem) -> Int16? {
    guard try attribute("key") == "HKTimeZone", let name = try attribute("value") else { return nil }
    if let index = zoneIndices[name] { return zoneRules[Int(index)] == nil ? nil : index }
    guard zoneNames.count < 1000, name.utf8.count <= 64 else { return nil }
    let index = Int16(zoneNames.count)
    zoneNames.append(name)
    zoneRules.append(TimeZoneRules(named: name))
    zoneIndices[name] = index
    return zoneRules[Int(index)] == nil ? nil : index
  }

  private func name(of zone: Int16) -> String? { zone < 0 ? nil : zoneNames[Int(zone)] }

  /// Seconds east of Greenwich. The written offset may be that of the phone when it exported; a zone that is told wins.
  private func offset(of moment: HealthMoment, in zone: Int16) -> Int64 {
    guard zone >= 0, let rules = zoneRules[Int(zone)] else { return Int64(moment.offset) }
    return Int64(rules.secondsFromGMT(at: Self.date(moment.seconds)))
  }

  private static func date(_ seconds: Int64) -> Date { Date(timeIntervalSince1970: Double(seconds)) }

  private static func text(_ seconds: Int64) -> String {
    RFC3339.string(from: date(seconds), secondsFromGMT: 0, fractionDigits: 0)
  }

  /// To three digits, which is finer than any of these is measured; conversions leave noise behind.
  private static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}
