import TrendyFoundation
import TrendyInterchange
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendyTrips

/// Converts the records of a file to entities and saves them in batches.
final class RecordImporter {
  /// Batch size for imports that compare each new event with all events in the batch.
  private static let comparedBatchSize = 2000
  private static let readingBatchSize = 20_000
  private static let exampleCount = 5

  private let destination: any ImportStore
  private let format: InterchangeFormat
  private let request: ImportRequest
  private let batchSize: Int
  private var report = ImportReport()
  private var records = 0

  private var types: [String: EventType] = [:]
  private var typeNames: [String: EventType] = [:]
  /// Property definitions by type id and lower-case key.
  private var definitions: [String: [String: PropertyDefinition]] = [:]
  /// Ids of entities in this store by id in the file, if the two differ.
  private var renamed: [String: String] = [:]
  /// Cache of event types by type name in the file.
  private var uses: [String: TypeUse] = [:]
  private var keys = FingerprintSet()
  private var repeats: [UInt64: Int] = [:]
  private var collector: ImportReadingCollector
  private var isZoneChecked = false
  private let latestFix: Date
  /// Whether there are new fixes in which trips have not been detected yet.
  private var hasUnreadFixes = false
  private var batch: [AnyEntity] = []
  /// Start of each entity in the batch, or `nil` for an entity that is not an event. Computed only if events are
  /// compared.
  private var starts: [Date?]?
  private lazy var saver = BatchSaver(destination) { [unowned self] batch, areNew in
    for (entity, isNew) in zip(batch.entities, areNew) { note(entity, isNew: isNew) }
    try request.onProgress?(batch.records)
  }
  private var readings: [String: [TrackReading]] = [:]
  private var readingCount = 0
  private var notes: [String: [TrackNote]] = [:]
  private var preview = ImportPreview()

  init(store: any ImportStore, format: InterchangeFormat, request: ImportRequest) throws {
    destination = store
    self.format = format
    self.request = request
    batchSize = request.batchSize ?? store.batchSize
    collector = ImportReadingCollector(zone: request.options.zone)
    latestFix = store.latestFix
    for type in try store.eventTypes() { know(type) }
    for definition in try store.propertyDefinitions() { know(definition) }
  }

  /// Imports all records that `read` passes on with their positions in the file. Rethrows errors from `read`. The
  /// records before an `InterchangeError` are saved.
  func run(_ read: ((InterchangeRecord, String) throws -> Void) throws -> Void) throws -> ImportReport {
    do {
      try read { try take($0, at: $1) }
    } catch let error as InterchangeError {
      try flush()
      try saver.settle()
      throw error
    } catch {
      // Only the first error is reported.
      try? saver.settle()
      throw error
    }
    return try finish()
  }

  /// The destination, once the batch in the background has been saved.
  private var store: any ImportStore { get throws { try saver.store } }

  private func know(_ type: EventType) {
    forgetUses()
    types[type.id] = type
    // If several types have the same name, choose the type with the lowest id, so that every device chooses the same
    // one.
    if let other = typeNames[type.name.lowercased()], other.id <= type.id { return }
    typeNames[type.name.lowercased()] = type
  }

  private func know(_ definition: PropertyDefinition) {
    if definitions[definition.eventTypeId]?[definition.key.lowercased()] != nil { forgetUses() }
    definitions[definition.eventTypeId, default: [:]][definition.key.lowercased()] = definition
  }

  // MARK: Records

