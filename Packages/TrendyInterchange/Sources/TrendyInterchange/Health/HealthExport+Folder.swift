extension HealthExport {
  /// An export as the phone gives it: the file with the data, and the ways of workouts beside it.
  ///
  /// It comes as a ZIP archive, whose folder and file are called in the phone's language: the data is known by its root element.
  public struct Folder {
    /// Bytes of a way that is read: a day and a half at a fix a second.
    public static let routeLimit = 32 << 20

    public let files: ExportFiles
    /// Of the file with the data.
    public let dataPath: String

    /// - Returns: `nil` if none of the files is of Apple Health.
    /// - Throws: ``HealthExportError/severalExports(_:)``, or what opening a file throws.
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

    /// Reads the data as ``HealthExport/read(_:_:)`` does.
    public func read(_ body: (HealthEvent) throws -> Void) throws -> Summary {
      try HealthExport.read(try files.open(dataPath), body)
    }

    /// A way of a workout, by its path in ``HealthEvent/routes``.
    /// - Returns: `nil` where the export does not have the file, as happens, or it is larger than ``routeLimit``.
    /// - Throws: ``InterchangeError`` for a file that is broken, or what opening it throws.
    public func route(_ path: String) throws -> TrackFile? {
      let folder = dataPath.utf8.lastIndex(of: UInt8(ascii: "/")).map { dataPath[...$0] } ?? ""
      let path = String(folder) + path
      guard files.contains(path), let bytes = try files.bytes(of: path, limit: Self.routeLimit) else { return nil }
      return try GPXReader.read(bytes)
    }
  }

  /// Whether a file that begins with these bytes, 64 KiB or all of it, has health data: its root element follows a document type of some
  /// kilobytes, which breaks the rules in some versions.
  public static func isBeginning(of bytes: ArraySlice<UInt8>) -> Bool {
    let bytes = bytes.withoutLeadingSpace
    guard bytes.first == UInt8(ascii: "<") else { return false }
    let root = Array("<HealthData".utf8)
    var rest = bytes
    // The document type has <!ELEMENT HealthData and <!DOCTYPE HealthData, but no such tag.
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

/// Its files stay with whoever made them.
@available(*, unavailable)
extension HealthExport.Folder: Sendable {}
