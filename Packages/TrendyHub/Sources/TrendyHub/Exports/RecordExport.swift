import Foundation
import TrendyInterchange
import TrendyModels
import TrendyProtocols

/// An export of a user's record as a file, written in chunks while the record is read.
///
/// Each chunk reflects the record when it is read, so concurrent writes may or may not be included.
actor RecordExport {
  private enum Step {
    case beginning
    /// Events before a timestamp in milliseconds since 1970.
    case events(before: Int64)
    case readings(after: PostedReadings.Position?)
    case ending
    case over
  }

  private static let eventsAtOnce = 500

  private let records: HubRecords
  private let readings: PostedTracks
  private let user: String
  private let request: ExportRequest
  private var step = Step.beginning
  private var events: (any EventWriter)?
  private var tracks: TrackText?
  private(set) var holdsRecords = false

  init(_ request: ExportRequest, of user: String, records: HubRecords, readings: PostedTracks) {
    self.request = request
    self.user = user
    self.records = records
    self.readings = readings
  }

  /// Returns the next chunk, or `nil` at the end. The first chunk contains an entry unless the export is empty.
  func next() async throws -> Data? {
    var text = ""
    while text.isEmpty || !holdsRecords {
      switch step {
      case .beginning: text += try await beginning()
      case .events(let end): text += try await eventText(before: end)
      case .readings(let position): text += try await readingText(after: position)
      case .ending:
        text += (events?.ending() ?? "") + (tracks?.ending() ?? "")
        step = .over
      case .over: return text.isEmpty ? nil : Data(text.utf8)
      }
    }
    return Data(text.utf8)
  }

  private func beginning() async throws -> String {
    let (user, now) = (user, records.clock.now)
    switch request.form {
    case .ndjson:
      step = .events(before: request.moments.upperBound)
      let lines = try await records.read(user: user) { try Self.lines(ofKindsBesideEventsIn: $0, user: user) }
      holdsRecords = holdsRecords || !lines.isEmpty
      return TrendyNDJSON.header + "\n" + lines
    case .gpx:
      step = .readings(after: nil)
      let names = try records.accounts.devices(user: user).map { ($0.id, $0.name) }
      let writer = TrackText(names: Dictionary(names) { name, _ in name })
      tracks = writer
      return writer.beginning()
    case .csv, .json, .ics:
      step = .events(before: request.moments.upperBound)
      let types: [APIEventType] = try await records.read(user: user) { reading in
        try reading.living(kind: SyncedKind.eventType.name, offset: 0, limit: .max)
          .map { try $0.decoded(user: user) }
      }
      let context = ExportContext(
        types: Dictionary(types.map { ($0.id, EventType($0)) }) { type, _ in type },
        propertyKeys: request.form == .csv ? try await propertyKeys() : [],
        zone: request.local.zoneName.flatMap(ZoneClock.init(named:)) ?? .utc, now: now,
        date: { [local = request.local] in local.date($0, of: $1) })
      let writer = InterchangeFormat.named(request.form.rawValue)?.eventWriter(context)
      events = writer
      return writer?.beginning() ?? ""
    }
  }

  private func eventText(before end: Int64) async throws -> String {
    let page = try await page(before: end)
    if let next = page.next {
      step = .events(before: next)
    } else {
      step = request.form == .ndjson ? .readings(after: nil) : .ending
    }
    holdsRecords = holdsRecords || !page.entries.isEmpty
    if request.form == .ndjson {
      return try page.entries.map { try Self.line($0, .event, user: user) }.joined()
    }
    return try page.entries.reduce(into: "") { text, entry in
      let wire: APIEvent = try entry.decoded(user: user)
      text += try events?.text(of: Event(wire)) ?? ""
    }
  }

  private func readingText(after position: PostedReadings.Position?) async throws -> String {
    let span = request.span
    let part =
      try await readings.ask(of: user) { try await $0.readings(in: span, after: position, for: $1) }
      ?? PostedReadings()
    step = part.next.map { .readings(after: $0) } ?? .ending
    guard request.form == .gpx else {
      holdsRecords = holdsRecords || !part.records.isEmpty
      return try part.records.map { try TrendyNDJSON.line($0) ?? "" }.joined()
    }
    let text = tracks?.take(part.records) ?? ""
    holdsRecords = holdsRecords || tracks?.holdsFixes == true
    return text
  }

  // MARK: Reading

  private func propertyKeys() async throws -> [String] {
    var keys: Set<String> = []
    var end: Int64? = request.moments.upperBound
    while let before = end {
      let page = try await page(before: before)
      for entry in page.entries { keys.formUnion(entry.members["properties"]?.objectValue?.keys.map(\.self) ?? []) }
      end = page.next
    }
    return keys.sorted()
  }

  /// Returns exported events before a timestamp, latest first, and the timestamp before which the next page continues.
  ///
  /// Events with equal timestamps are returned together.
  private func page(before end: Int64) async throws -> (entries: [HubEntry], next: Int64?) {
    let (request, kind, limit) = (request, SyncedKind.event.name, Self.eventsAtOnce)
    let start = request.moments.lowerBound
    guard start < end else { return ([], nil) }
    return try await records.read(user: user) { reading in
      var page = try reading.living(kind: kind, during: start..<end, limit: limit)
      var next: Int64?
      if page.count == limit, let last = page.last?.listMoment {
        page.removeAll { $0.listMoment == last }
        page += try reading.living(kind: kind, during: last..<last + 1, limit: .max)
        next = last
      }
      return (page.filter(request.contains), next)
    }
  }

  private static func lines(ofKindsBesideEventsIn reading: any HubReadTransaction, user: String) throws -> String {
    // Types and places come first, because events refer to them.
    let kinds: [MutationEntityType] = [
      .eventType, .propertyDefinition, .geofence, .vehicle, .tripRule, .setting, .skip,
    ]
    return try kinds.flatMap { kind in
      try reading.living(kind: kind.rawValue, offset: 0, limit: .max).sorted { $0.id < $1.id }
        .map { try line($0, kind, user: user) }
    }.joined()
  }

  private static func line(_ entry: HubEntry, _ kind: MutationEntityType, user: String) throws -> String {
    let fields = entry.document(user: user)
      .filter { !HubEntry.ownMembers.contains($0.key) && !$0.value.isNull }
    return try TrendyNDJSON.line(.entity(kind: kind, id: entry.id, fields: fields)) ?? ""
  }
}

/// Writes fixes as GPX with one track per segment, like `trendy export gpx`.
private struct TrackText {
  let names: [String: String]
  private(set) var holdsFixes = false
  private var writer = InterchangeFormat.named("gpx")?.trackWriter()
  private var device = ""
  private var segmenter = TrackSegmenter()

  init(names: [String: String]) { self.names = names }

  func beginning() -> String { writer?.beginning() ?? "" }

  /// Adds fixes and returns the tracks completed by them.
  mutating func take(_ records: [InterchangeRecord]) -> String {
    var text = ""
    for case .fix(let fix, let device) in records {
      if device != self.device { text += track(segmenter.finish()) }
      // A segment that ends before this fix comes from the same device.
      self.device = device
      text += track(segmenter.take(fix))
      holdsFixes = true
    }
    return text
  }

  mutating func ending() -> String { track(segmenter.finish()) + (writer?.ending() ?? "") }

  private mutating func track(_ fixes: [Location]?) -> String {
    guard let fixes else { return "" }
    let name = names[device] ?? device
    return writer?.segment(fixes, name: name) ?? ""
  }
}
