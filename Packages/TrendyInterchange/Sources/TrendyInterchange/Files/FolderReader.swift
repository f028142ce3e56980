import TrendyModels

/// Reads all files of a known format in a folder or an archive.
enum FolderReader {
  /// Maximum size in bytes of a track file. Track readers load the whole file.
  private static let trackLimit = 256 << 20

  static func holdsAnything(_ files: ExportFiles) throws -> Bool {
    for path in files.paths where try format(of: path, in: files) != nil { return true }
    return false
  }

  static func format(of path: String, in files: ExportFiles) throws -> InterchangeFormat? {
    InterchangeFormat.of(try files.beginning(of: path, count: 1 << 16)[...])
  }

  static func read(_ files: ExportFiles, _ options: ImportOptions, _ body: InterchangeFormat.Handler) throws {
    var paths: [(path: String, format: InterchangeFormat)] = []
    for path in files.paths {
      let head = try files.beginning(of: path, count: 1 << 16)[...]
      if let format = InterchangeFormat.of(head) {
        paths.append((path, format))
      } else {
        try body(.skip(what: FileToSkip.recognise(head)?.name ?? "file of unknown format"), path)
      }
    }
    // Fixes come first, so that trips in the other files are recognised as duplicates of the trips detected in the
    // fixes.
    var values = DailyValues()
    // A chosen type does not name the files, which have several types.
    var unnamed = options
    unnamed.typeName = nil
    for (path, format) in paths.filter({ $0.format.reads == .fixes }) + paths.filter({ $0.format.reads != .fixes }) {
      do {
        if let app = format.app {
          // A day's measurements may be in several files.
          try app.read(ByteInput(from: try files.open(path)), unnamed, path: path, &values) {
            try body($0, "\(path), \($1)")
          }
        } else if format.isReadAsRecords {
          try format.read(ByteInput(from: try files.open(path)), options) { try body($0, "\(path), \($1)") }
        } else if let bytes = try files.bytes(of: path, limit: trackLimit) {
          try body(.track(try TrackFile(reading: bytes)), path)
        } else {
          try body(.bad(reason: "larger than \(trackLimit >> 20) MB"), path)
        }
      } catch let error as InterchangeError {
        // Continue after an invalid file, because it must not prevent the import of other files.
        try body(.bad(reason: "\(error)"), path)
      }
    }
    try values.give(options, body)
  }

  static func describe(_ files: ExportFiles) -> String {
    if files.paths.isEmpty { return "an empty archive or folder" }
    let takeout = Set(
      files.paths.compactMap { path -> Substring? in
        let parts = path.split(separator: "/")
        guard let index = parts.firstIndex(of: "Takeout"), parts.count > index + 2 else { return nil }
        return parts[index + 1]
      })
    if !takeout.isEmpty {
      return "a Takeout with \(takeout.sorted().prefix(8).joined(separator: ", ")) but without location history; "
        + "since 2024 \(FileToSkip.phoneExport)"
    }
    let known = Set(
      files.paths.prefix(100).compactMap { path in
        // Ignore files that cannot be opened here.
        (try? files.beginning(of: path, count: 1 << 16)).flatMap { FileToSkip.refusal($0[...]) }
      })
    if let first = known.min() { return "an archive or folder with \(files.paths.count) files; \(first)" }
    let names = files.paths.prefix(3).joined(separator: ", ")
    return
      "an archive or folder with \(files.paths.count) unsupported files (\(names)\(files.paths.count > 3 ? ", …" : ""))"
  }
}

extension ExportFiles {
  /// Description of the content for an error message, used if no file is supported.
  public var description: String { FolderReader.describe(self) }
}
