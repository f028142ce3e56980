import Foundation

/// A folder of its own that goes with the value.
final class TemporaryFolder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "/trendy-persistence-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    // What stays is in the system's folder for what may go.
    try? FileManager.default.removeItem(atPath: path)
  }
}
