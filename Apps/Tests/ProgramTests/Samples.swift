import Foundation
import TrendyPersistence

enum Samples {
  /// Root folder of the repository.
  static let repository = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL

  /// The recorded drive of `make demo`.
  static let drive = repository.appending(path: "Samples/drive.gpx")

  /// Hook that shows desktop notifications.
  static let notifyHook = drive.deletingLastPathComponent().appending(path: "hooks/notify-desktop")

  /// One drive as several programs record it.
  static let forms = drive.deletingLastPathComponent().appending(path: "forms")

  /// The GPX files of other programs, with what each holds.
  static let recordings = drive.deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Packages/TrendyInterchange/Tests/TrendyInterchangeTests/Resources")

  /// Makes a manifest say that a later version of the program wrote it; its checksum is right (docs/format.md, "Manifest").
  static func raiseFormatVersion(of manifest: URL) throws {
    var bytes = [UInt8](try Data(contentsOf: manifest))
    bytes[8] = 99
    let checksum = bytes.dropLast(8).withUnsafeBytes { Checksum.xxh64($0) }
    bytes.replaceSubrange((bytes.count - 8)..., with: withUnsafeBytes(of: checksum.littleEndian) { Array($0) })
    try Data(bytes).write(to: manifest)
  }
}
