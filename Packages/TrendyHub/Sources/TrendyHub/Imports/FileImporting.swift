public import Foundation
public import TrendyModels

/// Reads uploaded files and imports their contents.
public protocol FileImporting: Sendable {
  /// Reads a file from beginning to end with bounded memory.
  ///
  /// - Parameters:
  ///   - file: The file and the options for reading it.
  ///   - desk: Writes entities and looks up existing ids.
  ///   - onProgress: Called repeatedly with the number of bytes read so far. If it throws, the import ends with that
  ///     error.
  /// - Throws: A ``Problem`` if the file cannot be read. Entities written before the error are kept.
  func read(_ file: ImportFile, into desk: HubImportWriter, onProgress: (Int64) throws -> Void) throws -> ImportSummary
}

/// An uploaded file with the options for reading it.
public struct ImportFile: Hashable, Sendable {
  /// Path of the file on the hub.
  public var path: String
  /// Name of the file on the user's device.
  public var name: String
  /// IANA identifier of the time zone for times without one.
  public var zone: String
  /// Whether `3/4` means 3 April, or `nil` to detect the order.
  public var isDayFirst: Bool?
  /// Names of the types to import, in any case, or an empty set to import all types.
  public var onlyTypes: Set<String>
  /// Names of the existing types that receive the events, keyed by the lowercase name of the type in the file.
  public var typeMap: [String: String]
  /// Whether to import the file even if it was imported before with a different time zone.
  public var acceptsOtherZone: Bool
  /// Whether to read the file without writing anything.
  public var isDryRun: Bool

  public init(
    path: String, name: String, zone: String, isDayFirst: Bool? = nil, onlyTypes: Set<String> = [],
    typeMap: [String: String] = [:], acceptsOtherZone: Bool = false, isDryRun: Bool
  ) {
    self.path = path
    self.name = name
    self.zone = zone
    self.isDayFirst = isDayFirst
    self.onlyTypes = onlyTypes
    self.typeMap = typeMap
    self.acceptsOtherZone = acceptsOtherZone
    self.isDryRun = isDryRun
  }
}

/// Result of an import or a dry run.
public struct ImportSummary: Hashable, Sendable {
  /// Number of events of one type.
  public struct TypeCount: Hashable, Sendable {
    /// Name of the type in the user's record.
    public var name: String
    /// Number of events, including duplicates.
    public var count: Int
    /// Number of events, excluding duplicates.
    public var new: Int
    /// Whether the import creates the type.
    public var isNew: Bool

    public init(name: String, count: Int, new: Int, isNew: Bool) {
      self.name = name
      self.count = count
      self.new = new
      self.isNew = isNew
    }
  }

  /// Identifier of the file format. `formatName` is its display name.
  public var format: String
  public var formatName: String
  /// Number of new entities of each kind.
  public var new: [String: Int] = [:]
  /// Number of duplicates.
  public var known = 0
  /// Number of new fixes and other readings.
  public var newReadings = 0
  /// Number of readings that were already stored.
  public var knownReadings = 0
  /// Types in descending order of the number of events.
  public var types: [TypeCount] = []
  /// Number of skipped items for each reason.
  public var skipped: [String: Int] = [:]
  /// Number of items that could not be read or stored.
  public var badCount = 0
  /// The first error messages.
  public var problems: [String] = []
  /// Remarks about the file, as sentences for the user.
  public var remarks: [String] = []
  /// Time zone of an earlier import of the same file. Importing the file with a different zone would duplicate every
  /// event.
  public var otherZone: String?
  /// Timestamp of the first event.
  public var first: Date?
  /// Timestamp of the last event.
  public var last: Date?
  /// The first few events as wire documents, each with the name of its type in an additional member `type`.
  public var examples: [JSONValue] = []

  public init(format: String, formatName: String) {
    self.format = format
    self.formatName = formatName
  }
}

extension ImportSummary {
  var document: JSONValue {
    func date(_ date: Date?) -> JSONValue { date.map { .string(RFC3339.string(from: $0)) } ?? .null }
    return [
      "format": .string(format), "format_name": .string(formatName), "new": .object(new.mapValues { .int(Int64($0)) }),
      "known": .int(Int64(known)), "new_readings": .int(Int64(newReadings)),
      "known_readings": .int(Int64(knownReadings)),
      "types": .array(
        types.map {
          [
            "name": .string($0.name), "count": .int(Int64($0.count)), "new": .int(Int64($0.new)),
            "is_new": .bool($0.isNew),
          ]
        }),
      "skipped": .object(skipped.mapValues { .int(Int64($0)) }), "bad": .int(Int64(badCount)),
      "problems": .array(problems.map { .string($0) }), "remarks": .array(remarks.map { .string($0) }),
      "other_zone": otherZone.map { .string($0) } ?? .null,
      "first": date(first), "last": date(last), "examples": .array(examples),
    ]
  }

  static let schema = HubSchema.object([
    .required("format", .string), .required("format_name", .string), .required("new", .map(.counter)),
    .required("known", .counter), .required("new_readings", .counter), .required("known_readings", .counter),
    .required(
      "types",
      .list(
        .object([
          .required("name", .string), .required("count", .counter), .required("new", .counter),
          .required("is_new", .boolean),
        ]))), .required("skipped", .map(.counter)), .required("bad", .counter),
    .required("problems", .list(.string)), .required("remarks", .list(.string)),
    .required("other_zone", .nullable(.string)),
    .required("first", .nullable(.date)), .required("last", .nullable(.date)), .required("examples", .list(.map(.any))),
  ])
}

/// Configuration of file imports.
public struct FileIntake: Sendable {
  /// Reads the files.
  public var importer: any FileImporting
  /// Directory for uploaded files. A file is deleted when its import ends, after an hour, or at the next hub start.
  public var folder: URL
  /// Maximum size of a file in bytes.
  public var largestFile: Int64
  /// Maximum total size of all users' files in bytes.
  public var maxBytes: Int64 { largestFile.multipliedReportingOverflow(by: 2).overflow ? .max : largestFile * 2 }
  /// Size of each upload part in bytes, at most the maximum size of a request body.
  public var partBytes: Int

  public init(importer: any FileImporting, folder: URL, largestFile: Int64 = 4 << 30, partBytes: Int = 1 << 20) {
    self.importer = importer
    self.folder = folder
    self.largestFile = largestFile
    self.partBytes = partBytes
  }
}