  private func take(_ taken: InterchangeRecord, at place: String) throws {
    records += 1
    switch taken {
    case .entity(let kind, let id, let fields): try take(kind, id, fields, at: place)
    case .event(let event): try take(event, at: place)
    case .type(let type): take(type, at: place)
    case .property(let key, let kind, let typeID):
      guard (1...SyncedKind.maximumNameBytes).contains(key.utf8.count) else {
        return refuse("a property name must have 1 to \(SyncedKind.maximumNameBytes) bytes", at: place)
      }
      guard let type = types[renamed[typeID] ?? typeID] else { return }
      if definitions[type.id]?[key.lowercased()] == nil {
        _ = makeDefinition(key, kind, of: type)
      }
    case .dayOff(let skip): take(skip, at: place)
    case .fix(let fix, let device): try take(fix, device, at: place)
    case .path(let fixes, let source):
      let device = DisplayOnlyTrack.device(of: source)
      for fix in fixes.spreadWithinSeconds { try take(fix, device, at: place) }
    case .motion(let motion, let device): try take(.motion(motion), device)
    case .call(let kind, let time, let device):
      guard let kind = TripCommand.Kind(rawValue: kind) else { return refuse("unknown call '\(kind)'", at: place) }
      try take(.call(TripCommand(kind: kind, timestamp: time)), device)
    case .note(let kind, let id, let time, let content, let device):
      guard let kind = TrackNote.Kind(rawValue: kind) else { return refuse("unknown note '\(kind)'", at: place) }
      notes[device, default: []].append(TrackNote(kind: kind, id: id, time: time, content: content))
    case .track(let file): try take(file, at: place)
    case .skip(let what, let count): skip(what, count)
    case .bad(let reason): refuse(reason, at: place)
    }
    if batch.count >= (starts == nil ? batchSize : Self.comparedBatchSize) { try flush() }
  }

  private func refuse(_ reason: String, at place: String) {
    report.badCount += 1
    if report.problems.count < ImportReport.maxProblems {
      report.problems.append(ImportProblem(place: place, reason: reason))
    }
  }

  private func skip(_ what: String, _ count: Int = 1) {
    let isKept = report.skipped.count < 64 || report.skipped[what] != nil
    report.skipped[isKept ? what : "other", default: 0] += count
  }

  private func take(_ file: TrackFile, at place: String) throws {
    for problem in file.problems { refuse(problem.reason, at: "\(place), \(problem.place)") }
    report.badCount += file.problemCount - file.problems.count
    for (what, count) in file.leftOut { skip(what, count) }
    let (workouts, rest) = file.separatingWorkouts(
      zone: request.options.zone.name, using: Geodesic.distanceMeters(from:to:))
    for workout in workouts { try take(workout, at: place) }
    // Save workouts before detection, so that the same activity is not detected as a trip as well.
    try flush()
    for fixes in rest.recordings {
      let taken = try store.take(recording: fixes, motion: rest.activities, isDryRun: request.isDryRun)
      report.newReadings += taken.added
      report.knownReadings += taken.known
      report.found += taken.events.count { $0.isNew }
      for problem in taken.problems { refuse(problem, at: place) }
    }
  }

  private func take(_ fix: Location, _ device: String, at place: String) throws {
    guard fix.timestamp <= latestFix else {
      return refuse(
        "\(RFC3339.string(from: fix.timestamp)) is more than a day ahead of this machine's clock", at: place)
    }
    if !hasUnreadFixes { hasUnreadFixes = !DisplayOnlyTrack.isKept(device: device) }
    try take(.fix(fix), device)
  }

  private func take(_ reading: TrackReading, _ device: String) throws {
    readings[device, default: []].append(reading)
    readingCount += 1
    if readingCount >= Self.readingBatchSize { try flushReadings() }
  }

  private func take(_ kind: MutationEntityType, _ id: String, _ fields: [String: JSONValue], at place: String) throws {
    guard kind != .conflict else { return skip("conflict") }
    var value = JSONValue.object(fields)
    value.rename(renamed)
    let entity: AnyEntity
    do {
      entity = try AnyEntity(kind, id: id, value)
    } catch {
      return refuse("\(error)", at: place)
    }
    guard isRecordable(entity, at: place) else { return }
    switch entity {
    case .eventType(let type):
      // If a type with this id exists on this device under another name, it keeps that name.
      if let mapped = request.typeMap[type.name.lowercased()], mapped.lowercased() != type.name.lowercased() {
        let look = ExternalType(name: mapped, colorHex: type.colorHex, icon: type.iconName, goal: type.goal)
        renamed[id] = (typeNames[mapped.lowercased()] ?? makeType(mapped, like: look)).id
        return
      }
      // If two devices created types with the same name before they synced, treat both as one type.
      if types[id] == nil, let same = typeNames[type.name.lowercased()] {
        renamed[id] = same.id
        report.known += 1
        return
      }
      know(type)
    case .property(let definition):
      let same = definitions[definition.eventTypeId]?[definition.key.lowercased()]
      if let same, same.id != id {
        report.known += 1
        return
      }
      guard types[definition.eventTypeId] != nil else { return refuse("unknown event type", at: place) }
      know(definition)
    case .event(let event):
      guard let type = types[event.eventTypeId] else { return refuse("unknown event type", at: place) }
      guard isWanted(type.name, type.name), request.options.range?.contains(event.timestamp) != false else {
        return skip("event not selected")
      }
      report.types[type.name, default: 0] += 1
      note(event, of: type.name)
    case .record(let skip) where kind == .skip:
      guard skip.fields["event_type_id"]?.stringValue.flatMap({ types[$0] }) != nil else {
        return refuse("unknown event type", at: place)
      }
    default: break
    }
    append(entity)
  }

