import Foundation
import Testing
import TrendyModels

@testable import TrendyInterchange

@Suite("Apple Health exports", .timeLimit(.minutes(5)))
struct HealthExportTests {
  typealias Read = (events: [HealthEvent], summary: HealthExport.Summary)

  static func read(_ bytes: [UInt8], step: Int = 1000) throws -> Read {
    var position = 0
    var events: [HealthEvent] = []
    let summary = try HealthExport.read({ buffer in
      let count = min(step, buffer.count, bytes.count - position)
      buffer.copyBytes(from: bytes[position..<(position + count)])
      position += count
      return count
    }) { events.append($0) }
    return (events, summary)
  }

  static func read(_ content: String, step: Int = 1000) throws -> Read {
    try read(Array(document(content).utf8), step: step)
  }

  static func document(_ content: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE HealthData [
    <!-- HealthKit Export Version: 12 -->
    <!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout)*)>
    <!ATTLIST HealthData
      locale CDATA #REQUIRED
    >
    ]>
    <HealthData locale="en_NL">
     <ExportDate value="2026-04-01 10:00:00 +0200"/>
     <Me HKCharacteristicTypeIdentifierDateOfBirth="1980-01-01"/>
    \(content)
    </HealthData>
    """
  }

  static let watch = "<<HKDevice: 0x2803>, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,1>"
  static let phone = "<<HKDevice: 0x99>, name:iPhone, manufacturer:Apple Inc., model:iPhone, hardware:iPhone13,2>"

  static func record(
    _ type: String, _ value: String?, unit: String? = nil, _ start: String, _ end: String, source: String = "App",
    device: String? = nil, zone: String? = nil
  ) -> String {
    var text = " <Record type=\"HK\(type)\" sourceName=\"\(source)\" sourceVersion=\"10.1\""
    if let device {
      text += " device=\"\(device.replacing("<", with: "&lt;").replacing(">", with: "&gt;"))\""
    }
    if let unit { text += " unit=\"\(unit)\"" }
    text += " creationDate=\"2026-04-01 09:00:00 +0200\" startDate=\"\(start)\" endDate=\"\(end)\""
    if let value { text += " value=\"\(value)\"" }
    guard let zone else { return text + "/>\n" }
    return text + ">\n  <MetadataEntry key=\"HKTimeZone\" value=\"\(zone)\"/>\n </Record>\n"
  }

  /// Returns a record of steps on 2026-03-02 in Amsterdam, between two times of day.
  static func steps(_ value: Int, _ from: String, _ to: String, _ source: String, _ device: String? = nil) -> String {
    record(
      "QuantityTypeIdentifierStepCount", "\(value)", unit: "count", "2026-03-02 \(from) +0100",
      "2026-03-02 \(to) +0100", source: source, device: device)
  }

  static func date(_ text: String) -> Date? { RFC3339.date(from: text) }

  @Test func `the totals of the day of the export are left to a later import`() throws {
    func records(_ day: String) -> String {
      let time = "\(day) 08:00:00 +0200"
      return Self.record("QuantityTypeIdentifierStepCount", "40", unit: "count", time, time)
        + Self.record("QuantityTypeIdentifierHeartRate", "60", unit: "count/min", time, time)
    }
    let (events, summary) = try Self.read(records("2026-03-31") + records("2026-04-01"))
    #expect(events.map(\.key) == ["apple-health|steps|2026-03-31", "apple-health|heart-rate|2026-03-31"])
    #expect(summary.skipped["day that has not ended"] == 2)
  }

  @Test func `a workout has its times and routes, and its statistics take precedence over its attributes`() throws {
    let content = """
       <Workout workoutActivityType="HKWorkoutActivityTypeTraditionalStrengthTraining" duration="30.5" durationUnit="min" totalDistance="1" totalDistanceUnit="mi" totalEnergyBurned="100" totalEnergyBurnedUnit="Cal" sourceName="Kim&#8217;s\u{A0}Watch" startDate="2026-03-29 01:30:00 +0100" endDate="2026-03-29 03:03:00 +0200">
        <MetadataEntry key="HKTimeZone" value="Europe/Amsterdam"/>
        <WorkoutEvent type="HKWorkoutEventTypePause" date="2026-03-29 03:00:00 +0200"/>
        <WorkoutActivity uuid="1" startDate="2026-03-29 01:30:00 +0100"><WorkoutStatistics type="HKQuantityTypeIdentifierDistanceCycling" sum="5" unit="km"/></WorkoutActivity>
        <WorkoutStatistics type="HKQuantityTypeIdentifierDistanceCycling" startDate="2026-03-29 01:30:00 +0100" startDate="2026-03-29 03:03:00 +0200" sum="9.1" unit="km"/>
        <WorkoutStatistics type="HKQuantityTypeIdentifierActiveEnergyBurned" sum="418.4" unit="kJ"/>
        <WorkoutRoute sourceName="Watch" startDate="2026-03-29 01:30:00 +0100" endDate="2026-03-29 03:03:00 +0200">
         <MetadataEntry key="HKMetadataKeySyncVersion" value="2"/>
         <FileReference path="/workout-routes/route_2026-03-29_3.03am.gpx"/>
        </WorkoutRoute>
        <WorkoutRoute sourceName="Watch"><FileReference path="/../../etc/passwd"/></WorkoutRoute>
       </Workout>
       <Workout workoutActivityType="HKWorkoutActivityTypeRunning" totalDistance="2" totalDistanceUnit="mi" sourceName="Old" startDate="2020-01-01 10:00:00 -0500" endDate="2020-01-01 10:30:00 -0500">
        <WorkoutEvent type="HKWorkoutEventTypePause" date="2020-01-01 10:10:00 -0500"/>
        <WorkoutEvent type="HKWorkoutEventTypeLap" date="2020-01-01 10:12:00 -0500"/>
        <WorkoutEvent type="HKWorkoutEventTypeResume" date="2020-01-01 10:15:00 -0500"/>
       </Workout>
      """
    let (events, summary) = try Self.read(content)
    let strength: [String: PropertyValue] = [
      "activity": .select("Traditional Strength Training"), "duration": .duration(1830.0),
      "distance": .number(9100.0), "energy": .number(100.0), "source": .text("Kim’s\u{A0}Watch"),
    ]
    let run: [String: PropertyValue] = [
      "activity": .select("Running"), "duration": .duration(1500.0), "distance": .number(3218.688),
      "source": .text("Old"),
    ]
    let first = HealthEvent(
      category: .workout, key: "apple-health|workout|2026-03-29T00:30:00Z|2026-03-29T01:03:00Z",
      start: try #require(Self.date("2026-03-29T00:30:00Z")), end: Self.date("2026-03-29T01:03:00Z"),
      timeZone: "Europe/Amsterdam", secondsFromGMT: 3600, properties: strength,
      routes: ["workout-routes/route_2026-03-29_3.03am.gpx"], line: 12)
    let second = HealthEvent(
      category: .workout, key: "apple-health|workout|2020-01-01T15:00:00Z|2020-01-01T15:30:00Z",
      start: try #require(Self.date("2020-01-01T15:00:00Z")), end: Self.date("2020-01-01T15:30:00Z"),
      secondsFromGMT: -18_000, properties: run, line: 24)
    #expect(events == [first, second])
    #expect(summary.events == [.workout: 2])
    #expect(summary.exportDate == "2026-04-01 10:00:00 +0200")
    #expect(
      summary.problems.map(\.description) == ["line 22: the route file \"../../etc/passwd\" is not in the export"])
  }

  @Test func `steps counted by several devices count once, and those of the watch take precedence`() throws {
    let content = [
      Self.steps(600, "08:00:00", "08:10:00", "Phone", Self.phone),
      Self.steps(300, "08:05:00", "08:15:00", "Watch", Self.watch),
      Self.steps(1000, "08:00:00", "09:00:00", "Pedometer"),
      Self.steps(50, "12:00:00", "12:01:00", "Phone", Self.phone),
    ].joined()
    let (events, _) = try Self.read(content)
    // 300 steps from the watch, 300 + 50 from the phone at other times, and 750 from the app in the remaining 45
    // minutes.
    #expect(events.map { $0.properties["steps"] } == [.number(1400.0)])
    #expect(events[0].key == "apple-health|steps|2026-03-02")
    #expect(events[0].date == CivilDate(year: 2026, month: 3, day: 2))
    #expect(events[0].start == Self.date("2026-03-02T00:00:00Z"))
    #expect(events[0].end == nil)
  }

  @Test("the sum does not depend on the order of the lines", arguments: 0..<6)
  func order(turn: Int) throws {
    let lines = [
      Self.steps(600, "08:00:00", "08:10:00", "Phone", Self.phone), Self.steps(77, "08:05:00", "08:05:00", "App"),
      Self.steps(300, "08:05:00", "08:15:00", "Watch", Self.watch), Self.steps(41, "09:00:00", "09:07:00", "App"),
      Self.steps(40, "09:00:00", "09:07:00", "Other app"), Self.steps(5, "10:00:00", "10:00:00", "Phone"),
    ]
    let content = (lines[turn...] + lines[..<turn]).joined()
    // The 77 steps do not count, because the watch covers their time. Of two similar apps, the app with more steps
    // counts: 41.
    #expect(try Self.read(content).events[0].properties["steps"] == .number(646.0))
  }

  @Test func `a repeated line counts once`() throws {
    let line = Self.steps(600, "08:00:00", "08:10:00", "Phone", Self.phone)
    let later = Self.steps(10, "09:00:00", "09:10:00", "Phone", Self.phone)
    #expect(try Self.read(line + line + later + line).events[0].properties["steps"] == .number(610.0))
  }

  @Test func `a device whose address differs between lines is one device`() throws {
    let other = Self.watch.replacing("0x2803", with: "0x1111")
    let content =
      Self.steps(1, "08:00:00", "08:10:00", "W", Self.watch) + Self.steps(2, "08:05:00", "08:10:00", "W", other)
    #expect(try Self.read(content).events[0].properties["steps"] == .number(3.0))
  }

  @Test func `a sample across midnight is divided by time, and its day is that of its zone`() throws {
    let content =
      Self.record(
        "QuantityTypeIdentifierStepCount", "100", unit: "count", "2026-03-02 23:50:00 +0100",
        "2026-03-03 00:30:00 +0100")
      // The offset is that of Amsterdam, where the phone was during the export. The sample was recorded in the evening
      // in New York.
      + Self.record(
        "QuantityTypeIdentifierStepCount", "8", unit: "count", "2026-03-06 02:00:00 +0100", "2026-03-06 02:10:00 +0100",
        zone: "America/New_York")
    let events = try Self.read(content).events
    #expect(events.map { $0.date?.description } == ["2026-03-02", "2026-03-03", "2026-03-05"])
    #expect(events.map { $0.properties["steps"]?.doubleValue } == [25, 75, 8])
  }

  @Test func `a day with more samples than are stored individually has the same sum`() throws {
    var content = ""
    for minute in 0..<600 {
      let from = String(format: "%02d:%02d:00", 6 + minute / 60, minute % 60)
      let to = String(format: "%02d:%02d:59", 6 + minute / 60, minute % 60)
      content += Self.steps(10, from, to, "Watch", Self.watch)
      if minute % 2 == 0 { content += Self.steps(9, from, to, "Phone", Self.phone) }
    }
    #expect(DailyTotals.sampleLimit < 600)
    #expect(try Self.read(content).events[0].properties["steps"] == .number(6000.0))
    // Later that day, only the phone counts steps.
    content += Self.steps(500, "20:00:00", "20:30:00", "Phone", Self.phone)
    #expect(try Self.read(content).events[0].properties["steps"] == .number(6500.0))
  }

  @Test func `energy is converted to kilocalories`() throws {
    let content = [("kcal", "1.5"), ("Cal", "2"), ("kJ", "4.184")].enumerated().map { hour, measure in
      Self.record(
        "QuantityTypeIdentifierActiveEnergyBurned", measure.1, unit: measure.0, "2026-03-02 0\(hour):00:00 +0100",
        "2026-03-02 0\(hour):01:00 +0100")
    }.joined()
    let (events, _) = try Self.read(content)
    #expect(events.map(\.key) == ["apple-health|active-energy|2026-03-02"])
    #expect(events[0].properties == ["energy": .number(4.5)])
  }

  @Test func `sleep is one event per night, from the source with stages`() throws {
    func sleep(_ stage: String, _ start: String, _ end: String, _ source: String) -> String {
      Self.record(
        "CategoryTypeIdentifierSleepAnalysis", "HKCategoryValueSleepAnalysis\(stage)", "2026-03-\(start):00 +0100",
        "2026-03-\(end):00 +0100", source: source, zone: source == "Watch" ? "Europe/Amsterdam" : nil)
    }
    let content = [
      sleep("InBed", "01 22:30", "02 07:30", "Clock"), sleep("AsleepUnspecified", "01 22:45", "02 07:20", "App"),
      sleep("AsleepCore", "01 23:00", "02 02:00", "Watch"), sleep("AsleepDeep", "02 02:00", "02 03:00", "Watch"),
      sleep("Awake", "02 03:00", "02 03:20", "Watch"), sleep("AsleepREM", "02 03:20", "02 07:00", "Watch"),
      // A nap, a nap that is too short, and a night recorded before iOS 16.
      sleep("AsleepCore", "02 14:00", "02 14:31", "Watch"), sleep("AsleepCore", "03 18:00", "03 18:20", "Watch"),
      sleep("Asleep", "04 00:10", "04 08:00", "App"), sleep("InBed", "05 00:10", "05 08:00", "App"),
    ].joined()
    let (events, summary) = try Self.read(content)
    #expect(
      events.map(\.key) == [
        "apple-health|sleep|2026-03-01T22:00:00Z", "apple-health|sleep|2026-03-02T13:00:00Z",
        "apple-health|sleep|2026-03-03T23:10:00Z",
      ])
    #expect(events[0].end == Self.date("2026-03-02T06:00:00Z"))
    #expect(events[0].timeZone == "Europe/Amsterdam")
    func night(_ date: String) -> PropertyValue { PropertyValue(type: .date, value: .string("\(date)T00:00:00+00:00")) }
    let stages: [String: PropertyValue] = [
      "duration": .duration(27_600.0), "core": .duration(10_800.0), "deep": .duration(3600.0),
      "rem": .duration(13_200.0), "awake": .duration(1200.0), "night": night("2026-03-01"), "source": .text("Watch"),
    ]
    #expect(events[0].properties == stages)
    #expect(events[1].properties["night"] == night("2026-03-02"))
    let old: [String: PropertyValue] = [
      "duration": .duration(28_200.0), "night": night("2026-03-03"), "source": .text("App"),
    ]
    #expect(events[2].properties == old)
    #expect(summary.skipped == ["sleep of less than 30 minutes": 1])
  }

  @Test func `water is in millilitres and mindfulness has a duration`() throws {
    let content =
      Self.record(
        "QuantityTypeIdentifierDietaryWater", "8", unit: "fl_oz_us", "2026-03-02 08:00:00 +0100",
        "2026-03-02 08:00:00 +0100", source: "Drinks")
      + Self.record(
        "CategoryTypeIdentifierMindfulSession", "HKCategoryValueNotApplicable", "2026-03-02 08:00:00 +0100",
        "2026-03-02 08:10:30 +0100")
    let (events, _) = try Self.read(content)
    #expect(
      events.map(\.key) == [
        "apple-health|water|2026-03-02T07:00:00Z|236.588", "apple-health|mindfulness|2026-03-02T07:00:00Z",
      ])
    let drink: [String: PropertyValue] = ["volume": .number(236.588), "source": .text("Drinks")]
    #expect(events[0].properties == drink)
    #expect(events[0].end == nil && events[0].line == 12)
    #expect(events[1].properties["duration"] == .duration(630.0))
    #expect(events[1].secondsFromGMT == 3600)
  }

  @Test func `records repeated in a correlation count once and other elements are counted as skipped`() throws {
    let water = Self.record(
      "QuantityTypeIdentifierDietaryWater", "100", unit: "mL", "2026-03-02 08:00:00 +0100", "2026-03-02 08:00:00 +0100")
    let heart = Self.record(
      "QuantityTypeIdentifierVO2Max", "60", unit: "mL/min·kg", "2026-03-02 08:00:00 +0100",
      "2026-03-02 08:00:00 +0100")
    let content =
      " <Correlation type=\"HKCorrelationTypeIdentifierFood\" sourceName=\"A\">\n\(water)\(heart) </Correlation>\n"
      + water
      + heart + heart + " <ActivitySummary dateComponents=\"2026-01-09\"/>\n <ClinicalRecord type=\"x\"/>\n"
    let (events, summary) = try Self.read(content)
    #expect(events.count == 1)
    #expect(
      summary.skipped == [
        "HKQuantityTypeIdentifierVO2Max": 2, "Correlation": 1, "ActivitySummary": 1, "ClinicalRecord": 1,
      ])
    #expect(summary.elements == 6)
  }

  @Test func `weights, heart rates and blood pressures become averages per local date in one unit`() throws {
    func record(_ type: String, _ value: String, _ unit: String, _ time: String) -> String {
      Self.record("QuantityTypeIdentifier\(type)", value, unit: unit, time, time)
    }
    let content = [
      record("BodyMass", "80", "kg", "2026-03-02 08:00:00 +0100"),
      record("BodyMass", "176.36981", "lb", "2026-03-03 00:30:00 +0100"),
      record("HeartRate", "60", "count/min", "2026-03-02 08:00:00 +0100"),
      record("HeartRate", "1.5", "count/s", "2026-03-02 09:00:00 +0100"),
      record("BloodPressureSystolic", "120", "mmHg", "2026-03-02 08:00:00 +0100"),
      record("BloodPressureDiastolic", "10.6658", "kPa", "2026-03-02 08:00:00 +0100"),
      record("BloodPressureDiastolic", "80", "bar", "2026-03-02 08:00:00 +0100"),
    ]
    let (events, summary) = try Self.read(content.joined())
    #expect(
      events.map(\.key) == [
        "apple-health|blood-pressure|2026-03-02", "apple-health|heart-rate|2026-03-02",
        "apple-health|weight|2026-03-02",
        "apple-health|weight|2026-03-03",
      ])
    #expect(events[0].properties == ["systolic": .number(120), "diastolic": .number(80), "unit": .text("mmHg")])
    #expect(
      events[1].properties == [
        "heart_rate": .number(75), "minimum": .number(60), "maximum": .number(90), "unit": .text("beats/min"),
      ])
    #expect(events[3].properties == ["weight": .number(80), "unit": .text("kg")])
    #expect(summary.problems.map(\.reason) == ["unknown unit \"bar\""])
  }

  @Test func `an invalid record is reported with its line and the others are read`() throws {
    func water(_ value: String, _ unit: String, _ start: String, _ end: String) -> String {
      Self.record("QuantityTypeIdentifierDietaryWater", value, unit: unit, start, end)
    }
    let day = "2026-03-02 08:00:00 +0100"
    let content = [
      water("1", "bucket", day, day), water("x", "mL", day, day), water("-1", "mL", day, day),
      water("1", "mL", day, "2026-03-02 07:00:00 +0100"), water("1", "mL", "2026-02-30 08:00:00 +0100", day),
      water("1", "mL", "2026-01-01 00:00:00 +0100", day), water("5", "mL", day, day),
      Self.record("CategoryTypeIdentifierSleepAnalysis", "HKCategoryValueSleepAnalysisFlying", day, day),
    ].joined()
    let (events, summary) = try Self.read(content)
    #expect(events.map { $0.properties["volume"] } == [.number(5.0)])
    #expect(
      summary.problems.map(\.description) == [
        "line 12: unknown unit \"bucket\"", "line 13: invalid value \"x\"",
        "line 14: invalid value \"-1\"", "line 15: it ends before it begins",
        "line 16: invalid time \"2026-02-30 08:00:00 +0100\"", "line 17: it lasts longer than 35 days",
        "line 19: unknown sleep stage \"HKCategoryValueSleepAnalysisFlying\"",
      ])
  }

  @Test func `the invalid document type of iOS 16 and control characters are accepted`() throws {
    let broken = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE HealthData [
      <!-- HealthKit Export Version: 12 -->
      <!ATTLIST VisionPrescription
        type CDATA #REQUIRED
        dateIssued CDATA #REQUIRED
      <!ATTLIST Eye
        sphere CDATA #IMPLIED
      >
        device CDATA #IMPLIED "'
      ]>
      <HealthData>
      """
    let water = Self.record(
      "QuantityTypeIdentifierDietaryWater", "100", unit: "mL", "2026-03-02 08:00:00 +0100", "2026-03-02 08:00:00 +0100",
      source: "A\u{0B}pp")
    for text in [broken + water + "</HealthData>", broken.replacing("\n", with: "\r\n") + water + "</HealthData>"] {
      #expect(try Self.read(Array(text.utf8)).events.count == 1)
    }
  }

  @Test(
    "a document type may end anywhere in a line",
    arguments: [
      "<!DOCTYPE HealthData [<!ELEMENT HealthData (Record)*>]>", "<!DOCTYPE HealthData [ ]>",
      "<!DOCTYPE HealthData [<!-- ]> --><!ELEMENT HealthData (Record)*>] >", "<!DOCTYPE HealthData>",
    ])
  func documentType(_ type: String) throws {
    let water = Self.record(
      "QuantityTypeIdentifierDietaryWater", "100", unit: "mL", "2026-03-02 08:00:00 +0100", "2026-03-02 08:00:00 +0100")
    #expect(try Self.read(Array("\(type)<HealthData>\(water)</HealthData>".utf8)).events.count == 1)
  }

  @Test func `other kinds of file are reported by name`() {
    func error(_ text: String) -> HealthExportError? {
      #expect(throws: HealthExportError.self) { try Self.read(Array(text.utf8)) }
    }
    #expect(error("<gpx/>") == .notHealth(seen: "an XML file of <gpx>"))
    #expect(
      error("<ClinicalDocument xmlns=\"urn:hl7-org:v3\"/>")
        == .notHealth(seen: "Apple's clinical document (export_cda.xml); the data is in the other XML file"))
    #expect(error("") == .notHealth(seen: "a file that is not XML, or is damaged at its start"))
    #expect(error("{\"a\":1}") == .notHealth(seen: "a file that is not XML, or is damaged at its start"))
    let first =
      "<HealthData><Record type=\"HKQuantityTypeIdentifierStepCount\" startDate=\"20140925081530+0200\"/></HealthData>"
    #expect(
      error(first)
        == .malformed(
          line: 1, column: 95,
          reason: "the dates in exports of iOS 8 are not supported; export again with a later version of iOS",
          elements: 1))
  }

  @Test func `entities defined in the file are not expanded`() {
    let text = "<!DOCTYPE HealthData [\n<!ENTITY x \"boom\">\n]>\n<HealthData><ExportDate value=\"&x;\"/></HealthData>"
    #expect(
      throws: HealthExportError.malformed(line: 4, column: 32, reason: "unknown reference &x;", elements: 0)
    ) { try Self.read(Array(text.utf8)) }
  }

  @Test func `an error of the source is thrown`() {
    struct Unplugged: Error {}
    #expect(throws: Unplugged.self) {
      try HealthExport.read({ _ in throw Unplugged() }) { _ in }
    }
  }

  static let sample = Array(
    document(
      [
        steps(600, "08:00:00", "08:10:00", "Kim&#8217;s", phone), steps(300, "08:05:00", "08:15:00", "W", watch),
        record(
          "CategoryTypeIdentifierSleepAnalysis", "HKCategoryValueSleepAnalysisAsleepCore", "2026-03-28 23:10:00 +0100",
          "2026-03-29 06:40:00 +0200", zone: "Europe/Amsterdam"),
        """
         <Workout workoutActivityType='HKWorkoutActivityTypeCycling' duration="30.5" durationUnit="min" sourceName="W" startDate="2026-03-29 08:00:00 +0200" endDate="2026-03-29 08:33:00 +0200">
          <WorkoutRoute><FileReference path="/workout-routes/a.gpx"/></WorkoutRoute>
         </Workout>
        """,
      ].joined()
    ).utf8)

  @Test func `pieces of any size give the same result`() throws {
    let whole = try Self.read(Self.sample, step: 1 << 20)
    #expect(whole.events.count == 3)
    for step in [1, 2, 3, 7, 64, 300] {
      let read = try Self.read(Self.sample, step: step)
      #expect(read.events == whole.events && read.summary == whole.summary, "\(step)")
    }
  }

  @Test func `a truncated document is an error and gives no incomplete sums`() throws {
    for length in 0..<Self.sample.count {
      var events: [HealthEvent] = []
      var position = 0
      let cut = Self.sample[..<length]
      #expect(throws: HealthExportError.self, "\(length)") {
        try HealthExport.read({ buffer in
          let count = min(buffer.count, cut.count - position)
          buffer.copyBytes(from: cut[position..<(position + count)])
          position += count
          return count
        }) { events.append($0) }
      }
      #expect(events.allSatisfy { $0.category == .workout })
    }
  }

  @Test("a document with a changed bit is an error or gives valid events", arguments: 0..<8)
  func flipped(bit: Int) {
    for index in Self.sample.indices {
      var damaged = Self.sample
      damaged[index] ^= UInt8(1 << bit)
      // A damaged file may be rejected with an error.
      guard let read = try? Self.read(damaged) else { continue }
      for event in read.events {
        #expect(event.end.map { $0 >= event.start } ?? true, "byte \(index)")
        #expect(event.properties.values.allSatisfy { $0.doubleValue?.isFinite ?? true }, "byte \(index)")
      }
    }
  }
}

