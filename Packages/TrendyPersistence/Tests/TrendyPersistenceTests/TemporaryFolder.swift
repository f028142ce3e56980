import Foundation

/// Temporary folder that is deleted together with this object.
final class TemporaryFolder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "/trendy-persistence-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    // If this fails, the system deletes the folder later.
    try? FileManager.default.removeItem(atPath: path)
  }
}