  private func isWanted(_ source: String, _ target: String) -> Bool {
    request.onlyTypes.isEmpty || request.onlyTypes.contains(source.lowercased())
      || request.onlyTypes.contains(target.lowercased())
  }

  private func note(_ event: Event, of typeName: String) {
    report.first = min(report.first ?? event.timestamp, event.timestamp)
    report.last = max(report.last ?? event.timestamp, event.timestamp)
    if report.examples.count < Self.exampleCount {
      report.examples.append(ImportReport.Example(typeName: typeName, event: event))
    }
  }

  private final class TypeUse {
    let type: EventType
    var definitions: [String: PropertyDefinition] = [:]
    var count = 0

    init(_ type: EventType) { self.type = type }
  }

  /// Empties the cache of types. Must be called whenever a lookup may have a different result.
  private func forgetUses() {
    for use in uses.values where use.count > 0 { report.types[use.type.name, default: 0] += use.count }
    uses.removeAll(keepingCapacity: true)
  }

  /// Returns the type for an event, or `nil` if the event is skipped, which is also reported.
  private func use(of foreign: ExternalEvent, at place: String) throws -> TypeUse? {
    // With hints or a duplicate rule, the result depends on the event and is not cached.
    let isByName = foreign.hints.isEmpty && foreign.sameness == nil
    if isByName, let use = uses[foreign.typeName] { return use }
    let mapped = ([foreign.typeName.lowercased()] + foreign.hints).lazy.compactMap { self.request.typeMap[$0] }.first
    let name = mapped ?? foreign.typeName
    guard isWanted(foreign.typeName, name) else {
      skip("event not selected")
      return nil
    }
    guard isTypeName(name, at: place) else { return nil }
    let type = try typeNames[name.lowercased()] ?? builtInType(for: foreign, named: name) ?? makeType(name)
    let use = TypeUse(type)
    if isByName { uses[foreign.typeName] = use } else { report.types[type.name, default: 0] += 1 }
    return use
  }

  private func take(_ foreign: ExternalEvent, at place: String) throws {
    // Include events that the options exclude, because the digest identifies the file.
    if foreign.id == nil { collector.add(type: foreign.typeName, at: foreign.timestamp) }
    guard request.options.range?.contains(foreign.timestamp) != false else {
      return skip("event not selected")
    }
    if let id = foreign.possibleID, try store.isKnown(.event, id: id) {
      report.types[foreign.typeName, default: 0] += 1
      report.known += 1
      return
    }
    guard let use = try use(of: foreign, at: place) else { return }
    var event = Event(
      identifier: foreign.id.map { CompactIdentifier($0) } ?? identifier(of: foreign), eventTypeId: use.type.id,
      timestamp: foreign.timestamp, isAllDay: foreign.isAllDay, sourceType: foreign.source ?? .imported)
    event.endDate = foreign.endDate
    event.notes = foreign.notes
    event.locationLatitude = foreign.coordinate?.latitude
    event.locationLongitude = foreign.coordinate?.longitude
    event.locationName = foreign.locationName
    event.timeZone = foreign.timeZone
    if let id = foreign.externalId { event.externalId = id }
    if let title = foreign.title { event.originalTitle = title }
    var given = foreign.properties
    if foreign.route.count > 1 {
      // Store the route in the same format as for trips, with only as many points as a screen can display.
      given[TripRecord.PropertyKey.route.rawValue] = .text(
        Polyline.encode(RouteSimplifier.simplify(foreign.route, toleranceMeters: 5)))
    }
    guard given.keys.allSatisfy({ (1...SyncedKind.maximumNameBytes).contains($0.utf8.count) }) else {
      return refuse("a property name must have 1 to \(SyncedKind.maximumNameBytes) bytes", at: place)
    }
    if !given.isEmpty {
      var properties: [String: PropertyValue] = [:]
      properties.reserveCapacity(given.count)
      for (key, value) in given.sorted(by: { $0.key < $1.key }) {
        let definition =
          use.definitions[key] ?? definitions[use.type.id]?[key.lowercased()]
          ?? makeDefinition(key, foreign.kinds[key] ?? value.type, of: use.type)
        use.definitions[key] = definition
        properties[definition.key] = value.converted(to: definition)
      }
      event.properties = properties
    }
    guard isRecordable(.event(event), at: place) else { return }
    note(event, of: use.type.name)
    use.count += 1
    if let sameness = foreign.sameness, try isKnown(event, sameness) {
      report.known += 1
      return
    }
    append(.event(event))
    if request.isDryRun, foreign.sameness != nil { preview.add(event) }
    if let path = DisplayOnlyTrack.device(ofTrack: foreign.track) {
      for fix in foreign.track.spreadWithinSeconds { try take(fix, path, at: place) }
    }
  }

