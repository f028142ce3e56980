/// A format in which records come in or go out: how it is known by its content, what it can hold, how it is read and written.
///
/// The command line, its help and `docs/formats.md` are made from ``all``.
public struct InterchangeFormat: Sendable {
  /// Kinds of things that a format can hold.
  public struct Contents: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let events = Contents(rawValue: 1)
    public static let fixes = Contents(rawValue: 2)
    public static let trips = Contents(rawValue: 4)
    /// Types, properties, places, vehicles, rules and settings as well, with all their ids.
    public static let everything = Contents(rawValue: 8)

    /// In words, such as `events and fixes`.
    public var words: String {
      if contains(.everything) { return "everything" }
      let names = [(Contents.events, "events"), (.trips, "trips"), (.fixes, "fixes")]
      return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
  }

  typealias Handler = (InterchangeRecord, String) throws -> Void

  /// What a person types: `ndjson`.
  public let word: String
  /// What a person calls it.
  public let name: String
  /// A sentence on what it is.
  public let summary: String
  public let reads: Contents
  public let writes: Contents
  /// What it is held against; a format without a real file says so here.
  public let basis: String
  /// Of a format of tracks.
  public let track: ImportFormat?
  /// Of a table that is known by its columns.
  private let table: TableProfile?
  private let recognise: @Sendable (ArraySlice<UInt8>) -> Bool
  private let readRecords: (@Sendable (ByteInput, ImportOptions, Handler) throws -> Void)?
  private let folder: FolderReading?
  private let makeWriter: (@Sendable (ExportContext) -> any EventWriter)?
  private let makeArchiveWriter: (@Sendable (ExportContext) -> any EventArchiveWriter)?

  /// How a format is known and read that comes as several files: in a folder, or in an archive.
  struct FolderReading: Sendable {
    let recognise: @Sendable (ExportFiles) throws -> Bool
    let read: @Sendable (ExportFiles, ImportOptions, Handler) throws -> Void
  }

  init(
    _ word: String, _ name: String, _ summary: String, reads: Contents = [], writes: Contents = [], basis: String,
    track: ImportFormat? = nil, table: TableProfile? = nil,
    recognise: @escaping @Sendable (ArraySlice<UInt8>) -> Bool = { _ in false },
    read: (@Sendable (ByteInput, ImportOptions, Handler) throws -> Void)? = nil, folder: FolderReading? = nil,
    writer: (@Sendable (ExportContext) -> any EventWriter)? = nil,
    archiveWriter: (@Sendable (ExportContext) -> any EventArchiveWriter)? = nil
  ) {
    self.word = word
    self.name = name
    self.summary = summary
    self.reads = reads
    self.writes = writes
    self.basis = basis
    self.track = track
    self.table = table
    self.recognise = recognise
    readRecords = read
    self.folder = folder
    makeWriter = writer
    makeArchiveWriter = archiveWriter
  }

  /// The format of a word; `rec` is short for `owntracks-rec`.
  public static func named(_ word: String) -> InterchangeFormat? {
    let word = word.lowercased() == "rec" ? ImportFormat.ownTracksRecording.rawValue : word.lowercased()
    return all.first { $0.word == word }
  }

  /// The format of a file by its content.
  /// - Parameters:
  ///   - input: what is looked at stays to be read.
  ///   - columns: named by a person, as in ``ImportOptions/columns``: a table whose own names tell nothing is read by them.
  /// - Returns: `nil` where it is none of these.
  public static func detect(_ input: ByteInput, columns: [String: String] = [:]) throws -> InterchangeFormat? {
    let head = try input.peek(1 << 16)
    if let format = of(head) { return format }
    guard isPlainText(head) else { return nil }
    let isTable =
      columns.isEmpty
      ? ImportFormat.detect(Array(head)) == nil && EventTableReader.hasTimes(head)
      : TableProfile.Role.places.isDisjoint(with: columns.keys)
        && EventTableReader.header(of: head).map { $0.names.count > 1 } == true
    return isTable ? named("csv") : nil
  }

  /// A table is neither XML nor JSON; a table that Excel writes in UTF-16 counts.
  static func isPlainText(_ head: ArraySlice<UInt8>) -> Bool {
    guard let first = head.withoutLeadingSpace.first else { return false }
    return !"<{[".utf8.contains(first) && !head.starts(with: Array("PK".utf8))
  }

  /// The format of a file that begins with these bytes, 64 KiB or all of it; `nil` where it is none of these.
  static func of(_ head: ArraySlice<UInt8>) -> InterchangeFormat? {
    // Which form of a track it is, is found out once for all of them.
    var track: ImportFormat??
    // So is the header of a table.
    var header: TableHeader??
    return readable.first { format in
      if let profile = format.table {
        if header == nil { header = .some(isPlainText(head) ? EventTableReader.header(of: head) : nil) }
        return header??.normalized.isEmpty == false && profile.matches(header??.normalized ?? [])
      }
      guard let form = format.track else { return format.recognise(head) }
      if track == nil { track = .some(ImportFormat.detect(Array(head))) }
      return track == .some(form)
    }
  }

  /// The format of a folder, or of an archive, by the content of its files.
  /// - Returns: `nil` where no file in it can be read.
  /// - Throws: what opening a file throws.
  public static func detect(in files: ExportFiles) throws -> InterchangeFormat? {
    try readable.first { try $0.folder?.recognise(files) == true }
  }

  public static let readable = all.filter { !$0.reads.isEmpty }
  public static let writable = all.filter { !$0.writes.isEmpty }

  /// Gives each record with its place in the file, such as `line 12`.
  /// - Throws: what the input or `body` throws, or ``InterchangeError``; the records before it were given.
  public func read(
    _ input: ByteInput, _ options: ImportOptions, _ body: (InterchangeRecord, String) throws -> Void
  ) throws {
    guard let readRecords else { preconditionFailure("\(word) is not read as records") }
    try readRecords(input, options, body)
  }

  /// Gives each record of a folder or an archive with its place, such as `Takeout/Records.json, locations[3]`.
  /// - Throws: what a file or `body` throws, or ``InterchangeError``; the records before it were given.
  public func read(
    _ files: ExportFiles, _ options: ImportOptions, _ body: (InterchangeRecord, String) throws -> Void
  ) throws {
    guard let folder else { preconditionFailure("\(word) is not read from a folder") }
    try folder.read(files, options, body)
  }

  /// Whether a file of it is read as records, and not as a track.
  public var isReadAsRecords: Bool { readRecords != nil }

  /// `nil` for a format that holds no events or more than those.
  public func eventWriter(_ context: ExportContext) -> (any EventWriter)? { makeWriter?(context) }

  /// `nil` for a format that is a single file.
  public func archiveWriter(_ context: ExportContext) -> (any EventArchiveWriter)? { makeArchiveWriter?(context) }

  /// Whether it is written as an archive of several files.
  public var isWrittenAsArchive: Bool { makeArchiveWriter != nil }

  /// `nil` for a format in which no tracks are written.
  public func trackWriter() -> (any TrackStreamWriter)? {
    switch track {
    case .gpx: GPXStreamWriter()
    case .geoJSON: GeoJSONStreamWriter()
    case .kml: KMLStreamWriter()
    case .ownTracksRecording: OwnTracksStreamWriter()
    case .csv, .nmea, .overland, .ownTracks, nil: nil
    }
  }
}
