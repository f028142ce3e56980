import Foundation
import TrendyPersistence

enum Samples {
  /// Root folder of the repository.
  static let repository = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL

  /// Recorded drive that `make demo` uses.
  static let drive = repository.appending(path: "Samples/drive.gpx")

  /// Hook that shows desktop notifications.
  static let notifyHook = drive.deletingLastPathComponent().appending(path: "hooks/notify-desktop")

  /// One drive as several programs record it.
  static let forms = drive.deletingLastPathComponent().appending(path: "forms")

  /// GPX files of other programs, with a description of their content.
  static let recordings = drive.deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Packages/TrendyInterchange/Tests/TrendyInterchangeTests/Resources")

  /// Sets the format version of a manifest to a later one and updates its checksum (docs/format.md, "Manifest").
  static func raiseFormatVersion(of manifest: URL) throws {
    var bytes = [UInt8](try Data(contentsOf: manifest))
    bytes[8] = 99
    let checksum = bytes.dropLast(8).withUnsafeBytes { Checksum.xxh64($0) }
    bytes.replaceSubrange((bytes.count - 8)..., with: withUnsafeBytes(of: checksum.littleEndian) { Array($0) })
    try Data(bytes).write(to: manifest)
  }
}
