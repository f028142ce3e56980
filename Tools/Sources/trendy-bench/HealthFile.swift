import Foundation

/// Generates an Apple Health `export.xml` of a given size, similar to several years of data from a watch and a phone.
/// The output is deterministic.
///
/// Records are grouped by type, as in real exports. Each day has about 1,700 records: heart rate and energy from the
/// watch, steps from both devices, sleep stages, water, mindfulness and an occasional workout.
struct HealthFile {
  /// Approximate size in bytes.
  let size: Int
  private(set) var records = 0
  private var buffer: [UInt8] = []
  private var written = 0
  private var state: UInt64 = 7
  private let handle: FileHandle

  private static let bytesADay = 726_000
  private static let watch =
    "sourceName=\"Kim’s Apple Watch\" sourceVersion=\"10.3.1\" device=\"&lt;&lt;HKDevice: 0x301f4d680&gt;, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,2, software:10.3.1, creation date:2023-09-20 18:02:11 +0000&gt;\""
  private static let phone =
    "sourceName=\"Kim’s iPhone\" sourceVersion=\"17.4\" device=\"&lt;&lt;HKDevice: 0x301f4a1c0&gt;, name:iPhone, manufacturer:Apple Inc., model:iPhone, hardware:iPhone14,5, software:17.4, creation date:2023-09-18 10:00:00 +0000&gt;\""

  init(size: Int, to handle: FileHandle) {
    self.size = size
    self.handle = handle
  }

  mutating func write() throws {
    let days = max(1, size / Self.bytesADay)
    put(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE HealthData [
      <!-- HealthKit Export Version: 14 -->
      <!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout|ActivitySummary)*)>
      ]>
      <HealthData locale="en_NL">
       <ExportDate value="2026-04-01 10:00:00 +0200"/>

      """)
    try quantity("StepCount", "count", Self.phone, days, every: 600, lasting: 540) { "\($0 % 700 + 3)" }
    try quantity("StepCount", "count", Self.watch, days, every: 480, lasting: 420) { "\($0 % 500 + 7)" }
    try quantity("HeartRate", "count/min", Self.watch, days, every: 90, lasting: 0) { "\($0 % 90 + 50)" }
    try quantity("ActiveEnergyBurned", "kcal", Self.watch, days, every: 120, lasting: 115) {
      "\($0 % 4).\($0 % 900 + 100)"
    }
    try quantity("BasalEnergyBurned", "kcal", Self.watch, days, every: 300, lasting: 300) { "6.\($0 % 900 + 100)" }
    try quantity("DistanceWalkingRunning", "km", Self.watch, days, every: 480, lasting: 420) {
      "0.\($0 % 90000 + 10000)"
    }
    try quantity("DietaryWater", "mL", Self.phone, days, every: 10_000, lasting: 0) { "\($0 % 3 * 100 + 150)" }
    try nights(days)
    try workouts(days)
    put("</HealthData>\n")
    try flush()
  }

  private mutating func quantity(
    _ type: String, _ unit: String, _ source: String, _ days: Int, every: Int, lasting: Int, _ value: (Int) -> String
  ) throws {
    let head = " <Record type=\"HKQuantityTypeIdentifier\(type)\" \(source) unit=\"\(unit)\" creationDate=\""
    for day in 0..<days {
      // From 7:00 to 23:00.
      for second in stride(from: 25_200, to: 82_800, by: every) {
        let start = second + random(every - lasting)
        put(head)
        moment(day, start + lasting + 30)
        put("\" startDate=\"")
        moment(day, start)
        put("\" endDate=\"")
        moment(day, start + lasting)
        put("\" value=\"\(value(random(1 << 20)))\"/>\n")
        records += 1
      }
      if buffer.count > 1 << 20 { try flush() }
    }
  }

  private mutating func nights(_ days: Int) throws {
    for day in 0..<days {
      var second = 1800 + random(1800)
      for piece in 0..<24 {
        let stage = ["AsleepCore", "AsleepDeep", "AsleepCore", "AsleepREM", "Awake"][piece % 5]
        let length = piece % 5 == 4 ? 120 : 900 + random(600)
        put(" <Record type=\"HKCategoryTypeIdentifierSleepAnalysis\" \(Self.watch) creationDate=\"")
        moment(day, 30_000)
        put("\" startDate=\"")
        moment(day, second)
        put("\" endDate=\"")
        moment(day, second + length)
        put("\" value=\"HKCategoryValueSleepAnalysis\(stage)\">\n")
        put("  <MetadataEntry key=\"HKTimeZone\" value=\"Europe/Amsterdam\"/>\n </Record>\n")
        second += length
        records += 1
      }
      if buffer.count > 1 << 20 { try flush() }
    }
  }

  private mutating func workouts(_ days: Int) throws {
    for day in 0..<days where day % 2 == 0 {
      let start = 61_200 + random(3600)
      put(" <Workout workoutActivityType=\"HKWorkoutActivityTypeRunning\" duration=\"41.5\" durationUnit=\"min\" ")
      put("\(Self.watch) startDate=\"")
      moment(day, start)
      put("\" endDate=\"")
      moment(day, start + 2490)
      put("\">\n  <MetadataEntry key=\"HKTimeZone\" value=\"Europe/Amsterdam\"/>\n")
      put("  <WorkoutStatistics type=\"HKQuantityTypeIdentifierDistanceWalkingRunning\" sum=\"7.\(random(1000))\" ")
      put("unit=\"km\"/>\n </Workout>\n")
      records += 1
      if buffer.count > 1 << 20 { try flush() }
    }
  }

  /// Date text for a second of a day since 2016-01-01, with the offset of Amsterdam in winter.
  private mutating func moment(_ day: Int, _ second: Int) {
    let days = day + second / 86_400 + 16_801
    let second = second % 86_400
    // Convert days since 1970 to a civil date (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms").
    let shifted = days + 719_468
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + shifted / 146_097 * 400 + (month <= 2 ? 1 : 0)
    two(year / 100)
    two(year % 100)
    buffer.append(0x2D)
    two(month)
    buffer.append(0x2D)
    two(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    buffer.append(0x20)
    two(second / 3600)
    buffer.append(0x3A)
    two(second / 60 % 60)
    buffer.append(0x3A)
    two(second % 60)
    put(" +0100")
  }

  private mutating func two(_ number: Int) {
    buffer.append(UInt8(0x30 + number / 10))
    buffer.append(UInt8(0x30 + number % 10))
  }

  private mutating func put(_ text: String) { buffer.append(contentsOf: text.utf8) }

  private mutating func random(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % max(1, bound)
  }

  private mutating func flush() throws {
    try handle.write(contentsOf: buffer)
    written += buffer.count
    buffer.removeAll(keepingCapacity: true)
  }
}
