#if os(Linux)
  import Foundation

  /// Returns the memory that maps a file in this process, in kilobytes. `path` is a suffix of the file's path.
  func fileMemory(of path: String) throws -> (mapped: Int, resident: Int) {
    var (mapped, resident, isOfFile) = (0, 0, false)
    // Read to the end, because the system reports no length for this file.
    let text = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/smaps")).readToEnd() ?? Data()
    for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count > 1, words[0].contains("-"), !words[0].hasSuffix(":") { isOfFile = line.hasSuffix(path) }
      guard isOfFile, words.count > 1, let number = Int(words[1]) else { continue }
      if words[0] == "Size:" { mapped += number }
      if words[0] == "Rss:" { resident += number }
    }
    return (mapped, resident)
  }
#endif
