import Foundation
import TrendyPersistence

enum Samples {
  static let repository = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL

  /// Recorded drive that `make demo` uses.
  static let drive = repository.appending(path: "Samples/drive.gpx")

  /// Sample hook that shows desktop notifications.
  static let notifyHook = drive.deletingLastPathComponent().appending(path: "hooks/notify-desktop")

  /// Folder with the same drive in the file formats of several programs.
  static let forms = drive.deletingLastPathComponent().appending(path: "forms")

  /// Folder with GPX files from other programs and descriptions of their content.
  static let recordings = drive.deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Packages/TrendyInterchange/Tests/TrendyInterchangeTests/Resources")

  /// Sets the format version in a manifest to a later one and updates its checksum (docs/format.md, "Manifest").
  static func raiseFormatVersion(of manifest: URL) throws {
    var bytes = [UInt8](try Data(contentsOf: manifest))
    bytes[8] = 99
    let checksum = bytes.dropLast(8).withUnsafeBytes { Checksum.xxh64($0) }
    bytes.replaceSubrange((bytes.count - 8)..., with: withUnsafeBytes(of: checksum.littleEndian) { Array($0) })
    try Data(bytes).write(to: manifest)
  }
}
