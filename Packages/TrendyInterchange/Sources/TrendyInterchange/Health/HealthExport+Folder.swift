extension HealthExport {
  /// Complete export: the data file and separate files for workout routes.
  ///
  /// The phone exports a ZIP archive whose folder and file names are in the phone's language, so the data file is
  /// recognised by its root element.
  public struct Folder {
    /// Maximum size in bytes of a route file, enough for 36 hours at one fix per second.
    public static let routeLimit = 32 << 20

    /// All files of the export.
    public let files: ExportFiles
    /// Path of the data file.
    public let dataPath: String

    /// Finds the data file. Returns `nil` if no file is an Apple Health export.
    ///
    /// - Throws: ``HealthExportError/severalExports(_:)``, or the error from opening a file.
    public init?(_ files: ExportFiles) throws {
      var found: [String] = []
      for path in files.paths where path.lowercased().hasSuffix(".xml") {
        let beginning = try files.beginning(of: path, count: 64 << 10)
        if HealthExport.isBeginning(of: beginning[...]) { found.append(path) }
      }
      guard let first = found.first else { return nil }
      guard found.count == 1 else { throw HealthExportError.severalExports(found) }
      self.files = files
      dataPath = first
    }

    /// Reads the data file like ``HealthExport/read(_:_:)``.
    ///
    /// - Throws: The errors of ``HealthExport/read(_:_:)``, or the error from opening the file.
    public func read(_ body: (HealthEvent) throws -> Void) throws -> Summary {
      try HealthExport.read(try files.open(dataPath), body)
    }

    /// Reads the route of a workout, given a path in ``HealthEvent/routes``.
    ///
    /// - Returns: The route, or `nil` if the export does not contain the file or the file is larger than
    ///   ``routeLimit``.
    /// - Throws: ``InterchangeError`` for an invalid file, or the error from opening the file.
    public func route(_ path: String) throws -> TrackFile? {
      let folder = dataPath.utf8.lastIndex(of: UInt8(ascii: "/")).map { dataPath[...$0] } ?? ""
      let path = String(folder) + path
      guard files.contains(path), let bytes = try files.bytes(of: path, limit: Self.routeLimit) else { return nil }
      return try GPXReader.read(bytes)
    }
  }

  /// Returns whether a file is an Apple Health export, given the first 64 KiB of the file, or the whole file if it is
  /// shorter.
  ///
  /// The root element follows a document type declaration of several kilobytes, which is malformed in some versions of
  /// the export.
  public static func isBeginning(of bytes: ArraySlice<UInt8>) -> Bool {
    let bytes = bytes.withoutLeadingSpace
    guard bytes.first == UInt8(ascii: "<") else { return false }
    let root = Array("<HealthData".utf8)
    var rest = bytes
    // The document type declaration contains `<!ELEMENT HealthData` and `<!DOCTYPE HealthData`, but not `<HealthData`.
    while let next = rest.firstIndex(of: root[0]) {
      let end = next + root.count
      if rest[next...].starts(with: root) {
        return end < rest.endIndex && (rest[end] == UInt8(ascii: ">") || rest[end].isSpace)
      }
      rest = rest[(next + 1)...]
    }
    return false
  }
}

/// Not `Sendable`, because ``ExportFiles`` may capture its creator's state.
@available(*, unavailable)
extension HealthExport.Folder: Sendable {}