@Suite("XMLScanner", .timeLimit(.minutes(10)))
struct XMLScannerTests {
  @Test("the window grows for a long tag, up to a limit", arguments: [100_000, 600_000, 20 << 20])
  func longTags(length: Int) throws {
    let value = String(repeating: "v", count: length)
    let bytes = Array("<a>\n<b c=\"\(value)\"/><d/></a>".utf8)
    var position = 0
    var scanner = try XMLScanner { buffer in
      let count = min(buffer.count, bytes.count - position)
      buffer.copyBytes(from: bytes[position..<(position + count)])
      position += count
      return count
    }
    var starts = 0
    do throws(XMLProblem) {
      while true {
        let token = try scanner.next()
        if case .finished = token { break }
        if case .start = token { starts += 1 }
      }
      #expect(starts == 3 && length < XMLScanner.tokenLimit)
    } catch {
      #expect(length > XMLScanner.tokenLimit)
      #expect(error == XMLProblem(line: 2, column: 1, reason: "a tag or text section is longer than 16 MiB"))
    }
  }

  @Test func `lines and columns are those of the document, not of the window`() throws {
    let bytes = Array(("<a>\n" + String(repeating: "<b x=\"1\"/>\n", count: 100_000) + "<c></d></a>").utf8)
    var position = 0
    var scanner = try XMLScanner { buffer in
      let count = min(buffer.count, 10_007, bytes.count - position)
      buffer.copyBytes(from: bytes[position..<(position + count)])
      position += count
      return count
    }
    let problem = #expect(throws: XMLProblem.self) {
      while true {
        if case .finished = try scanner.next() { break }
      }
    }
    #expect(problem == XMLProblem(line: 100_002, column: 4, reason: "</d> instead of </c>"))
  }
}
