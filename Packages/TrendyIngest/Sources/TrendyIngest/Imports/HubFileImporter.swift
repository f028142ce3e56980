import Foundation
import TrendyAgent
import TrendyArchive
public import TrendyHub
import TrendyInterchange
import TrendyModels
public import TrendyProtocols
import TrendyTrips

/// Imports uploaded files, like `trendy import`.
public struct HubFileImporter: FileImporting {
  private let storage: any HubStorage
  private let ingest: HubIngest
  private let clock: any TimeSource

  public init(storage: any HubStorage, ingest: HubIngest, clock: any TimeSource) {
    self.storage = storage
    self.ingest = ingest
    self.clock = clock
  }

  /// Maximum size in bytes of a track file, which is held in memory.
  private static let largestTrack = 64 << 20

  public func read(
    _ file: ImportFile, into desk: HubImportWriter, onProgress: (Int64) throws -> Void
  ) throws -> ImportSummary {
    guard let zone = ZoneClock(named: file.zone) else {
      throw Problem(
        "invalid", status: 400, title: "Unknown time zone",
        detail: "zone: unknown time zone \"\(file.zone.prefix(60))\"")
    }
    return try withoutActuallyEscaping(onProgress) { onProgress in
      do {
        return try read(file, into: desk, zone, Meter(onProgress))
      } catch let error as InterchangeError {
        throw Problem(error)
      } catch let error as ImportedInOtherZone {
        throw Problem("other_zone", status: 409, title: "Imported with another time zone", detail: "\(error)")
      } catch let error as ArchiveError {
        throw Problem(error)
      } catch let error as ImportFileError {
        throw Problem.unreadable("\(error)")
      }
    }
  }

  private func read(
    _ file: ImportFile, into desk: HubImportWriter, _ zone: ZoneClock, _ meter: Meter
  ) throws -> ImportSummary {
    let store = HubImportStore(desk: desk, storage: storage, clock: clock)
    defer { if desk.isBegun { ingest.onImported(for: desk.desk.user) } }
    var options = ImportOptions(zone: zone, now: clock.now)
    options.isDayFirst = file.isDayFirst
    options.fileName = file.name
    // The page displays the zone that it sends, so the user has confirmed it.
    options.isZoneChosen = true
    if file.onlyTypes.count == 1 { options.typeName = file.onlyTypes.first }
    var request = ImportRequest(source: file.name, options: options, fingerprint: "")
    request.isDryRun = file.isDryRun
    request.acceptsOtherZone = file.acceptsOtherZone
    request.onlyTypes = Set(file.onlyTypes.map { $0.lowercased() })
    request.typeMap = file.typeMap
    switch try ArchiveInput.source(try ArchiveInput.stream(at: file.path, meter), at: file.path, meter) {
    case .files(let files):
      guard let format = try InterchangeFormat.detect(in: files) else {
        throw Problem.unreadable(
          "\(file.name) contains nothing that can be imported: this looks like \(files.description)")
      }
      desk.setFormat(format.word)
      return ImportSummary(format, try store.importRecords(files, as: format, request), store)
    case .stream(let stream):
      guard let format = try InterchangeFormat.detect(stream), format.isReadAsRecords else {
        return try track(file, stream, request, desk, store)
      }
      desk.setFormat(format.word)
      return ImportSummary(format, try store.importRecords(stream, as: format, request), store)
    }
  }

  private func track(
    _ file: ImportFile, _ stream: ByteInput, _ request: ImportRequest, _ desk: HubImportWriter, _ store: HubImportStore
  ) throws -> ImportSummary {
    guard try stream.peek(Self.largestTrack + 1).count <= Self.largestTrack else {
      throw Problem(
        "too_large", status: 413, title: "Track too large",
        detail:
          "\"\(file.name.prefix(60))\" is a track of more than \(Self.largestTrack >> 20) MiB, the limit of a hub: "
          + "import it on a device (trendy import FILE)")
    }
    // The format is known only after the file has been read.
    let bytes = try stream.rest()
    let format = ImportFormat.detect(bytes)
    desk.setFormat(format?.rawValue ?? "")
    return ImportSummary(try store.importTrack(bytes, request), isDryRun: file.isDryRun)
  }
}

/// Reports the number of bytes read, and cancels reading on request.
private final class Meter: ReadingMeter {
  var total: Int64?
  private var read: Int64 = 0
  private let onProgress: (Int64) throws -> Void

