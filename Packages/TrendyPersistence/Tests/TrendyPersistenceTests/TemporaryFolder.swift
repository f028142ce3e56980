import Foundation

/// Temporary folder that is deleted with the value.
final class TemporaryFolder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "/trendy-persistence-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    // A folder left behind is deleted by the system.
    try? FileManager.default.removeItem(atPath: path)
  }
}
