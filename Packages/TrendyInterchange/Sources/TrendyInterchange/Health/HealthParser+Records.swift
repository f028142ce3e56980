import TrendyFoundation
import TrendyModels

/// Records: samples of steps, energy, water, mindfulness and sleep.
extension HealthParser {
  mutating func beginRecord() throws(XMLProblem) {
    let none = 0..<0
    var (type, unit, value, device, end, start, source) = (none, none, none, none, none, none, none)
    // Compare lengths first, which is fast, because most attributes of a record are not needed.
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
    case .steps, .energy, .water, .weight, .heartRate, .systolic, .diastolic:
      guard let number = HealthNumber.read(scanner.bytes(value)), number >= 0, number < 1e9 else {
        return report("invalid value \"\(try shown(value))\"")
      }
      guard let factor = factor(kind, unit) else {
        return report("unknown unit \"\(try shown(unit))\"")
      }
      read.value = number * factor
      // Set the line number only for water records, because computing it is expensive.
      if kind == .water { read.line = scanner.line() }
    case .sleep:
      let text = try scanner.unescaped(value)
      let prefix = "HKCategoryValueSleepAnalysis"
      guard text.hasPrefix(prefix), let stage = SleepSessions.Stage(text.dropFirst(prefix.count)) else {
        return report("unknown sleep stage \"\(text.prefix(60))\"")
      }
      read.stage = stage
    case .mindfulness: read.line = scanner.line()
    case .other: return
    }
    record = read
  }

  mutating func take(_ record: Record, _ body: (HealthEvent) throws -> Void) throws {
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
    case .weight: add(record, to: .weight, "weight")
    case .heartRate: add(record, to: .heartRate, "heart_rate")
    case .systolic: add(record, to: .bloodPressure, "systolic")
    case .diastolic: add(record, to: .bloodPressure, "diastolic")
    case .other: break
    }
  }

  private mutating func add(_ record: Record, to category: HealthCategory, _ property: String) {
    let local = Double(record.start.seconds + offset(of: record.start, in: record.zone))
    measurements.add(
      record.value, property, type: category.rawValue,
      on: CivilDate(daysSince1970: Int((local / 86_400).rounded(.down))), .average, format: "apple-health")
  }

  private func checkSize() throws {
    guard steps.size + energy.size + sleep.size > Self.memoryLimit else { return }
    let place = scanner.place
    throw HealthExportError.malformed(
      line: place.line, column: place.column,
      reason: "too many dates or sleep samples", elements: summary.elements)
  }

  mutating func kind(of type: Range<Int>) throws(XMLProblem) -> Kind {
    let bytes = scanner.bytes(type)
    if bytes.isSame(as: lastType) { return lastKind }
    let name = try scanner.string(type)
    switch name {
    case "HKQuantityTypeIdentifierStepCount": lastKind = .steps
    case "HKQuantityTypeIdentifierActiveEnergyBurned": lastKind = .energy
    case "HKQuantityTypeIdentifierDietaryWater": lastKind = .water
    case "HKQuantityTypeIdentifierBodyMass": lastKind = .weight
    case "HKQuantityTypeIdentifierHeartRate": lastKind = .heartRate
    case "HKQuantityTypeIdentifierBloodPressureSystolic": lastKind = .systolic
    case "HKQuantityTypeIdentifierBloodPressureDiastolic": lastKind = .diastolic
    case "HKCategoryTypeIdentifierMindfulSession": lastKind = .mindfulness
    case "HKCategoryTypeIdentifierSleepAnalysis": lastKind = .sleep
    default: lastKind = .other(otherIndex(name.isEmpty ? "Record without a type" : name))
    }
    lastType = Array(bytes)
    return lastKind
  }

  func factor(_ kind: Kind, _ unit: Range<Int>) -> Double? {
    let text = String(decoding: scanner.bytes(unit), as: UTF8.self)
    return switch kind {
    case .steps: text == "count" ? 1 : nil
    case .energy: HealthUnit.energy(text)
    case .water: HealthUnit.volume(text)
    case .weight: HealthUnit.mass(text)
    case .heartRate: HealthUnit.rate(text)
    case .systolic, .diastolic: HealthUnit.pressure(text)
    case .mindfulness, .sleep, .other: nil
    }
  }

  mutating func period(
    _ start: Range<Int>, _ end: Range<Int>
  ) throws(XMLProblem) -> (HealthMoment, HealthMoment)? {
    let texts = (scanner.bytes(start), scanner.bytes(end))
    guard let from = HealthMoment(texts.0), let to = HealthMoment(texts.1) else {
      if HealthMoment.isOfFirstVersion(texts.0) {
        throw scanner.problem(
          "the dates in exports of iOS 8 are not supported; export again with a later version of iOS")
      }
      let wrong = HealthMoment(texts.0) == nil ? start : end
      report("invalid time \"\(try shown(wrong))\"")
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

  mutating func report(_ reason: String) { summary.report(line: scanner.line(), reason) }

  private func shown(_ range: Range<Int>) throws(XMLProblem) -> String {
    String(try scanner.unescaped(range).prefix(40))
  }
}
