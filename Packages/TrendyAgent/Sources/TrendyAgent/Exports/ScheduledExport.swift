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

/// Writes an export when it is due, and deletes superseded files.
///
/// The result is stored as a local value of the store, so it can be read while no agent is running.
public struct ScheduledExport: Sendable {
  /// Result of a check.
  public enum Outcome: Hashable, Sendable {
    /// No export is due, or the last export failed less than ``retryInterval`` ago.
    case notDue
    /// Name of the new file, and names of the deleted files.
    case made(String, removed: [String])
    /// The export was due but failed. It will be retried.
    case failed(String)
  }

  /// Time in seconds after which a failed export is retried.
  public static let retryInterval = 600.0

  private let record: DeviceRecord
  private let schedule: ExportSchedule
  private let folder: URL
  private let local: LocalTime

  /// Creates a scheduled export.
  /// - Parameters:
  ///   - record: Record to export, which also provides the clock.
  ///   - schedule: Interval and file names.
  ///   - folder: Target folder. The folder is never created, because it may be the mount point of a removable disk.
  ///   - local: The user's calendar.
  public init(_ record: DeviceRecord, schedule: ExportSchedule, folder: URL, local: LocalTime) {
    (self.record, self.schedule, self.folder, self.local) = (record, schedule, folder, local)
  }

  /// Writes the export if it is due.
  /// - Parameter make: Writes the complete file, or throws and leaves no file.
  /// - Throws: Errors from the store if the result cannot be saved.
  public func look(_ make: (URL) async throws -> Void) async throws -> Outcome {
    let now = record.clock.now
    var standing =
      try ScheduledExportStatus(in: record.dataStoreFactory.makeLocalStore())
      ?? ScheduledExportStatus(folder: folder.path)
    if standing.folder != folder.path { standing = ScheduledExportStatus(folder: folder.path) }
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
      // Save the success first, because deleting the superseded files may fail.
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

  /// Returns the sorted names of the files in the target folder.
  /// - Throws: An error if the folder does not exist.
  public static func names(in folder: URL) throws -> [String] {
    var isFolder = false
    guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder else {
      throw Failure("folder \(folder.path) not found")
    }
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  private struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  /// Deletes superseded files, but only if this agent has written them.
  private func prune(_ standing: inout ScheduledExportStatus) throws -> [String] {
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

  private func removeUnfinished(_ names: [String]) throws {
    for name in names where name.hasSuffix(".new") && schedule.moment(of: String(name.dropLast(4)), in: local) != nil {
      try removeFile(name)
    }
  }

  /// Deletes a file. Fails for a directory, which this program cannot have created.
  private func removeFile(_ name: String) throws {
    let path = folder.appending(path: name).path
    guard unlink(path) == 0 || errno == ENOENT else {
      throw Failure("cannot delete \(path): \(String(cString: strerror(errno)))")
    }
  }

  private func note(_ standing: ScheduledExportStatus) throws {
    try record.recorder.inOneSave { save in
      try save.beginWriting()
      try save.localStore.setNote(standing.value, named: ScheduledExportStatus.name)
    }
  }
}

/// Status of scheduled exports, stored as a local value of the store.
public struct ScheduledExportStatus: Hashable, Sendable {
  static let name = "export"

  /// Path of the target folder.
  public let folder: String
  /// Names of the files written to the folder, oldest first.
  public internal(set) var made: [String] = []
  /// Reason why the last export failed, or `nil` if it succeeded.
  public internal(set) var failure: String?
  /// Time of the last failure, or `nil` if the last export succeeded.
  public internal(set) var failedAt: Date?

  init(folder: String) { self.folder = folder }

  /// Reads the status from a store. Returns `nil` if there is none.
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

  fileprivate func succeeded() -> ScheduledExportStatus {
    var standing = self
    (standing.failure, standing.failedAt) = (nil, nil)
    return standing
  }
}
