import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads what a person names, or pipes in as `-`.
enum FileInput {
  static func bytes(of path: String) throws(CommandError) -> [UInt8] {
    // A pipe is read like a file.
    let url = URL(filePath: path == "-" ? "/dev/stdin" : path)
    guard FileManager.default.fileExists(atPath: url.path) else {
      throw CommandError("There is no file at \(path)", exit: .notFound)
    }
    do {
      return [UInt8](try Data(contentsOf: url))
    } catch {
      throw CommandError("\(path) cannot be opened", hint: "May this user read it?", exit: .readWrite)
    }
  }
}