  /// Whether another source has recorded the same event, in this import or earlier. If so, missing values are added to
  /// the existing event.
  private func isKnown(_ event: Event, _ sameness: ExternalEvent.DuplicateRule) throws -> Bool {
    if case .day(let amount) = sameness { return try isDayKnown(event, amount) }
    // Detect the trips in the preceding fixes first, because this trip would otherwise be recorded twice.
    if event.sourceType == .trip, hasUnreadFixes {
      try flushReadings()
      hasUnreadFixes = false
      report.found += try request.isDryRun ? previewedFindings() : store.makeTrackIntake().findAll().created.count
    }
    guard let range = sameness.range(around: event) else { return false }
    let starts = starts ?? batch.map(\.eventStart)
    self.starts = starts
    for (index, start) in starts.enumerated() {
      guard let start, range.contains(start), case .event(let other) = batch[index] else { continue }
      guard sameness.isMet(by: event, and: other) else { continue }
      batch[index] = .event(other.merged(with: event))
      return true
    }
    if request.isDryRun, preview.hasEvent(in: range, where: { sameness.isMet(by: event, and: $0) }) { return true }
    guard try store.event(id: event.id) == nil else { return false }
    let stored = try store.events(in: range, ofType: nil).first { sameness.isMet(by: event, and: $0) }
    guard let stored else { return false }
    let merged = stored.merged(with: event)
    if !request.isDryRun, merged != stored { _ = try store.makeJournal().update(merged, from: stored) }
    return true
  }

  /// Whether the recorded events of a day add up to the amount of a habit on that day.
  private func isDayKnown(_ event: Event, _ amount: Double) throws -> Bool {
    guard try store.event(id: event.id) == nil else { return false }
    let zone = request.options.zone
    let day = zone.wall(at: event.timestamp).day
    // The range covers the day in all time zones.
    let range = event.timestamp.addingTimeInterval(-86_400)..<event.timestamp.addingTimeInterval(2 * 86_400)
    let sum = try store.events(in: range, ofType: event.eventTypeId).filter { other in
      let own = other.timeZone.flatMap { $0 == zone.name ? nil : ZoneClock(named: $0) } ?? zone
      return own.wall(at: other.timestamp).day == day
    }.reduce(0) { $0 + ($1.properties["count"]?.doubleValue ?? 1) }
    return sum > 0 && abs(sum - amount) < 0.0005
  }

  private func builtInType(for foreign: ExternalEvent, named name: String) throws -> EventType? {
    let kind = foreign.source == .trip ? BuiltInType.trip : BuiltInType.visit
    switch foreign.sameness {
    case .time, .moments: break
    case .day, nil: return nil
    }
    guard name == kind.name else { return nil }
    let isNew = kind.present(among: Array(types.values)) == nil
    var definitions = try store.propertyDefinitions()
    let type: EventType
    if request.isDryRun {
      type = try kind.find(among: Array(types.values)) { _, made in
        definitions += made
        return true
      }
    } else {
      type = try store.type(kind)
      definitions = try store.propertyDefinitions()
    }
    if isNew { report.newTypes.append(type.name) }
    know(type)
    // Register the name in the file as well, because the user may have renamed the type.
    typeNames[name.lowercased()] = type
    for definition in definitions where definition.eventTypeId == type.id { know(definition) }
    return type
  }