  init(_ onProgress: @escaping (Int64) throws -> Void) { self.onProgress = onProgress }

  func advance(by bytes: Int) throws {
    read += Int64(bytes)
    try onProgress(read)
  }
}

extension Problem {
  fileprivate static func unreadable(_ words: String) -> Problem {
    Problem("unreadable", status: 422, title: "Invalid file", detail: words)
  }

  fileprivate init(_ error: InterchangeError) {
    switch error {
    case .ambiguousDates:
      self.init("ambiguous_dates", status: 422, title: "Ambiguous dates", detail: "\(error)")
    case .unknownFormat(let seen):
      self = .unreadable("this looks like \(seen), which cannot be imported; \(Self.formats)")
    default: self = .unreadable("\(error)")
    }
  }

  private static let formats =
    "supported formats: \(InterchangeFormat.readable.map(\.name).joined(separator: ", "))"

  fileprivate init(_ error: ArchiveError) {
    if case .system = error {
      self.init(
        "internal", status: 500, title: "Internal error",
        detail: "the hub can no longer read the uploaded file: send it again"
      )
    } else {
      self = .unreadable("\(error)")
    }
  }
}

extension ImportSummary {
  fileprivate init(_ format: InterchangeFormat, _ report: ImportReport, _ store: HubImportStore) {
    self.init(format: format.word, formatName: format.name)
    for (kind, count) in report.new { new[kind.rawValue] = count }
    // Add the trips and visits, which are detected after the report has been created.
    if report.found > 0 { new[MutationEntityType.event.rawValue, default: 0] += report.found }
    known = max(0, report.known - store.refusedCount)
    newReadings = report.newReadings
    knownReadings = report.knownReadings
    let newTypes = Set(report.newTypes)
    types = report.types.map { name, count in
      TypeCount(name: name, count: count, new: report.newEvents[name] ?? 0, isNew: newTypes.contains(name))
    }.sorted { ($1.count, $0.name) < ($0.count, $1.name) }
    skipped = report.skipped
    badCount = report.badCount + store.refusedCount
    problems = Array((report.problems.map { "\($0)" } + store.refusals).prefix(10))
    (first, last) = (report.first, report.last)
    examples = report.examples.map { Self.example($0.event, ofType: $0.typeName) }
    otherZone = report.otherZone
    if report.found > 0 { remarks.append("Trips and visits detected in its positions: \(report.found).") }
  }

  fileprivate init(_ track: TrackImport, isDryRun: Bool) {
    self.init(format: track.file.format.rawValue, formatName: track.file.format.name)
    let found = track.tripCount.new + track.visitCount.new
    if found > 0 { new[MutationEntityType.event.rawValue] = found }
    known = track.tripCount.known + track.visitCount.known
    newReadings = track.fixCount.new
    knownReadings = track.fixCount.known
    if let workouts = track.workouts {
      for (kind, count) in workouts.new { new[kind.rawValue, default: 0] += count }
      known += workouts.known
      types += workouts.types.map { name, count in
        TypeCount(
          name: name, count: count, new: workouts.newEvents[name] ?? 0, isNew: workouts.newTypes.contains(name))
      }
      examples += workouts.examples.map { Self.example($0.event, ofType: $0.typeName) }
    }
    for (kind, count) in [(BuiltInType.trip, track.tripCount), (.visit, track.visitCount)]
    where count.new + count.known > 0 {
      types.append(TypeCount(name: kind.name, count: count.new + count.known, new: count.new, isNew: false))
    }
    badCount = track.problemCount
    problems = track.problems.prefix(10).map { "\($0)" }
    for (what, count) in track.file.leftOut { skipped[what] = count }
    remarks = track.file.remarks + [track.file.timeRemark].compactMap(\.self)
    let gone = isDryRun ? 0 : track.tripCount.new + track.tripCount.known - track.trips.count
    if gone > 0 { remarks.append("Trips deleted or undone after an earlier import: \(gone).") }
    (first, last) = (track.file.firstTime, track.file.lastTime)
    examples +=
      track.trips.prefix(5).map { Self.example($0, ofType: BuiltInType.trip.name) }
      + track.visits.prefix(max(0, 5 - track.trips.count)).map { Self.example($0, ofType: BuiltInType.visit.name) }
  }

  private static func example(_ event: Event, ofType type: String) -> JSONValue {
    // Rejected events are not listed.
    var members = (try? AnyEntity.event(event).value.objectValue) ?? [:]
    members["type"] = .string(type)
    return .object(members)
  }
}
