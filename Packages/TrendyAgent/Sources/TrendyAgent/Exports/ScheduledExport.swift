public import TrendyFoundation
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
public import TrendyModels
public import TrendyPersistence
import TrendyProtocols
import TrendySync

/// Exports that are made by themselves: looks whether one is due in a folder, has it made, and removes those that are too many.
///
/// What came of it is a note of the store, which whoever asks how things stand can read while no agent runs.
public struct ScheduledExport: Sendable {
  public enum Outcome: Hashable, Sendable {
    case notDue
    /// The name of the file, and of those that were removed.
    case made(String, removed: [String])
    /// It is due, and was not made; it is tried again.
    case failed(String)
  }

  /// Seconds after a failure until it is tried again.
  public static let retryInterval = 600.0

  private let record: DeviceRecord
  private let schedule: ExportSchedule
  private let folder: URL
  private let local: LocalTime

  /// - Parameters:
  ///   - record: what is exported; its clock counts.
  ///   - schedule: how often.
  ///   - folder: where to. It is not made where it is missing: a disk that is not there would be filled in beside.
  ///   - local: the person's clock.
  public init(_ record: DeviceRecord, schedule: ExportSchedule, folder: URL, local: LocalTime) {
    (self.record, self.schedule, self.folder, self.local) = (record, schedule, folder, local)
  }

  /// Makes the export that is due, if one is.
  /// - Parameter make: writes the file whole, or throws and leaves none. An error is told in its words.
  /// - Throws: what the store says when how it went cannot be noted.
  public func look(_ make: (URL) async throws -> Void) async throws -> Outcome {
    let now = record.clock.now
    var standing =
      try ExportStanding(in: record.dataStoreFactory.makeLocalStore()) ?? ExportStanding(folder: folder.path)
    if standing.folder != folder.path { standing = ExportStanding(folder: folder.path) }
    if let failed = standing.failedAt, failed <= now, now < failed.addingTimeInterval(Self.retryInterval) {
      return .notDue
    }
    do {
      let names = try Self.names(in: folder)
      guard schedule.next(after: names, now: now, in: local) <= now else {
        if standing.failure != nil { try note(standing.succeeded()) }
        return .notDue
      }
      let name = schedule.name(at: now, in: local)
      try removeUnfinished(names)
      try await make(folder.appending(path: name))
      guard try Self.names(in: folder).contains(name) else { throw Failure("\(name) was not written") }
      standing.made = standing.made.filter { $0 != name } + [name]
      // It is there, whatever becomes of the others.
      try note(standing.succeeded())
      let removed = try prune(&standing)
      try note(standing.succeeded())
      return .made(name, removed: removed)
    } catch let error as StorageError {
      throw error
    } catch {
      let words = "\(error)"
      standing.failure = words
      standing.failedAt = now
      try note(standing)
      return .failed(words)
    }
  }

  /// Names of the files in the folder.
  /// - Throws: an error that says that it is not there.
  public static func names(in folder: URL) throws -> [String] {
    var isFolder = false
    guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder else {
      throw Failure("there is no folder \(folder.path)")
    }
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  private struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  /// Only files that the note says were made here go: what a person has put beside them stays.
  private func prune(_ standing: inout ExportStanding) throws -> [String] {
    let present = Set(try Self.names(in: folder))
    standing.made = standing.made.filter(present.contains)
    var removed: [String] = []
    for name in schedule.superseded(standing.made, in: local) {
      try removeFile(name)
      standing.made.removeAll { $0 == name }
      removed.append(name)
    }
    return removed
  }

  /// What one that was killed has left.
  private func removeUnfinished(_ names: [String]) throws {
    for name in names where name.hasSuffix(".new") && schedule.moment(of: String(name.dropLast(4)), in: local) != nil {
      try removeFile(name)
    }
  }

  /// A folder of this name is not this program's, and stays.
  private func removeFile(_ name: String) throws {
    let path = folder.appending(path: name).path
    guard unlink(path) == 0 || errno == ENOENT else {
      throw Failure("\(path) cannot be removed: \(String(cString: strerror(errno)))")
    }
  }

  private func note(_ standing: ExportStanding) throws {
    try record.recorder.inOneSave { save in
      try save.beginWriting()
      try save.localStore.setNote(standing.value, named: ExportStanding.name)
    }
  }
}

/// How the exports that are made by themselves stand, as the store notes it.
public struct ExportStanding: Hashable, Sendable {
  static let name = "export"

  public let folder: String
  /// Names of files that were made there, the oldest first.
  public internal(set) var made: [String] = []
  /// Why the last one was not made; `nil` where it was.
  public internal(set) var failure: String?
  public internal(set) var failedAt: Date?

  init(folder: String) { self.folder = folder }

  /// `nil` where nothing was noted.
  public init?(in store: LocalStore) throws {
    guard let members = try store.note(named: Self.name)?.objectValue, let folder = members["folder"]?.stringValue
    else {
      return nil
    }
    self.folder = folder
    made = members["made"]?.arrayValue?.compactMap(\.stringValue) ?? []
    failure = members["failure"]?.stringValue
    failedAt = members["failed_at"]?.stringValue.flatMap { RFC3339.date(from: $0) }
  }

  fileprivate var value: JSONValue {
    var members: [String: JSONValue] = ["folder": .string(folder), "made": .array(made.map { .string($0) })]
    members["failure"] = failure.map { .string($0) }
    members["failed_at"] = failedAt.map { .string(RFC3339.string(from: $0)) }
    return .object(members)
  }

  fileprivate func succeeded() -> ExportStanding {
    var standing = self
    (standing.failure, standing.failedAt) = (nil, nil)
    return standing
  }
}