  private func take(_ foreign: ExternalType, at place: String) {
    let name = request.typeMap[foreign.name.lowercased()] ?? foreign.name
    guard isWanted(foreign.name, name) else { return skip("type not selected") }
    guard isTypeName(name, at: place), typeNames[name.lowercased()] == nil else { return }
    let natural = typeID(of: name)
    if isGone(natural) { return skip("deleted type") }
    _ = makeType(name, like: foreign)
  }

  private func take(_ foreign: ExternalSkip, at place: String) {
    let name = request.typeMap[foreign.typeName.lowercased()] ?? foreign.typeName
    let start = request.options.zone.date(foreign.days.lowerBound)
    guard isWanted(foreign.typeName, name), request.options.range?.contains(start) != false else {
      return skip("skipped day not selected")
    }
    guard isTypeName(name, at: place) else { return }
    let type = typeNames[name.lowercased()] ?? makeType(name)
    let skip = Skip(
      id: identifier(["skip"] + foreign.key).text, eventTypeId: type.id, days: foreign.days, note: foreign.note)
    guard isRecordable(.record(skip.record), at: place) else { return }
    append(.record(skip.record))
  }

  private func isRecordable(_ entity: AnyEntity, at place: String) -> Bool {
    do {
      try entity.checkLimits()
      return true
    } catch {
      refuse("\(error)", at: place)
      return false
    }
  }

  private func isTypeName(_ name: String, at place: String) -> Bool {
    guard name.utf8.count <= 128, !name.isEmpty else {
      refuse("a type name must have 1 to 128 bytes", at: place)
      return false
    }
    return true
  }

  private func identifier(of foreign: ExternalEvent) -> CompactIdentifier {
    foreign.isKeyUnique ? NaturalKey.identifier(for: ["import"] + foreign.key) : identifier(foreign.key)
  }

  /// Returns the id for a key. Repeated keys are numbered, because entities with the same key in one file are
  /// different.
  private func identifier(_ key: [String]) -> CompactIdentifier {
    let first = NaturalKey.identifier(for: ["import"] + key)
    let fingerprint = first.fingerprint
    if keys.insert(fingerprint) { return first }
    let count = repeats[fingerprint, default: 1] + 1
    repeats[fingerprint] = count
    return NaturalKey.identifier(for: ["import"] + key + ["#\(count)"])
  }

  private func typeID(of name: String) -> String { NaturalKey.id(for: "import", "type", name.lowercased()) }

  private func isGone(_ type: String) -> Bool {
    // Ignore an error from the store, which is reported when the type is saved.
    (try? store.isDeleted(.eventType, id: type) && !store.isTakenBack(.eventType, id: type)) == true
  }

  /// Colours of new types, in the same order as on the dashboard.
  private static let colours = [
    "#73392E", "#0197BD", "#957007", "#513889", "#4464C0", "#747985",
    "#645D02", "#B12F60", "#009353", "#609D10", "#8849A2", "#036767",
  ]

  private var nextColour: String {
    let taken = Set(types.values.map { $0.colorHex.uppercased() })
    return Self.colours.first { !taken.contains($0) } ?? Self.colours[types.count % Self.colours.count]
  }

  private func makeType(_ name: String, like foreign: ExternalType? = nil) -> EventType {
    let natural = typeID(of: name)
    // A type that the user has deleted stays deleted, and a new type gets its name. A type deleted by undoing an import
    // is restored together with its events.
    var type = EventType(
      id: isGone(natural) ? destination.makeID() : natural, name: name, colorHex: foreign?.colorHex ?? nextColour,
      iconName: foreign?.icon ?? "•")
    type.goal = foreign?.goal
    know(type)
    report.newTypes.append(name)
    append(.eventType(type))
    return type
  }

  private func makeDefinition(_ key: String, _ kind: PropertyType, of type: EventType) -> PropertyDefinition {
    // Import selections as text, because their options are known only at the end of the file.
    let definition = PropertyDefinition(
      id: NaturalKey.id(for: "import", "property", type.id, key.lowercased()), eventTypeId: type.id, key: key,
      label: key,
      propertyType: kind == .select ? .text : kind, displayOrder: definitions[type.id]?.count ?? 0)
    know(definition)
    append(.property(definition))
    return definition
  }

  // MARK: Saving

  private func append(_ entity: AnyEntity) {
    batch.append(entity)
    starts?.append(entity.eventStart)
  }

