/// File format with its detection, contents, reader and writer.
///
/// The command-line options and their help are generated from ``all``, and a test compares `docs/formats.md` with
/// ``all``.
public struct InterchangeFormat: Sendable {
  /// Kinds of content that a format can contain.
  public struct Contents: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The user's events.
    public static let events = Contents(rawValue: 1)
    /// Device positions.
    public static let fixes = Contents(rawValue: 2)
    /// Trips, contained in the file or detected in its fixes.
    public static let trips = Contents(rawValue: 4)
    /// Entities of every kind with their ids, including types, properties, places, vehicles, rules and settings.
    public static let everything = Contents(rawValue: 8)

    /// Names separated by commas, such as `events, fixes`.
    public var words: String {
      if contains(.everything) { return "everything" }
      let names = [(Contents.events, "events"), (.trips, "trips"), (.fixes, "fixes")]
      return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
  }

  typealias Handler = (InterchangeRecord, String) throws -> Void

  /// Name on the command line, such as `ndjson`.
  public let word: String
  /// Display name.
  public let name: String
  /// Description in one sentence.
  public let summary: String
  /// Kinds of content that an import reads.
  public let reads: Contents
  /// Kinds of content that an export writes.
  public let writes: Contents
  /// Evidence that the reader is correct: a specification, source code, or the real files used to test the reader.
  public let basis: String
  /// Corresponding track format, or `nil` if this format is not for tracks.
  public let track: ImportFormat?
  /// Profiles of the tables that are recognised by their columns.
  private let tables: [TableProfile]
  /// Layouts of the program's files, if it has several.
  let app: AppTables?
  private let recognise: @Sendable (ArraySlice<UInt8>) -> Bool
  private let readRecords: (@Sendable (ByteInput, ImportOptions, Handler) throws -> Void)?
  private let folder: FolderReading?
  private let makeWriter: (@Sendable (ExportContext) -> any EventWriter)?
  private let makeArchiveWriter: (@Sendable (ExportContext) -> any EventArchiveWriter)?

  struct FolderReading: Sendable {
    let recognise: @Sendable (ExportFiles) throws -> Bool
    let read: @Sendable (ExportFiles, ImportOptions, Handler) throws -> Void
  }

  init(
    _ word: String, _ name: String, _ summary: String, reads: Contents = [], writes: Contents = [], basis: String,
    track: ImportFormat? = nil, table: TableProfile? = nil, app: AppTables? = nil,
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
    tables = table.map { [$0] } ?? app?.profiles.filter { $0.jsonArray == nil } ?? []
    self.app = app
    self.recognise = { head in app?.jsonProfile(head) != nil || recognise(head) }
    if let app {
      readRecords = { input, options, body in
        var values = DailyValues()
        try app.read(input, options, path: options.fileName, &values, body)
        try values.give(options, body)
      }
    } else {
      readRecords = read
    }
    self.folder = folder
    makeWriter = writer
    makeArchiveWriter = archiveWriter
  }

  /// Returns the format with this name on the command line. `rec` is an alias of `owntracks-rec`.
  public static func named(_ word: String) -> InterchangeFormat? {
    let word = word.lowercased() == "rec" ? ImportFormat.ownTracksRecording.rawValue : word.lowercased()
    return all.first { $0.word == word }
  }

  /// Detects the format of a file by its content, without consuming any bytes.
  ///
  /// - Parameters:
  ///   - input: File at its beginning.
  ///   - columns: Columns that the user specified, as in ``ImportOptions/columns``. With such columns, a table is
  ///     recognised even if its column names are unknown.
  /// - Returns: The format, or `nil` if none matches.
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

  /// Returns the format with which a table of this program can be read as the table of an unknown program, together
  /// with ``ImportOptions/isPlainTable``. Returns `nil` if the file is not such a table.
  public func plainTable(of input: ByteInput) throws -> InterchangeFormat? {
    guard word != TableProfile.any.word, !tables.isEmpty, Self.isPlainText(try input.peek(1 << 16)) else { return nil }
    return Self.named(TableProfile.any.word)
  }

  /// Whether the content is neither XML nor JSON nor an archive. Excel's UTF-16 tables count as text.
  static func isPlainText(_ head: ArraySlice<UInt8>) -> Bool {
    guard let first = head.withoutLeadingSpace.first else { return false }
    return !"<{[".utf8.contains(first) && !head.starts(with: Array("PK".utf8))
  }

  /// Detects the format of a file by its first 64 KiB, or by its whole content if the file is shorter.
  static func of(_ head: ArraySlice<UInt8>) -> InterchangeFormat? {
    // Detect the track format only once for all formats.
    var track: ImportFormat??
    // Parse the header of a table only once for all formats.
    var header: TableHeader??
    return readable.first { format in
      if !format.tables.isEmpty {
        if header == nil { header = .some(isPlainText(head) ? EventTableReader.header(of: head) : nil) }
        if let table = header ?? nil, format.tables.contains(where: { $0.matches(table) }) { return true }
      }
      guard let form = format.track else { return format.recognise(head) }
      if track == nil { track = .some(ImportFormat.detect(Array(head))) }
      return track == .some(form)
    }
  }

  /// Detects the format of a folder or an archive by the contents of its files.
  ///
  /// - Returns: The format, or `nil` if no file is supported.
  /// - Throws: The error from opening a file.
  public static func detect(in files: ExportFiles) throws -> InterchangeFormat? {
    try readable.first { try $0.folder?.recognise(files) == true }
  }

  /// Formats that can be imported.
  public static let readable = all.filter { !$0.reads.isEmpty }
  /// Formats that can be exported.
  public static let writable = all.filter { !$0.writes.isEmpty }

  /// Reads a file and passes each record to `body` with its position, such as `line 12`.
  ///
  /// - Throws: ``InterchangeError``, or errors of the input or of `body`. The preceding records have then been passed
  ///   on.
  public func read(
    _ input: ByteInput, _ options: ImportOptions, _ body: (InterchangeRecord, String) throws -> Void
  ) throws {
    guard let readRecords else { preconditionFailure("the format \(word) is not read as records") }
    try readRecords(input, options, body)
  }

  /// Reads a folder or an archive and passes each record to `body`.
  ///
  /// The position includes the path, such as `Takeout/Records.json, locations[3]`.
  ///
  /// - Throws: ``InterchangeError``, or errors of a file or of `body`. The preceding records have then been passed on.
  public func read(
    _ files: ExportFiles, _ options: ImportOptions, _ body: (InterchangeRecord, String) throws -> Void
  ) throws {
    guard let folder else { preconditionFailure("the format \(word) is not read from a folder") }
    try folder.read(files, options, body)
  }

  /// Whether files of this format are read as records rather than as a track.
  public var isReadAsRecords: Bool { readRecords != nil }

  /// Returns a writer, or `nil` if the format is not a single file of events.
  public func eventWriter(_ context: ExportContext) -> (any EventWriter)? { makeWriter?(context) }

  /// Returns a writer, or `nil` if the format is not an archive of several files.
  public func archiveWriter(_ context: ExportContext) -> (any EventArchiveWriter)? { makeArchiveWriter?(context) }

  /// Whether the format is an archive of several files that an export can write.
  public var isWrittenAsArchive: Bool { makeArchiveWriter != nil }

  /// Returns a writer, or `nil` if tracks cannot be written in this format.
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
