public import Foundation
public import TrendyModels

/// Reads files that persons send to a hub, and takes in what is in them.
public protocol FileImporting: Sendable {
  /// Reads a file from its beginning to its end, in memory that does not grow with it.
  /// - Parameters:
  ///   - file: what was sent, and how it is to be read.
  ///   - desk: where what is in it is written, and where it is looked up what is known.
  ///   - onProgress: called again and again with the bytes read; what it throws ends the import there.
  /// - Throws: a ``Problem`` for a file that cannot be read; what was written before it stays.
  func read(_ file: ImportFile, into desk: HubImportDesk, onProgress: (Int64) throws -> Void) throws -> ImportSummary
}

/// A file that was sent, and how it is to be read.
public struct ImportFile: Hashable, Sendable {
  public var path: String
  /// As the person named it.
  public var name: String
  /// IANA name of the zone of times that name none.
  public var zone: String
  /// Whether `3/4` is the third of April; `nil` to find out.
  public var isDayFirst: Bool?
  /// Names of types in lower case; empty for all.
  public var onlyTypes: Set<String>
  /// By the name of a type in the file, in lower case, the name of the type that takes its events.
  public var typeMap: [String: String]
  /// Whether it is imported although it was imported with another zone.
  public var acceptsOtherZone: Bool
  /// Whether nothing is written.
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

/// What a file brought, or would bring.
public struct ImportSummary: Hashable, Sendable {
  /// Events of one type, as it is or would be called.
  public struct TypeCount: Hashable, Sendable {
    public var name: String
    /// New and known.
    public var count: Int
    public var new: Int
    /// Whether the type was, or would be, made for them.
    public var isNew: Bool

    public init(name: String, count: Int, new: Int, isNew: Bool) {
      self.name = name
      self.count = count
      self.new = new
      self.isNew = isNew
    }
  }

  /// The word of the format, and what a person calls it.
  public var format: String
  public var formatName: String
  /// Entities that are new, by the name of their kind.
  public var new: [String: Int] = [:]
  public var known = 0
  /// Fixes and other readings.
  public var newReadings = 0
  public var knownReadings = 0
  /// The most frequent first.
  public var types: [TypeCount] = []
  /// Left out, by what it is.
  public var skipped: [String: Int] = [:]
  public var badCount = 0
  /// The first of what could not be read or kept, in words.
  public var problems: [String] = []
  /// What the person should know of the file, in sentences.
  public var remarks: [String] = []
  /// The zone with which the same file was imported before, where each event would be recorded a second time.
  public var otherZone: String?
  public var first: Date?
  public var last: Date?
  /// The first events, with the name of their type as `type`, and else as the wire has them.
  public var examples: [JSONValue] = []

  public init(format: String, formatName: String) {
    self.format = format
    self.formatName = formatName
  }
}

extension ImportSummary {
  /// As the API has it.
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

/// That a hub takes in files.
public struct FileIntake: Sendable {
  public var importer: any FileImporting
  /// Folder of the files until the import ends, or for an hour; it is cleared when the hub starts.
  public var folder: URL
  /// Bytes of a file, at most.
  public var largestFile: Int64
  /// Bytes of the files of all users together, at most.
  public var mostBytes: Int64 { largestFile.multipliedReportingOverflow(by: 2).overflow ? .max : largestFile * 2 }
  /// Bytes that are to be sent at once: not more than the body of a request may have.
  public var partBytes: Int

  public init(importer: any FileImporting, folder: URL, largestFile: Int64 = 4 << 30, partBytes: Int = 1 << 20) {
    self.importer = importer
    self.folder = folder
    self.largestFile = largestFile
    self.partBytes = partBytes
  }
}