  /// Checks, before the first save, whether the same file was imported with another time zone.
  private func checkZone() throws {
    guard !isZoneChecked else { return }
    isZoneChecked = true
    guard let reading = collector.reading else { return }
    destination.note(reading)
    guard let zone = reading.otherZone(among: try destination.earlierReadings()) else { return }
    report.otherZone = zone
    guard request.isDryRun || request.acceptsOtherZone else {
      throw ImportedInOtherZone(earlier: zone, zone: reading.zone)
    }
  }

  private func flush() throws {
    try saver.settle()
    defer {
      batch.removeAll(keepingCapacity: true)
      starts = nil
    }
    guard !batch.isEmpty else { return }
    try checkZone()
    if request.isDryRun {
      for entity in batch {
        let isFirst = preview.insert(entity)
        note(entity, isNew: try isFirst && !destination.isKnown(entity.kind, id: entity.id))
      }
      try request.onProgress?(records)
    } else {
      try saver.save(BatchSaver.Batch(entities: batch, records: records))
    }
  }

  private func note(_ entity: AnyEntity, isNew: Bool) {
    guard isNew else {
      report.known += 1
      return
    }
    report.new[entity.kind, default: 0] += 1
    if case .event(let event) = entity, let type = types[event.eventTypeId] {
      report.newEvents[type.name, default: 0] += 1
    }
  }

  private func flushReadings() throws {
    defer {
      readings.removeAll()
      readingCount = 0
    }
    guard readingCount > 0 else { return }
    for (device, taken) in readings.sorted(by: { $0.key < $1.key }) {
      let log = try request.isDryRun ? store.presentTrackLog() : store.openTrackLog()
      let compared = try compare(taken, device: device, log)
      for time in compared.displaced {
        refuse(
          "the store already has another position at this time; only one is kept",
          at: "fix of \(RFC3339.string(from: time))")
      }
      if request.isDryRun {
        report.newReadings += compared.new
        report.knownReadings += compared.known
        report.badCount += compared.invalid
        if compared.new > 0, format.reads != .everything, !DisplayOnlyTrack.isKept(device: device) {
          preview.add(taken, of: device)
        }
      } else if let log {
        let result = try log.append(taken, device: device)
        report.newReadings += result.added
        report.knownReadings += result.known
        report.badCount += result.invalid
      }
    }
    try request.onProgress?(records)
  }

  private func compare(_ readings: [TrackReading], device: String, _ log: TrackLog?) throws -> TrackComparison {
    let new = request.isDryRun ? preview.insert(readings, of: device) : readings
    var compared = try log?.comparison(of: new, device: device) ?? TrackComparison(of: new)
    compared.known += readings.count - new.count
    return compared
  }

  private func previewedFindings() throws -> Int {
    try preview.find(in: store, tripTypeId: BuiltInType.trip.present(among: Array(types.values))?.id ?? "")
  }

  private func finish() throws -> ImportReport {
    try flush()
    forgetUses()
    try flushReadings()
    if request.isDryRun {
      report.found += try previewedFindings()
    } else {
      try putNotes()
      // Skip detection for a complete export, which already contains the detected events.
      if report.newReadings > 0, format.reads != .everything {
        report.found += try store.makeTrackIntake().findAll().created.count
      }
      if report.newReadings > 0 { try store.noteReadings() }
      try store.finish()
    }
    report.id = try store.importID
    report.isContinued = try store.isContinued
    return report
  }

  /// Stores the detection state together with the readings of an exported store, so that nothing is detected again.
  private func putNotes() throws {
    guard !notes.isEmpty else { return }
    let log = try store.openTrackLog()
    for (device, notes) in notes.sorted(by: { $0.key < $1.key }) {
      try log.withReader {
        // If this store has already processed readings from the device, keep its own state.
        let own = try TrackNote.Kind.allCases.contains {
          try !log.notes($0, device: device, after: nil, isDescending: false, limit: 1).isEmpty
        }
        guard !own, let unread = try log.unread(device: device) else { return }
        var changes = TrackChanges()
        changes.put = notes
        changes.readThrough = unread.generation
        try log.commit(changes, device: device)
      }
    }
  }
}

extension AnyEntity {
  fileprivate var eventStart: Date? { if case .event(let event) = self { event.timestamp } else { nil } }
}
