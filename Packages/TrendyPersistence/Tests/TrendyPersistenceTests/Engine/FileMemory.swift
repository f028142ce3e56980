#if os(Linux)
  import Foundation

  /// What the system counts as this process's memory of a file: kilobytes that are mapped, and those that are in memory.
  /// - Parameter path: the end of it.
  func fileMemory(of path: String) throws -> (mapped: Int, resident: Int) {
    var (mapped, resident, isOfFile) = (0, 0, false)
    // Read to its end: the system does not say how long it is.
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
